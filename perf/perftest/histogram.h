#ifndef RN_PERFTEST_HISTOGRAM_H
#define RN_PERFTEST_HISTOGRAM_H
/* Counts latencies by size, for percentiles of runs of any length. A bucket is at most 1/64 of its
 * latencies wide. All functions are pure. */
#include <stdint.h>

#define PT_HIST_FINE 64u /* buckets of one power of two */
#define PT_HIST_POWERS \
	36u /* latencies up to 2^41 ns (37 minutes); longer ones count as that long */
#define PT_HIST_BUCKETS (PT_HIST_FINE * PT_HIST_POWERS)

struct pt_hist {
	uint64_t count, max; /* latencies counted; the longest one in ns */
	uint64_t buckets[PT_HIST_BUCKETS];
};

void pt_hist_add(struct pt_hist *h, uint64_t ns);
/* Returns the latency in ns that `share` (0..1) of the latencies do not exceed: the upper end of
 * its bucket, and never more than the longest latency. Returns 0 if there are none. */
uint64_t pt_hist_at(const struct pt_hist *h, double share);
/* Returns how many latencies are in from <= ns < to. Both are powers of two of at least
 * PT_HIST_FINE, or from is 0. */
uint64_t pt_hist_between(const struct pt_hist *h, uint64_t from, uint64_t to);

#endif
