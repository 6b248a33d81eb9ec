/* Elapsed time, CPU time, the number of repetitions, and the table of results. Any thread, one at
 * a time. */
#ifndef TOOLS_METER_H
#define TOOLS_METER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/jsonfile.h"
#include "options.h"

double meter_now(void); /* seconds */

/* A stop watch that can be stopped and started again. All zero: nothing measured yet. */
struct meter {
	double seconds, cpu; /* so far; cpu: of all threads of this process */
	double since, cpu_since;
};
void meter_start(struct meter *m);
void meter_stop(struct meter *m);
/* CPU time per elapsed time; 100 = one CPU all the time. */
double meter_cpu_percent(const struct meter *m);

/* A row of the table is measured in batches, until the iterations or seconds of the options are
 * reached; without these options until `most` iterations, PLAN_BYTES, or PLAN_SECONDS. */
#define PLAN_SECONDS 2
#define PLAN_BYTES   (500ull * 4 * 1024 * 1024)
struct plan {
	uint64_t total, done;
	double seconds; /* 0: no limit */
	double began, shown;
	uint32_t size;
};
void plan_start(struct plan *p, const struct options *o, uint32_t size, uint64_t most);
/* Returns the size of the next batch; 0: the row is finished, or the user has asked to stop.
 * Counts the batch of the previous call as done. `m` measures the row. After four seconds a line
 * on stderr shows the progress now and then. */
uint64_t plan_next(struct plan *p, const struct meter *m);

/* The sizes of the table; 0 after the last one, and when the user has asked to stop: `for
 * (uint32_t n = s->min; n; n = sizes_next(s, n))`. */
uint32_t sizes_next(const struct sizes *s, uint32_t n);

/* ---- the table: on standard output, and as JSON if the options name a file ---- */

struct column {
	const char *title, *key; /* title of the table's column; key of the JSON */
	int width, decimals;
};
struct table {
	const struct column *columns; /* ends with a column without a title */
	const struct options *o;
	json_t *rows; /* NULL: no JSON file */
	const char *tool;
};
void table_start(struct table *t, const struct column *columns, const char *tool,
		 const struct options *o);
/* One number for each column; whole numbers up to 2^53 are exact. */
void table_row(struct table *t, const double *values);
void table_end(struct table *t);

/* The default columns: Size, Iter, Latency (us), CPU (%), Bytes/Sec. */
extern const struct column table_customary[];
void table_customary_row(struct table *t, uint32_t size, uint64_t iterations, double latency_us,
			 const struct meter *m, double bytes_per_s);

#endif
