/* Congestion control (DCQCN) without a QP. Tests the rate after CNPs, after time and after sent
 * bytes, and when the next packet may be sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "flow/cc.h"

#define LINE  UINT64_C(10000000000)
#define START RN_S(5)

/* Default DCQCN parameters, except for the line rate, byte counter, alpha period and minimum
 * rate. */
static struct rn_cc_cfg documented(void)
{
	struct rn_cc_cfg p;

	rn_cc_defaults(&p);
	p.line_rate = LINE;
	p.byte_reset = 32767;
	p.alpha_period = RN_US(1);
	p.min_rate = 1000000;
	return p;
}

/* ---- rate cuts ---- */

static void wire_row_E5_cut_by_alpha(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};

	assert_false(cc.limited);
	assert_true(rn_cc_cnp(&cc, &p, START));
	assert_true(cc.limited);
	/* alpha is 1023/1024, so the cut takes just under half of the rate, never more than half */
	assert_in_range(cc.rate, LINE / 2, LINE / 2 + LINE / 1000);
	assert_int_equal(cc.target, LINE);
}

/* A second CNP within a monitor period does not cut the rate. */
static void wire_row_E5_one_cut_per_monitor_period(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	uint64_t rate;

	rn_cc_cnp(&cc, &p, START);
	rate = cc.rate;
	for (rn_time t = 0; t < p.monitor_period; t += 100)
		assert_false(rn_cc_cnp(&cc, &p, START + t));
	assert_int_equal(cc.rate, rate);
	assert_true(rn_cc_cnp(&cc, &p, START + p.monitor_period));
	assert_true(cc.rate < rate);
}

/* In each alpha period without a CNP, alpha is multiplied by g/1024 (here 1019/1024). The test
 * observes alpha through the size of the next rate cut. */
static void wire_row_E5_alpha_decays(void **state)
{
	struct rn_cc_cfg p = documented();

	p.time_reset = RN_S(1000);
	for (unsigned us = 5; us < 2000; us = us * 3 / 2) {
		struct rn_cc cc = {0};
		double alpha = 1023 / 1024.0;
		uint64_t before;

		rn_cc_cnp(&cc, &p, START);
		before = cc.rate;
		alpha = alpha * 1019 / 1024 + 5 / 1024.0;
		for (unsigned i = 1; i < us; i++)
			alpha = alpha * 1019 / 1024;
		rn_cc_cnp(&cc, &p, START + RN_US(us));
		double want = (double)before * (1 - alpha / 2);
		assert_true((double)cc.rate > want * 0.999 && (double)cc.rate < want * 1.001);
	}
}

/* With first_rate set, the first cut lowers the rate to first_rate. A cut leaves at least
 * min_dec_fac percent of the rate. */
static void wire_row_E5_first_rate_and_weakest_cut(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};

	p.first_rate = 100000000;
	rn_cc_cnp(&cc, &p, START);
	assert_int_equal(cc.rate, 100000000);
	p.min_dec_fac = 90;
	rn_cc_cnp(&cc, &p, START + p.monitor_period);
	assert_int_equal(cc.rate, 90000000);
}

/* A cut after the first leaves the target rate unchanged, even after the timer has increased the
 * rate. Two settings make a cut lower the target rate to the rate before the cut:
 * - clamp_tgt_rate_after_time_inc: a cut after such an increase;
 * - clamp_tgt_rate: every cut. */
static void wire_row_E5_target(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	uint64_t rate;

	rn_cc_cnp(&cc, &p, START);
	rn_cc_cnp(&cc, &p, START + RN_US(4));
	assert_int_equal(cc.target, LINE);
	rn_cc_send_at(&cc, &p, START + RN_US(4) + p.time_reset);
	rate = cc.rate;
	p.clamp_tgt_rate_after_time_inc = false;
	rn_cc_cnp(&cc, &p, START + RN_US(400));
	assert_int_equal(cc.target, LINE);
	p.clamp_tgt_rate_after_time_inc = true;
	rn_cc_send_at(&cc, &p, START + RN_US(400) + p.time_reset);
	rate = cc.rate;
	rn_cc_cnp(&cc, &p, START + RN_US(800));
	assert_int_equal(cc.target, rate);
	rate = cc.rate;
	p.clamp_tgt_rate = true;
	rn_cc_cnp(&cc, &p, START + RN_US(810));
	assert_int_equal(cc.target, rate);
}

/* No cut goes below the minimum rate. */
static void wire_row_E11_floor(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};

	p.min_rate = 7000000;
	for (unsigned i = 0; i < 10000; i++) {
		rn_cc_cnp(&cc, &p, START + i * p.monitor_period);
		assert_true(cc.rate >= p.min_rate);
	}
	assert_int_equal(cc.rate, p.min_rate);
}

/* ---- rate recovery ---- */

/* Effect on the target rate: fast recovery leaves it unchanged, additive increase adds ai_rate, and
 * hyper increase adds growing multiples of hai_rate. */
static void wire_row_E8_fast_additive_hyper(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	rn_time t = START;

	p.threshold = 3;
	p.clamp_tgt_rate = true;
	rn_cc_cnp(&cc, &p, t);
	rn_cc_cnp(&cc, &p, t += p.monitor_period);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t target = cc.target, rate = cc.rate;
		rn_cc_send_at(&cc, &p, t += p.time_reset);
		assert_int_equal(cc.target, target);
		assert_int_equal(cc.rate, (target + rate) / 2);
	}
	for (unsigned i = 0; i < 4; i++) {
		uint64_t target = cc.target;
		rn_cc_send_at(&cc, &p, t += p.time_reset);
		assert_int_equal(cc.target, target + p.ai_rate);
	}
	/* The timer has made more increases than the threshold. The byte counter now makes three,
	 * which is not more than the threshold. So all three are additive increases. */
	for (unsigned i = 0; i < 3; i++) {
		uint64_t target = cc.target;
		rn_cc_sent(&cc, &p, p.byte_reset, t);
		assert_int_equal(cc.target, target + p.ai_rate);
	}
	/* The byte counter and the timer have each made more increases than the threshold. So the
	 * next increases are hyper increases. */
	for (unsigned i = 1; i < 4; i++) {
		uint64_t target = cc.target;
		rn_cc_sent(&cc, &p, p.byte_reset, t);
		assert_int_equal(cc.target, target + i * p.hai_rate);
	}
}

/* CNPs have lowered the rate to the minimum, and no further CNP comes. The rate then rises to the
 * line rate and the rate limit ends, whether or not the QP sends. */
static void wire_row_E8_back_to_line_rate(void **state)
{
	struct rn_cc_cfg p = documented();

	for (unsigned sends = 0; sends < 2; sends++) {
		struct rn_cc cc = {0};
		rn_time t = START;

		p.clamp_tgt_rate = true;
		for (unsigned i = 0; i < 10000; i++)
			rn_cc_cnp(&cc, &p, t += p.monitor_period);
		assert_int_equal(cc.rate, p.min_rate);
		for (uint64_t last = cc.rate; cc.limited; last = cc.rate) {
			rn_time at = rn_cc_send_at(&cc, &p, t);
			if (cc.limited)
				assert_true(cc.rate >= last);
			if (sends && at <= t && cc.limited)
				rn_cc_sent(&cc, &p, 4096, t);
			t = cc.limited ? RN_MAX(t, sends ? RN_MIN(cc.send_at, cc.raise_at)
							 : cc.raise_at)
				       : t;
			assert_true(t < START + RN_S(2));
		}
		assert_int_equal(rn_cc_send_at(&cc, &p, t), t);
		print_message("from the floor to the line's rate in %llu us\n",
			      (unsigned long long)(t - START) / 1000);
	}
}

/* One call of rn_cc_send_at() makes at most 64 of the increases that are due. This bounds the
 * duration of the call. */
static void test_raises_per_call(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};

	p.clamp_tgt_rate = true;
	p.ai_rate = p.hai_rate = 1;
	for (unsigned i = 0; i < 10; i++)
		rn_cc_cnp(&cc, &p, START + i * p.monitor_period);
	for (unsigned calls = 1; calls < 4; calls++) {
		rn_cc_send_at(&cc, &p, START + RN_S(3600));
		assert_int_equal(cc.time_stage, 64 * calls);
	}
}

/* The rate limit ends when the rate comes within 1/128 of the line rate, and not before. */
static void test_nearly_line_rate(void **state)
{
	struct rn_cc_cfg p = documented();

	for (unsigned less = 0; less < 2; less++) {
		struct rn_cc cc = {.limited = true,
				   .target = LINE,
				   .rate = LINE - 2 * (LINE / 128) - 2 * less,
				   .raise_at = START};

		rn_cc_send_at(&cc, &p, START);
		assert_int_equal(cc.limited, less);
	}
}

/* Increases that became due in a long silence are made in bounded steps over several calls. No
 * increase is lost. */
static void test_long_silence(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	unsigned calls = 0;

	p.byte_reset = 0;
	rn_cc_cnp(&cc, &p, START);
	for (unsigned i = 0; i < 100; i++)
		rn_cc_cnp(&cc, &p, START + i * p.monitor_period);
	while (cc.limited && calls++ < 10000)
		rn_cc_send_at(&cc, &p, START + RN_S(3600));
	assert_false(cc.limited);
	assert_in_range(calls, 1, 10000 / 64 + 64);
}

/* ---- pacing ---- */

/* Packets are spaced according to the rate; rounding errors do not add up over many packets. */
static void test_spacing(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	rn_time t = START;
	uint64_t bits = 0;

	p.time_reset = RN_S(1000);
	p.byte_reset = 0;
	rn_cc_cnp(&cc, &p, t);
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(rn_cc_send_at(&cc, &p, t) <= t);
		rn_cc_sent(&cc, &p, 1000 + i, t);
		bits += (1000 + i) * 8;
		assert_true(rn_cc_send_at(&cc, &p, t) > t);
		t = rn_cc_wake_at(&cc);
	}
	assert_in_range(bits * RN_S(1) / cc.rate - (t - START), 0, 1000);
}

/* A QP that is woken late may send at once the packets whose time has passed. A QP that had nothing
 * to send may not make up for the time in which it was idle. */
static void test_lateness_and_idleness(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	unsigned n = 0;

	p.time_reset = RN_S(1000);
	p.byte_reset = 0;
	rn_cc_cnp(&cc, &p, START);
	rn_cc_sent(&cc, &p, 1000, START);
	rn_cc_wake_at(&cc);
	rn_time late = START + RN_US(100), each = 8000 * RN_S(1) / cc.rate;
	while (rn_cc_send_at(&cc, &p, late) <= late) {
		rn_cc_sent(&cc, &p, 1000, late);
		n++;
	}
	assert_in_range(n, RN_US(100) / each - 1, RN_US(100) / each + 1);
	rn_cc_idle(&cc);
	late += RN_MS(500);
	for (n = 0; rn_cc_send_at(&cc, &p, late) <= late; n++)
		rn_cc_sent(&cc, &p, 1000, late);
	assert_int_equal(n, 1);
	/* A QP that is woken late may send at once the packets that it missed in one millisecond,
	 * but no more. */
	rn_cc_wake_at(&cc);
	late += RN_MS(500);
	for (n = 0; rn_cc_send_at(&cc, &p, late) <= late; n++)
		rn_cc_sent(&cc, &p, 1000, late);
	assert_in_range(n, RN_MS(1) / each - 1, RN_MS(1) / each + 2);
}

/* An increase of the rate shortens a wait that was computed with the lower rate. */
static void test_wait_follows_rate(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};
	rn_time wait;

	p.min_rate = p.first_rate = 1000000;
	rn_cc_cnp(&cc, &p, START);
	rn_cc_sent(&cc, &p, 4096, START);
	assert_int_equal(cc.send_at, START + RN_US(32768));
	assert_int_equal(rn_cc_wake_at(&cc), START + p.time_reset);
	wait = rn_cc_send_at(&cc, &p, START + p.time_reset) - START;
	/* The rate is now half-way to the line rate: the packet waits about 300 us instead of
	 * 32 ms. */
	assert_true(wait < RN_US(310));
}

/* With RN_CC_NONE (no algorithm) a CNP limits nothing. */
static void test_none_changes_nothing(void **state)
{
	struct rn_cc_cfg p = documented();
	struct rn_cc cc = {0};

	p.algorithm = RN_CC_NONE;
	assert_false(rn_cc_cnp(&cc, &p, START));
	assert_false(cc.limited);
	assert_int_equal(rn_cc_send_at(&cc, &p, START), START);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_E5_cut_by_alpha),
		cmocka_unit_test(wire_row_E5_one_cut_per_monitor_period),
		cmocka_unit_test(wire_row_E5_alpha_decays),
		cmocka_unit_test(wire_row_E5_first_rate_and_weakest_cut),
		cmocka_unit_test(wire_row_E5_target),
		cmocka_unit_test(wire_row_E11_floor),
		cmocka_unit_test(wire_row_E8_fast_additive_hyper),
		cmocka_unit_test(wire_row_E8_back_to_line_rate),
		cmocka_unit_test(test_long_silence),
		cmocka_unit_test(test_raises_per_call),
		cmocka_unit_test(test_nearly_line_rate),
		cmocka_unit_test(test_spacing),
		cmocka_unit_test(test_lateness_and_idleness),
		cmocka_unit_test(test_wait_follows_rate),
		cmocka_unit_test(test_none_changes_nothing),
	};
	return cmocka_run_group_tests_name("cc", tests, NULL, NULL);
}
