/* Plans how often a tool repeats its operation for each row of its result table. Measures the time
 * and prints the table. Keeps no state. Any thread may call these functions, but only one thread at
 * a time. */
#include "meter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "endpoint.h"
#include "common/stop.h"

#define BATCH_FIRST 16
/* planned duration of a batch in seconds; short because a tool obeys a signal only between
 * batches */
#define BATCH_SECONDS 0.15
#define QUIET_SECONDS 4
#define SHOW_SECONDS  2

double meter_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu_now(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

void meter_start(struct meter *m)
{
	m->cpu_since = cpu_now();
	m->since = meter_now();
}

void meter_stop(struct meter *m)
{
	m->seconds += meter_now() - m->since;
	m->cpu += cpu_now() - m->cpu_since;
}

double meter_cpu_percent(const struct meter *m)
{
	return m->seconds > 0 ? 100 * m->cpu / m->seconds : 0;
}

/* ---- number of repetitions for a row of the table ---- */

void plan_start(struct plan *p, const struct options *o, uint32_t size, uint64_t most)
{
	uint64_t fit = PLAN_BYTES / (size ? size : 1);
	*p = (struct plan){.size = size, .began = meter_now(), .limit = UINT64_MAX};
	if (o->iterations)
		p->total = o->iterations;
	else
		p->total = o->seconds ? UINT64_MAX : most < fit ? most : fit ? fit : 1;
	p->seconds = o->seconds ? o->seconds : o->iterations ? 0 : PLAN_SECONDS;
}

static void show(struct plan *p, const struct meter *m)
{
	double now = meter_now(), percent = 100 * (double)p->done / (double)p->total;
	if (now - p->began < QUIET_SECONDS || now - p->shown < SHOW_SECONDS)
		return;
	p->shown = now;
	if (p->seconds > 0 && 100 * m->seconds / p->seconds > percent)
		percent = 100 * m->seconds / p->seconds;
	fprintf(stderr, "%u bytes: %llu iterations done, %.0f%%\n", p->size,
		(unsigned long long)p->done, percent < 100 ? percent : 100);
}

uint64_t plan_next(struct plan *p, const struct meter *m)
{
	uint64_t left = p->total - p->done, n = BATCH_FIRST;
	if (p->done > 0) {
		double rest = p->seconds > 0 ? p->seconds - m->seconds : BATCH_SECONDS;
		double batch = (double)p->done / (m->seconds > 0 ? m->seconds : 1e-9) *
			       (rest < BATCH_SECONDS ? rest : BATCH_SECONDS);
		if (rest <= 0 || left == 0 || stop_asked())
			return 0;
		show(p, m);
		/* A batch has at most 8 times as many repetitions as all earlier batches together,
		 * because the first batches may be slow or fast by chance. */
		n = batch > 8 * (double)p->done ? 8 * p->done : (uint64_t)batch + 1;
	}
	n = n < left ? n : left;
	n = n < p->limit ? n : p->limit;
	p->done += n;
	return n;
}

uint32_t sizes_next(const struct sizes *s, uint32_t n)
{
	if (n >= s->max || stop_asked())
		return 0;
	return n <= s->max / 2 ? 2 * n : s->max;
}

/* ---- the table of results ---- */

const struct column table_default_columns[] = {
	{"Size", "size", 9, 0},
	{"Iter", "iterations", 9, 0},
	{"Latency", "latency_us", 9, 2},
	{"CPU", "cpu_percent", 7, 2},
	{"Bytes/Sec", "bytes_per_s", 11, 0},
	{.title = NULL},
};

void table_start(struct table *t, const struct column *columns, const char *tool,
		 const struct options *o)
{
	*t = (struct table){.columns = columns, .o = o, .tool = tool};
	if (o->client) /* only the client prints the CPUs and the adapter of the measurement */
		endpoint_surroundings();
	for (const struct column *c = columns; c->title; c++)
		printf(" %*s", c->width, c->title);
	printf("\n");
	fflush(stdout);
	if (o->json)
		t->rows = json_array();
}

void table_row(struct table *t, const double *values)
{
	const struct column *c = t->columns;
	json_t *row = t->rows ? json_object() : NULL;
	for (unsigned i = 0; c[i].title; i++) {
		printf(" %*.*f", c[i].width, c[i].decimals, values[i]);
		if (row)
			json_object_set_new(row, c[i].key,
					    jsonfile_number(values[i], c[i].decimals));
	}
	printf("\n");
	fflush(stdout);
	if (row)
		json_array_append_new(t->rows, row);
}

void table_end(struct table *t)
{
	const struct options *o = t->o;
	if (t->rows == NULL)
		return;
	json_t *all =
		json_pack("{s:s, s:b, s:i, s:i, s:b, s:o}", "tool", t->tool, "blocking",
			  (int)o->blocking, "sge", (int)o->pieces, "pipeline", (int)o->pipeline,
			  "checked", (int)!o->unchecked, "results", t->rows);
	t->rows = NULL;
	if (!jsonfile_finish(o->json, all))
		die("the JSON file cannot be written");
}

void table_default_row(struct table *t, uint32_t size, uint64_t iterations, double latency_us,
		       const struct meter *m, double bytes_per_s)
{
	table_row(t, (double[]){size, (double)iterations, latency_us, meter_cpu_percent(m),
				bytes_per_s});
}
