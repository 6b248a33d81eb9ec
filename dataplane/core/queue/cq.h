/* Completion queues as their producer uses them: one struct rn_cq per (shard, CQ), the producing
 * end of the rings of abi.h. CQEs that were written become visible with rn_cq_publish(), once
 * per rn_shard_done(). Shard thread. */
#ifndef RN_CQ_H
#define RN_CQ_H

#include "base/list.h"
#include "rn/abi.h"
#include "base/types.h"

struct rn_cq {
	struct rn_cq_shared *shared;
	struct rn_cq_ring *ring; /* NULL: this shard writes no CQEs to the CQ */
	uint32_t tail;		 /* next entry to write; ring->tail lags behind until published */
	uint32_t head_seen; /* last known head; ring->head is read only when the ring seems full */
	bool solicited;	    /* an unpublished CQE carries SOLICITED or ERROR */
	bool overrun;
	bool overrun_handled; /* the QPs of this CQ are in ERR */
	/* events not yet reported: bits 1 << RN_EVENT_CQ, 1 << RN_EVENT_CQ_OVERRUN */
	uint8_t events;
	uint32_t id;
	uint64_t user;
	struct rn_list dirty; /* in rn_lane.dirty_cq while CQEs are unpublished */
	struct rn_list tell;  /* in rn_shard.pending_cq while events are not reported */
};

/* Bytes of a ring with at least `entries` entries; the caller allocates the ring. */
size_t rn_cq_ring_bytes(uint32_t entries);
void rn_cq_ring_init(struct rn_cq_ring *ring, uint32_t entries);

/* Makes `ring` the ring that this shard fills. If the CQ has a ring already, the new ring is linked
 * behind it. */
void rn_cq_link(struct rn_cq *cq, uint32_t id, struct rn_cq_shared *shared, struct rn_cq_ring *ring,
		uint64_t user);

/* Returns the entry to fill; rn_cq_written() must follow. NULL: the ring is full or the CQ has
 * overrun. */
struct rn_cqe *rn_cq_claim(struct rn_cq *cq);
static inline void rn_cq_written(struct rn_cq *cq, uint16_t flags)
{
	cq->tail++;
	cq->solicited |= (flags & (RN_CQE_SOLICITED | RN_CQE_ERROR)) != 0;
}

/* Has another shard's ring of this CQ overrun, so that the CQ must stop here too? */
static inline bool rn_cq_dead_elsewhere(const struct rn_cq *cq)
{
	return atomic_load_explicit(&cq->shared->overrun, memory_order_relaxed) && !cq->overrun;
}

/* Makes all written CQEs visible to the reader. */
void rn_cq_publish(struct rn_cq *cq);
/* To be called after publishing and a full fence. True: the caller must report an event for this CQ
 * now. At most one shard gets true per arming. */
bool rn_cq_fires(struct rn_cq *cq);

#endif
