/* Each impairment rule (loss, duplication, reordering, corruption, delay) acts at its configured
 * rate. The decisions depend on the seed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/impair.h"

#define PACKETS 200000

struct tally {
	unsigned lost, doubled, reordered, corrupt;
	rn_time min, max;
};

static struct tally run(const struct rn_impair *rule, uint64_t seed)
{
	struct rn_rng rng;
	struct tally t = {.min = RN_TIME_NEVER};
	rn_rng_seed(&rng, seed);
	for (unsigned i = 0; i < PACKETS; i++) {
		struct rn_fate f = rn_impair_decide(rule, &rng, 100);
		t.lost += f.copies == 0;
		t.doubled += f.copies == 2;
		t.reordered += f.reordered;
		t.corrupt += f.corrupt;
		assert_true(f.corrupt_bit < 800);
		t.min = RN_MIN(t.min, RN_MIN(f.delay_ns[0], f.delay_ns[1]));
		t.max = RN_MAX(t.max, RN_MAX(f.delay_ns[0], f.delay_ns[1]));
	}
	return t;
}

static void test_perfect_network(void **state)
{
	struct rn_impair none = {0};
	struct tally t = run(&none, 1);
	assert_true(rn_impair_none(&none));
	assert_int_equal(t.lost + t.doubled + t.reordered + t.corrupt, 0);
	assert_true(t.max == 0);
	/* tamper_ppm alone is an impairment too, although rn_impair_decide() ignores it */
	none.tamper_ppm = 1;
	assert_false(rn_impair_none(&none));
}

static void test_rates(void **state)
{
	struct rn_impair rule = {.loss_ppm = 10000,
				 .duplicate_ppm = 20000,
				 .reorder_ppm = 30000,
				 .corrupt_ppm = 40000};
	struct tally t = run(&rule, 2);
	assert_false(rn_impair_none(&rule));
	assert_in_range(t.lost, 1800, 2200);
	assert_in_range(t.doubled, 3700, 4300);
	assert_in_range(t.reordered, 5700, 6300);
	assert_in_range(t.corrupt, 7700, 8300);
}

static void test_delay(void **state)
{
	struct rn_impair rule = {.delay_min_ns = 50, .delay_max_ns = 60};
	struct tally t = run(&rule, 3);
	assert_true(t.min == 50 && t.max == 60);
	rule.delay_max_ns = 10;
	t = run(&rule, 3);
	assert_true(t.min == 50 && t.max == 50);
	rule = (struct rn_impair){.reorder_ppm = 1000000, .reorder_ns = 777};
	t = run(&rule, 3);
	assert_true(t.min == 0 && t.max == 777);
	assert_int_equal(t.reordered, PACKETS);
}

static void test_rules_do_not_shift_each_other(void **state)
{
	struct rn_impair loss = {.loss_ppm = 300000};
	struct rn_impair both = {.loss_ppm = 300000, .corrupt_ppm = 500000, .delay_max_ns = 1000};
	struct rn_rng a, b;
	rn_rng_seed(&a, 4);
	rn_rng_seed(&b, 4);
	for (unsigned i = 0; i < 1000; i++) {
		struct rn_fate x = rn_impair_decide(&loss, &a, 64);
		struct rn_fate y = rn_impair_decide(&both, &b, 64);
		assert_int_equal(x.copies, y.copies);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfect_network),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_rules_do_not_shift_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
