#ifndef RN_PERFTEST_RUN_H
#define RN_PERFTEST_RUN_H
/* The measured loops. A function of type int returns 0, or -1 after one message on stderr. One
 * thread calls these functions. */
#include "end.h"
#include "histogram.h"
#include "report.h"

/* Runs one bandwidth test with messages of `size` bytes. Posts this end's work requests and, for
 * SENDs, receives the messages of the other end. Stores the rates; after a failure, the rates up to
 * the failure. Stores in *all the messages of the run, also those that a -D run does not count. */
int pt_run_bw(struct pt_end *e, uint32_t size, struct pt_rates *rates, uint64_t *all);
/* Posts receives on each queue pair until the queue pair has the receives that a run needs at its
 * start. Receives left over from an earlier run count too. */
int pt_run_receives(struct pt_end *e);

struct pt_lat_result {
	uint64_t n;
	struct pt_latency lat; /* latencies of a run of `iters` messages */
	double average, tps;   /* -D run: average latency in us, transactions per second */
	/* the n - 1 latencies in us: `deltas` in ascending order, `unsorted` in order of time; with
	 * -D both are NULL */
	double *deltas, *unsorted;
	struct pt_hist hist; /* the counted latencies; with -D those of the sample */
};

/* minimum number of messages for which latencies are computed */
#define LAT_LEAST 5u
/* Runs one latency test with messages of `size` bytes. If the user interrupts the run, r->n and the
 * results cover the messages so far. With fewer than LAT_LEAST messages r->n is 0. */
int pt_run_lat(struct pt_end *e, uint32_t size, struct pt_lat_result *r);
/* Multiplies all latencies of the result by `scale`. The histogram stays in ns. */
void pt_lat_result_scale(struct pt_lat_result *r, double scale);
void pt_lat_result_free(struct pt_lat_result *r);

/* The phases of a -D run: before the counted sample, in the sample, after the sample, after the
 * run. */
enum pt_phase { PT_WARM, PT_SAMPLE, PT_COOL, PT_OVER };

struct pt_clock {
	uint64_t start, from, to, end;
};

void pt_clock_start(struct pt_clock *c, const struct pt_options *o);
enum pt_phase pt_clock_phase(const struct pt_clock *c, uint64_t now);

#endif
