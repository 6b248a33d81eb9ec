/* Timed waits on the monotonic clock, for the objects of provider/os. */
#ifndef OS_DEADLINE_H
#define OS_DEADLINE_H

#include "os/cancel.h"
#include "ndtypes.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

struct os_deadline {
	bool never;
	struct timespec at;
};

static inline struct os_deadline os_deadline_in(ULONG timeout_ms)
{
	struct os_deadline d = {.never = timeout_ms == NDS_INFINITE};

	clock_gettime(CLOCK_MONOTONIC, &d.at);
	d.at.tv_sec += timeout_ms / 1000;
	d.at.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (d.at.tv_nsec >= 1000000000) {
		d.at.tv_sec++;
		d.at.tv_nsec -= 1000000000;
	}
	return d;
}

/* Returns the milliseconds left, rounded up, as a timeout for poll(). Returns 0 if the deadline has
 * passed, and -1 if there is no deadline. */
static inline int os_deadline_left_ms(const struct os_deadline *d)
{
	struct timespec now;
	int64_t ns;

	if (d->never)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (int64_t)(d->at.tv_sec - now.tv_sec) * 1000000000 + (d->at.tv_nsec - now.tv_nsec);
	if (ns <= 0)
		return 0;
	ns = (ns + 999999) / 1000000;
	return ns < INT32_MAX ? (int)ns : INT32_MAX;
}

/* Initializes a condition variable whose timed waits use the clock of struct os_deadline. */
static inline void os_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

/* Waits for a signal of the condition variable. Returns false when the deadline has passed; the
 * caller then checks its condition once more. This function is a cancellation point: a cancelled
 * thread releases the lock. */
static inline bool os_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock,
				const struct os_deadline *d)
{
	int rc;

	pthread_cleanup_push(os_cancel_unlock, lock);
	rc = d->never ? pthread_cond_wait(cond, lock) : pthread_cond_timedwait(cond, lock, &d->at);
	pthread_cleanup_pop(0);
	return rc != ETIMEDOUT;
}

#endif
