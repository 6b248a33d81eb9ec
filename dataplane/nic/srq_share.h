/* How much room the completions of shared receive queues need. Under the adapter's control lock.
 *
 * Room: a receive is free to be posted again when a message takes it, one completion before it ends. So the QPs of one
 * shard that take from one SRQ and complete to one CQ can have as many completions there as the SRQ is deep, and one more
 * for each of them. */
#ifndef RN_SRQ_SHARE_H
#define RN_SRQ_SHARE_H

#include "base/list.h"
#include "queue/srq.h"
#include "rn/abi.h"
#include "rn/link.h"

struct rn_nic_cq;

struct rn_nic_srq {
	struct rn_srq srq;
	uint32_t id, depth;
	uint32_t most;         /* the greatest depth it ever had: what CQs have room for */
	uint64_t user;
	unsigned users;        /* QPs */
	bool linked[RN_MAX_SHARDS]; /* the shard knows of it */
	struct rn_list shares; /* struct rn_nic_share */
};

/* The QPs of one shard, on one SRQ and one receive CQ. */
struct rn_nic_share {
	struct rn_list of_srq;
	struct rn_nic_share *next; /* of the CQ's feed of that shard */
	struct rn_nic_srq *srq;
	struct rn_nic_cq *cq;
	unsigned shard;
	unsigned users;            /* QPs; 0: on no list yet */
};

/* The share that a QP to be joins, perhaps a new one; NULL: no memory. *room: entries that its receives add to the CQ. */
struct rn_nic_share *rn_nic_share_find(struct rn_nic_srq *srq, struct rn_nic_cq *cq, unsigned shard, uint64_t *room);
/* The QP has come to be, or is gone, or came to nothing: a share without QPs ends. */
void rn_nic_share_join(struct rn_nic_share *share);
void rn_nic_share_leave(struct rn_nic_share *share);
void rn_nic_share_drop(struct rn_nic_share *share);

#endif
