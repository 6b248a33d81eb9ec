/* Parsing of command lines: the resulting options, and the lines that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "options.h"

static char err[160];

/* Splits a line such as "nd_write_bw -s 8 host" at the blanks and parses it. */
static int parse(struct pt_options *o, const char *line)
{
	static char words[200];
	char *argv[20], *at = words;
	int argc = 0;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word; (word = strsep(&at, " ")) != NULL;)
		argv[argc++] = word;
	argv[argc] = NULL;
	return pt_options_parse(o, pt_tool_find(argv[0]), argc, argv, err, sizeof(err));
}

static void test_defaults(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_write_bw"), 0);
	assert_true(pt_is_server(&o) && !pt_posts_requests(&o));
	assert_true(o.size == 65536 && o.iters == 5000 && o.tx == 128 && o.cq_mod == 100 &&
		    o.port == 18515);
	assert_int_equal(parse(&o, "nd_send_lat host"), 0);
	assert_true(!pt_is_server(&o) && pt_posts_requests(&o) && o.size == 2 && o.iters == 1000 &&
		    o.tx == 1);
	assert_int_equal(parse(&o, "nd_atomic_bw -b"), 0);
	assert_true(pt_is_server(&o) && pt_posts_requests(&o) && o.size == 8);
	assert_null(pt_tool_find("nd_send"));
}

/* A connection of the RDMA CM has the adapter's ACK timeout (0 in struct rn_cm_param), as with
 * perftest. */
static void test_ack_timeout(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_write_bw"), 0);
	assert_int_equal(o.timeout, 14);
	assert_int_equal(parse(&o, "nd_write_bw -R"), 0);
	assert_int_equal(o.timeout, 0);
	assert_int_equal(parse(&o, "nd_write_bw -R -u 18"), 0);
	assert_int_equal(o.timeout, 18);
}

static void test_depths(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_send_bw -n 20"), 0);
	assert_true(o.tx == 20 && o.rx == 20 && o.cq_mod == 20);
	assert_int_equal(parse(&o, "nd_send_bw --tx-depth=64 -Q 3 -r 7"), 0);
	assert_true(o.tx == 64 && o.rx == 7 && o.cq_mod == 3);
}

/* -l raises the default of -t and sets -Q; a shorter run lowers both. */
static void test_lists(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_write_bw"), 0);
	assert_true(o.list == 1 && o.recv_list == 1 && o.rate == 0);
	assert_int_equal(parse(&o, "nd_write_bw -l 256"), 0);
	assert_true(o.list == 256 && o.tx == 256 && o.cq_mod == 256);
	assert_int_equal(parse(&o, "nd_write_bw -l 64 -Q 16"), 0);
	assert_true(o.list == 64 && o.tx == 128 && o.cq_mod == 16);
	assert_int_equal(parse(&o, "nd_send_bw -l 64 -n 20 --recv_post_list=8"), 0);
	assert_true(o.tx == 20 && o.cq_mod == 20 && o.recv_list == 8);
}

static void test_limits(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_write_bw --rate_limit=2.5 -y 0.25 -n 500"), 0);
	assert_true(o.rate == 2.5 && o.rate_unit == 'g' && o.burst == 128 && o.limit_mpps == 0.25);
	assert_int_equal(parse(&o, "nd_write_bw --rate_limit 9 --rate_units p --burst_size 3 "
				   "--rate_limit_type SW"),
			 0);
	assert_true(o.rate == 9 && o.rate_unit == 'p' && o.burst == 3);
}

static void test_endless(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_write_bw --run_infinitely"), 0);
	assert_true(o.endless && o.secs == 5 && o.no_peak);
	assert_int_equal(parse(&o, "nd_write_bw --run_infinitely -D 2"), 0);
	assert_true(o.endless && o.secs == 2);
	assert_int_equal(parse(&o, "nd_write_bw -D 2 --progress"), 0);
	assert_true(!o.endless && o.progress);
}

static void test_ways(void **state)
{
	struct pt_options o;

	assert_int_equal(parse(&o, "nd_write_bw"), 0);
	assert_true(!o.cm_talk && !o.cm && o.hops == 64 && !o.source_ip);
	assert_int_equal(parse(&o, "nd_write_bw -R"), 0);
	assert_true(o.cm_talk && o.cm);
	assert_int_equal(parse(&o, "nd_write_bw -z --ipv6 --bind_source_ip=::1 --pkey_index 0"), 0);
	assert_true(o.cm_talk && !o.cm && o.v6);
	assert_string_equal(o.source_ip, "::1");
	assert_int_equal(parse(&o, "nd_write_bw -L 3 --flow_label 0xfffff --source_ip a"), 0);
	assert_true(o.hops == 3 && o.flow == 0xfffff);
	assert_string_equal(o.source_ip, "a");
}

static void test_words(void **state)
{
	struct pt_options o;

	assert_int_equal(
		parse(&o, "nd_write_bw -d left -x 2 -c UC --report_gbits -w 1.5 -D 8 host"), 0);
	assert_string_equal(o.device, "left");
	assert_string_equal(o.server, "host");
	assert_true(o.gid == 2 && o.type == RN_QPT_UC && o.gbits && o.limit > 1.4 && o.secs == 8);
	assert_true(o.margin == 2 && o.no_peak);
	assert_int_equal(parse(&o, "nd_read_bw --out_json"), 0);
	assert_string_equal(o.json_file, "perftest_out.json");
	assert_int_equal(parse(&o, "nd_read_bw --out_json_file=x -a"), 0);
	assert_string_equal(o.json_file, "x");
	assert_true(o.json && o.size == 1u << 23);
}

static const char *const refused[] = {
	"nd_send_bw -k",
	"nd_send_bw --odp",
	"nd_send_bw -s 0",
	"nd_send_bw -s",
	"nd_send_bw -s 1x",
	"nd_send_bw -s -1",
	"nd_send_bw -m 300",
	"nd_send_bw -m 8192",
	"nd_send_bw -c XRC",
	"nd_send_bw a b",
	"nd_send_bw -n 4",
	"nd_send_bw -i 2",
	"nd_send_lat -b",
	"nd_send_lat -q 2",
	"nd_send_bw -U",
	"nd_atomic_bw -s 8",
	"nd_atomic_bw -A ADD",
	"nd_write_bw -A CMP_AND_SWAP",
	"nd_read_bw -c UC",
	"nd_write_bw -c UD",
	"nd_send_bw -c UD -R",
	"nd_write_bw -o 4",
	"nd_write_bw -r 4",
	"nd_write_lat -e",
	"nd_send_bw -a -D 3",
	"nd_send_bw -D 4 -f 2",
	"nd_send_bw --report-both",
	"nd_send_bw -p 70000",
	"nd_send_bw -I 100000",
	"nd_send_bw -w much",
	"nd_send_bw -x 16",
	"nd_read_lat -c UD",
	"nd_send_bw --run_infinitely -a",
	"nd_send_lat --run_infinitely",
	"nd_send_bw --progress",
	"nd_send_bw --run_infinitely -f 1",
	"nd_send_bw --run_infinitely --progress",
	"nd_send_bw --percentiles",
	"nd_send_bw --latency_gap 1",
	"nd_send_lat --latency_gap -1",
	"nd_send_bw --cpu_util",
	"nd_send_lat --cpu_util -D 3",
	"nd_send_bw -z -c UC",
	"nd_send_bw --ipv6 -x 1",
	"nd_send_bw -R -L 3",
	"nd_send_bw -L 0",
	"nd_send_bw -L 256",
	"nd_send_bw --flow_label 0x100000",
	"nd_send_bw --pkey_index 1",
	"nd_write_bw --use-srq",
	"nd_send_bw --use-srq -c UC",
	"nd_send_bw --perform_warm_up",
	"nd_write_bw -b --perform_warm_up",
	"nd_read_lat --perform_warm_up",
	"nd_send_bw --output=latency",
	"nd_send_lat --output=bandwidth",
	"nd_send_bw --output=all",
	"nd_send_bw --output=bandwidth --stats",
	"nd_send_bw --wait_destroy x",
	"nd_send_bw -l 0",
	"nd_send_bw -l 65 -t 64",
	"nd_send_bw -l 10 -Q 4",
	"nd_send_lat -l 2",
	"nd_write_bw --recv_post_list 2",
	"nd_send_bw --recv_post_list 4 -r 3",
	"nd_send_lat -y 1",
	"nd_send_bw -y 0",
	"nd_send_bw -y x",
	"nd_send_bw -w -1",
	"nd_send_bw --rate_limit 0",
	"nd_send_bw --rate_limit 1g",
	"nd_send_bw --rate_units g",
	"nd_send_bw --rate_limit 1 --rate_units gg",
	"nd_send_bw --rate_limit 1 --rate_units k",
	"nd_send_bw --rate_limit 1 --rate_limit_type HW",
	"nd_send_bw --burst_size 4",
	"nd_send_bw --rate_limit 1 -l 8 --burst_size 4",
	"nd_send_lat --rate_limit 1",
};

static void test_refused(void **state)
{
	struct pt_options o;

	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		err[0] = 0;
		if (parse(&o, refused[i]) != -1 || !err[0])
			fail_msg("'%s' was taken", refused[i]);
	}
}

/* An option of perftest that is not here is refused with a reason, whether it is given by name,
 * with an argument, or by letter. Any other word is called unknown. */
static void test_not_here(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{"nd_send_bw --odp", "--odp of perftest is not here: memory is never pinned"},
		{"nd_send_bw --dlid=3", "--dlid of perftest is not here: Ethernet has no LIDs"},
		{"nd_send_bw -O", "--dualport of perftest is not here: an adapter has one port"},
		{"nd_send_bw -bO", "--dualport of perftest is not here: an adapter has one port"},
		{"nd_send_bw --mmap-offset 1", "--mmap-offset of perftest is not here: the memory"},
		{"nd_send_bw --odpp", "--odpp is no flag of nd_send_bw"},
		{"nd_send_bw -k", "-k is no flag of nd_send_bw"},
	};
	struct pt_options o;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(&o, rows[i].line), -1);
		if (strncmp(err, rows[i].says, strlen(rows[i].says)) != 0)
			fail_msg("'%s' gives '%s'", rows[i].line, err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_ack_timeout),
		cmocka_unit_test(test_depths),	 cmocka_unit_test(test_endless),
		cmocka_unit_test(test_lists),	 cmocka_unit_test(test_limits),
		cmocka_unit_test(test_ways),	 cmocka_unit_test(test_words),
		cmocka_unit_test(test_refused),	 cmocka_unit_test(test_not_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
