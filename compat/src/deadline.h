/* Until when a call with a timeout of Windows waits. Any thread. */
#ifndef COMPAT_DEADLINE_H
#define COMPAT_DEADLINE_H

#include <minwinbase.h>
#include <stdint.h>
#include <time.h>

/* Monotonic milliseconds; UINT64_MAX never comes. */
static inline uint64_t compat_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The first full millisecond after the time that was asked for, so that no wait ends early. */
static inline uint64_t compat_deadline_in(DWORD timeout_ms)
{
	return timeout_ms == INFINITE ? UINT64_MAX : compat_now_ms() + timeout_ms + (timeout_ms > 0);
}

/* What is left, as a timeout again. */
static inline DWORD compat_deadline_left(uint64_t deadline)
{
	uint64_t now;

	if (deadline == UINT64_MAX)
		return INFINITE;
	now = compat_now_ms();
	return now >= deadline ? 0 : deadline - now < INFINITE ? (DWORD)(deadline - now) : INFINITE - 1;
}

#endif
