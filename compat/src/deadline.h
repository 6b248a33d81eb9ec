/* Deadlines for functions that take a Windows timeout. Any thread may call these functions. */
#ifndef COMPAT_DEADLINE_H
#define COMPAT_DEADLINE_H

#include <minwinbase.h>
#include <stdint.h>
#include <time.h>

/*
 * Returns the time of the monotonic clock in milliseconds. A deadline is a time of this clock.
 * UINT64_MAX means no deadline.
 */
static inline uint64_t compat_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/*
 * Returns the deadline for a timeout that starts now. Adds 1 ms, because the clock is rounded down
 * and the wait must not end early.
 */
static inline uint64_t compat_deadline_in(DWORD timeout_ms)
{
	return timeout_ms == INFINITE ? UINT64_MAX
				      : compat_now_ms() + timeout_ms + (timeout_ms > 0);
}

/*
 * Returns the milliseconds until the deadline, in the form of a Windows timeout: INFINITE if there
 * is no deadline.
 */
static inline DWORD compat_deadline_left(uint64_t deadline)
{
	uint64_t now;

	if (deadline == UINT64_MAX)
		return INFINITE;
	now = compat_now_ms();
	return now >= deadline		   ? 0
	       : deadline - now < INFINITE ? (DWORD)(deadline - now)
					   : INFINITE - 1;
}

#endif
