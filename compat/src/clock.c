/*
 * What time is it, and how much time has passed? The functions convert the clocks of Linux to the
 * units of Windows. This file keeps no state. Any thread may call the functions.
 */
#include "last_error.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include <profileapi.h>
#include <sysinfoapi.h>
#include <timeapi.h>
#include <timezoneapi.h>

#define NS_PER_S	  1000000000u
#define NS_PER_MS	  1000000u
#define FILETIME_PER_S	  10000000
#define SECONDS_1601_1970 INT64_C(11644473600)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

BOOL QueryPerformanceCounter(LARGE_INTEGER *count)
{
	if (!count)
		return compat_fail(ERROR_INVALID_PARAMETER);
	count->QuadPart = (LONGLONG)clock_ns(CLOCK_MONOTONIC);
	return TRUE;
}

BOOL QueryPerformanceFrequency(LARGE_INTEGER *frequency)
{
	if (!frequency)
		return compat_fail(ERROR_INVALID_PARAMETER);
	frequency->QuadPart = NS_PER_S;
	return TRUE;
}

ULONGLONG GetTickCount64(void)
{
	return clock_ns(CLOCK_BOOTTIME) / NS_PER_MS;
}

DWORD GetTickCount(void)
{
	return (DWORD)GetTickCount64();
}

DWORD timeGetTime(void)
{
	return GetTickCount();
}

MMRESULT timeBeginPeriod(UINT period)
{
	(void)period;
	return TIMERR_NOERROR;
}

MMRESULT timeEndPeriod(UINT period)
{
	(void)period;
	return TIMERR_NOERROR;
}

/* ---- Dates ---------------------------------------------------------------------------------- */

static FILETIME split(uint64_t time)
{
	return (FILETIME){.dwLowDateTime = (DWORD)time, .dwHighDateTime = (DWORD)(time >> 32)};
}

static uint64_t whole(const FILETIME *time)
{
	return (uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)(t.tv_sec + SECONDS_1601_1970) * FILETIME_PER_S +
	       (uint64_t)t.tv_nsec / 100;
}

void GetSystemTimePreciseAsFileTime(FILETIME *time)
{
	*time = split(now());
}

void GetSystemTimeAsFileTime(FILETIME *time)
{
	*time = split(now());
}

static SYSTEMTIME date_of(const struct tm *tm, unsigned milliseconds)
{
	return (SYSTEMTIME){
		.wYear = (WORD)(tm->tm_year + 1900),
		.wMonth = (WORD)(tm->tm_mon + 1),
		.wDayOfWeek = (WORD)tm->tm_wday,
		.wDay = (WORD)tm->tm_mday,
		.wHour = (WORD)tm->tm_hour,
		.wMinute = (WORD)tm->tm_min,
		.wSecond = (WORD)tm->tm_sec,
		.wMilliseconds = (WORD)milliseconds,
	};
}

static time_t seconds_of(uint64_t time)
{
	return (time_t)(time / FILETIME_PER_S) - SECONDS_1601_1970;
}

static unsigned milliseconds_of(uint64_t time)
{
	return (unsigned)(time % FILETIME_PER_S / (FILETIME_PER_S / 1000));
}

void GetSystemTime(SYSTEMTIME *time)
{
	FILETIME at = split(now());

	FileTimeToSystemTime(&at, time);
}

void GetLocalTime(SYSTEMTIME *time)
{
	uint64_t at = now();
	time_t seconds = seconds_of(at);
	struct tm tm;

	localtime_r(&seconds, &tm);
	*time = date_of(&tm, milliseconds_of(at));
}

BOOL FileTimeToSystemTime(const FILETIME *from, SYSTEMTIME *to)
{
	struct tm tm;

	if (!from || !to || whole(from) > INT64_MAX)
		return compat_fail(ERROR_INVALID_PARAMETER);
	time_t seconds = seconds_of(whole(from));

	if (!gmtime_r(&seconds, &tm))
		return compat_fail(ERROR_INVALID_PARAMETER);
	*to = date_of(&tm, milliseconds_of(whole(from)));
	return TRUE;
}

static bool is_date(const SYSTEMTIME *t)
{
	static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	if (t->wYear < 1601 || t->wYear > 30827 || t->wMonth < 1 || t->wMonth > 12)
		return false;
	bool leap = t->wYear % 4 == 0 && (t->wYear % 100 != 0 || t->wYear % 400 == 0);
	unsigned most = days[t->wMonth - 1] + (t->wMonth == 2 && leap);

	return t->wDay >= 1 && t->wDay <= most && t->wHour < 24 && t->wMinute < 60 &&
	       t->wSecond < 60 && t->wMilliseconds < 1000;
}

BOOL SystemTimeToFileTime(const SYSTEMTIME *from, FILETIME *to)
{
	if (!from || !to || !is_date(from))
		return compat_fail(ERROR_INVALID_PARAMETER);
	struct tm tm = {
		.tm_year = from->wYear - 1900,
		.tm_mon = from->wMonth - 1,
		.tm_mday = from->wDay,
		.tm_hour = from->wHour,
		.tm_min = from->wMinute,
		.tm_sec = from->wSecond,
	};

	*to = split((uint64_t)(timegm(&tm) + SECONDS_1601_1970) * FILETIME_PER_S +
		    (uint64_t)from->wMilliseconds * 10000);
	return TRUE;
}

BOOL FileTimeToLocalFileTime(const FILETIME *from, FILETIME *to)
{
	struct tm tm;

	if (!from || !to || whole(from) > INT64_MAX)
		return compat_fail(ERROR_INVALID_PARAMETER);
	time_t seconds = seconds_of(whole(from));

	if (!localtime_r(&seconds, &tm))
		return compat_fail(ERROR_INVALID_PARAMETER);
	*to = split(whole(from) + (uint64_t)((int64_t)tm.tm_gmtoff * FILETIME_PER_S));
	return TRUE;
}

LONG CompareFileTime(const FILETIME *a, const FILETIME *b)
{
	return whole(a) < whole(b) ? -1 : whole(a) > whole(b);
}

/* ---- Functions of the C library that Windows adds to <time.h> ------------------------------- */

errno_t localtime_s(struct tm *buffer, const time_t *time)
{
	return buffer && time && localtime_r(time, buffer) ? 0 : EINVAL;
}

errno_t gmtime_s(struct tm *buffer, const time_t *time)
{
	return buffer && time && gmtime_r(time, buffer) ? 0 : EINVAL;
}

errno_t asctime_s(char *buffer, size_t size, const struct tm *time)
{
	if (!buffer || size < 26 || !time)
		return EINVAL;
	return strftime(buffer, size, "%a %b %e %H:%M:%S %Y\n", time) ? 0 : EINVAL;
}

errno_t ctime_s(char *buffer, size_t size, const time_t *time)
{
	struct tm tm;

	return time && localtime_r(time, &tm) ? asctime_s(buffer, size, &tm) : EINVAL;
}

__time64_t _time64(__time64_t *to)
{
	__time64_t at = time(NULL);

	if (to)
		*to = at;
	return at;
}

errno_t _localtime64_s(struct tm *buffer, const __time64_t *time)
{
	return localtime_s(buffer, time);
}

errno_t _gmtime64_s(struct tm *buffer, const __time64_t *time)
{
	return gmtime_s(buffer, time);
}
