/* Tests the data plane's clock (port/clock.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "port/clock.h"

static void time_passes_from_start(void **state)
{
	struct rn_clock c = {.base = rte_rdtsc(), .mult = 1ull << 32, .start = RN_S(1)};
	uint64_t before, after;
	rn_time now;

	before = rte_rdtsc() - c.base;
	now = rn_clock_now(&c);
	after = rte_rdtsc() - c.base;
	/* a tick is a nanosecond here */
	assert_in_range(now, RN_S(1) + before, RN_S(1) + after);
}

static void without_mult_it_stands_still(void **state)
{
	struct rn_clock c = {.start = RN_S(7)};

	assert_int_equal(rn_clock_now(&c), RN_S(7));
	c.start += 250;
	assert_int_equal(rn_clock_now(&c), RN_S(7) + 250);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_passes_from_start),
		cmocka_unit_test(without_mult_it_stands_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
