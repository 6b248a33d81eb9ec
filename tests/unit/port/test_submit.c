/* The submission ring delivers every work request whole. Work requests of one producer stay in
 * order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fake_shard.h"
#include "port/submit.h"
#include "shard/ahead.h"

#define PRODUCERS 4
#define EACH	  5000

union request {
	struct rn_wqe wqe;
	uint8_t bytes[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
};

static void fill(union request *r, unsigned who, unsigned number)
{
	unsigned slots = 1 + (who * 7 + number * 3) % RN_WQE_MAX_SLOTS;

	for (unsigned i = 0; i < slots * RN_SLOT_BYTES; i++)
		r->bytes[i] = (uint8_t)(number * 31 + who + i);
	r->wqe.slots = (uint8_t)slots;
	r->wqe.qpn = who;
	r->wqe.wr_id = number;
}

static void passes_requests_whole_and_in_order(void **state)
{
	struct rn_shard *sh = fake_shard_create();
	struct rn_submit s;
	union request r;

	assert_int_equal(rn_submit_create(&s, 64), 0);
	assert_true(rn_submit_empty(&s));
	/* Many rounds, so that some work requests wrap around the end of the ring. */
	for (unsigned round = 0, number = 0; round < 200; round++) {
		unsigned first = sh->nposted, put = 0;
		fill(&r, 0, number);
		while (rn_submit_put(&s, &r.wqe, 1)) {
			put++;
			fill(&r, 0, ++number);
		}
		assert_true(put > 0);
		while (rn_submit_drain(&s, sh, RN_WQE_MAX_SLOTS, 0) > 0)
			;
		assert_int_equal(sh->nposted - first, put);
	}
	for (unsigned i = 0; i < sh->nposted; i++) {
		fill(&r, 0, i);
		assert_int_equal(sh->digest[i], fake_digest(&r.wqe));
	}
	rn_submit_destroy(&s);
	free(sh);
}

static void reports_whether_a_position_was_drained(void **state)
{
	struct rn_shard *sh = fake_shard_create();
	struct rn_submit s;
	union request r;

	assert_int_equal(rn_submit_create(&s, 64), 0);
	assert_true(rn_submit_drained(&s, rn_submit_position(&s)));
	fill(&r, 0, 0);
	r.wqe.slots = 10;
	rn_submit_put(&s, &r.wqe, 1);
	uint32_t position = rn_submit_position(&s);
	rn_submit_put(&s, &r.wqe, 1);
	assert_false(rn_submit_drained(&s, position));
	rn_submit_drain(&s, sh, 10, 0);
	assert_true(rn_submit_drained(&s, position));
	assert_false(rn_submit_drained(&s, rn_submit_position(&s)));
	assert_false(rn_submit_idle(&s));
	rn_submit_drain(&s, sh, 10, 0);
	assert_true(rn_submit_idle(&s));
	rn_submit_destroy(&s);
	free(sh);
}

struct producer {
	struct rn_submit *s;
	unsigned who;
};

static void *produce(void *arg)
{
	struct producer *p = arg;
	union request r;

	for (unsigned i = 0; i < EACH; i++) {
		fill(&r, p->who, i);
		while (!rn_submit_put(p->s, &r.wqe, 1))
			sched_yield();
	}
	return NULL;
}

static void survives_more_producers_than_cores(void **state)
{
	struct rn_shard *sh = fake_shard_create();
	struct rn_submit s;
	struct producer p[PRODUCERS];
	pthread_t thread[PRODUCERS];
	unsigned next[PRODUCERS] = {0};
	union request r;

	assert_int_equal(rn_submit_create(&s, 1024), 0);
	for (unsigned i = 0; i < PRODUCERS; i++) {
		p[i] = (struct producer){&s, i};
		pthread_create(&thread[i], NULL, produce, &p[i]);
	}
	while (sh->nposted < PRODUCERS * EACH)
		if (rn_submit_drain(&s, sh, 256, 0) == 0)
			sched_yield();
	for (unsigned i = 0; i < PRODUCERS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; i < sh->nposted; i++) {
		unsigned who = sh->posted[i].qpn;
		fill(&r, who, next[who]++);
		assert_int_equal(sh->digest[i], fake_digest(&r.wqe));
	}
	assert_true(rn_submit_empty(&s));
	rn_submit_destroy(&s);
	free(sh);
}

/* Work request n of a burst is posted, and `done` have taken a step that is `ahead` before. */
static void check_distance(unsigned done, unsigned n, unsigned ahead, unsigned burst)
{
	assert_in_range(done, RN_MIN(n + 1 + ahead, burst), n + ahead + RN_AHEAD_GROUP);
}

/* Each work request of a burst is loaded ahead before it is posted, the second step only with many
 * QPs. The steps are 2 * RN_AHEAD and RN_AHEAD posts ahead, and up to a group of elements more.
 * With few QPs and regions there are only the posts. */
static void loads_ahead_what_a_burst_needs(void **state)
{
	static const struct {
		unsigned what, steps;
	} rows[] = {
		{0, 1u << 3},
		{RN_AHEAD_REGIONS, 1u << 1 | 1u << 3},
		{RN_AHEAD_QPS | RN_AHEAD_REGIONS, 1u << 1 | 1u << 2 | 1u << 3},
	};
	enum { BURST = 3 * RN_AHEAD + 4 };
	struct rn_shard *sh = fake_shard_create();
	struct rn_submit s;

	assert_int_equal(rn_submit_create(&s, 64), 0);
	for (unsigned round = 0; round < 3; round++) {
		unsigned done[4] = {0};
		struct fake_ahead seen = {0};

		sh->ahead = rows[round].what;
		sh->seen = &seen;
		for (uint32_t i = 0; i < BURST; i++) {
			struct rn_wqe w = {.slots = 1, .qpn = 100 + i, .num_sge = 1};
			w.sge[0].lkey = 7000 + i;
			assert_true(rn_submit_put(&s, &w, 1));
		}
		assert_int_equal(rn_submit_drain(&s, sh, 64, 0), BURST);
		for (unsigned i = 0; i < seen.n; i++) {
			unsigned step = seen.call[i].step, n = done[step]++;

			assert_int_equal(seen.call[i].what, step == 1 ? rows[round].what : 0);
			assert_int_equal(seen.call[i].qpn, 100 + n);
			assert_int_equal(seen.call[i].lkey, step == 3 ? 7000 + n : 0);
			if (step != 3 || !rows[round].what)
				continue;
			check_distance(done[1], n, 2 * RN_AHEAD, BURST);
			if (rows[round].what & RN_AHEAD_QPS)
				check_distance(done[2], n, RN_AHEAD, BURST);
		}
		for (unsigned step = 1; step <= 3; step++)
			assert_int_equal(done[step], rows[round].steps >> step & 1 ? BURST : 0);
	}
	rn_submit_destroy(&s);
	free(sh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_requests_whole_and_in_order),
		cmocka_unit_test(reports_whether_a_position_was_drained),
		cmocka_unit_test(survives_more_producers_than_cores),
		cmocka_unit_test(loads_ahead_what_a_burst_needs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
