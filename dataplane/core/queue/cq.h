/* Completion queues, seen from a shard that writes CQEs. A CQ has one ring for each shard that
 * writes CQEs (abi.h). struct rn_cq is one shard's end of one CQ. Written CQEs become visible with
 * rn_cq_publish(), once per rn_shard_done(). Runs on the shard's thread. */
#ifndef RN_CQ_H
#define RN_CQ_H

#include "base/list.h"
#include "rn/abi.h"
#include "base/types.h"

struct rn_cq {
	struct rn_cq_shared *shared;
	struct rn_cq_ring *ring; /* NULL if this shard writes no CQEs to the CQ */
	/* number of the next CQE to write; publishing copies this number to ring->tail */
	uint32_t tail;
	/* ring->head as last read; read again only when the ring seems full */
	uint32_t head_seen;
	bool solicited; /* at least one unpublished CQE carries SOLICITED or ERROR */
	bool overrun;
	bool overrun_handled; /* the QPs that use this CQ have been put into ERR */
	/* events of this CQ not yet reported: bits 1 << RN_EVENT_CQ, 1 << RN_EVENT_CQ_OVERRUN */
	uint8_t events;
	uint32_t id;
	uint64_t user;
	struct rn_list dirty; /* node in rn_lane.dirty_cq while CQEs are unpublished */
	struct rn_list tell;  /* node in rn_shard.pending_cq while events are not reported */
};

/* Returns the ring size in bytes for at least `entries` CQEs. The caller allocates the ring. */
size_t rn_cq_ring_bytes(uint32_t entries);
void rn_cq_ring_init(struct rn_cq_ring *ring, uint32_t entries);

/* Makes the shard write its CQEs of this CQ into `ring`. If the shard used another ring of this CQ
 * before, links `ring` behind the old ring. The reader follows this link. */
void rn_cq_link(struct rn_cq *cq, uint32_t id, struct rn_cq_shared *shared, struct rn_cq_ring *ring,
		uint64_t user);

/* Reads the reader's position again, for a ring that seems full. Returns true if the ring has room.
 * Otherwise the CQ has overrun. */
__attribute__((noinline)) bool rn_cq_find_room(struct rn_cq *cq);
/* Returns the CQE to fill, for which the caller must then call rn_cq_written(). Returns NULL if the
 * ring is full or the CQ has overrun. */
static inline struct rn_cqe *rn_cq_claim(struct rn_cq *cq)
{
	struct rn_cq_ring *ring = cq->ring;

	if (rn_unlikely(cq->overrun))
		return NULL;
	if (rn_unlikely(cq->tail - cq->head_seen >= ring->size) && !rn_cq_find_room(cq))
		return NULL;
	return &ring->cqe[cq->tail & ring->mask];
}
static inline void rn_cq_written(struct rn_cq *cq, uint16_t flags)
{
	cq->tail++;
	if (rn_unlikely(flags & (RN_CQE_SOLICITED | RN_CQE_ERROR)))
		cq->solicited = true;
}

/* Did the ring of another shard for this CQ overflow? Then the CQ is dead, and this shard must stop
 * writing CQEs to the CQ too. */
static inline bool rn_cq_dead_elsewhere(const struct rn_cq *cq)
{
	return atomic_load_explicit(&cq->shared->overrun, memory_order_relaxed) && !cq->overrun;
}

/* Makes all written CQEs visible to the reader. */
void rn_cq_publish(struct rn_cq *cq);
/* To be called after rn_cq_publish() and a full fence. Returns true if the caller must now report
 * an event for this CQ. At most one shard gets true each time the CQ is armed. */
bool rn_cq_fires(struct rn_cq *cq);

#endif
