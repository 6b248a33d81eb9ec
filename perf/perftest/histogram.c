/* Which latency do so many percent of the messages not exceed? Keeps no state. Any thread may call
 * these functions. */
#include "histogram.h"

#include <math.h>

#define FINE_LOG2 6u

/* Latencies below PT_HIST_FINE ns have a bucket each. Each power of two above has PT_HIST_FINE
 * buckets of equal width. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned shift;

	if (ns < PT_HIST_FINE)
		return (unsigned)ns;
	shift = 63u - (unsigned)__builtin_clzll(ns) - FINE_LOG2;
	if (shift + 2 > PT_HIST_POWERS)
		return PT_HIST_BUCKETS - 1;
	return (shift + 1) * PT_HIST_FINE + (unsigned)((ns >> shift) - PT_HIST_FINE);
}

/* Returns the longest latency of a bucket. */
static uint64_t last_of(unsigned bucket)
{
	unsigned shift = bucket / PT_HIST_FINE;

	if (shift == 0)
		return bucket;
	shift--;
	return ((uint64_t)(bucket % PT_HIST_FINE + PT_HIST_FINE + 1) << shift) - 1;
}

void pt_hist_add(struct pt_hist *h, uint64_t ns)
{
	h->buckets[bucket_of(ns)]++;
	h->count++;
	if (ns > h->max)
		h->max = ns;
}

uint64_t pt_hist_at(const struct pt_hist *h, double share)
{
	uint64_t rank = (uint64_t)ceil((double)h->count * share), seen = 0;

	for (unsigned i = 0; i + 1 < PT_HIST_BUCKETS && h->count > 0; i++) {
		seen += h->buckets[i];
		if (seen >= rank && seen > 0)
			return last_of(i) < h->max ? last_of(i) : h->max;
	}
	return h->max;
}

uint64_t pt_hist_between(const struct pt_hist *h, uint64_t from, uint64_t to)
{
	uint64_t n = 0;

	for (unsigned i = bucket_of(from); i < PT_HIST_BUCKETS && last_of(i) < to; i++)
		n += h->buckets[i];
	return n;
}
