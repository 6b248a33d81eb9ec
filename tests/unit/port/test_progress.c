/* When does the progress thread poll a shard, and when does it sleep? The shard is a fake: this
 * program defines rn_lcore_try_whole_turn(), ppoll() and sched_yield(). The clock stands still but
 * for the time that a poll takes, or that the thread sleeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include <poll.h>
#include <semaphore.h>

#include "port/progress.h"

#define SPIN RN_US(20)

static struct rn_lcore lc;
static struct rn_progress k;
static rn_time turn_takes, due; /* due: what a poll leaves in rn_lcore.due */
static unsigned works;		/* number of polls that find work */
static unsigned turns, sleeps, short_sleeps, yields;
static sem_t enough;

static void count(unsigned *what)
{
	if (turns + sleeps == 1000)
		return;
	(*what)++;
	if (turns + sleeps == 1000)
		sem_post(&enough);
}

bool rn_lcore_try_whole_turn(struct rn_lcore *l)
{
	rn_time now = rn_clock_now(&l->clock);

	atomic_store(&l->last_turn, now);
	if (turns < works)
		atomic_store(&l->last_busy, now);
	atomic_store(&l->due, due);
	l->clock.start += turn_takes;
	count(&turns);
	return true;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
	lc.clock.start += (rn_time)ts->tv_nsec;
	short_sleeps += ts->tv_nsec == 0;
	count(&sleeps);
	return 0;
}

int sched_yield(void)
{
	if (turns + sleeps < 1000)
		yields++;
	return 0;
}

bool rn_submit_idle(const struct rn_submit *s)
{
	return true;
}

bool rn_mailbox_empty(const struct rn_mailbox *mb)
{
	return true;
}

bool rn_steer_empty(const struct rn_steer *st)
{
	return true;
}

void rn_wake_announce(struct rn_wake *w)
{
}

void rn_wake_cancel(struct rn_wake *w)
{
}

/* Lets the thread run until it has polled and slept a thousand times together. */
static void run(void)
{
	struct timespec at;

	turns = sleeps = short_sleeps = yields = 0;
	memset(&lc, 0, sizeof(lc));
	memset(&k, 0, sizeof(k));
	lc.clock.start = RN_S(1);
	lc.spin = SPIN;
	lc.nap_min = RN_US(50);
	atomic_store(&lc.due, due);
	sem_init(&enough, 0, 0);
	assert_int_equal(rn_progress_start(&k, &lc, 1), 0);
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 10;
	int rc = sem_timedwait(&enough, &at);

	rn_progress_stop(&k);
	assert_int_equal(rc, 0);
}

/* A burst of large WRITEs takes longer to place than the thread spins without work. */
static void a_poll_that_takes_long_is_followed_by_the_next(void **state)
{
	works = 1000;
	turn_takes = 2 * SPIN;
	due = 0;
	run();
	assert_in_range(turns, 990, 1000);
}

/* A yield is a system call. An application that waits for the CPU gets it after 40 us. */
static void a_busy_thread_yields_now_and_then(void **state)
{
	works = 1000;
	turn_takes = RN_US(10);
	due = 0;
	run();
	assert_in_range(turns, 990, 1000);
	assert_in_range(yields, 200, 260);
}

/* After work, the thread polls for SPIN without finding any. */
static void a_thread_that_finds_no_work_yields_after_each_poll(void **state)
{
	works = 1;
	turn_takes = RN_US(1);
	due = RN_TIME_NEVER;
	run();
	assert_in_range(yields, 15, 25);
}

/* An example of work that is due and cannot be done is a reply for which the port has no room. */
static void work_that_cannot_be_done_lets_the_thread_sleep(void **state)
{
	works = 0;
	turn_takes = 0;
	due = 0;
	run();
	assert_int_equal(short_sleeps, 0);
	assert_in_range(turns, 100, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_poll_that_takes_long_is_followed_by_the_next),
		cmocka_unit_test(a_busy_thread_yields_now_and_then),
		cmocka_unit_test(a_thread_that_finds_no_work_yields_after_each_poll),
		cmocka_unit_test(work_that_cannot_be_done_lets_the_thread_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
