/* Measures elapsed time and CPU time, plans the number of repetitions, and prints the table of
 * results. Any thread may call these functions, but only one thread at a time. */
#ifndef TOOLS_METER_H
#define TOOLS_METER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/jsonfile.h"
#include "options.h"

double meter_now(void); /* monotonic time in seconds */

/* A stop watch that can be stopped and started again. Set all fields to 0 first. */
struct meter {
	/* seconds: elapsed time so far. cpu: CPU time so far of all threads of this process, in
	 * seconds. */
	double seconds, cpu;
	double since, cpu_since;
};
void meter_start(struct meter *m);
void meter_stop(struct meter *m);
/* Returns CPU time per elapsed time in percent; 100: one CPU was busy all the time. */
double meter_cpu_percent(const struct meter *m);

/* Limits of a table row, in seconds and bytes, if the options set neither iterations nor seconds.
 * The row also ends when the number of iterations reaches the argument `most` of plan_start(). */
#define PLAN_SECONDS 2
#define PLAN_BYTES   (500ull * 4 * 1024 * 1024)
struct plan {
	uint64_t total, done;
	uint64_t limit; /* greatest number of repetitions in a batch */
	double seconds; /* limit of the measured time; 0: no limit */
	double began, shown;
	uint32_t size;
};
void plan_start(struct plan *p, const struct options *o, uint32_t size, uint64_t most);
/* Returns the number of repetitions in the next batch. Returns 0 if the row is finished or the user
 * has asked to stop. The batch of the previous call counts as done; `m` must have measured all
 * batches so far. In rows of more than four seconds, prints the progress on stderr at most every
 * two seconds. */
uint64_t plan_next(struct plan *p, const struct meter *m);

/* Returns the message size of the table row that follows size n. Returns 0 after the last row, or
 * if the user has asked to stop. Use: `for (uint32_t n = s->min; n; n = sizes_next(s, n))`. */
uint32_t sizes_next(const struct sizes *s, uint32_t n);

/* ---- the table of results, on standard output and, with --json, in a file ---- */

struct column {
	const char *title, *key; /* heading in the table, key in the JSON */
	int width, decimals;
};
struct table {
	const struct column *columns; /* ends with a column whose title is NULL */
	const struct options *o;
	json_t *rows; /* NULL: no JSON output */
	const char *tool;
};
void table_start(struct table *t, const struct column *columns, const char *tool,
		 const struct options *o);
/* Prints one row with a number for each column. Whole numbers up to 2^53 are exact. */
void table_row(struct table *t, const double *values);
void table_end(struct table *t);

/* The columns of most tools: Size, Iter, Latency (us), CPU (%), Bytes/Sec. */
extern const struct column table_default_columns[];
void table_default_row(struct table *t, uint32_t size, uint64_t iterations, double latency_us,
		       const struct meter *m, double bytes_per_s);

#endif
