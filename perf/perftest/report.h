#ifndef RN_PERFTEST_REPORT_H
#define RN_PERFTEST_REPORT_H
/* Computes results from measured times, as perftest reports them. Pure arithmetic. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* Times of one message in ns: when it was posted, and when its completion was taken. */
struct pt_times {
	uint64_t posted, completed;
};

#define PT_MB 1048576.0	  /* bytes in a "MB" of perftest */
#define PT_GB 125000000.0 /* bytes in a "Gb" of perftest */

/* The results of `n` messages of `size` bytes that took `ns`. The fields `peak` and `average` are
 * in units of `unit` bytes per second. The peak is the highest rate that any sequence of
 * consecutive messages reached, from the posting of its first message to the completion of its
 * last. The peak is 0 if `times` is NULL. */
struct pt_rates pt_rates_of(uint64_t size, uint64_t n, uint64_t ns, double unit,
			    const struct pt_times *times);
/* Adds the results of both directions. */
struct pt_rates pt_rates_sum(const struct pt_rates *a, const struct pt_rates *b);

struct pt_latency {
	double min, max, typical, average, stdev, p99, p999; /* all in us */
};

/* Computes latencies from `posted`, the times in ns at which n >= 5 messages were posted. Each
 * message was posted when the answer to the previous one had arrived. `factor` is 2 if a latency is
 * half a round trip, else 1. Stores the n - 1 latencies in us twice: in `deltas` in ascending
 * order, and in `unsorted`, which may be NULL, in order of time. As in perftest, average, median
 * (`typical`) and deviation leave out the two longest latencies, and `max` is the second longest
 * latency. */
void pt_latency_of(const uint64_t *posted, size_t n, unsigned factor, double *deltas,
		   double *unsorted, struct pt_latency *out);

#endif
