#ifndef RN_PERFTEST_PRINT_H
#define RN_PERFTEST_PRINT_H
/* Results on standard output in perftest's layout, and as JSON. One thread calls these
 * functions. */
#include "end.h"
#include "run.h"
#include "usage.h"

void pt_print_waiting(const struct pt_options *o);
void pt_print_test(const struct pt_end *e);
void pt_print_cards(const struct pt_end *e, bool remote);
void pt_print_head(const struct pt_options *o);
/* usage: what the run cost this end; NULL in the middle of a run */
void pt_print_rates(const struct pt_options *o, const struct pt_rates *r,
		    const struct pt_usage *usage);
/* Prints what a run of n messages cost this end: with -C the CPU cycles of a message, the counters
 * of -W, and a line about losses and congestion if there were any. */
void pt_print_usage(const struct pt_options *o, const struct pt_usage *usage, uint64_t n);
/* Prints the rates of one second of a -D run; `second` is the first second after it. */
void pt_print_progress(const struct pt_options *o, unsigned second, const struct pt_rates *r);
void pt_print_both(const struct pt_options *o, const struct pt_rates *mine,
		   const struct pt_rates *theirs);
void pt_print_latency(const struct pt_options *o, uint64_t size, const struct pt_lat_result *r);
/* The percentiles and the histogram of a latency test. */
void pt_print_percentiles(const struct pt_lat_result *r);
/* Prints one second of a -D run: the average latency in us and the number of messages. */
void pt_print_lat_progress(unsigned second, double average, uint64_t messages);
void pt_print_line(const struct pt_options *o);

/* Opens the JSON file if the options name one. To be called before the test, so that a wrong path
 * is reported at once. */
int pt_json_open(const struct pt_options *o);
/* usage: what the run cost this end; all: the messages of the run.
 * pt_json_rates() and pt_json_latency() keep results until pt_json_write(). pt_json_write() returns
 * 0, or -1 after a message on stderr. */
void pt_json_rates(const struct pt_options *o, const struct pt_rates *r,
		   const struct pt_usage *usage, uint64_t all);
void pt_json_latency(const struct pt_options *o, uint64_t size, const struct pt_lat_result *r,
		     const struct pt_usage *usage);
int pt_json_write(const struct pt_end *e);

/* Stores the name of the test in `out`, such as "Send Bidirectional BW Test", with `gap` between
 * the words. */
void pt_test_name(const struct pt_options *o, char gap, char *out, size_t bytes);
const char *pt_connection_name(const struct pt_options *o);

#endif
