/* A lock excludes all other threads, and every thread that waits for it gets it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/lock.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define THREADS 4
#define ROUNDS	50000

static struct rn_lock lock;
static uint64_t count, copy; /* guarded by `lock` */
static _Atomic unsigned wrong;

static void a_free_lock_is_taken_and_released_without_a_sleeper(void **state)
{
	struct rn_lock l = {0};

	rn_lock_take(&l);
	assert_int_equal(l.state, RN_LOCK_TAKEN);
	rn_lock_release(&l);
	assert_int_equal(l.state, RN_LOCK_FREE);
}

static void *add(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		rn_lock_take(&lock);
		wrong += count != copy;
		count++;
		/* Yield while the lock is held, so that other threads have to wait for it. */
		if (i % 64 == 0)
			sched_yield();
		copy++;
		rn_lock_release(&lock);
	}
	return NULL;
}

static void threads_exclude_each_other(void **state)
{
	pthread_t thread[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, add, NULL), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(wrong, 0);
	assert_int_equal(count, THREADS * ROUNDS);
	assert_int_equal(lock.state, RN_LOCK_FREE);
}

static void *take_once(void *arg)
{
	rn_lock_take(&lock);
	rn_lock_release(&lock);
	return NULL;
}

/* Several threads sleep; each release wakes the next. */
static void all_sleepers_wake(void **state)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pthread_t thread[THREADS];

	rn_lock_take(&lock);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_once, NULL), 0);
	/* The wait takes 50 ms, so that all threads sleep, or up to 20 s on a busy machine. */
	for (unsigned i = 0; i < 20000 && (i < 50 || atomic_load(&lock.state) != RN_LOCK_AWAITED);
	     i++)
		nanosleep(&pause, NULL);
	assert_int_equal(lock.state, RN_LOCK_AWAITED);
	rn_lock_release(&lock);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(lock.state, RN_LOCK_FREE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_lock_is_taken_and_released_without_a_sleeper),
		cmocka_unit_test(threads_exclude_each_other),
		cmocka_unit_test(all_sleepers_wake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
