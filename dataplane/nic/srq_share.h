/* The room that CQs keep for the completions of shared receive queues. Callers hold the adapter's
 * control lock.
 *
 * When a message takes a receive from an SRQ, the receive's slot can be posted again before the
 * message completes. So the QPs of one shard that share an SRQ and a receive CQ can have as many
 * unread completions in that CQ as the SRQ is deep, plus one per QP for the message that it is
 * receiving. */
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
	uint32_t most; /* the largest depth so far; the CQs have room for it */
	uint64_t user;
	unsigned users;		    /* number of QPs that use this SRQ */
	bool linked[RN_MAX_SHARDS]; /* [i]: rn_shard_srq_link() was called in shard i */
	struct rn_list shares;	    /* list of struct rn_nic_share */
};

/* A share: the QPs of one shard that use the same SRQ and the same receive CQ. */
struct rn_nic_share {
	struct rn_list of_srq;
	struct rn_nic_share *next; /* next share of the same CQ and shard */
	struct rn_nic_srq *srq;
	struct rn_nic_cq *cq;
	unsigned shard;
	unsigned users; /* number of QPs; a share without QPs is in no list */
};

/* Finds or allocates the share (srq, cq, shard) for a QP that is being created. Sets *room to the
 * number of further entries that the CQ needs for the QP. Returns NULL if there is no memory. */
struct rn_nic_share *rn_nic_share_find(struct rn_nic_srq *srq, struct rn_nic_cq *cq, unsigned shard,
				       uint64_t *room);
/* join: to be called after the QP was created. leave: to be called after the QP was destroyed;
 * frees the share with its last QP. drop: to be called if the creation of the QP failed; frees a
 * share that has no QP, and accepts NULL. */
void rn_nic_share_join(struct rn_nic_share *share);
void rn_nic_share_leave(struct rn_nic_share *share);
void rn_nic_share_drop(struct rn_nic_share *share);

#endif
