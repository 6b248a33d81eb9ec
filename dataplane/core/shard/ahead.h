/* Loads into the CPU's cache what the next packets and work requests of a shard need. With many
 * QPs or regions this is rarely in the cache, and each packet would wait for several misses. The
 * caller has a burst, and calls rn_ahead_walk() before it processes an element. This takes the
 * first step for an element at least 2 * RN_AHEAD elements before that element is processed, and
 * with many QPs the second step at least RN_AHEAD elements before. So the misses of several
 * elements overlap. The loads of a whole burst at once would be more than the CPU can have under
 * way, and the CPU would wait for them.
 *
 * The functions have no other effect. They check nothing: a wrong QPN or key costs only time. Run
 * on the shard's thread. */
#ifndef RN_AHEAD_H
#define RN_AHEAD_H

#include "base/types.h"
#include "wire/hdr.h"

struct rn_qp;
struct rn_shard;

/* Sixteen packets take longer than a miss of a large table. A CPU can have some 24 misses under way
 * at the same time. */
#define RN_AHEAD 8u
/* Number of elements for which rn_ahead_walk() takes a step together, which costs less for each. */
#define RN_AHEAD_GROUP 4u
/* Maximum number of elements that wait for their second step; a power of two. */
#define RN_AHEAD_WAITING 32u
static_assert(RN_AHEAD_WAITING >= 2 * RN_AHEAD + RN_AHEAD_GROUP,
	      "the first call of rn_ahead_walk() may queue so many");

enum rn_ahead_what { RN_AHEAD_QPS = 1, RN_AHEAD_REGIONS = 2 };

/* A walk through one burst. */
struct rn_ahead {
	const struct rn_shard *sh;
	unsigned what;	/* enum rn_ahead_what */
	unsigned next;	/* the element before which the next steps are taken */
	unsigned first; /* how many elements have taken the first step */
	/* The last element that differed from the element before it. Of a frame: the first eight
	 * bytes of its BTH (`last`), their position in the frame (`bth`), the position behind the
	 * place of a RETH (`end`), and whether a RETH may be there (`reth`). Of a work request: its
	 * QPN (`last`). */
	uint64_t last;
	uint32_t bth, end;
	bool reth;
	/* the table of regions */
	uint32_t mask;
	const uint8_t (*regions)[64];
	/* ring of the elements whose second step has not been taken: from `head` up to `tail` */
	unsigned head, tail;
	struct {
		unsigned at; /* number of the element */
		uint32_t which;
	} waiting[RN_AHEAD_WAITING];
};

/* Returns what is worth loading ahead (enum rn_ahead_what): what the shard has so many of that they
 * do not fit into a level 2 cache. Returns 0 for a shard with few QPs and regions. */
unsigned rn_ahead_what(const struct rn_shard *sh);
/* Begins the walk through a burst. what: the result of rn_ahead_what(), not 0. */
void rn_ahead_begin(struct rn_ahead *a, const struct rn_shard *sh, unsigned what);

static inline void rn_ahead_region(const struct rn_ahead *a, uint32_t key)
{
	__builtin_prefetch(a->regions[key >> 8 & a->mask]);
}

/* First step for a received frame or for a work request: loads the region, and the entry of the
 * table that leads to the QP. lkey: the L_Key of the first SGE. Returns what the second step needs;
 * 0: there is no second step, because there are few QPs or because the last call was for the same
 * QP. The functions ..._other() are for an element that differs from the last one; the region of a
 * work request is loaded already. */
uint32_t rn_ahead_rx_other(struct rn_ahead *a, const uint8_t *frame, uint32_t len);
uint32_t rn_ahead_post_other(struct rn_ahead *a, uint32_t qpn);

static inline uint32_t rn_ahead_rx(struct rn_ahead *a, const uint8_t *frame, uint32_t len)
{
	if (len < a->end || rn_load64(frame + a->bth) != a->last)
		return rn_ahead_rx_other(a, frame, len);
	if (a->reth)
		rn_ahead_region(a, rn_load32(frame + a->end - 8));
	return 0;
}

static inline uint32_t rn_ahead_post(struct rn_ahead *a, uint32_t qpn, uint32_t lkey)
{
	if (a->what & RN_AHEAD_REGIONS)
		rn_ahead_region(a, lkey);
	return qpn == a->last ? 0 : rn_ahead_post_other(a, qpn);
}

/* Second step: loads the QP. which: the result of the first step, not 0. */
void rn_ahead_rx_qp(const struct rn_shard *sh, uint32_t which);
void rn_ahead_post_qp(const struct rn_shard *sh, uint32_t which);

/* To be called before element `at` of the n elements of a burst is processed. Takes the steps that
 * are due: first(a, burst, i) is rn_ahead_rx() or rn_ahead_post() for element i, and `second` is
 * the second step. The caller may leave out elements. */
static inline __attribute__((always_inline)) void
rn_ahead_walk(struct rn_ahead *a, unsigned at, unsigned n, const void *burst,
	      uint32_t (*first)(struct rn_ahead *a, const void *burst, unsigned i),
	      void (*second)(const struct rn_shard *sh, uint32_t which))
{
	unsigned end;

	if (rn_likely(at < a->next))
		return;
	a->next = at + RN_AHEAD_GROUP;
	end = RN_MIN(n, a->next + 2 * RN_AHEAD);
	for (; a->first < end; a->first++) {
		uint32_t which = first(a, burst, a->first);

		if (which == 0)
			continue;
		a->waiting[a->tail % RN_AHEAD_WAITING].at = a->first;
		a->waiting[a->tail++ % RN_AHEAD_WAITING].which = which;
	}
	while (a->head != a->tail && a->waiting[a->head % RN_AHEAD_WAITING].at < a->next + RN_AHEAD)
		second(a->sh, a->waiting[a->head++ % RN_AHEAD_WAITING].which);
}

/* To be called before `qp` sends, if it is not the only QP on the active list. Loads the requests
 * of the next QP on that list, and the state of the QP after the next. */
void rn_ahead_tx(const struct rn_shard *sh, const struct rn_qp *qp);

#endif
