/* The room that CQs keep for the completions of shared receive queues. Callers hold the adapter's
 * control lock.
 *
 * A share is the QPs of one shard with the same SRQ and the same receive CQ. The unread completions
 * of a share can be as many as the SRQ is deep, plus one per QP. The reason for the one per QP: a
 * receive that a message has taken can be posted again before the message completes. */
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
	uint32_t most; /* the SRQ's largest depth so far; the CQs have room for it */
	uint64_t user;
	unsigned users;		    /* number of QPs that use this SRQ */
	bool linked[RN_MAX_SHARDS]; /* linked[i]: rn_shard_srq_link() was called in shard i */
	struct rn_list shares;	    /* list of struct rn_nic_share */
};

/* A share: the QPs of one shard that use the same SRQ and the same receive CQ. */
struct rn_nic_share {
	struct rn_list of_srq;
	struct rn_nic_share *next; /* next share with the same CQ and shard */
	struct rn_nic_srq *srq;
	struct rn_nic_cq *cq;
	unsigned shard;
	unsigned users; /* number of QPs in the share; a share without QPs is in no list */
};

/* Finds or allocates the share (srq, cq, shard) for a QP that is being created. Sets *room to the
 * number of CQEs for which the CQ needs more room. Returns NULL if there is no memory. */
struct rn_nic_share *rn_nic_share_find(struct rn_nic_srq *srq, struct rn_nic_cq *cq, unsigned shard,
				       uint64_t *room);
/* These functions count the QPs in a share.
 * - join: to be called after a QP of the share was created.
 * - leave: to be called after a QP of the share was destroyed. Frees a share whose last QP leaves.
 * - drop: to be called if the creation of a QP failed. Frees a share without QPs. Accepts NULL. */
void rn_nic_share_join(struct rn_nic_share *share);
void rn_nic_share_leave(struct rn_nic_share *share);
void rn_nic_share_drop(struct rn_nic_share *share);

#endif
