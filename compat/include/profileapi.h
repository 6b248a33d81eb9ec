/* The performance counter, a clock for measuring short times. */
#ifndef COMPAT_PROFILEAPI_H
#define COMPAT_PROFILEAPI_H

#include "winnt.h"

COMPAT_BEGIN

/*
 * Stores the present time of the monotonic clock, in nanoseconds; on Windows the unit is 100 ns.
 * Fails only if `count` is NULL.
 */
BOOL QueryPerformanceCounter(LARGE_INTEGER *count);

/* Stores how many units QueryPerformanceCounter counts per second: 10^9. */
BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency);

COMPAT_END

#endif
