/* Helper functions that run code on other threads. Each test joins the threads it starts. */
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

/*
 * Checks that the call takes at least `ms` milliseconds (0.5 ms of tolerance) and less than 20 s.
 */
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

/*
 * Runs the function on another thread, waits for the end of that thread and returns the function's
 * result.
 */
static inline void *run_elsewhere(void *(*function)(void *), void *argument)
{
	void *result;

	assert_int_equal(pthread_join(run_beside(function, argument), &result), 0);
	return result;
}

#endif
