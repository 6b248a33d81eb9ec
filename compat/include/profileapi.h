/* The counter for measuring short times. */
#ifndef COMPAT_PROFILEAPI_H
#define COMPAT_PROFILEAPI_H

#include "winnt.h"

COMPAT_BEGIN

/*
 * Returns the nanoseconds of the monotonic clock; Windows counts in units of 100 ns. Never fails.
 */
BOOL QueryPerformanceCounter(LARGE_INTEGER *count);

/* Returns the counts per second, always 10^9. */
BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency);

COMPAT_END

#endif
