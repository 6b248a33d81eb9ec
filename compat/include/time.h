/* <time.h>, and the calls that take their arguments the other way round. */
#include_next <time.h>

#if !defined(COMPAT_TIME_H) && defined(CLOCKS_PER_SEC)
#define COMPAT_TIME_H

#include "corecrt.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* An errno value. The buffer comes first. */
errno_t localtime_s(struct tm *buffer, const time_t *time);

/* As localtime_s, in UTC. */
errno_t gmtime_s(struct tm *buffer, const time_t *time);

/* 26 bytes are needed. */
errno_t ctime_s(char *buffer, size_t size, const time_t *time);

/* 26 bytes are needed. */
errno_t asctime_s(char *buffer, size_t size, const struct tm *time);

/* As time. */
__time64_t _time64(__time64_t *time);

/* As localtime_s. */
errno_t _localtime64_s(struct tm *buffer, const __time64_t *time);

/* As gmtime_s. */
errno_t _gmtime64_s(struct tm *buffer, const __time64_t *time);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
