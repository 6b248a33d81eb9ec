/* The numbered list of counters and the fields of struct rn_stats agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "wire/stats.h"

static unsigned index_of(const char *name)
{
	for (unsigned i = 0; i < rn_stats_count(); i++) {
		if (strcmp(rn_stats_name(i), name) == 0)
			return i;
	}
	fail_msg("no counter %s", name);
	return 0;
}

static void test_names_reach_their_fields(void **state)
{
	struct rn_stats s = {0};
	s.verdict[RN_V_ICRC] = 3;
	s.rx_bytes = 5;
	s.cq_overruns = 7;
	assert_int_equal(rn_stats_value(&s, index_of("verdict_ICRC")), 3);
	assert_int_equal(rn_stats_value(&s, index_of("rx_bytes")), 5);
	assert_int_equal(rn_stats_value(&s, index_of("cq_overruns")), 7);
	assert_string_equal(rn_stats_text(index_of("verdict_ICRC")), "bad ICRC");
	/* A counter number beyond the last counter reads as 0 and touches no memory. */
	struct {
		struct rn_stats s;
		uint64_t behind;
	} more = {.behind = 9};
	assert_int_equal(rn_stats_value(&more.s, rn_stats_count()), 0);
	assert_string_equal(rn_stats_name(rn_stats_count()), "");
	assert_string_equal(rn_stats_text(rn_stats_count()), "");
}

static void test_names_are_unique(void **state)
{
	for (unsigned i = 0; i < rn_stats_count(); i++)
		assert_int_equal(index_of(rn_stats_name(i)), i);
}

static void test_add(void **state)
{
	struct rn_stats sum = {0}, s = {0};
	s.verdict[RN_V_OK] = 1;
	s.tx_packets = 2;
	rn_stats_add(&sum, &s);
	rn_stats_add(&sum, &s);
	assert_int_equal(sum.verdict[RN_V_OK], 2);
	assert_int_equal(sum.tx_packets, 4);
	assert_int_equal(sum.rx_packets, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_reach_their_fields),
		cmocka_unit_test(test_names_are_unique),
		cmocka_unit_test(test_add),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
