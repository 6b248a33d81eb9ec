/* With congestion control, several senders share one switch queue fairly. No packet is dropped, and
 * the queue sends at 90 % of its rate or more. The tests run in virtual time, so the results are
 * the same on every computer. Each test prints its measured values. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "bottleneck.h"

static struct bottleneck b;

static void start(unsigned flows)
{
	struct bottleneck_spec spec;
	bottleneck_default(&spec);
	spec.flows = flows;
	bottleneck_init(&b, &spec);
}

static void start_all(unsigned flows)
{
	for (unsigned i = 0; i < flows; i++)
		bottleneck_start(&b, i, UINT64_MAX);
}

static void finish(void)
{
	for (unsigned i = 0; i < b.spec.flows; i++)
		bottleneck_stop(&b, i);
	bottleneck_run(&b, b.now + RN_MS(200));
	assert_int_equal(bottleneck_fini(&b), 0);
}

static void show(const char *what)
{
	print_message(
		"%-34s Jain %.4f, %5.1f %% of the line, queue %4u KB, marked %4.1f %%, dropped %llu, sent again %llu\n",
		what, bottleneck_jain(&b), 100 * bottleneck_use(&b), b.deepest / 1000,
		b.frames ? 100.0 * (double)b.marked / (double)b.frames : 0,
		(unsigned long long)b.dropped, (unsigned long long)bottleneck_resent(&b));
}

/* Expects that no frame was dropped in the measuring period and that no packet was ever
 * retransmitted. */
static void expect_lossless(void)
{
	assert_int_equal(b.dropped, 0);
	assert_int_equal(bottleneck_resent(&b), 0);
	assert_true(b.deepest < b.spec.buffer);
}

static void expect_shared(void)
{
	expect_lossless();
	assert_true(bottleneck_jain(&b) >= 0.95);
	assert_true(bottleneck_use(&b) >= 0.9);
}

/* All flows start at once and do not stop. In the first 80 ms their rates converge. In the next 80
 * ms the shares are measured. No frame is lost in these 160 ms. */
static void share(unsigned flows, bool read, const char *what)
{
	struct bottleneck_spec spec;
	bottleneck_default(&spec);
	spec.flows = flows;
	spec.read = read;
	bottleneck_init(&b, &spec);
	start_all(flows);
	bottleneck_run(&b, b.now + RN_MS(80));
	expect_lossless();
	print_message("%-34s queue %u KB on the way there\n", what, b.deepest / 1000);
	bottleneck_count(&b);
	bottleneck_run(&b, b.now + RN_MS(80));
	show(what);
	expect_shared();
	assert_true(b.deepest < 2 * b.spec.kmax);
	finish();
}

static void test_share_2(void **state)
{
	share(2, false, "2 senders");
}

static void test_share_4(void **state)
{
	share(4, false, "4 senders");
}

static void test_share_8(void **state)
{
	share(8, false, "8 senders");
}

/* READ responses are limited at the responder, by CNPs that the requester sends. */
static void test_share_reads(void **state)
{
	share(4, true, "4 responders of READs");
}

/* Without congestion control the shared queue is always full; packets are dropped and
 * retransmitted. */
static void test_without_control(void **state)
{
	struct bottleneck_spec spec;
	bottleneck_default(&spec);
	spec.flows = 8;
	spec.cc.algorithm = RN_CC_NONE;
	bottleneck_init(&b, &spec);
	start_all(8);
	bottleneck_run(&b, b.now + RN_MS(20));
	show("8 senders, notifications ignored");
	assert_true(b.dropped > 0);
	assert_true(bottleneck_resent(&b) > 0);
	finish();
}

/* Without congestion control, in a queue of 1 MiB: the flows make room for each other at losses,
 * although none of them has ever seen the queue empty. */
static void test_losses_without_control(void **state)
{
	struct bottleneck_spec spec;
	bottleneck_default(&spec);
	spec.flows = 8;
	spec.cc.algorithm = RN_CC_NONE;
	spec.buffer = 1 << 20;
	bottleneck_init(&b, &spec);
	start_all(8);
	bottleneck_run(&b, b.now + RN_MS(20));
	bottleneck_count(&b);
	bottleneck_run(&b, b.now + RN_MS(80));
	show("8 senders without control, 1 MiB");
	print_message("%lu frames dropped, %lu sent again\n", (unsigned long)b.dropped,
		      (unsigned long)bottleneck_resent(&b));
	assert_in_range(b.dropped, 1, 4000);
	assert_true(bottleneck_jain(&b) > 0.7);
	finish();
}

/* Eight senders send 1 MiB each to one receiver at the same instant. Nothing is lost, and the last
 * flow ends within 20 ms. The last link alone needs 6.7 ms to carry the 8 MiB. */
static void test_incast(void **state)
{
	rn_time from, last = 0;
	start(8);
	from = b.now;
	for (unsigned i = 0; i < 8; i++)
		bottleneck_start(&b, i, (1u << 20) / BOTTLENECK_WRITE);
	bottleneck_run(&b, b.now + RN_MS(200));
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(b.flow[i].outstanding, 0);
		assert_int_equal(b.flow[i].left, 0);
		last = RN_MAX(last, b.flow[i].done - from);
	}
	print_message("%-34s all done after %.1f ms (the link alone takes %.1f), queue %u KB\n",
		      "8 x 1 MiB at once", (double)last / 1e6,
		      8.0 * (1 << 20) * 8 / (double)b.spec.line * 1e3, b.deepest / 1000);
	expect_lossless();
	assert_true(last < RN_MS(20));
	finish();
}

/* A flow starts when the rates of the earlier flows have converged. The late flow gets its fair
 * share too. */
static void late(unsigned flows, const char *what)
{
	start(flows);
	start_all(flows - 1);
	bottleneck_run(&b, b.now + RN_MS(40));
	expect_lossless();
	bottleneck_count(&b);
	bottleneck_start(&b, flows - 1, UINT64_MAX);
	bottleneck_run(&b, b.now + RN_MS(60));
	expect_lossless();
	bottleneck_count(&b);
	bottleneck_run(&b, b.now + RN_MS(60));
	show(what);
	print_message("%-34s the late one has %.2f of a fair share\n", what,
		      bottleneck_rate(&b, flows - 1) * flows /
			      (bottleneck_use(&b) * (double)b.spec.line));
	expect_shared();
	finish();
}

static void test_late_second(void **state)
{
	late(2, "1 and a late one");
}

static void test_late_fourth(void **state)
{
	late(4, "3 and a late one");
}

/* Row E8 of docs/spec/rocev2.md with real shards. When all other flows have stopped, the remaining
 * flow reaches the line rate. Later its rate limit ends. */
static void wire_row_E8_rate_recovers_when_alone(void **state)
{
	rn_time from;
	start(2);
	start_all(2);
	bottleneck_run(&b, b.now + RN_MS(40));
	assert_int_equal(bottleneck_limited(&b), 2);
	bottleneck_stop(&b, 1);
	from = b.now;
	do {
		bottleneck_count(&b);
		bottleneck_run(&b, b.now + RN_MS(1));
	} while (bottleneck_rate(&b, 0) < 0.98 * (double)b.spec.line && b.now < from + RN_MS(300));
	print_message("%-34s the line is its own after %.0f ms\n", "the other one left",
		      (double)(b.now - from) / 1e6);
	assert_true(b.now - from < RN_MS(200));
	expect_lossless();
	bottleneck_run(&b, b.now + RN_MS(100));
	/* Only the stopped flow may still have a rate limit, because a flow that sends nothing
	 * keeps its limit. */
	assert_true(bottleneck_limited(&b) <= 1);
	expect_lossless();
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_2),
		cmocka_unit_test(test_share_4),
		cmocka_unit_test(test_share_8),
		cmocka_unit_test(test_share_reads),
		cmocka_unit_test(test_without_control),
		cmocka_unit_test(test_losses_without_control),
		cmocka_unit_test(test_incast),
		cmocka_unit_test(test_late_second),
		cmocka_unit_test(test_late_fourth),
		cmocka_unit_test(wire_row_E8_rate_recovers_when_alone),
	};
	return cmocka_run_group_tests_name("congestion", tests, NULL, NULL);
}
