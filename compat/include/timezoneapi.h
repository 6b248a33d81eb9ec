/*
 * Conversion between FILETIME (units of 100 ns since 1601) and SYSTEMTIME (date and time of day).
 */
#ifndef COMPAT_TIMEZONEAPI_H
#define COMPAT_TIMEZONEAPI_H

#include "minwinbase.h"

COMPAT_BEGIN

/*
 * Converts a FILETIME to a date. Fails with ERROR_INVALID_PARAMETER for NULL and for a time of 2^63
 * or more.
 */
BOOL FileTimeToSystemTime(const FILETIME *from, SYSTEMTIME *to);

/*
 * Converts a date to a FILETIME. Ignores the day of the week. Fails with ERROR_INVALID_PARAMETER
 * for a date that does not exist.
 */
BOOL SystemTimeToFileTime(const SYSTEMTIME *from, FILETIME *to);

/*
 * Converts the UTC time *from to local time. Uses the time zone's offset at the time *from. The
 * present offset may differ because of daylight saving time.
 */
BOOL FileTimeToLocalFileTime(const FILETIME *from, FILETIME *to);

/* Returns -1 if `a` is earlier than `b`, 0 if the two times are equal, 1 if `a` is later. */
LONG CompareFileTime(const FILETIME *a, const FILETIME *b);

COMPAT_END

#endif
