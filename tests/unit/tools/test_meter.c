/* How often does a tool repeat an operation for one row of its result table? The options iterations
 * and seconds limit the repetitions; without these options default limits apply. Which message
 * sizes do the rows have? Which times does a meter add up? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "endpoint/meter.h"

/* Simulates the measurement of a table row in which one repetition takes `each` seconds. Returns
 * the number of repetitions. *seconds becomes the time that all repetitions took. */
static uint64_t play(const struct options *o, uint32_t size, uint64_t most, double each,
		     double *seconds)
{
	struct plan p;
	struct meter m = {0};
	uint64_t all = 0;
	unsigned batches = 0;
	plan_start(&p, o, size, most);
	for (uint64_t n; (n = plan_next(&p, &m)) > 0; all += n) {
		m.seconds += (double)n * each;
		assert_int_equal(p.done, all + n);
		assert_true(++batches < 1000);
	}
	*seconds = m.seconds;
	return all;
}

static void repeats_as_often_as_asked(void **state)
{
	static const unsigned counts[] = {1, 2, 16, 17, 1000, 1000000};
	double seconds;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct options o = {.iterations = counts[i]};
		assert_int_equal(play(&o, 1, 5, 1e-6, &seconds), counts[i]);
		assert_int_equal(play(&o, 1 << 30, 5, 1e-4, &seconds), counts[i]);
	}
}

static void repeats_as_long_as_asked(void **state)
{
	struct options o = {.seconds = 3};
	double seconds;
	for (double each = 1e-7; each < 0.2; each *= 3) {
		play(&o, 4096, 10, each, &seconds);
		assert_true(seconds >= 3 && seconds < 3 + 1.01 * each);
	}
	/* iterations and seconds are both set: the row ends at whichever limit is reached first */
	o.iterations = 100;
	assert_int_equal(play(&o, 1, 10, 1e-6, &seconds), 100);
	assert_in_range(play(&o, 1, 10, 0.1, &seconds), 29, 32);
}

static void row_ends_at_default_limits(void **state)
{
	struct options o = {.iterations = 0};
	double seconds;
	assert_int_equal(play(&o, 1, 5000, 1e-9, &seconds), 5000);
	/* PLAN_BYTES limits the number of iterations */
	assert_int_equal(play(&o, 1 << 20, 500000, 1e-9, &seconds), 2000);
	assert_int_equal(play(&o, 1 << 30, 500000, 1e-9, &seconds), 1);
	play(&o, 1, 500000, 1e-3, &seconds);
	assert_true(seconds >= PLAN_SECONDS && seconds < PLAN_SECONDS + 0.3);
}

/* A batch has at most plan.limit repetitions, and the row has no fewer for that. */
static void batches_are_limited(void **state)
{
	struct options o = {.iterations = 1000};
	struct meter m = {0};
	uint64_t all = 0;
	struct plan p;
	plan_start(&p, &o, 1, 5);
	p.limit = 7;
	for (uint64_t n; (n = plan_next(&p, &m)) > 0; all += n) {
		m.seconds += 1e-6;
		assert_in_range(n, 1, 7);
	}
	assert_int_equal(all, 1000);
}

static void doubles_sizes_up_to_the_last(void **state)
{
	static const struct {
		struct sizes s;
		unsigned rows;
		uint64_t sum;
	} cases[] = {{{1, 1}, 1, 1},
		     {{1, 2}, 2, 3},
		     {{1, 3}, 3, 6},
		     {{3, 24}, 4, 45},
		     {{1, 1 << 30}, 31, (2u << 30) - 1ull},
		     {{7, 7}, 1, 7},
		     {{1u << 30, 1u << 30}, 1, 1u << 30}};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned rows = 0;
		uint64_t sum = 0;
		for (uint32_t n = cases[i].s.min; n; n = sizes_next(&cases[i].s, n), rows++)
			sum += n;
		assert_int_equal(rows, cases[i].rows);
		assert_int_equal(sum, cases[i].sum);
	}
}

static void meter_adds_elapsed_times(void **state)
{
	struct meter m = {0};
	assert_true(meter_cpu_percent(&m) == 0);
	for (unsigned round = 1; round <= 2; round++) {
		double began;
		meter_start(&m);
		began = meter_now();
		while (meter_now() - began < 0.01)
			;
		meter_stop(&m);
		assert_true(m.seconds >= 0.01 * round);
	}
	assert_true(m.cpu > 0 && meter_cpu_percent(&m) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_as_often_as_asked),
		cmocka_unit_test(repeats_as_long_as_asked),
		cmocka_unit_test(row_ends_at_default_limits),
		cmocka_unit_test(batches_are_limited),
		cmocka_unit_test(doubles_sizes_up_to_the_last),
		cmocka_unit_test(meter_adds_elapsed_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
