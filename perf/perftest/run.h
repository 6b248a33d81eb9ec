#ifndef RN_PERFTEST_RUN_H
#define RN_PERFTEST_RUN_H
/* The loops that are measured. 0, or -1 with one sentence on stderr. One thread. */
#include "end.h"
#include "report.h"

/* Everything asked for of this size by this end and, of SENDs, received; how fast into rates. After a failure: what was done
 * until then. */
int pt_run_bw(struct pt_end *e, uint32_t size, struct pt_rates *rates);
/* The receives that a run begins with, unless an earlier one has left them. */
int pt_run_receives(struct pt_end *e);

struct pt_lat_result {
	uint64_t n;
	struct pt_latency lat;	   /* iterations */
	double average, tps;	   /* duration */
	double *deltas, *unsorted; /* n - 1 of them; NULL with -D */
};

/* After an interruption: r->n and what was measured until then, if that was at least LAT_LEAST messages; else r->n is 0. */
#define LAT_LEAST 5u
int pt_run_lat(struct pt_end *e, uint32_t size, struct pt_lat_result *r);
void pt_lat_result_free(struct pt_lat_result *r);

/* What part of -D it is. */
enum pt_phase { PT_WARM, PT_SAMPLE, PT_COOL, PT_OVER };

struct pt_clock {
	uint64_t start, from, to, end;
};

void pt_clock_start(struct pt_clock *c, const struct pt_options *o);
enum pt_phase pt_clock_phase(const struct pt_clock *c, uint64_t now);

#endif
