/* Shared receive queues. Many shards take receives from one SRQ without waiting for each other, and
 * each receive is taken exactly once. Only one thread at a time posts receives.
 *
 * To take a receive, a shard copies the receive and then advances `taken` by compare-and-swap. If
 * the swap succeeds, the shard owns the receive. If the swap fails, the copy may mix two receives
 * and is discarded.
 *
 * Memory order:
 * - The poster writes a receive, then stores `posted` with release. Shards load `posted` with
 *   acquire.
 * - A shard reads the receive, then swaps `taken` with release. The poster loads `taken` with
 *   acquire before overwriting the slot.
 * - `taken` only grows and never repeats a value, so a swap with an outdated value fails.
 * - The words of a receive are atomic: a shard whose swap will fail may read them while the poster
 *   writes. */
#include "queue/srq.h"

#include <string.h>

#define HEAD_WORDS 2u
#define SGE_WORDS  (sizeof(struct rn_sge) / sizeof(uint64_t))

static uint32_t stride_of(uint32_t max_sge)
{
	return HEAD_WORDS + max_sge * SGE_WORDS;
}

size_t rn_srq_ring_bytes(uint32_t depth, uint32_t max_sge)
{
	return sizeof(struct rn_srq_ring) +
	       (size_t)rn_pow2_up(depth) * stride_of(max_sge) * sizeof(uint64_t);
}

static void ring_init(struct rn_srq_ring *ring, uint64_t base, uint32_t depth, uint32_t max_sge)
{
	atomic_init(&ring->next, NULL);
	ring->base = base;
	ring->mask = rn_pow2_up(depth) - 1;
	ring->stride = stride_of(max_sge);
}

void rn_srq_init(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth, uint32_t max_sge,
		 uint32_t pd)
{
	rn_assert(max_sge <= RN_WQE_MAX_SGE);
	ring_init(ring, 0, depth, max_sge);
	atomic_init(&srq->shared.taken, 0);
	atomic_init(&srq->shared.posted, 0);
	atomic_init(&srq->shared.limit, 0);
	atomic_init(&srq->ring, ring);
	srq->first = srq->newest = ring;
	srq->max_sge = max_sge;
	srq->pd = pd;
}

bool rn_srq_fits(const struct rn_srq *srq, uint32_t depth)
{
	return depth <= srq->newest->mask + 1;
}

void rn_srq_grow(struct rn_srq *srq, struct rn_srq_ring *ring, uint32_t depth)
{
	ring_init(ring, atomic_load_explicit(&srq->shared.posted, memory_order_relaxed), depth,
		  srq->max_sge);
	/* Link the new ring before a receive in this ring is published, so that shards find the
	 * ring. */
	atomic_store_explicit(&srq->newest->next, ring, memory_order_release);
	srq->newest = ring;
}

struct rn_srq_ring *rn_srq_next_ring(struct rn_srq *srq)
{
	struct rn_srq_ring *ring = srq->first;

	if (ring)
		srq->first = atomic_load_explicit(&ring->next, memory_order_relaxed);
	return ring;
}

static RN_ATOMIC(uint64_t) * words_of(struct rn_srq_ring *ring, uint64_t number)
{
	return &ring->word[(number & ring->mask) * ring->stride];
}

bool rn_srq_post(struct rn_srq *srq, const struct rn_wqe *w)
{
	uint64_t n = atomic_load_explicit(&srq->shared.posted, memory_order_relaxed);
	uint64_t taken = atomic_load_explicit(&srq->shared.taken, memory_order_acquire);
	struct rn_srq_ring *ring = srq->newest;
	const uint8_t *sge = (const uint8_t *)w + offsetof(struct rn_wqe, sge);
	RN_ATOMIC(uint64_t) *word = words_of(ring, n);

	/* Refuse a malformed receive, or any receive if the newest ring has no free slot. Receives
	 * in older rings use no slot of the newest ring and are not counted. */
	if (w->num_sge > srq->max_sge || w->slots != rn_wqe_slots_sge(w->num_sge) ||
	    n - RN_MAX(taken, ring->base) > ring->mask)
		return false;
	atomic_store_explicit(&word[0], w->wr_id, memory_order_relaxed);
	atomic_store_explicit(&word[1], w->num_sge, memory_order_relaxed);
	for (unsigned i = 0; i < w->num_sge * SGE_WORDS; i++) {
		uint64_t v;

		memcpy(&v, sge + i * sizeof(v), sizeof(v));
		atomic_store_explicit(&word[HEAD_WORDS + i], v, memory_order_relaxed);
	}
	atomic_store_explicit(&srq->shared.posted, n + 1, memory_order_release);
	return true;
}

/* Returns the ring that holds the posted receive with this number. Returns NULL if the receive has
 * been taken already. */
static struct rn_srq_ring *ring_of(struct rn_srq *srq, uint64_t number)
{
	struct rn_srq_ring *ring = atomic_load_explicit(&srq->ring, memory_order_acquire), *next;

	if (number < ring->base)
		return NULL;
	while ((next = atomic_load_explicit(&ring->next, memory_order_acquire)) &&
	       number >= next->base) {
		/* All receives before `number` are taken, so the search for a receive may begin at
		 * ring `next`. Another shard may at the same time set srq->ring back to an older
		 * ring. Later searches then only follow a few more links. */
		atomic_store_explicit(&srq->ring, next, memory_order_release);
		ring = next;
	}
	return ring;
}

/* Copies a receive into *e. The poster may be overwriting the words of the receive, so the number
 * of SGEs is limited to max_sge here. */
static void copy_out(struct rn_srq_ring *ring, uint64_t number, uint32_t max_sge, struct rn_rqe *e)
{
	RN_ATOMIC(uint64_t) *word = words_of(ring, number);
	uint64_t n;

	e->wr_id = atomic_load_explicit(&word[0], memory_order_relaxed);
	n = atomic_load_explicit(&word[1], memory_order_relaxed);
	e->num_sge = (uint16_t)RN_MIN(n, (uint64_t)max_sge);
	for (unsigned i = 0; i < e->num_sge * SGE_WORDS; i++) {
		uint64_t v = atomic_load_explicit(&word[HEAD_WORDS + i], memory_order_relaxed);

		memcpy((uint8_t *)e->sge + i * sizeof(v), &v, sizeof(v));
	}
}

/* To be called after a receive was taken. `taken` counts the receives taken so far, including the
 * last one. Returns true if fewer receives than the armed limit are left. Only one caller gets true
 * each time the limit is armed. */
static bool went_low(struct rn_srq *srq, uint64_t taken)
{
	uint32_t limit = atomic_load(&srq->shared.limit);

	return limit && atomic_load(&srq->shared.posted) - taken < limit &&
	       atomic_exchange(&srq->shared.limit, 0);
}

bool rn_srq_take(struct rn_srq *srq, struct rn_rqe *e, bool *low)
{
	uint64_t n = atomic_load_explicit(&srq->shared.taken, memory_order_acquire), sum = 0;

	/* The weak compare-and-swap below may fail without a reason, or because another shard was
	 * faster. The loop tries again in both cases. */
	for (;;) {
		struct rn_srq_ring *ring;

		if (n >= atomic_load_explicit(&srq->shared.posted, memory_order_acquire))
			return false;
		ring = ring_of(srq, n);
		if (rn_unlikely(!ring)) {
			n = atomic_load_explicit(&srq->shared.taken, memory_order_acquire);
			continue;
		}
		copy_out(ring, n, srq->max_sge, e);
		/* The swap stores `taken` before went_low() reads `limit`. The thread that arms the
		 * limit stores `limit`, then reads `taken`. So this thread sees the limit, or the
		 * arming thread sees the new `taken`. */
		if (atomic_compare_exchange_weak(&srq->shared.taken, &n, n + 1))
			break;
	}
	for (unsigned i = 0; i < e->num_sge; i++)
		sum += e->sge[i].length;
	e->length = (uint32_t)RN_MIN(sum, (uint64_t)UINT32_MAX);
	e->bad = 0;
	*low = went_low(srq, n + 1);
	return true;
}
