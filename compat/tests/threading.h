/* Helpers that run code on other threads; each test joins its threads. */
#ifndef COMPAT_THREADING_H
#define COMPAT_THREADING_H

#include "testing.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Checks that the call takes at least `ms` milliseconds, and not more than a generous limit. */
#define assert_takes(ms, call)                                            \
	do {                                                              \
		double began = seconds();                                 \
		call;                                                     \
		assert_true(seconds() - began >= (ms) / 1000.0 - 0.0005); \
		assert_true(seconds() - began < 20);                      \
	} while (0)

static inline pthread_t run_beside(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, function, argument), 0);
	return thread;
}

/* Runs the function on another thread, waits for its end and returns its result. */
static inline void *run_elsewhere(void *(*function)(void *), void *argument)
{
	void *result;

	assert_int_equal(pthread_join(run_beside(function, argument), &result), 0);
	return result;
}

#endif
