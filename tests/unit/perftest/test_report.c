/* Bandwidth and latency figures of a run, compared with results computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9 * (1 + fabs(b)))

static void test_average(void **state)
{
	/* 1024 messages of 1 KiB in one second are 1 MiB per second. */
	struct pt_rates r = pt_rates_of(1024, 1024, 1000000000u, PT_MB, NULL);

	assert_near(r.average, 1.0);
	assert_near(r.mpps, 0.001024);
	assert_near(r.peak, 0.0);
	assert_true(r.size == 1024 && r.iters == 1024);
	r = pt_rates_of(125000, 1000, 1000000000u, PT_GB, NULL);
	assert_near(r.average, 1.0);
}

/* Messages 0 and 1 take 10 and 20 us. Messages 2 and 3 take 1 us together, which is the peak. */
static void test_peak(void **state)
{
	const struct pt_times t[] = {{0, 10000}, {0, 20000}, {20000, 21000}, {20000, 21000}};
	struct pt_rates r = pt_rates_of(1000, 4, 21000, 1e6, t);

	assert_near(r.peak, 2.0 / 1e-6 * 1000 / 1e6);
	assert_near(r.average, 4.0 / 21e-6 * 1000 / 1e6);
}

/* A coarse clock can give a message the same time for posting and completion. The rate must not
 * become infinite. */
static void test_no_time(void **state)
{
	const struct pt_times t[] = {{5, 5}};

	assert_near(pt_rates_of(8, 1, 1000, 1, t).peak, 0.0);
	assert_true(isfinite(pt_rates_of(8, 1, 0, 1, NULL).average));
}

static void test_sum(void **state)
{
	const struct pt_rates a = {8, 5, 1, 2, 3}, b = {8, 7, 10, 20, 30};
	struct pt_rates s = pt_rates_sum(&a, &b);

	assert_true(s.size == 8 && s.iters == 5);
	assert_near(s.peak, 11.0);
	assert_near(s.average, 22.0);
	assert_near(s.mpps, 33.0);
}

/* The gaps between postings are 4, 2, 6, 90, 80 and 8 us. A latency is half a gap. The average
 * leaves out the largest two latencies. */
static void test_latency(void **state)
{
	const uint64_t posted[] = {0, 4000, 6000, 12000, 102000, 182000, 190000};
	double sorted[6], unsorted[6];
	struct pt_latency l;

	pt_latency_of(posted, 7, 2, sorted, unsorted, &l);
	assert_near(unsorted[0], 2.0);
	assert_near(unsorted[3], 45.0);
	assert_near(sorted[5], 45.0);
	assert_near(l.min, 1.0);
	assert_near(l.max, 40.0);
	assert_near(l.typical, 2.5);
	assert_near(l.average, 2.5);
	assert_near(l.stdev, sqrt((2.25 + .25 + .25 + 2.25) / 4));
	assert_near(l.p99, 40.0);
	assert_near(l.p999, 40.0);
}

/* There are 102 gaps of 1 to 102 us. The median is taken from the shortest 100 gaps. */
static void test_percentiles(void **state)
{
	uint64_t posted[103] = {0};
	double sorted[102];
	struct pt_latency l;

	for (unsigned i = 1; i < 103; i++)
		posted[i] = posted[i - 1] + i * 1000;
	pt_latency_of(posted, 103, 1, sorted, NULL, &l);
	assert_near(l.typical, 50.5);
	assert_near(l.p99, 100.0);
	assert_near(l.p999, 101.0);
	assert_near(l.max, 101.0);
}

/* 1000 messages a second in bursts of 10: the second burst may start 10 ms after the first, also if
 * it starts late. After a long pause the burst that was missed is not made up for. */
static void test_pace(void **state)
{
	struct pt_pace p;

	assert_near(pt_rate_per_sec(8, 'p', 64), 8.0);
	assert_near(pt_rate_per_sec(1, 'g', 1000), 125000.0);
	assert_near(pt_rate_per_sec(2, 'M', 1024), 2048.0);
	pt_pace_init(&p, 1000, 10);
	assert_true(pt_pace_take(&p, 4, 1000000000));
	assert_true(pt_pace_take(&p, 6, 1000000000));
	assert_false(pt_pace_take(&p, 1, 1009999000));
	assert_true(pt_pace_take(&p, 10, 1013000000));
	assert_false(pt_pace_take(&p, 1, 1019999000));
	assert_true(pt_pace_take(&p, 10, 1020000000));
	assert_true(pt_pace_take(&p, 10, 2000000000));
	assert_false(pt_pace_take(&p, 1, 2009999000));
	assert_true(pt_pace_take(&p, 1, 2010000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_average), cmocka_unit_test(test_peak),
		cmocka_unit_test(test_no_time), cmocka_unit_test(test_sum),
		cmocka_unit_test(test_latency), cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_pace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
