/* The Unix socket by which softrnicd reaches the port of a client. The client's net_virtio_user
 * port makes the socket and listens; the daemon connects (decision 0015), also after a restart of
 * the daemon, so the socket stays while the port is open.
 *
 * The socket is in a folder that only this user can enter, and may be connected to by everybody who
 * reaches it: the daemon may run as another user, and gets a descriptor of the socket. */
#ifndef RN_DAEMON_PORT_H
#define RN_DAEMON_PORT_H

#include <stddef.h>

struct rn_daemon_link;

struct rn_daemon_port_path {
	char folder[80];
	char socket[96]; /* "" if there is none */
};

/* Makes the folder. Returns 0 or -errno. Removes the folders of processes that were killed. */
int rn_daemon_port_make(struct rn_daemon_port_path *p);
/* Removes socket and folder. Does nothing if there are none. */
void rn_daemon_port_remove(struct rn_daemon_port_path *p);

/* Runs open(arg), which makes the driver create the socket and returns 0 or -errno. The driver
 * waits there for the daemon. So a thread passes the socket to the daemon meanwhile, and if the
 * daemon does not take it, ends the wait. Returns what open() returns; *refused is 0, or the error
 * for which the daemon has not taken the socket. */
int rn_daemon_port_open(const struct rn_daemon_port_path *p, struct rn_daemon_link *link,
			int (*open)(void *arg), void *arg, int *refused);

#endif
