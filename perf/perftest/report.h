#ifndef RN_PERFTEST_REPORT_H
#define RN_PERFTEST_REPORT_H
/* Computes results as perftest reports them from measured times. Pure arithmetic. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* Times of one message in ns: when it was posted, and when its completion was taken. */
struct pt_times {
	uint64_t posted, completed;
};

#define PT_MB 1048576.0	  /* bytes of a "MB" */
#define PT_GB 125000000.0 /* bytes of a "Gb" */

/* `n` messages of `size` bytes in `ns`; rates in `unit` bytes per second. Peak: the best rate of
 * any consecutive messages, from the posting of the first to the completion of the last (each at
 * times[]); 0 without times. */
struct pt_rates pt_rates_of(uint64_t size, uint64_t n, uint64_t ns, double unit,
			    const struct pt_times *times);
/* The sum of both directions. */
struct pt_rates pt_rates_sum(const struct pt_rates *a, const struct pt_rates *b);

struct pt_latency {
	double min, max, typical, average, stdev, p99, p999; /* us */
};

/* Latencies of n >= 5 postings (ns), each made after the answer to the one before. `factor`: 2 if
 * the latency is half a round trip. Fills deltas[n - 1] (us), sorted, and, unless NULL,
 * unsorted[]. The two longest are not counted, as in perftest. */
void pt_latency_of(const uint64_t *posted, size_t n, unsigned factor, double *deltas,
		   double *unsorted, struct pt_latency *out);

#endif
