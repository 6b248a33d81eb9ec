/* The rings of a completion queue: how large, when another, when freed. Each shard that feeds a CQ has a chain of them: the
 * reader is in the oldest, the shard writes into the newest. Under the adapter's control lock. */
#ifndef RN_NIC_CQ_RINGS_H
#define RN_NIC_CQ_RINGS_H

#include "nic/objects.h"

/* A ring behind the newest of shard `shard` if that is too small for queues of `more` further requests; rings only become
 * larger here. *ring stays NULL when none is needed. 0 or -ENOMEM. The shard links it, rn_cq_rings_linked() follows. */
int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more, struct rn_cq_ring **ring);

/* As above for a new depth of the CQ: a larger ring if need be, or a smaller one. The queues attached keep the room they
 * need. No smaller ring while the reader is in an older one: a chain would grow with every change. */
int rn_cq_rings_resize(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth, struct rn_cq_ring **ring);

/* The shard has it: it is the newest now, and the reader's way in if it is the first. */
void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring);

/* The reader has left `ring`: freed, if it is what it should be, the oldest with a successor. */
void rn_cq_rings_done(struct rn_nic_cq *cq, struct rn_cq_ring *ring);

#endif
