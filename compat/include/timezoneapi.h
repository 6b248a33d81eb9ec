/* FILETIME (100 ns since 1601) and SYSTEMTIME, into each other. */
#ifndef COMPAT_TIMEZONEAPI_H
#define COMPAT_TIMEZONEAPI_H

#include "minwinbase.h"

COMPAT_BEGIN

/* FALSE, ERROR_INVALID_PARAMETER: a date that there is not, or a time of 2^63 and more. */
BOOL FileTimeToSystemTime(const FILETIME *from, SYSTEMTIME *to);

/* The day of the week is ignored. */
BOOL SystemTimeToFileTime(const SYSTEMTIME *from, FILETIME *to);

/* By the zone that is in force at that time. */
BOOL FileTimeToLocalFileTime(const FILETIME *from, FILETIME *to);

/* -1, 0, 1: the first is earlier, the same, later. */
LONG CompareFileTime(const FILETIME *a, const FILETIME *b);

COMPAT_END

#endif
