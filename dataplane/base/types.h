/* Definitions that all folders of the data plane share: time, assertions, small arithmetic. Has no
 * state and reads no clock. */
#ifndef RN_TYPES_H
#define RN_TYPES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A never decreasing time, in nanoseconds since an arbitrary origin. A function that needs the
 * current time takes `now` as its last argument. */
typedef uint64_t rn_time;
#define RN_TIME_NEVER UINT64_MAX
#define RN_US(n)      ((rn_time)(n)*1000u)
#define RN_MS(n)      ((rn_time)(n)*1000000u)
#define RN_S(n)	      ((rn_time)(n)*1000000000u)

#define RN_MIN(a, b)			   ((a) < (b) ? (a) : (b))
#define RN_MAX(a, b)			   ((a) > (b) ? (a) : (b))
#define RN_ARRAY_SIZE(a)		   (sizeof(a) / sizeof((a)[0]))
#define RN_DIV_UP(n, d)			   (((n) + (d)-1) / (d))
#define RN_ALIGN_UP(n, a)		   (((n) + (a)-1) / (a) * (a))
#define rn_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define rn_likely(x)			   __builtin_expect(!!(x), 1)
#define rn_unlikely(x)			   __builtin_expect(!!(x), 0)

/* Checks an invariant of this program. Input must not be checked with rn_assert(), because a build
 * with -Db_ndebug=true omits the check. */
#define rn_assert(x) assert(x)

/* Returns true if a + n does not fit into 64 bits. */
static inline bool rn_range_wraps(uint64_t a, uint64_t n)
{
	uint64_t end;
	return __builtin_add_overflow(a, n, &end);
}

/* Returns the smallest power of two >= n, for sizes of rings and hash tables. n is at most 2^31. */
static inline uint32_t rn_pow2_up(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

#endif
