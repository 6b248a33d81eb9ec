/* <time.h> and functions of Windows whose arguments are in a different order. */
#include_next <time.h>

#if !defined(COMPAT_TIME_H) && defined(CLOCKS_PER_SEC)
#define COMPAT_TIME_H

#include "corecrt.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0 or an errno value. Unlike localtime_r(), it takes the buffer first. */
errno_t localtime_s(struct tm *buffer, const time_t *time);

/* Same as localtime_s, in UTC. */
errno_t gmtime_s(struct tm *buffer, const time_t *time);

/* The buffer must have 26 bytes. */
errno_t ctime_s(char *buffer, size_t size, const time_t *time);

/* The buffer must have 26 bytes. */
errno_t asctime_s(char *buffer, size_t size, const struct tm *time);

/* Same as time(). */
__time64_t _time64(__time64_t *time);

/* Same as localtime_s. */
errno_t _localtime64_s(struct tm *buffer, const __time64_t *time);

/* Same as gmtime_s. */
errno_t _gmtime64_s(struct tm *buffer, const __time64_t *time);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
