/* The performance counter, a clock for measuring short times. */
#ifndef COMPAT_PROFILEAPI_H
#define COMPAT_PROFILEAPI_H

#include "winnt.h"

COMPAT_BEGIN

/*
 * Stores the monotonic clock in nanoseconds; Windows counts in units of 100 ns. Fails only if
 * `count` is NULL.
 */
BOOL QueryPerformanceCounter(LARGE_INTEGER *count);

/* Stores the number of counts of QueryPerformanceCounter per second, which is 10^9. */
BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency);

COMPAT_END

#endif
