/* The submission ring: how work requests get from application threads to a shard. Owns the ring's
 * memory. rn_submit_put() runs in any thread, and rn_submit_drain() in the shard's thread. */
#include "port/submit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>
#include <rte_ring_peek_zc.h>

#include "port/handover.h"
#include "shard/ahead.h"

int rn_submit_create(struct rn_submit *s, uint32_t slots)
{
	ssize_t bytes = rte_ring_get_memsize_elem(RN_SLOT_BYTES, slots);

	if (bytes < 0)
		return (int)bytes;
	s->ring =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RN_ALIGN_UP((size_t)bytes, RTE_CACHE_LINE_SIZE));
	if (s->ring == NULL)
		return -ENOMEM;
	/* In RTS mode (relaxed tail synchronisation) the ring's head may run ahead of its tail up
	 * to a limit. Set this limit to the whole ring. With the default limit a preempted producer
	 * would make other producers spin. */
	int err = rte_ring_init(s->ring, "rn_submit", slots, RING_F_MP_RTS_ENQ | RING_F_SC_DEQ);
	if (err == 0)
		err = rte_ring_set_prod_htd_max(s->ring, rte_ring_get_capacity(s->ring));
	if (err != 0)
		rn_submit_destroy(s);
	return err;
}

void rn_submit_destroy(struct rn_submit *s)
{
	free(s->ring);
	s->ring = NULL;
}

RN_HANDOVER_UNSEEN bool rn_submit_put(struct rn_submit *s, const struct rn_wqe *wqe, uint32_t n)
{
	unsigned slots = (unsigned)(rn_wqe_behind(wqe, n) - wqe);

	rn_assert(slots >= 1 && slots <= RN_LINK_LIST_SLOTS);
	rn_handover_give_one(s->ring);
	return rte_ring_enqueue_bulk_elem(s->ring, wqe, RN_SLOT_BYTES, slots, NULL) != 0;
}

uint32_t rn_submit_position(const struct rn_submit *s)
{
	/* Use the producer head, not the tail. In RTS mode (relaxed tail synchronisation) the tail
	 * may not yet cover this thread's enqueue: it waits for an older enqueue of another
	 * thread. */
	return __atomic_load_n(&s->ring->rts_prod.head.val.pos, __ATOMIC_ACQUIRE);
}

bool rn_submit_drained(const struct rn_submit *s, uint32_t position)
{
	return (int32_t)(__atomic_load_n(&s->ring->cons.tail, __ATOMIC_ACQUIRE) - position) >= 0;
}

bool rn_submit_idle(const struct rn_submit *s)
{
	return rn_submit_drained(s, rn_submit_position(s));
}

bool rn_submit_empty(const struct rn_submit *s)
{
	return rte_ring_empty(s->ring);
}

unsigned rn_submit_count(const struct rn_submit *s)
{
	return rte_ring_count(s->ring);
}

/* Returns the address of slot i of a zero-copy dequeue. Slots that wrap around the end of the ring
 * have two parts (ptr1, ptr2). */
static const void *slot_at(const struct rte_ring_zc_data *zc, unsigned i)
{
	if (i < zc->n1)
		return (const char *)zc->ptr1 + (size_t)i * RN_SLOT_BYTES;
	return (const char *)zc->ptr2 + (size_t)(i - zc->n1) * RN_SLOT_BYTES;
}

/* The first step of ahead.h for slot i. Work requests of several slots are not told apart here: a
 * slot with other contents names no QP, or the wrong one, which does no harm. */
static uint32_t first_step(struct rn_ahead *a, const void *burst, unsigned i)
{
	const struct rn_wqe *w = slot_at(burst, i);

	return rn_ahead_post(a, w->qpn, w->sge[0].lkey);
}

unsigned rn_submit_drain(struct rn_submit *s, struct rn_shard *sh, unsigned max, rn_time now)
{
	struct rte_ring_zc_data zc;
	union {
		struct rn_wqe wqe;
		uint8_t slot[RN_WQE_MAX_SLOTS][RN_SLOT_BYTES];
	} copy;
	unsigned got = rte_ring_dequeue_zc_burst_elem_start(s->ring, RN_SLOT_BYTES, max, &zc, NULL);
	struct rn_ahead walk;
	unsigned taken = 0, ahead = got > 0 ? rn_ahead_what(sh) : 0;

	rn_handover_take_one(s->ring);
	if (rn_unlikely(ahead != 0))
		rn_ahead_begin(&walk, sh, ahead);
	/* Copy each work request before the shard validates it, so that it cannot change between
	 * check and use. */
	while (taken < got) {
		if (rn_unlikely(ahead != 0))
			rn_ahead_walk(&walk, taken, got, &zc, first_step, rn_ahead_post_qp);
		memcpy(copy.slot[0], slot_at(&zc, taken), RN_SLOT_BYTES);
		/* If the slot count is invalid, treat the slot as a work request of one slot. No
		 * front end writes such a count. */
		unsigned slots = copy.wqe.slots;
		if (slots < 1 || slots > RN_WQE_MAX_SLOTS)
			slots = 1;
		if (taken + slots > got)
			break; /* `max` ends within this work request: leave it for the next call */
		for (unsigned i = 1; i < slots; i++)
			memcpy(copy.slot[i], slot_at(&zc, taken + i), RN_SLOT_BYTES);
		copy.wqe.slots = (uint8_t)slots;
		rn_shard_post(sh, &copy.wqe, now);
		taken += slots;
	}
	if (got > 0)
		rte_ring_dequeue_zc_elem_finish(s->ring, taken);
	return taken;
}
