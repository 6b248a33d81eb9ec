/* The rings of a CQ: their size, when a further one is allocated, and when one is freed. Each shard
 * that feeds a CQ has a chain of rings: the reader takes from the oldest, the shard writes into the
 * newest. All functions run under the adapter's control lock. */
#ifndef RN_NIC_CQ_RINGS_H
#define RN_NIC_CQ_RINGS_H

#include "nic/objects.h"

/* Allocates a ring for shard `shard` if its newest ring is too small once `more` further requests
 * can be posted. This function never makes a ring smaller. If no ring is needed, *ring keeps its
 * value, which the caller has set to NULL. The caller must let the shard link the new ring and then
 * call rn_cq_rings_linked(). Returns 0 or -ENOMEM. */
int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more,
		     struct rn_cq_ring **ring);

/* Prepares a new depth of the CQ in the same way as rn_cq_rings_grow(): allocates a larger ring if
 * one is needed, or a smaller one if the present ring is at least twice too large. The attached
 * queues keep the room they need. No smaller ring is allocated while the reader is still in an
 * older ring; otherwise every change of depth would lengthen the chain. */
int rn_cq_rings_resize(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth,
		       struct rn_cq_ring **ring);

/* To be called after the shard has linked `ring`: records `ring` as the shard's newest ring, and
 * also as the first ring to read if the shard had none before. */
void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring);

/* To be called when the reader has moved on from `ring` to the next one. Frees `ring` if it is the
 * oldest of a shard and has a successor; otherwise does nothing. */
void rn_cq_rings_done(struct rn_nic_cq *cq, struct rn_cq_ring *ring);

#endif
