/* The format of a log line, the levels that are written, and the rate limit of log messages that a
 * remote host can cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_log.h>

#include "port/log.h"

static char *said;
static size_t len;
static FILE *stream;

static int listen(void **state)
{
	stream = open_memstream(&said, &len);
	return rte_openlog_stream(stream);
}

static int stop_listening(void **state)
{
	rte_openlog_stream(NULL);
	fclose(stream);
	free(said);
	return 0;
}

static void expect(const char *line)
{
	fflush(stream);
	assert_string_equal(said, line);
}

static void a_line_names_program_and_level(void **state)
{
	rn_log_open(RN_LOG_INFO);
	rn_log(LCORE_UNPINNED, "a", 1u, 99, "Invalid argument");
	expect("softrnic: warning: adapter a: shard 1 is not pinned to CPU 99 of lcores: Invalid "
	       "argument\n");
}

static void a_long_line_is_cut_and_still_ends(void **state)
{
	char name[3000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	rn_log_open(RN_LOG_WARNING);
	rn_log(LCORE_UNPINNED, name, 1u, 99, "");
	fflush(stream);
	assert_true(len > 500 && len < 1200);
	assert_int_equal(said[len - 1], '\n');
	assert_int_equal(strcspn(said, "\n"), len - 1);
}

static void less_severe_messages_are_not_written(void **state)
{
	rn_log_open(RN_LOG_ERROR);
	assert_false(rn_log_wants(RN_LOG_ID_LCORE_UNPINNED));
	rn_log(LCORE_UNPINNED, "a", 1u, 99, "x");
	rn_log_open(RN_LOG_WARNING);
	assert_true(rn_log_wants(RN_LOG_ID_LCORE_UNPINNED));
	assert_false(rn_log_wants(RN_LOG_ID_ADAPTER_UP));
	rn_log(ADAPTER_UP, "a", "d", "m", "i", 1500, 1u, "p", "m");
	expect("");
	rn_log_open(RN_LOG_INFO);
	assert_true(rn_log_wants(RN_LOG_ID_ADAPTER_UP));
}

static void limited_messages_wait_and_are_counted(void **state)
{
	unsigned limited = 0;

	for (unsigned i = 0; i < RN_LOG_COUNT; i++) {
		uint64_t t = UINT64_C(1) << 40, every = rn_log_rows[i].every_s;
		uint32_t left_out;

		/* this first call also resets the count of withheld messages, to which other tests
		 * have added */
		assert_true(rn_log_may(i, "a", t, &left_out));
		for (unsigned k = 0; k < 5; k++)
			assert_int_equal(
				rn_log_may(i, "a", t + (every > 0 ? every - 1 : 0), &left_out),
				every == 0);
		assert_true(rn_log_may(i, "a", t + every, &left_out));
		assert_int_equal(left_out, every == 0 ? 0 : 5);
		assert_int_equal(rn_log_may(i, "a", t + every, &left_out), every == 0);
		limited += every > 0;
	}
	assert_true(limited > 0);
}

/* Many messages of one kind become one line; messages of another kind are not suppressed. */
static void a_flood_is_one_line(void **state)
{
	rn_log_open(RN_LOG_WARNING);
	for (unsigned i = 0; i < 1000; i++)
		rn_log(ADDRESS_CONFLICT, "a", 1ull + i);
	rn_log(VLAN_MISMATCH, "a", 7ull);
	expect("softrnic: warning: adapter a: another host claims an address of this adapter, 1 "
	       "messages so far\n"
	       "softrnic: warning: adapter a: frames of another VLAN are dropped, 7 so far\n");
}

/* Messages about one adapter do not use up the rate limit of another adapter. */
static void adapters_have_limits_of_their_own(void **state)
{
	rn_log_open(RN_LOG_WARNING);
	for (unsigned i = 0; i < 100; i++)
		rn_log(NEIGHBOURS_FULL, "c", 1ull + i);
	rn_log(NEIGHBOURS_FULL, "d", 7ull);
	rn_log(NEIGHBOURS_FULL, "d", 8ull);
	expect("softrnic: warning: adapter c: all entries of the neighbour table are in use, 1 addresses "
	       "were not resolved\n"
	       "softrnic: warning: adapter d: all entries of the neighbour table are in use, 7 addresses "
	       "were not resolved\n");
}

/* There are fewer rate limits than adapter names here, so the last adapters share one limit. */
static void many_adapters_share_the_last_limit(void **state)
{
	char name[16];
	uint32_t left_out;

	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		(void)rn_log_may(RN_LOG_ID_TABLE_FULL, name, UINT64_C(1) << 41, &left_out);
	}
	assert_false(rn_log_may(RN_LOG_ID_TABLE_FULL, "many38", UINT64_C(1) << 41, &left_out));
	assert_false(rn_log_may(RN_LOG_ID_TABLE_FULL, "another", UINT64_C(1) << 41, &left_out));
}

/* Checks the table of log messages. The text of a row is one line without a newline. The row's
 * explanation, which goes into docs/log.md, is a sentence. */
static void rows_are_well_formed(void **state)
{
	for (unsigned i = 0; i < RN_LOG_COUNT; i++) {
		const struct rn_log_row *row = &rn_log_rows[i];

		assert_null(strpbrk(row->text, "\n|"));
		assert_null(strpbrk(row->meaning, "\n|"));
		assert_true(isupper(row->meaning[0]));
		assert_int_equal(row->meaning[strlen(row->meaning) - 1], '.');
		/* The rate limit is per adapter, so the text must name the adapter, or its port. */
		if (row->every_s > 0 && strncmp(row->text, "port %s: ", 9) != 0)
			assert_memory_equal(row->text, "adapter %s: ", 12);
		assert_true(strlen(rn_log_level_word(row->level)) > 0);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(row->text, rn_log_rows[k].text);
	}
}

/* Peers with many queue pairs can cause a refusal for each of them. */
static void refused_rules_are_limited(void **state)
{
	uint32_t left_out;

	assert_true(rn_log_may(RN_LOG_ID_FLOW_RULE_REFUSED, "p", UINT64_C(1) << 42, &left_out));
	assert_false(rn_log_may(RN_LOG_ID_FLOW_RULE_REFUSED, "p", UINT64_C(1) << 42, &left_out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_flood_is_one_line, listen, stop_listening),
		cmocka_unit_test_setup_teardown(a_line_names_program_and_level, listen,
						stop_listening),
		cmocka_unit_test_setup_teardown(a_long_line_is_cut_and_still_ends, listen,
						stop_listening),
		cmocka_unit_test_setup_teardown(less_severe_messages_are_not_written, listen,
						stop_listening),
		cmocka_unit_test_setup_teardown(adapters_have_limits_of_their_own, listen,
						stop_listening),
		cmocka_unit_test(limited_messages_wait_and_are_counted),
		cmocka_unit_test(many_adapters_share_the_last_limit),
		cmocka_unit_test(rows_are_well_formed),
		cmocka_unit_test(refused_rules_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
