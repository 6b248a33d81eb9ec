#ifndef RN_PERF_COUNTED_H
#define RN_PERF_COUNTED_H
/* RN_COUNTED marks a function whose instructions perf/instructions.sh counts. The compiler neither
 * inlines nor splits the function, so that callgrind finds its name in the program. */
#if __has_attribute(noipa)
#define RN_COUNTED __attribute__((noipa))
#else
#define RN_COUNTED __attribute__((noinline))
#endif

/* rn_count_from_here() makes callgrind begin to count. Until then callgrind runs the program about
 * three times as fast. Does nothing outside of valgrind, or if the program was compiled without
 * valgrind's header. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
static inline void rn_count_from_here(void)
{
	CALLGRIND_START_INSTRUMENTATION;
}
#else
static inline void rn_count_from_here(void)
{
}
#endif
#endif
