/* The rings of a CQ: their size, when a further one is allocated, and when one is freed. Each shard
 * that feeds a CQ has a chain of rings: the reader takes from the oldest, the shard writes into the
 * newest. All functions run under the adapter's control lock. */
#ifndef RN_NIC_CQ_RINGS_H
#define RN_NIC_CQ_RINGS_H

#include "nic/objects.h"

/* Allocates a ring for shard `shard` if the shard has none yet, or if its newest ring is too small
 * for `more` requests in addition to the present ones. This function never makes a ring smaller. If
 * no ring is needed, *ring keeps its value, which the caller has set to NULL. The caller must let
 * the shard link the new ring and then call rn_cq_rings_linked(). Returns 0 or -ENOMEM. */
int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more,
		     struct rn_cq_ring **ring);

/* Prepares a new depth of the CQ for shard `shard`. Allocates a larger ring if the shard needs one,
 * or a smaller ring if its newest one is at least twice as large as needed; the rest is as for
 * rn_cq_rings_grow(). A ring always has the room that the attached queues need. While the reader is
 * still in an older ring, no smaller ring is allocated: otherwise every change of depth would
 * lengthen the chain. A shard without a ring gets none. */
int rn_cq_rings_resize(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth,
		       struct rn_cq_ring **ring);

/* To be called after the shard has linked `ring`: records `ring` as the shard's newest ring, and
 * also as the first ring to read if the shard had none before. */
void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring);

/* To be called when the reader has moved on from `ring` to the next one. Frees `ring` if it is the
 * oldest of a shard and has a successor; otherwise does nothing. */
void rn_cq_rings_done(struct rn_nic_cq *cq, struct rn_cq_ring *ring);

#endif
