/* The rings of a CQ: how large a ring is, when a further ring is allocated, and when a ring is
 * freed. Each shard that writes CQEs to a CQ has a chain of rings. The application reads from the
 * oldest ring, and the shard writes into the newest ring. All functions run under the adapter's
 * control lock. */
#ifndef RN_NIC_CQ_RINGS_H
#define RN_NIC_CQ_RINGS_H

#include "nic/objects.h"

/* Allocates a ring for shard `shard` if the shard has no ring of the CQ. Also allocates a ring if
 * the newest ring has no room for `more` work requests in addition to the present ones. Otherwise
 * does not write *ring, which the caller has set to NULL. Returns 0 or -ENOMEM.
 * The caller must make the shard link the new ring, and then call rn_cq_rings_linked(). This
 * function never makes a ring smaller. */
int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more,
		     struct rn_cq_ring **ring);

/* Prepares a new depth of the CQ for shard `shard`. Allocates a ring, with the same parameters and
 * results as rn_cq_rings_grow(), in two cases:
 * - The newest ring is too small for the new depth or for the attached queues.
 * - The newest ring is at least twice as large as needed, and the application already reads from
 *   the newest ring. Without the second condition every change of depth could lengthen the chain.
 * A shard without a ring gets no ring. */
int rn_cq_rings_resize(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth,
		       struct rn_cq_ring **ring);

/* To be called after the shard has linked `ring`. Records `ring` as the shard's newest ring. If the
 * shard had no ring before, `ring` is also the first ring to read. */
void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring);

/* To be called when the application has moved on from `ring` to the next ring. Frees `ring` if it
 * is the oldest ring of a shard and has a successor. Otherwise does nothing. */
void rn_cq_rings_done(struct rn_nic_cq *cq, struct rn_cq_ring *ring);

#endif
