/*
 * <time.h> of Linux, and functions that Windows adds to this header. localtime_s and gmtime_s take
 * the buffer first, unlike localtime_r() and gmtime_r().
 */
#include_next <time.h>

#if !defined(COMPAT_TIME_H) && defined(CLOCKS_PER_SEC)
#define COMPAT_TIME_H

#include "corecrt.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Converts a time to a local date. Returns 0 or an errno value. Unlike localtime_r(), takes the
 * buffer first.
 */
errno_t localtime_s(struct tm *buffer, const time_t *time);

/*
 * Converts a time to a date in UTC. Returns 0 or an errno value. Unlike gmtime_r(), takes the
 * buffer first.
 */
errno_t gmtime_s(struct tm *buffer, const time_t *time);

/*
 * Writes a time as text, in the local time zone. Returns 0, or EINVAL if the buffer has fewer than
 * 26 bytes.
 */
errno_t ctime_s(char *buffer, size_t size, const time_t *time);

/* Writes a date as text. Returns 0, or EINVAL if the buffer has fewer than 26 bytes. */
errno_t asctime_s(char *buffer, size_t size, const struct tm *time);

/*
 * Returns the seconds since 1970, as time() does. If `time` is not NULL, also stores the seconds in
 * *time.
 */
__time64_t _time64(__time64_t *time);

/* localtime_s for __time64_t, which is time_t here: converts a time to a local date. */
errno_t _localtime64_s(struct tm *buffer, const __time64_t *time);

/* gmtime_s for __time64_t, which is time_t here: converts a time to a date in UTC. */
errno_t _gmtime64_s(struct tm *buffer, const __time64_t *time);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
