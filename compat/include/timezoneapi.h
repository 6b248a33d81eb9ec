/* Conversion between FILETIME (units of 100 ns since 1601) and SYSTEMTIME. */
#ifndef COMPAT_TIMEZONEAPI_H
#define COMPAT_TIMEZONEAPI_H

#include "minwinbase.h"

COMPAT_BEGIN

/*
 * Fails with ERROR_INVALID_PARAMETER for a date that does not exist and for a time of 2^63 or more.
 */
BOOL FileTimeToSystemTime(const FILETIME *from, SYSTEMTIME *to);

/* Ignores the day of the week. */
BOOL SystemTimeToFileTime(const SYSTEMTIME *from, FILETIME *to);

/* Uses the offset that the time zone has at that time. */
BOOL FileTimeToLocalFileTime(const FILETIME *from, FILETIME *to);

/* Returns -1, 0 or 1 if `a` is earlier than, equal to or later than `b`. */
LONG CompareFileTime(const FILETIME *a, const FILETIME *b);

COMPAT_END

#endif
