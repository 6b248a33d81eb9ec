/* Timers and retry counts for retransmission, driven by events in virtual time. */
#include "flow/retry.h"
#include "rig.h"

struct bench {
	struct rn_wheel wheel;
	struct rn_retry r;
	rn_time now;
};

static void start(struct bench *b, uint8_t timeout, uint8_t retry, uint8_t rnr)
{
	b->now = RN_S(5);
	rn_wheel_init(&b->wheel, b->now);
	rn_retry_init(&b->r, RN_US(500), RN_MS(4));
	rn_retry_config(&b->r, timeout, retry, rnr);
}

/* start() with this floor, and a first packet whose round trip has been measured. */
static void start_measured(struct bench *b, rn_time floor, rn_time round_trip)
{
	start(b, 14, 7, 7);
	b->r.floor = floor;
	rn_retry_packet_sent(&b->r, &b->wheel, 10, true, b->now);
	b->now += round_trip;
	rn_retry_progress(&b->r, &b->wheel, 11, true, b->now);
}

/* Advances the time by `ns`. Returns the last result of rn_retry_expired() that is not
 * RN_RETRY_NOTHING; RN_RETRY_NOTHING if there is no such result. */
static enum rn_retry_due pass(struct bench *b, rn_time ns)
{
	enum rn_retry_due due = RN_RETRY_NOTHING;
	rn_time end = b->now + ns;

	while (rn_wheel_next(&b->wheel) <= end) {
		b->now = RN_MAX(b->now, rn_wheel_next(&b->wheel));
		while (rn_wheel_expire(&b->wheel, b->now)) {
			enum rn_retry_due d =
				rn_retry_expired(&b->r, &b->wheel, RN_US(500), b->now);

			due = d ? d : due;
		}
	}
	b->now = end;
	return due;
}

/* Probes come after the measured round trip, then after twice as long, until it is time to send all
 * packets again. A probe waits until the packet that requests an ACK was sent long enough ago. */
static void test_probe(void **state)
{
	struct bench b;

	start_measured(&b, RN_US(50), RN_US(10));
	assert_true(b.r.rto == RN_US(50));
	assert_false(rn_retry_queued(&b.r));
	b.now += RN_US(30);
	rn_retry_packet_sent(&b.r, &b.wheel, 11, true, b.now);
	assert_int_equal(pass(&b, RN_US(48)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_US(4)), RN_RETRY_PROBE);
	assert_int_equal(pass(&b, RN_US(90)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_US(15)), RN_RETRY_PROBE);
	assert_int_equal(pass(&b, RN_US(250)), RN_RETRY_PROBE);
	/* 437 us after the last progress */
	assert_int_equal(pass(&b, RN_US(60)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_US(5)), RN_RETRY_RESEND_EARLY);
	assert_int_equal(b.r.left, 7);
	assert_true(b.r.rto == RN_US(1000));
	rn_retry_stop(&b.r, &b.wheel);
}

/* A lower floor shortens the wait that has begun already. */
static void test_hasten(void **state)
{
	struct bench b;

	start_measured(&b, RN_US(100), RN_US(2));
	rn_retry_packet_sent(&b.r, &b.wheel, 11, true, b.now);
	b.now += RN_US(10);
	rn_retry_hasten(&b.r, &b.wheel, RN_US(20), b.now);
	assert_int_equal(pass(&b, RN_US(18)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_US(4)), RN_RETRY_PROBE);
	rn_retry_stop(&b.r, &b.wheel);
	/* without packets in flight no timer is started */
	rn_retry_hasten(&b.r, &b.wheel, RN_US(20), b.now);
	assert_true(rn_wheel_next(&b.wheel) == RN_TIME_NEVER);
}

/* The shortest round trip shows how much of the present one is waiting in queues. */
static void test_queued(void **state)
{
	static const struct {
		unsigned us, times;
		bool queued;
	} rows[] = {{10, 1, false}, {12, 40, false}, {14, 40, true}, {11, 40, false}, {7, 1, true}};
	struct bench b;
	uint32_t psn = 5;

	start(&b, 14, 7, 7);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		for (unsigned k = 0; k < rows[i].times; k++, psn++) {
			rn_retry_packet_sent(&b.r, &b.wheel, psn, true, b.now);
			b.now += RN_US(rows[i].us);
			rn_retry_progress(&b.r, &b.wheel, psn + 1, false, b.now);
		}
		assert_int_equal(rn_retry_queued(&b.r), rows[i].queued);
	}
	rn_retry_stop(&b.r, &b.wheel);
}

static void test_codes(void **state)
{
	assert_int_equal(rn_retry_timeout_ns(0), 0);
	assert_int_equal(rn_retry_timeout_ns(1), 8192);
	assert_int_equal(rn_retry_timeout_ns(14), 67108864);
	assert_true(rn_retry_timeout_ns(31) == (rn_time)4096 << 31);
	static const double ms[32] = {655.36, 0.01,  0.02,  0.03,   0.04,   0.06,   0.08,   0.12,
				      0.16,   0.24,  0.32,  0.48,   0.64,   0.96,   1.28,   1.92,
				      2.56,   3.84,  5.12,  7.68,   10.24,  15.36,  20.48,  30.72,
				      40.96,  61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(rn_retry_rnr_ns(i), (rn_time)(ms[i] * 1e6 + 0.5));
}

/* The adaptive timeout resends early and uses up no retry. The transport timeout (4.096 us *
 * 2^code) uses up one retry. */
static void test_early_then_coded(void **state)
{
	struct bench b;

	start(&b, 12, 1, 7); /* transport timeout code 12: 16.8 ms */
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	assert_int_equal(pass(&b, RN_MS(4) - 1), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_US(3)), RN_RETRY_RESEND_EARLY);
	assert_int_equal(pass(&b, RN_MS(7)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_MS(2)), RN_RETRY_RESEND_EARLY);
	assert_int_equal(b.r.left, 1);
	/* 17 ms since the packet was sent: the transport timeout, 16.8 ms, has passed */
	assert_int_equal(pass(&b, RN_MS(4)), RN_RETRY_RESEND);
	assert_int_equal(b.r.left, 0);
	/* the adaptive timeout, doubled by each resend, is now as long as the transport timeout */
	assert_int_equal(pass(&b, RN_MS(16)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_MS(2)), RN_RETRY_EXCEEDED);
	rn_retry_stop(&b.r, &b.wheel);
	assert_int_equal(b.wheel.armed, 0);
}

/* An ACK that makes progress restarts the timer and gives a sample of the round-trip time. With
 * nothing in flight the timer is stopped. */
static void test_progress_restarts(void **state)
{
	struct bench b;

	start(&b, 12, 1, 7);
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(pass(&b, RN_US(400)), RN_RETRY_NOTHING);
		rn_retry_progress(&b.r, &b.wheel, 2 + i, true, b.now);
		rn_retry_packet_sent(&b.r, &b.wheel, 2 + i, true, b.now);
	}
	assert_in_range(b.r.srtt, RN_US(380), RN_US(420));
	assert_in_range(b.r.rto, RN_US(500), RN_MS(2));
	rn_retry_progress(&b.r, &b.wheel, 200, false, b.now);
	assert_int_equal(pass(&b, RN_S(1)), RN_RETRY_NOTHING);
	assert_int_equal(b.wheel.armed, 0);
}

/* The adaptive timeout does not fall below the configured floor, however short the round trip
 * is. */
static void test_floor(void **state)
{
	struct bench b;

	start(&b, 14, 1, 7);
	for (unsigned i = 0; i < 50; i++) {
		rn_retry_packet_sent(&b.r, &b.wheel, i, true, b.now);
		pass(&b, RN_US(5));
		rn_retry_progress(&b.r, &b.wheel, i + 1, false, b.now);
	}
	assert_int_equal(b.r.rto, RN_US(500));
}

/* A transport timeout ends during an RNR wait. The timeout must neither shorten the wait nor use up
 * a retry. */
static void test_rnr_not_shortened(void **state)
{
	struct bench b;

	start(&b, 8, 0, 2);
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	/* RNR timer code 16 is 2.56 ms; the transport timeout is 1.05 ms */
	assert_true(rn_retry_rnr(&b.r, &b.wheel, 16, b.now));
	assert_int_equal(pass(&b, RN_US(2559)), RN_RETRY_NOTHING);
	assert_int_equal(pass(&b, RN_US(3)), RN_RETRY_RNR_OVER);
	assert_true(rn_retry_rnr(&b.r, &b.wheel, 1, b.now));
	assert_int_equal(pass(&b, RN_US(20)), RN_RETRY_RNR_OVER);
	assert_false(rn_retry_rnr(&b.r, &b.wheel, 1, b.now));
	rn_retry_progress(&b.r, &b.wheel, 2, true, b.now);
	assert_true(rn_retry_rnr(&b.r, &b.wheel, 1, b.now));
	rn_retry_stop(&b.r, &b.wheel);
}

/* An answer after a resend may belong to the first or the second transmission. So its round-trip
 * time is not measured. */
static void test_no_sample_after_resend(void **state)
{
	struct bench b;

	start(&b, 14, 7, 7);
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	assert_int_equal(pass(&b, RN_MS(5)), RN_RETRY_RESEND_EARLY);
	rn_retry_progress(&b.r, &b.wheel, 2, false, b.now);
	assert_int_equal(b.r.srtt, 0);
	rn_retry_stop(&b.r, &b.wheel);
}

/* The path is slower than the initial timeout. The first messages are resent early, until the
 * measured round-trip time has raised the timeout. */
static void test_slow_path(void **state)
{
	struct bench b;
	unsigned early = 0;

	start(&b, 18, 7, 7);
	for (unsigned i = 0; i < 20; i++) {
		rn_retry_packet_sent(&b.r, &b.wheel, i, true, b.now);
		for (unsigned ms = 0; ms < 50; ms++)
			early += pass(&b, RN_MS(1)) == RN_RETRY_RESEND_EARLY;
		rn_retry_progress(&b.r, &b.wheel, i + 1, false, b.now);
	}
	/* early resends: 3 of the first message (after 4, 12 and 28 ms), 1 of the second message
	 * (after 32 ms) */
	assert_int_equal(early, 4);
	assert_true(b.r.srtt > RN_MS(49));
	/* A path that was fast becomes slow: the estimate adapts after a few early resends. */
	b.r.srtt = RN_US(20);
	b.r.var = 0;
	b.r.rto = RN_US(500);
	early = 0;
	for (unsigned i = 20; i < 60; i++) {
		rn_retry_packet_sent(&b.r, &b.wheel, i, true, b.now);
		for (unsigned ms = 0; ms < 200; ms++)
			early += pass(&b, RN_US(250)) == RN_RETRY_RESEND_EARLY;
		rn_retry_progress(&b.r, &b.wheel, i + 1, false, b.now);
	}
	assert_in_range(early, 6, 12);
	rn_retry_stop(&b.r, &b.wheel);
}

/* With a retry count of 1, each timeout uses up the retry. Each duplicate READ response to a resent
 * READ request restores the retry and restarts the timer, even if a transport timeout has expired
 * since the previous duplicate. */
static void test_stale_answers_reload(void **state)
{
	struct bench b;

	start(&b, 12, 1, 7); /* transport timeout code 12: 16.8 ms */
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	rn_retry_asked_again(&b.r, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_RESEND);
		assert_int_equal(b.r.left, 0);
		rn_retry_stale(&b.r, &b.wheel, b.now);
		assert_int_equal(b.r.left, 1);
	}
	assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_RESEND);
	assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_EXCEEDED);
	rn_retry_stop(&b.r, &b.wheel);
}

/* For each READ response that is requested again, one duplicate may restore a retry. Further
 * duplicates may not, because any host could forge duplicates and so keep the QP from failing. */
static void test_stale_answers_are_counted(void **state)
{
	struct bench b;

	start(&b, 12, 1, 7);
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	rn_retry_asked_again(&b.r, 1);
	assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_RESEND);
	for (unsigned i = 0; i < 2; i++) {
		rn_retry_stale(&b.r, &b.wheel, b.now);
		b.now += RN_MS(10);
		assert_int_equal(b.r.left, 1);
	}
	/* the second duplicate response did not restart the timer */
	assert_int_equal(pass(&b, RN_MS(8)), RN_RETRY_RESEND);
	rn_retry_stale(&b.r, &b.wheel, b.now);
	assert_int_equal(b.r.left, 0);
	rn_retry_asked_again(&b.r, UINT32_MAX - 3);
	rn_retry_asked_again(&b.r, 5);
	assert_true(b.r.stale_left == UINT32_MAX);
	rn_retry_stop(&b.r, &b.wheel);
}

/* The first READ response has made progress, and the work request behind the READ is still
 * unanswered. Duplicate READ responses still restore the retry. */
static void test_stale_answers_come_after_progress(void **state)
{
	struct bench b;

	start(&b, 12, 1, 7);
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	rn_retry_asked_again(&b.r, 2);
	rn_retry_progress(&b.r, &b.wheel, 3, false, b.now);
	rn_retry_packet_sent(&b.r, &b.wheel, 3, true, b.now);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_RESEND);
		rn_retry_stale(&b.r, &b.wheel, b.now);
		assert_int_equal(b.r.left, 1);
	}
	rn_retry_stop(&b.r, &b.wheel);
}

/* Some READ responses make no progress: duplicates, and responses ahead of a missing one. Such
 * responses extend the wait to at most 64 transport timeouts after the last progress. */
static void test_signs_of_life_end(void **state)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		rn_time start_at, full = rn_retry_timeout_ns(12);
		enum rn_retry_due due = RN_RETRY_NOTHING;
		struct bench b;

		start(&b, 12, 1, 7);
		rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
		/* The limit of 64 transport timeouts counts from the last progress, not from the
		 * first packet. */
		b.now += RN_S(5);
		rn_retry_progress(&b.r, &b.wheel, 2, true, b.now);
		start_at = b.now;
		while (due != RN_RETRY_EXCEEDED && b.now < start_at + RN_S(10)) {
			due = pass(&b, RN_MS(15));
			rn_retry_asked_again(&b.r, 1);
			if (kind)
				rn_retry_stale(&b.r, &b.wheel, b.now);
			else
				rn_retry_alive(&b.r, &b.wheel, b.now);
		}
		assert_in_range(b.now - start_at, 64 * full, 67 * full);
		rn_retry_stop(&b.r, &b.wheel);
	}
}

/* A READ response ahead of a missing response restarts the timer. It restores no retry, because the
 * missing response may never come. */
static void test_alive_gives_time_only(void **state)
{
	struct bench b;

	start(&b, 12, 1, 7);
	rn_retry_packet_sent(&b.r, &b.wheel, 1, true, b.now);
	assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_RESEND);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(pass(&b, RN_MS(15)), RN_RETRY_NOTHING);
		rn_retry_alive(&b.r, &b.wheel, b.now);
	}
	assert_int_equal(pass(&b, RN_MS(18)), RN_RETRY_EXCEEDED);
	rn_retry_stop(&b.r, &b.wheel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_hasten),
		cmocka_unit_test(test_queued),
		cmocka_unit_test(test_early_then_coded),
		cmocka_unit_test(test_progress_restarts),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_rnr_not_shortened),
		cmocka_unit_test(test_no_sample_after_resend),
		cmocka_unit_test(test_slow_path),
		cmocka_unit_test(test_stale_answers_reload),
		cmocka_unit_test(test_stale_answers_are_counted),
		cmocka_unit_test(test_stale_answers_come_after_progress),
		cmocka_unit_test(test_signs_of_life_end),
		cmocka_unit_test(test_alive_gives_time_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
