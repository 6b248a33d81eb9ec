/* The timer wheel is compared with a simple reference: an array of due times that is searched
 * linearly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/wheel.h"

#define TIMERS 300

struct fixture {
	struct rn_wheel wheel;
	struct rn_timer timer[TIMERS];
	rn_time when[TIMERS]; /* due time of each timer, for comparison with the wheel */
	bool late[TIMERS];    /* true: the timer was armed for a time in the past */
	rn_time now;
	struct rn_rng rng;
};

static void start(struct fixture *f, uint64_t seed, rn_time now)
{
	rn_rng_seed(&f->rng, seed);
	f->now = now;
	rn_wheel_init(&f->wheel, now);
	for (unsigned i = 0; i < TIMERS; i++) {
		rn_timer_init(&f->timer[i]);
		f->when[i] = RN_TIME_NEVER;
	}
}

static rn_time earliest(const struct fixture *f)
{
	rn_time t = RN_TIME_NEVER;
	for (unsigned i = 0; i < TIMERS; i++)
		t = RN_MIN(t, f->when[i]);
	return t;
}

/* Returns a random time. Every order of magnitude of its distance from now is equally likely, so
 * all levels of the wheel are used. 5 % of the times lie in the past. */
static rn_time some_time(struct fixture *f)
{
	rn_time distance = rn_rng_next(&f->rng) >> (1 + rn_rng_below(&f->rng, 63));
	if (rn_rng_chance(&f->rng, 50000))
		return f->now - RN_MIN(f->now, distance);
	return rn_range_wraps(f->now, distance) ? RN_TIME_NEVER - 1 : f->now + distance;
}

static void expire_all(struct fixture *f)
{
	rn_time last_tick = 0;
	struct rn_timer *t;
	while ((t = rn_wheel_expire(&f->wheel, f->now)) != NULL) {
		size_t i = (size_t)(t - f->timer);
		assert_true(i < TIMERS);
		assert_true(f->when[i] <= f->now);
		/* A timer that was armed for the past expires out of order, so its position is not
		 * checked. */
		if (!f->late[i]) {
			assert_true(f->when[i] >> 10 >= last_tick);
			last_tick = f->when[i] >> 10;
		}
		assert_false(rn_timer_armed(t));
		f->when[i] = RN_TIME_NEVER;
	}
	assert_true(earliest(f) > f->now);
}

static void arm(struct fixture *f, unsigned i, rn_time when)
{
	rn_timer_arm(&f->wheel, &f->timer[i], when);
	f->when[i] = when;
	f->late[i] = when < f->now;
}

/* Returns the time to which the test sets its clock next. This time is mostly just after the next
 * timer, rarely far beyond it. */
static rn_time later_time(struct fixture *f)
{
	rn_time t = some_time(f), next = rn_wheel_next(&f->wheel);
	if (!rn_rng_chance(&f->rng, 10000) && next < t)
		t = next + rn_rng_below(&f->rng, RN_MS(1));
	return RN_MAX(f->now, t);
}

static void random_operations(uint64_t seed)
{
	struct fixture f;
	start(&f, seed, seed << (seed % 60));
	for (unsigned step = 0; step < 3000; step++) {
		unsigned i = (unsigned)rn_rng_below(&f.rng, TIMERS);
		switch (rn_rng_below(&f.rng, 4)) {
		case 0:
		case 1:
			arm(&f, i, some_time(&f));
			break;
		case 2:
			rn_timer_cancel(&f.wheel, &f.timer[i]);
			f.when[i] = RN_TIME_NEVER;
			break;
		default:
			f.now = later_time(&f);
			break;
		}
		assert_true(rn_wheel_next(&f.wheel) <= earliest(&f));
		expire_all(&f);
	}
	for (unsigned i = 0; i < TIMERS; i++)
		rn_timer_cancel(&f.wheel, &f.timer[i]);
	assert_int_equal(f.wheel.armed, 0);
	assert_true(rn_wheel_next(&f.wheel) == RN_TIME_NEVER);
	for (unsigned level = 0; level < RN_WHEEL_LEVELS; level++)
		assert_true(f.wheel.busy[level] == 0);
}

static void test_random(void **state)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		random_operations(seed);
	}
}

/* A caller sets the clock to rn_wheel_next() and expires timers, again and again. Each timer is
 * reached after at most one such step per level of the wheel. */
static void test_next_makes_progress(void **state)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct fixture f;
		start(&f, seed, seed * 977);
		for (unsigned i = 0; i < TIMERS; i++)
			arm(&f, i, some_time(&f));
		expire_all(&f);
		unsigned steps = 0;
		while (earliest(&f) != RN_TIME_NEVER) {
			rn_time next = rn_wheel_next(&f.wheel);
			assert_true(next <= earliest(&f));
			f.now = RN_MAX(f.now, next);
			expire_all(&f);
			assert_true(++steps < TIMERS * (RN_WHEEL_LEVELS + 1));
		}
		assert_true(rn_wheel_next(&f.wheel) == RN_TIME_NEVER);
	}
}

/* A timer expires at its exact time in ns, not at the start or end of its tick of the wheel. */
static void test_exact_time(void **state)
{
	static const rn_time when[] = {0,
				       1,
				       1023,
				       1024,
				       1025,
				       65535,
				       65536,
				       70000,
				       4194304,
				       1000000007,
				       RN_TIME_NEVER - 1};
	for (unsigned i = 0; i < RN_ARRAY_SIZE(when); i++) {
		struct rn_wheel w;
		struct rn_timer t;
		rn_wheel_init(&w, 0);
		rn_timer_init(&t);
		rn_timer_arm(&w, &t, when[i]);
		assert_true(rn_timer_armed(&t));
		if (when[i])
			assert_null(rn_wheel_expire(&w, when[i] - 1));
		assert_ptr_equal(rn_wheel_expire(&w, when[i]), &t);
		assert_null(rn_wheel_expire(&w, when[i]));
	}
}

static void test_rearm_and_never(void **state)
{
	struct rn_wheel w;
	struct rn_timer t;
	rn_wheel_init(&w, 5000);
	rn_timer_init(&t);
	rn_timer_cancel(&w, &t);
	rn_timer_arm(&w, &t, RN_S(3));
	rn_timer_arm(&w, &t, RN_MS(1));
	assert_int_equal(w.armed, 1);
	assert_ptr_equal(rn_wheel_expire(&w, RN_MS(1)), &t);
	assert_null(rn_wheel_expire(&w, RN_S(4)));
	rn_timer_arm(&w, &t, RN_S(5));
	rn_timer_arm(&w, &t, RN_TIME_NEVER);
	assert_false(rn_timer_armed(&t));
	assert_true(rn_wheel_next(&w) == RN_TIME_NEVER);
}

/* Two timers are due. The second timer is cancelled while the first timer is being handled. The
 * second timer must not expire. */
static void test_cancel_while_due(void **state)
{
	struct rn_wheel w;
	struct rn_timer a, b;
	rn_wheel_init(&w, 0);
	rn_timer_init(&a);
	rn_timer_init(&b);
	rn_timer_arm(&w, &a, RN_US(10));
	rn_timer_arm(&w, &b, RN_US(20));
	assert_ptr_equal(rn_wheel_expire(&w, RN_US(30)), &a);
	rn_timer_cancel(&w, &b);
	assert_null(rn_wheel_expire(&w, RN_US(30)));
	assert_int_equal(w.armed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),		 cmocka_unit_test(test_next_makes_progress),
		cmocka_unit_test(test_exact_time),	 cmocka_unit_test(test_rearm_and_never),
		cmocka_unit_test(test_cancel_while_due),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
