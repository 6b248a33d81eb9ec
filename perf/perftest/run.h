#ifndef RN_PERFTEST_RUN_H
#define RN_PERFTEST_RUN_H
/* The measured loops. 0, or -1 after one message on stderr. One thread. */
#include "end.h"
#include "report.h"

/* Posts all requests of this size that this end sends and, for SENDs, takes those it receives;
 * stores the rates. After a failure: the rates until then. */
int pt_run_bw(struct pt_end *e, uint32_t size, struct pt_rates *rates);
/* Posts the receives that a run begins with, unless an earlier run has left them. */
int pt_run_receives(struct pt_end *e);

struct pt_lat_result {
	uint64_t n;
	struct pt_latency lat;	   /* iterations */
	double average, tps;	   /* duration */
	double *deltas, *unsorted; /* n - 1 of them; NULL with -D */
};

/* After an interruption r->n and the results are those until then, or r->n is 0 with fewer than
 * LAT_LEAST messages. */
#define LAT_LEAST 5u
int pt_run_lat(struct pt_end *e, uint32_t size, struct pt_lat_result *r);
void pt_lat_result_free(struct pt_lat_result *r);

/* The part of a -D run that the time is in. */
enum pt_phase { PT_WARM, PT_SAMPLE, PT_COOL, PT_OVER };

struct pt_clock {
	uint64_t start, from, to, end;
};

void pt_clock_start(struct pt_clock *c, const struct pt_options *o);
enum pt_phase pt_clock_phase(const struct pt_clock *c, uint64_t now);

#endif
