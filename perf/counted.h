#ifndef RN_PERF_COUNTED_H
#define RN_PERF_COUNTED_H
/* RN_COUNTED marks a function whose instructions perf/instructions.sh counts. The compiler neither
 * inlines nor splits the function, so that callgrind finds its name in the program. */
#if __has_attribute(noipa)
#define RN_COUNTED __attribute__((noipa))
#else
#define RN_COUNTED __attribute__((noinline))
#endif
#endif
