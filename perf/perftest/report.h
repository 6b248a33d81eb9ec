#ifndef RN_PERFTEST_REPORT_H
#define RN_PERFTEST_REPORT_H
/* From times to numbers as perftest reports them: pure arithmetic. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* Times of one message: when it was posted and when its completion was seen, ns. */
struct pt_times {
	uint64_t posted, completed;
};

#define PT_MB 1048576.0	  /* bytes of a "MB" */
#define PT_GB 125000000.0 /* bytes of a "Gb" */

/* `n` messages of `size` bytes in `ns`; rates in `unit` bytes per second. Peak: the best that any
 * run of consecutive messages did, from the posting of its first to the completion of its last
 * (each at times[]); 0 without times. */
struct pt_rates pt_rates_of(uint64_t size, uint64_t n, uint64_t ns, double unit,
			    const struct pt_times *times);
/* Of both directions together. */
struct pt_rates pt_rates_sum(const struct pt_rates *a, const struct pt_rates *b);

struct pt_latency {
	double min, max, typical, average, stdev, p99, p999; /* us */
};

/* Of n >= 5 postings, one after each answer (ns). `factor`: 2 where half a round trip is the
 * latency. Fills deltas[n - 1] (us), sorted, and unsorted[], unless NULL, as they came.
 * The two longest do not count, as perftest has it. */
void pt_latency_of(const uint64_t *posted, size_t n, unsigned factor, double *deltas,
		   double *unsorted, struct pt_latency *out);

#endif
