/* The daemon's end of the shared memory of a client: a vhost-user device of librte_vhost, which is
 * the client of the Unix socket on which the virtio_user port of the client process listens
 * (docs/decisions/0015-switch.md).
 *
 * Nothing that comes from the client process is trusted. librte_vhost checks addresses and ring
 * entries. This module adds what the library leaves open:
 * - Only the messages that virtio_user needs are handled (vhost.c); any other is refused.
 * - A message that is begun must be complete within a fraction of a second, because one thread of
 *   the library handles the messages of all clients.
 * - A client that shortens the memory that it shares would raise SIGBUS in the daemon. The handler
 *   replaces the memory by empty pages, and the device counts as broken.
 * - Only memory of the kernel is accepted: a page of another file may never come. */
#ifndef RN_VHOST_H
#define RN_VHOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RN_VHOST_MAX 256 /* devices */

struct rn_vhost;

/* Called by threads of the library, and by that of rn_vhost_open() and rn_vhost_close().
 * - up: the rings of device vid can be used.
 * - changed: some ring is enabled or disabled. Must not wait.
 * - down: the rings may not be used any more. Must return only when they are not in use.
 * `arg` is that of rn_vhost_open(). */
struct rn_vhost_ops {
	void (*up)(void *arg, int vid);
	void (*changed)(void *arg);
	void (*down)(void *arg);
};

/* Installs the handler of SIGBUS. To be called once. Returns 0 or -errno. */
int rn_vhost_install(void);

/* Connects to the socket that `fd` (opened with O_PATH) refers to. `fd` must stay open until
 * rn_vhost_close(). Returns 0 or -errno. */
int rn_vhost_open(struct rn_vhost **v, int fd, const struct rn_vhost_ops *ops, void *arg);
/* Ends the connection: calls ops->down() first if the rings are in use. Accepts NULL. */
void rn_vhost_close(struct rn_vhost *v);
/* Has the client shortened its memory, shared a file that is not memory, or ended its
 * connection? The caller should then close the device. Any thread. */
bool rn_vhost_broken(const struct rn_vhost *v);

/* Is it an eventfd, on which no operation waits for another process, except a write to a full
 * one? */
bool rn_vhost_is_eventfd(int fd);

#endif
