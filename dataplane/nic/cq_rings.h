/* The rings of a CQ: their size, when a further one is allocated, and when one is freed. Each shard
 * that feeds a CQ has a chain of rings: the reader takes from the oldest, the shard writes into the
 * newest. All functions run under the adapter's control lock. */
#ifndef RN_NIC_CQ_RINGS_H
#define RN_NIC_CQ_RINGS_H

#include "nic/objects.h"

/* Allocates a ring for shard `shard` if its newest ring is too small once `more` further requests
 * can be posted. This function never makes a ring smaller. *ring is left alone if none is needed
 * (the caller sets it to NULL before). The caller must have the shard link the ring and then call
 * rn_cq_rings_linked(). Returns 0 or -ENOMEM. */
int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more,
		     struct rn_cq_ring **ring);

/* The same for a new depth of the CQ: allocates a larger ring if one is needed, or a smaller one if
 * the present ring is at least twice too large. The attached queues keep the room they need. The
 * ring is not made smaller while the reader is still in an older one, or every change of depth
 * would lengthen the chain. */
int rn_cq_rings_resize(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth,
		       struct rn_cq_ring **ring);

/* To be called when the shard has linked `ring`: makes it the newest, and the reader's first if the
 * shard had none. */
void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring);

/* To be called when the reader has left `ring`. Frees the ring if it is the oldest of a shard and
 * has a successor; otherwise does nothing. */
void rn_cq_rings_done(struct rn_nic_cq *cq, struct rn_cq_ring *ring);

#endif
