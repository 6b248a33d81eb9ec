/* Completion queues, the side that writes CQEs: claims a place for a CQE, publishes a batch of
 * CQEs, and checks whether the application armed the CQ. Runs on the shard's thread.
 *
 * Memory order between this shard and the reader:
 * - Publishing: the shard stores the ring's tail with release. A reader that sees the new tail also
 *   sees the CQEs.
 * - Claiming: the reader stores the ring's head with release after copying CQEs. The shard loads
 *   the head with acquire before overwriting CQEs.
 * - Arming: the reader stores `armed`, executes a full fence, and reads the tails again. The shard
 *   stores the tails, executes a full fence (rn_shard_done()), and reads `armed`. So the reader
 *   sees the new tails, or the shard sees `armed`. */
#include "queue/cq.h"

size_t rn_cq_ring_bytes(uint32_t entries)
{
	return sizeof(struct rn_cq_ring) + (size_t)rn_pow2_up(entries) * sizeof(struct rn_cqe);
}

void rn_cq_ring_init(struct rn_cq_ring *ring, uint32_t entries)
{
	uint32_t n = rn_pow2_up(entries);

	atomic_init(&ring->tail, 0);
	atomic_init(&ring->head, 0);
	atomic_init(&ring->next, NULL);
	ring->size = n;
	ring->mask = n - 1;
}

void rn_cq_link(struct rn_cq *cq, uint32_t id, struct rn_cq_shared *shared, struct rn_cq_ring *ring,
		uint64_t user)
{
	if (!cq->ring) {
		rn_list_init(&cq->dirty);
		rn_list_init(&cq->tell);
		cq->events = 0;
		cq->overrun = cq->overrun_handled = cq->solicited = false;
	} else {
		/* Publish the last CQEs of the old ring first: the reader may leave the old ring as
		 * soon as the new ring is linked. */
		rn_cq_publish(cq);
		atomic_store_explicit(&cq->ring->next, ring, memory_order_release);
	}
	cq->id = id;
	cq->shared = shared;
	cq->ring = ring;
	cq->user = user;
	cq->tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	cq->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
}

bool rn_cq_find_room(struct rn_cq *cq)
{
	struct rn_cq_ring *ring = cq->ring;

	cq->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
	/* The application can write any value to ring->head. Treat a head beyond the tail as a full
	 * ring. */
	if (cq->tail - cq->head_seen < ring->size)
		return true;
	cq->overrun = true;
	atomic_store_explicit(&cq->shared->overrun, 1, memory_order_release);
	return false;
}

void rn_cq_publish(struct rn_cq *cq)
{
	atomic_store_explicit(&cq->ring->tail, cq->tail, memory_order_release);
}

bool rn_cq_fires(struct rn_cq *cq)
{
	uint32_t armed = atomic_load_explicit(&cq->shared->armed, memory_order_relaxed);
	bool solicited = cq->solicited;

	cq->solicited = false;
	/* The compare-and-swap also disarms the CQ, so only one of several shards reports the
	 * event. */
	while (armed == RN_CQ_ARM_ANY || (armed == RN_CQ_ARM_SOLICITED && solicited))
		if (atomic_compare_exchange_weak_explicit(&cq->shared->armed, &armed,
							  RN_CQ_ARM_NONE, memory_order_acq_rel,
							  memory_order_relaxed))
			return true;
	return false;
}
