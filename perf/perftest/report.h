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

/* The results of `n` messages of `size` bytes that took `ns`; a rate of 1 means `unit` bytes per
 * second. The peak is the best rate of any run of consecutive messages, from the posting of its
 * first message to the completion of its last; 0 if `times` is NULL. */
struct pt_rates pt_rates_of(uint64_t size, uint64_t n, uint64_t ns, double unit,
			    const struct pt_times *times);
/* Adds the results of both directions. */
struct pt_rates pt_rates_sum(const struct pt_rates *a, const struct pt_rates *b);

struct pt_latency {
	double min, max, typical, average, stdev, p99, p999; /* all in us */
};

/* Computes latencies from the posting times, in ns, of n >= 5 messages, each of which was posted
 * when the answer to the previous message had arrived. `factor`: 2 if a latency is half a round
 * trip, else 1. Fills deltas[n - 1] with the latencies in us, in ascending order, and unless it is
 * NULL unsorted[n - 1], in order of time. As in perftest the two longest latencies are left out of
 * average, median and deviation, and `max` is the second longest. */
void pt_latency_of(const uint64_t *posted, size_t n, unsigned factor, double *deltas,
		   double *unsorted, struct pt_latency *out);

#endif
