/* Percentiles of counted latencies, compared with the latencies themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "histogram.h"

static struct pt_hist h;

/* The latencies 1 to 63 ns have a bucket each, so that percentiles are exact. */
static void test_short(void **state)
{
	memset(&h, 0, sizeof(h));
	assert_int_equal(pt_hist_at(&h, 0.5), 0);
	for (unsigned ns = 1; ns <= 50; ns++)
		pt_hist_add(&h, ns);
	assert_int_equal(pt_hist_at(&h, 0), 1);
	assert_int_equal(pt_hist_at(&h, 0.5), 25);
	assert_int_equal(pt_hist_at(&h, 0.99), 50);
	assert_int_equal(pt_hist_at(&h, 1), 50);
	assert_int_equal(h.max, 50);
}

/* Of one latency of every size, each percentile is that latency or up to 1/64 more. */
static void test_width(void **state)
{
	for (uint64_t ns = 64; ns < 1ull << 40; ns += ns / 7) {
		uint64_t at;

		memset(&h, 0, sizeof(h));
		pt_hist_add(&h, ns);
		pt_hist_add(&h, UINT64_MAX);
		at = pt_hist_at(&h, 0.5);
		if (at < ns || at > ns + ns / 64)
			fail_msg("%lu counts as %lu", ns, at);
	}
}

/* The ends of the range: 2^41 - 1 ns has the last bucket, and nothing is stored beyond it. */
static void test_longest(void **state)
{
	memset(&h, 0, sizeof(h));
	pt_hist_add(&h, (1ull << 41) - 1);
	pt_hist_add(&h, 1ull << 41);
	pt_hist_add(&h, UINT64_MAX);
	assert_int_equal(h.buckets[PT_HIST_BUCKETS - 1], 3);
	assert_true(pt_hist_at(&h, 0.1) == UINT64_MAX && h.count == 3);
}

static void test_between(void **state)
{
	static const uint64_t all[] = {0, 63, 64, 127, 128, 1023, 1024, 2047, 2048};

	memset(&h, 0, sizeof(h));
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		pt_hist_add(&h, all[i]);
	assert_int_equal(pt_hist_between(&h, 0, 64), 2);
	assert_int_equal(pt_hist_between(&h, 64, 128), 2);
	assert_int_equal(pt_hist_between(&h, 512, 1024), 1);
	assert_int_equal(pt_hist_between(&h, 1024, 2048), 2);
	assert_int_equal(pt_hist_between(&h, 64, 4096), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
