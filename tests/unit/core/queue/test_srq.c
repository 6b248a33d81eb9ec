/* A shared receive queue (SRQ) without QPs: order, depth, growth, and several threads that take
 * receives. Also tests the event when the number of receives falls below the armed limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "shard/core.h"
#include "queue/srq.h"

static struct rn_srq *srq;

static struct rn_srq_ring *ring_for(uint32_t depth, uint32_t max_sge)
{
	return calloc(1, rn_srq_ring_bytes(depth, max_sge));
}

static void start(uint32_t depth, uint32_t max_sge)
{
	srq = aligned_alloc(64, RN_ALIGN_UP(sizeof(*srq), 64));
	memset(srq, 0, sizeof(*srq));
	rn_srq_init(srq, ring_for(depth, max_sge), depth, max_sge, 1);
}

static void stop(void)
{
	struct rn_srq_ring *ring;

	while ((ring = rn_srq_next_ring(srq)))
		free(ring);
	free(srq);
}

static void grow(uint32_t depth)
{
	assert_false(rn_srq_fits(srq, depth));
	rn_srq_grow(srq, ring_for(depth, srq->max_sge), depth);
	assert_true(rn_srq_fits(srq, depth));
}

/* Posts a receive whose SGEs are computed from its id, so that whole() can check them. */
static bool post(uint64_t id, unsigned sges)
{
	_Alignas(64) uint8_t slots[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES] = {0};
	struct rn_wqe *w = (struct rn_wqe *)slots;
	uint8_t *at = slots + offsetof(struct rn_wqe, sge);

	w->kind = RN_WQE_RECV;
	w->wr_id = id;
	w->num_sge = (uint16_t)sges;
	w->slots = (uint8_t)rn_wqe_slots_sge(sges);
	for (unsigned i = 0; i < sges; i++, at += sizeof(struct rn_sge))
		memcpy(at,
		       &(struct rn_sge){id * 1000 + i, (uint32_t)(id % 5000) + i,
					(uint32_t)(id ^ i)},
		       sizeof(struct rn_sge));
	return rn_srq_post(srq, w);
}

struct taken {
	union {
		struct rn_rqe e;
		uint8_t room[sizeof(struct rn_rqe) + RN_WQE_MAX_SGE * sizeof(struct rn_sge)];
	};
};

/* Checks that a receive and all its SGEs are as post() made them. */
static bool whole(const struct taken *t, unsigned sges)
{
	uint64_t id = t->e.wr_id, sum = 0;
	bool ok = t->e.num_sge == sges && !t->e.bad;

	for (unsigned i = 0; ok && i < sges; i++) {
		const struct rn_sge *s = &t->e.sge[i];

		ok = s->addr == id * 1000 + i && s->length == (uint32_t)(id % 5000) + i &&
		     s->lkey == (uint32_t)(id ^ i);
		sum += s->length;
	}
	return ok && t->e.length == sum;
}

static void take_is(uint64_t id, unsigned sges)
{
	struct taken t;
	bool low;

	assert_true(rn_srq_take(srq, &t.e, &low));
	assert_int_equal(t.e.wr_id, id);
	assert_true(whole(&t, sges));
	assert_false(low);
}

static void take_none(void)
{
	struct taken t;
	bool low;

	assert_false(rn_srq_take(srq, &t.e, &low));
}

static void test_in_order(void **state)
{
	start(4, 3);
	take_none();
	for (uint64_t id = 1; id < 100; id += 4) {
		for (unsigned i = 0; i < 4; i++)
			assert_true(post(id + i, i));
		assert_false(post(9999, 1)); /* four receives are posted: the SRQ is full */
		for (unsigned i = 0; i < 4; i++)
			take_is(id + i, i);
		take_none();
	}
	stop();
}

static void test_form(void **state)
{
	_Alignas(64) struct rn_wqe w = {.kind = RN_WQE_RECV, .num_sge = 1, .slots = 2};

	start(4, 3);
	assert_false(post(1, 4));
	assert_false(rn_srq_post(srq, &w)); /* refused: 1 SGE needs 1 slot, not 2 */
	assert_int_equal(atomic_load(&srq->shared.posted), 0);
	take_none();
	stop();
	start(1, 0);
	assert_true(post(7, 0));
	take_is(7, 0);
	stop();
	start(2, RN_WQE_MAX_SGE);
	assert_true(post(8, RN_WQE_MAX_SGE));
	take_is(8, RN_WQE_MAX_SGE);
	stop();
}

/* The application can write the memory of the ring. So the NIC must check the counts and lengths
 * that it reads from the ring. */
static void test_words_are_not_trusted(void **state)
{
	struct taken t;
	bool low;

	start(2, 2);
	assert_true(post(1, 1));
	atomic_store(&srq->newest->word[1], 60000);
	assert_true(rn_srq_take(srq, &t.e, &low));
	assert_int_equal(t.e.num_sge, 2);
	assert_true(post(2, 2));
	for (unsigned i = 0; i < 2; i++) /* lengths whose sum exceeds 32 bits */
		atomic_store(&srq->newest->word[srq->newest->stride + 2 + 2 * i + 1],
			     UINT64_C(0xFFFFFFFF));
	assert_true(rn_srq_take(srq, &t.e, &low));
	assert_int_equal(t.e.length, UINT32_MAX);
	stop();
}

/* Receives in older rings are taken first. The newest ring determines how many receives may be
 * posted. */
static void test_growth(void **state)
{
	uint64_t posted = 0, taken = 0;

	start(2, 1);
	while (posted < 2)
		assert_true(post(posted++, 1));
	grow(8);
	assert_true(rn_srq_fits(srq, 5));
	for (unsigned i = 0; i < 6; i++)
		assert_true(post(posted++, 1));
	take_is(taken++, 1);
	grow(16);
	grow(100); /* the ring of 16 is replaced before anything was posted to it */
	for (unsigned i = 0; i < 93; i++)
		assert_true(post(posted++, 1));
	while (taken < posted)
		take_is(taken++, 1);
	take_none();
	for (unsigned i = 0; i < 300; i++) {
		assert_true(post(posted++, 1));
		take_is(taken++, 1);
	}
	stop();
}

static bool take_low(void)
{
	struct taken t;
	bool low = true;

	assert_true(rn_srq_take(srq, &t.e, &low));
	return low;
}

static void test_limit(void **state)
{
	start(16, 1);
	for (uint64_t id = 0; id < 8; id++)
		assert_true(post(id, 1));
	assert_false(take_low()); /* 7 receives left; the limit is not armed */
	atomic_store(&srq->shared.limit, 5);
	assert_false(take_low()); /* 6 receives left, the limit is 5 */
	assert_false(take_low()); /* 5 receives left, not below the limit */
	assert_true(take_low());
	assert_int_equal(atomic_load(&srq->shared.limit), 0);
	assert_false(take_low()); /* the limit fires only once */
	atomic_store(&srq->shared.limit, 1);
	assert_false(take_low());
	assert_false(take_low());
	assert_true(take_low()); /* 0 receives left, below the limit of 1 */
	stop();
}

/* ---- several threads take receives ---- */

#define TAKERS 3
#define ROUNDS 200000u
#define MOST   64u

static _Atomic uint64_t takes, lows;
static _Atomic uint32_t seen[ROUNDS];
static _Atomic bool over;

static void *taker(void *arg)
{
	uint64_t last = 0, bad = 0;
	struct taken t;
	bool low;

	while (!atomic_load(&over)) {
		if (!rn_srq_take(srq, &t.e, &low)) {
			sched_yield();
			continue;
		}
		bad += t.e.wr_id < last || !whole(&t, (unsigned)(t.e.wr_id % 4));
		last = t.e.wr_id + 1;
		if (t.e.wr_id < ROUNDS)
			atomic_fetch_add(&seen[t.e.wr_id], 1);
		atomic_fetch_add(&lows, low);
		atomic_fetch_add(&takes, 1);
	}
	return (void *)(uintptr_t)bad;
}

/* Several threads take receives while the SRQ grows. Each receive is taken exactly once and
 * complete. Each thread gets its receives in order. An armed limit fires at most once, at the
 * latest when the SRQ runs empty. */
static void test_many_takers(void **state)
{
	uint64_t armed = 0;
	uint32_t depth = 2;
	pthread_t thread[TAKERS];

	start(depth, 3);
	for (unsigned i = 0; i < TAKERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, taker, NULL), 0);
	for (uint64_t id = 0; id < ROUNDS; id++) {
		if (id % (ROUNDS / 8) == ROUNDS / 16 && depth < MOST)
			grow(depth *= 2);
		if (id % 16 == 0 && !atomic_load(&srq->shared.limit)) {
			atomic_store(&srq->shared.limit, 1 + (uint32_t)(id / 16 % depth));
			armed++;
		}
		while (id - atomic_load_explicit(&srq->shared.taken, memory_order_acquire) >= depth)
			sched_yield();
		assert_true(post(id, (unsigned)(id % 4)));
	}
	while (atomic_load(&takes) < ROUNDS)
		sched_yield();
	atomic_store(&over, true);
	for (unsigned i = 0; i < TAKERS; i++) {
		void *bad;

		pthread_join(thread[i], &bad);
		assert_null(bad);
	}
	for (unsigned i = 0; i < ROUNDS; i++)
		assert_int_equal(atomic_load(&seen[i]), 1);
	assert_int_equal(atomic_load(&takes), ROUNDS);
	/* The SRQ ran empty after the last arming, so every armed limit should have fired. The
	 * check tolerates one limit that has not fired. */
	assert_true(atomic_load(&lows) + 1 >= armed);
	assert_true(atomic_load(&lows) <= armed);
	assert_true(armed > 1);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_words_are_not_trusted),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_many_takers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
