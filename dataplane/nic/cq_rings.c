/* How large must a CQ's ring be in each shard? A ring has room for the CQ's depth, and for one
 * completion of every work request that the attached QPs can have outstanding. So a CQ cannot
 * overrun. Owns the rings from their allocation on. Runs in control threads, under the control
 * lock. */
#include "nic/cq_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shard/core.h"

#define MAX_ENTRIES (UINT64_C(1) << 28)

/* Returns the number of CQEs for which the ring of this CQ in this shard needs room. This is the
 * larger of `depth` and the sum of:
 * - the work requests that can be outstanding now
 * - `more` further work requests
 * - the unread CQEs or f->gone, whichever is smaller; f->gone is the total depth of the queues of
 *   QPs that were destroyed since the newest ring was linked */
static uint64_t need_of(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth, uint64_t more)
{
	const struct rn_nic_feed *f = &cq->feed[shard];
	uint64_t unread = 0;

	if (f->newest != NULL)
		unread = (uint32_t)(atomic_load(&f->newest->tail) - atomic_load(&f->newest->head));
	return RN_MAX(f->depths + more + RN_MIN(unread, f->gone), depth);
}

/* Allocates a ring and zeroes only its header, so the pages of unused CQEs stay untouched. The
 * shard writes each CQE before the application reads it. */
static int make_ring(uint64_t entries, struct rn_cq_ring **out)
{
	if (entries > MAX_ENTRIES)
		return -ENOMEM;
	size_t bytes = RN_ALIGN_UP(rn_cq_ring_bytes((uint32_t)entries), (size_t)64);
	struct rn_cq_ring *ring = aligned_alloc(64, bytes);
	if (ring == NULL)
		return -ENOMEM;
	memset(ring, 0, sizeof(*ring));
	rn_cq_ring_init(ring, (uint32_t)entries);
	*out = ring;
	return 0;
}

int rn_cq_rings_grow(const struct rn_nic_cq *cq, unsigned shard, uint64_t more,
		     struct rn_cq_ring **ring)
{
	const struct rn_nic_feed *f = &cq->feed[shard];
	uint64_t need = need_of(cq, shard, cq->depth, more);

	return f->newest != NULL && f->newest->size >= need ? 0 : make_ring(need, ring);
}

int rn_cq_rings_resize(const struct rn_nic_cq *cq, unsigned shard, uint32_t depth,
		       struct rn_cq_ring **ring)
{
	const struct rn_nic_feed *f = &cq->feed[shard];

	if (f->newest == NULL)
		return 0; /* a shard gets its ring when the first QP on it uses the CQ */
	if (f->newest->size < need_of(cq, shard, depth, 0))
		return make_ring(need_of(cq, shard, depth, 0), ring);
	/* Unread CQEs stay in the old ring, so the new ring needs no room for them. */
	uint64_t need = RN_MAX(f->depths, depth);
	if (f->newest->size < 2 * need || atomic_load(&cq->view.first[shard]) != f->newest)
		return 0;
	return make_ring(need, ring);
}

void rn_cq_rings_linked(struct rn_nic_cq *cq, unsigned shard, struct rn_cq_ring *ring)
{
	struct rn_nic_feed *f = &cq->feed[shard];

	if (f->newest == NULL)
		atomic_store_explicit(&cq->view.first[shard], ring, memory_order_release);
	f->newest = ring;
	f->gone = 0;
}

void rn_cq_rings_done(struct rn_nic_cq *cq, struct rn_cq_ring *ring)
{
	for (unsigned s = 0; s < RN_MAX_SHARDS; s++) {
		if (atomic_load(&cq->view.first[s]) != ring)
			continue;
		struct rn_cq_ring *next = atomic_load(&ring->next);
		if (next != NULL) {
			atomic_store_explicit(&cq->view.first[s], next, memory_order_release);
			free(ring);
		}
		return;
	}
}
