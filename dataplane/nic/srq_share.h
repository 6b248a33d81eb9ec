/* The room that CQs keep for the completions of shared receive queues. Under the adapter's control
 * lock.
 *
 * When a message takes a receive from an SRQ, its slot can be posted again, although the
 * completion comes later. So QPs of one shard that share an SRQ and a receive CQ can have as many
 * completions there as the SRQ is deep, plus one for each QP (the message it is receiving). */
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
	bool linked[RN_MAX_SHARDS]; /* by shard: rn_shard_srq_link() was called there */
	struct rn_list shares;	    /* list of struct rn_nic_share */
};

/* The QPs of one shard that use one SRQ and one receive CQ. */
struct rn_nic_share {
	struct rn_list of_srq;
	struct rn_nic_share *next; /* next share of the same CQ and shard */
	struct rn_nic_srq *srq;
	struct rn_nic_cq *cq;
	unsigned shard;
	unsigned users; /* number of QPs; while 0, the share is on no list */
};

/* Finds or allocates the share for a QP that is being created; NULL = no memory. *room: number of
 * entries that the QP adds to what the CQ must hold. */
struct rn_nic_share *rn_nic_share_find(struct rn_nic_srq *srq, struct rn_nic_cq *cq, unsigned shard,
				       uint64_t *room);
/* join: the QP was created. leave: it was destroyed; the last one frees the share. drop: its
 * creation failed; frees a share that has no QP (NULL is allowed). */
void rn_nic_share_join(struct rn_nic_share *share);
void rn_nic_share_leave(struct rn_nic_share *share);
void rn_nic_share_drop(struct rn_nic_share *share);

#endif
