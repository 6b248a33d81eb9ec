/* The registry of what the connection manager of a client of softrnicd has bound: its ids, the
 * services at which it listens or that belong to one of its ports, and the queue pairs that an id
 * has begun to connect. Services are registered with the daemon, so that no two clients get the
 * same one; a service that several ids use is registered once. While the daemon is away,
 * registrations succeed, and rn_daemon_binds_register() makes them later.
 *
 * The caller serialises the calls; they run in control threads and in the watcher thread. They wait
 * for the daemon's replies, and for exec(). */
#ifndef RN_DAEMON_BINDS_H
#define RN_DAEMON_BINDS_H

#include "base/htab.h"
#include "nic/daemon_link.h"

struct rn_cmd;
struct rn_nic;
struct rn_rsp;

#define RN_DAEMON_BINDS_BUCKETS 1024

/* Executes a command in the shard. Returns rsp->err. */
typedef int rn_daemon_exec(struct rn_nic *, const struct rn_cmd *, struct rn_rsp *);

struct rn_daemon_binds {
	struct rn_daemon_link *link;
	struct rn_htab ids, services;
	struct rn_htab connecting; /* ids by queue pair */
	struct rn_hnode *bucket[3][RN_DAEMON_BINDS_BUCKETS];
};

/* The link must live as long as *r. rn_daemon_binds_fini() frees all records and sends the daemon
 * no request. */
void rn_daemon_binds_init(struct rn_daemon_binds *r, struct rn_daemon_link *link);
void rn_daemon_binds_fini(struct rn_daemon_binds *r);

/* Executes CM_BIND, CM_LISTEN or CM_CONNECT without an id, which creates one. Returns rsp->err:
 * besides the errors of the command those of rn_daemon_link_listen(), if the port is in use by
 * another client. The shard has no new id then. */
int rn_daemon_binds_create(struct rn_daemon_binds *r, struct rn_nic *nic, const struct rn_cmd *cmd,
			   struct rn_rsp *rsp, rn_daemon_exec *exec);
/* Executes CM_LISTEN with an id, which becomes a listener. Returns rsp->err as above. */
int rn_daemon_binds_listen(struct rn_daemon_binds *r, struct rn_nic *nic, const struct rn_cmd *cmd,
			   struct rn_rsp *rsp, rn_daemon_exec *exec);
/* The id begins to connect the queue pair. Does nothing if the id is not known. */
void rn_daemon_binds_connect(struct rn_daemon_binds *r, uint32_t id, uint32_t qpn);
/* The id is destroyed. Its service ends with the last id that has it. */
void rn_daemon_binds_drop(struct rn_daemon_binds *r, uint32_t id);
/* Has an id begun to connect the queue pair? The daemon has seen its REQ then. */
bool rn_daemon_binds_is_connecting(const struct rn_daemon_binds *r, uint32_t qpn);

/* Registers all services with a daemon that has restarted. A service that the daemon refuses is
 * logged under the name of the adapter. Returns 0, or -errno if the daemon is away. */
int rn_daemon_binds_register(struct rn_daemon_binds *r, const char *adapter);

#endif
