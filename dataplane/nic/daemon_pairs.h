/* The registry of the queue pairs of a client of softrnicd. The daemon learns connections of the
 * connection manager from their messages; a queue pair that is connected without the connection
 * manager is announced to it, and withdrawn when it is no longer connected. Several queue pairs may
 * have the same peer, which is withdrawn with the last of them.
 *
 * The caller serialises the calls, except that of rn_daemon_pair_create(); they run in control
 * threads and in the watcher thread. Calls that send the daemon a request wait for its reply. */
#ifndef RN_DAEMON_PAIRS_H
#define RN_DAEMON_PAIRS_H

#include "base/htab.h"
#include "nic/daemon_link.h"

#define RN_DAEMON_PAIRS_BUCKETS 1024

/* A queue pair. Exists as long as the queue pair, so that connecting needs no memory. */
struct rn_daemon_pair {
	struct rn_hnode node;
	uint32_t qpn;
	bool announced;		 /* the daemon was sent `claim` for this queue pair */
	struct rn_hnode by_peer; /* in the table `peers`, if it is announced */
	struct rn_daemon_claim claim;
};

struct rn_daemon_pairs {
	struct rn_daemon_link *link;
	struct rn_htab pairs; /* all, by QPN */
	struct rn_htab peers; /* those that are announced, by address and QPN of the peer */
	struct rn_hnode *bucket[2][RN_DAEMON_PAIRS_BUCKETS];
};

/* The link must live as long as *r. rn_daemon_pairs_fini() frees all records and sends the daemon
 * no request. */
void rn_daemon_pairs_init(struct rn_daemon_pairs *r, struct rn_daemon_link *link);
void rn_daemon_pairs_fini(struct rn_daemon_pairs *r);

/* Makes the record of a queue pair, before the queue pair is created. Returns NULL if there is no
 * memory. Is given to rn_daemon_pairs_add(), or to free() if there is no queue pair. */
struct rn_daemon_pair *rn_daemon_pair_create(void);
void rn_daemon_pairs_add(struct rn_daemon_pairs *r, struct rn_daemon_pair *pair, uint32_t qpn);
/* Returns NULL if there is no such queue pair. */
struct rn_daemon_pair *rn_daemon_pairs_find(const struct rn_daemon_pairs *r, uint32_t qpn);
/* The queue pair is destroyed. Does nothing if it is not known. */
void rn_daemon_pairs_remove(struct rn_daemon_pairs *r, uint32_t qpn);

/* A queue pair is connected in two steps: rn_daemon_pairs_announce() announces the peer before
 * data flow; then rn_daemon_pairs_connected() records that the queue pair has this peer, and no
 * longer a former one, or rn_daemon_pairs_refused() takes the announcement back. A daemon that is
 * not strict does not need an announcement, and one that refuses it drops the data: the connection
 * then fails as with a peer that does not answer. */
void rn_daemon_pairs_announce(struct rn_daemon_pairs *r, const struct rn_daemon_claim *claim);
void rn_daemon_pairs_connected(struct rn_daemon_pairs *r, struct rn_daemon_pair *pair,
			       const struct rn_daemon_claim *claim);
void rn_daemon_pairs_refused(struct rn_daemon_pairs *r, const struct rn_daemon_claim *claim);
/* The queue pair is no longer connected, or the connection manager has connected it. Accepts NULL.
 */
void rn_daemon_pairs_withdraw(struct rn_daemon_pairs *r, struct rn_daemon_pair *pair);

/* Announces all again to a daemon that has restarted. What the daemon refuses is over, or known to
 * it already. Returns 0, or -errno if the daemon is away. */
int rn_daemon_pairs_register(struct rn_daemon_pairs *r);

#endif
