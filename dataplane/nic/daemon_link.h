/* A client's connection to softrnicd: one function for each message of rn/daemon.h. Requests are
 * answered one at a time, in the order in which they are sent. Any thread may call the functions,
 * which wait for the reply, RN_DAEMON_LINK_WAIT_S at most. Replies are checked like everything that
 * comes from another process.
 *
 * A daemon that has let a request time out is not waited for again until it answers: meanwhile
 * requests fail at once with -ETIMEDOUT and are not sent, except those that end or announce
 * something. These are kept, RN_DAEMON_LINK_KEPT at most, and are sent when the daemon answers
 * again.
 *
 * Errors that all functions may return, besides those of the message: -ENOTCONN while there is no
 * connection, -ETIMEDOUT, -EPROTO for a reply that makes no sense, and what the socket reports. The
 * connection is closed after an error of the socket and after -EPROTO, which the daemon takes as
 * the end of the client. After -ETIMEDOUT it stays: the request may have been carried out. */
#ifndef RN_DAEMON_LINK_H
#define RN_DAEMON_LINK_H

#include <pthread.h>
#include <stdbool.h>

#include "rn/daemon.h"

#define RN_DAEMON_LINK_WAIT_S 2
#define RN_DAEMON_LINK_KEPT   1024

struct rn_daemon_kept;

struct rn_daemon_link {
	pthread_mutex_t lock; /* guards the members below, and is held from request to reply */
	char socket[108];     /* path of the daemon's socket */
	int fd;		      /* -1: not connected */
	int returning;	      /* a connection whose ATTACH is not answered yet, or -1 */
	unsigned late;	      /* replies that were not waited for, and are to be skipped */
	bool silent;	      /* a request has timed out, and no reply has come since */
	/* requests that wait for the daemon, in their order; *tail is the end of the list */
	struct rn_daemon_kept *kept, **tail;
	unsigned nkept;
	/* what the daemon gave this client; a client comes back with both. number 0: nothing yet */
	uint32_t number;
	uint64_t token;
};

/* Asks the daemon at this path for the attributes of its port, without attaching. If there is no
 * daemon, waits up to wait_ms for one. */
int rn_daemon_link_ask(const char *socket, unsigned wait_ms, struct rn_daemon_port *port);
/* Is this the error of a request to a daemon that is not there, or has just ended? */
bool rn_daemon_link_absent(int rc);

/* Prepares *l. Does not connect. */
void rn_daemon_link_init(struct rn_daemon_link *l, const char *socket);
/* Ends the connection. The daemon then counts the client as dead. */
void rn_daemon_link_fini(struct rn_daemon_link *l);
/* For a forked child: closes its copy of the descriptor, so that a child that outlives its parent
 * does not keep the client alive. Takes no lock. */
void rn_daemon_link_forget(struct rn_daemon_link *l);

/* Connects, and becomes a client whose port has this many pairs of rings: with a new number, or
 * with the former number if there is one. An earlier connection is closed first. `name` is for
 * reports. */
int rn_daemon_link_attach(struct rn_daemon_link *l, unsigned queues, const char *name,
			  struct rn_daemon_port *port);
/* Becomes a client again with the former number, without waiting for a daemon that hangs: the
 * caller holds up all that needs its locks. Returns -EINPROGRESS until the daemon has answered, and
 * is then to be called again, now and then; meanwhile there is no connection. Otherwise like
 * rn_daemon_link_attach(). The request is sent once, however long the daemon takes: there is no
 * connection that it would find closed when it goes on. */
int rn_daemon_link_return(struct rn_daemon_link *l, unsigned queues, const char *name,
			  struct rn_daemon_port *port);
/* Passes the Unix socket at `path`, on which this client's virtio_user port listens. */
int rn_daemon_link_port(struct rn_daemon_link *l, const char *path);
int rn_daemon_link_listen(struct rn_daemon_link *l, uint64_t id, const struct rn_gid *addr);
/* Kept while the daemon is silent, as are rn_daemon_link_leave(), rn_daemon_link_announce() and
 * rn_daemon_link_unclaim(). They return -ETIMEDOUT then too. */
int rn_daemon_link_unlisten(struct rn_daemon_link *l, uint64_t id, const struct rn_gid *addr);
int rn_daemon_link_join(struct rn_daemon_link *l, const struct rn_gid *group);
int rn_daemon_link_leave(struct rn_daemon_link *l, const struct rn_gid *group);
/* Asks the daemon to take the frames that this client has sent (RN_DAEMON_FLUSH). Returns when the
 * daemon has taken them, or does not answer. */
void rn_daemon_link_flush(struct rn_daemon_link *l);
/* Announces n <= RN_DAEMON_CLAIMS connections. Returns the error of the first one that was refused,
 * and sets *accepted to the number of the others. */
int rn_daemon_link_claim(struct rn_daemon_link *l, const struct rn_daemon_claim *claims, unsigned n,
			 uint32_t *accepted);
/* Announces one queue pair that is connected without the connection manager. */
int rn_daemon_link_announce(struct rn_daemon_link *l, const struct rn_daemon_claim *pair);
int rn_daemon_link_unclaim(struct rn_daemon_link *l, uint32_t remote_qpn,
			   const struct rn_gid *peer);

/* Sends what was kept, if the daemon answers again. To be called now and then. */
void rn_daemon_link_settle(struct rn_daemon_link *l);

/* Is there no connection, or has the daemon closed it? Does not wait. Closes the connection in the
 * second case. */
bool rn_daemon_link_lost(struct rn_daemon_link *l);
/* Is this the result of a request that could not be made, because the daemon is away? Calls
 * rn_daemon_link_lost(). */
static inline bool rn_daemon_link_away(struct rn_daemon_link *l, int rc)
{
	return rc != 0 && rn_daemon_link_lost(l);
}

#endif
