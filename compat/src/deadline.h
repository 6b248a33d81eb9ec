/* Deadlines for calls that take a Windows timeout. Any thread. */
#ifndef COMPAT_DEADLINE_H
#define COMPAT_DEADLINE_H

#include <minwinbase.h>
#include <stdint.h>
#include <time.h>

/* The monotonic clock in milliseconds. A deadline of UINT64_MAX is never reached. */
static inline uint64_t compat_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/*
 * When the timeout ends. The clock is cut to milliseconds, so one is added: no wait may end early.
 */
static inline uint64_t compat_deadline_in(DWORD timeout_ms)
{
	return timeout_ms == INFINITE ? UINT64_MAX
				      : compat_now_ms() + timeout_ms + (timeout_ms > 0);
}

/* The time that remains until the deadline, as a Windows timeout. */
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
