/* Completion queues as their producer sees them: one struct rn_cq per (shard, CQ), the producing end of the rings of
 * abi.h. Written CQEs become visible with rn_cq_publish(), once per rn_shard_done(). Shard thread. */
#ifndef RN_CQ_H
#define RN_CQ_H

#include "base/list.h"
#include "rn/abi.h"
#include "base/types.h"

struct rn_cq {
	struct rn_cq_shared *shared;
	struct rn_cq_ring *ring; /* NULL: this shard does not feed the CQ */
	uint32_t tail;           /* next entry to write; ring->tail lags behind until published */
	uint32_t head_seen;      /* a consumer position already known: the shared line is read only when this one
				  * says full */
	bool solicited;          /* an unpublished CQE carries SOLICITED or ERROR */
	bool overrun;
	bool overrun_handled;    /* its QPs are in error */
	uint8_t events;          /* 1 << RN_EVENT_CQ | 1 << RN_EVENT_CQ_OVERRUN not yet told */
	uint32_t id;
	uint64_t user;
	struct rn_list dirty; /* on the shard's list while something is unpublished */
	struct rn_list tell;  /* on the shard's list while events are not told */
};

/* Memory that a ring of so many entries takes; the caller allocates it. */
size_t rn_cq_ring_bytes(uint32_t entries);
void rn_cq_ring_init(struct rn_cq_ring *ring, uint32_t entries);

void rn_cq_link(struct rn_cq *cq, uint32_t id, struct rn_cq_shared *shared, struct rn_cq_ring *ring, uint64_t user);

/* The entry to fill, or NULL: the ring is full or the CQ is dead. rn_cq_written() follows. */
struct rn_cqe *rn_cq_claim(struct rn_cq *cq);
static inline void rn_cq_written(struct rn_cq *cq, uint16_t flags)
{
	cq->tail++;
	cq->solicited |= (flags & (RN_CQE_SOLICITED | RN_CQE_ERROR)) != 0;
}

/* Another shard's ring of this CQ overran, and this one does not know yet. */
static inline bool rn_cq_dead_elsewhere(const struct rn_cq *cq)
{
	return atomic_load_explicit(&cq->shared->overrun, memory_order_relaxed) && !cq->overrun;
}

/* Makes what was written visible to the reader. */
void rn_cq_publish(struct rn_cq *cq);
/* After publish and a full fence: true when this CQ's arming fires now (at most one shard gets true per arming). */
bool rn_cq_fires(struct rn_cq *cq);

#endif
