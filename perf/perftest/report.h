#ifndef RN_PERFTEST_REPORT_H
#define RN_PERFTEST_REPORT_H
/* Computes results from measured times, as perftest reports them. All functions are pure. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* Times of one message in ns: when the message was posted, and when its completion was taken. */
struct pt_times {
	uint64_t posted, completed;
};

#define PT_MB 1048576.0	  /* bytes in a "MB" of perftest */
#define PT_GB 125000000.0 /* bytes in a "Gb" of perftest */

/* Returns the results of n messages of `size` bytes that took `ns` nanoseconds. `peak` and
 * `average` are in units of `unit` bytes per second. The peak is the highest rate of any sequence
 * of consecutive messages, from the first posting to the last completion. If `times` is NULL, the
 * peak is 0. */
struct pt_rates pt_rates_of(uint64_t size, uint64_t n, uint64_t ns, double unit,
			    const struct pt_times *times);
/* Returns the sum of the results of both directions. */
struct pt_rates pt_rates_sum(const struct pt_rates *a, const struct pt_rates *b);

/* Converts a rate limit to messages per second. unit: 'g' for Gb/s, 'M' for MB/s, 'p' for messages
 * per second. */
double pt_rate_per_sec(double rate, char unit, uint32_t size);

/* A rate limit in software: `burst` messages may be sent, and the next ones gap_ns later. */
struct pt_pace {
	double gap_ns, next_ns; /* time between bursts; time of the next burst */
	uint64_t burst, left;	/* messages of a burst; messages of this burst that are left */
};

void pt_pace_init(struct pt_pace *p, double per_sec, uint64_t burst);
/* Takes n messages at time `now` in ns. Returns false, and takes none, if the limit does not allow
 * them yet. A sender that was late by less than one gap catches up; time beyond is lost. */
bool pt_pace_take(struct pt_pace *p, uint64_t n, uint64_t now);

struct pt_latency {
	double min, max, typical, average, stdev, p99, p999; /* all latencies in us */
};

/* Computes latencies from `posted`, the times in ns at which n >= 5 messages were posted. Each
 * message was posted when the answer to the previous message had arrived. `factor` is 2 if a
 * latency is half a round trip, else 1. Stores the n - 1 latencies in us in `deltas` (ascending)
 * and in `unsorted` (in order of time; may be NULL). As in perftest, average, median (`typical`)
 * and deviation leave out the two longest latencies, and `max` is the second longest latency. */
void pt_latency_of(const uint64_t *posted, size_t n, unsigned factor, double *deltas,
		   double *unsorted, struct pt_latency *out);

#endif
