/* Rates of a client, and what it may send after a pause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "daemon/bucket.h"

/* Takes units one by one from `from` to `until`, in steps, whenever the bucket is open. */
static uint64_t take_all(struct rn_bucket *b, rn_time from, rn_time until, rn_time step)
{
	uint64_t n = 0;

	for (rn_time t = from; t < until; t += step)
		while (rn_bucket_open(b, t)) {
			rn_bucket_take(b, 1, t);
			n++;
		}
	return n;
}

static void a_rate_is_kept(void **state)
{
	static const uint64_t rates[] = {1000, 4000, 77777, 1000000};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rates); i++) {
		struct rn_bucket b;

		rn_bucket_init(&b, rates[i], RN_MS(10));
		take_all(&b, RN_S(5), RN_S(6), RN_US(50));
		uint64_t n = take_all(&b, RN_S(6), RN_S(8), RN_US(50));

		/* one per mille for rounding, and the unit that is taken before the bucket
		 * closes */
		assert_in_range(n, 2 * rates[i] - 2, 2 * rates[i] + 2 * rates[i] / 1000 + 2);
	}
}

/* After a pause of any length a client may send at once what its rate gives in `depth`. */
static void a_pause_is_worth_the_depth(void **state)
{
	static const rn_time pauses[] = {RN_S(1), RN_S(100), RN_S(100000)};
	rn_time now = RN_S(3);
	struct rn_bucket b;

	rn_bucket_init(&b, 4000, RN_S(1));
	for (unsigned i = 0; i < RN_ARRAY_SIZE(pauses); i++) {
		now += pauses[i] + RN_S(1);
		/* the last unit may be taken while the bucket is just not empty */
		assert_in_range(take_all(&b, now, now + 1, 1), 4000, 4001);
		assert_false(rn_bucket_open(&b, now));
	}
}

static void it_opens_when_it_says(void **state)
{
	struct rn_bucket b;

	rn_bucket_init(&b, 1000, RN_MS(10));
	take_all(&b, RN_S(1), RN_S(1) + 1, 1);
	rn_time at = rn_bucket_opens(&b);

	assert_true(at > RN_S(1) && at <= RN_S(1) + RN_MS(1));
	assert_false(rn_bucket_open(&b, at - 1));
	assert_true(rn_bucket_open(&b, at));
}

static void no_rate_is_no_limit(void **state)
{
	struct rn_bucket b;

	rn_bucket_init(&b, 0, RN_MS(10));
	for (unsigned i = 0; i < 100; i++) {
		rn_bucket_take(&b, UINT64_MAX, RN_S(1));
		assert_true(rn_bucket_open(&b, RN_S(1)));
	}
	assert_int_equal(rn_bucket_opens(&b), 0);
}

/* A frame that is larger than the bucket passes, and the next ones wait the longer. */
static void more_than_there_is_closes_it_longer(void **state)
{
	struct rn_bucket b;

	rn_bucket_init(&b, 1000, RN_MS(10));
	rn_bucket_take(&b, 500, RN_S(1));
	assert_int_equal(rn_bucket_opens(&b), RN_S(1) + RN_MS(490));
}

static void a_huge_number_does_not_overflow(void **state)
{
	static const uint64_t rates[] = {1, 1000000000, UINT64_MAX};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rates); i++) {
		struct rn_bucket b;

		rn_bucket_init(&b, rates[i], RN_MS(10));
		rn_bucket_take(&b, UINT64_MAX, RN_S(1));
		assert_in_range(b.full_at, RN_S(2), RN_S(3601));
		assert_false(rn_bucket_open(&b, RN_S(1)));
		assert_true(rn_bucket_open(&b, RN_S(3601)));
	}
}

/* At the start of the clock, time minus depth would be less than zero. */
static void the_start_of_time_is_no_end(void **state)
{
	struct rn_bucket b;

	rn_bucket_init(&b, 1000, RN_S(1));
	assert_true(rn_bucket_open(&b, 0));
	assert_in_range(take_all(&b, 0, 1, 1), 1000, 1001);
	assert_false(rn_bucket_open(&b, 0));
	assert_true(rn_bucket_open(&b, RN_MS(2)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(a_pause_is_worth_the_depth),
		cmocka_unit_test(it_opens_when_it_says),
		cmocka_unit_test(no_rate_is_no_limit),
		cmocka_unit_test(more_than_there_is_closes_it_longer),
		cmocka_unit_test(a_huge_number_does_not_overflow),
		cmocka_unit_test(the_start_of_time_is_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
