#ifndef RN_PERFTEST_USAGE_H
#define RN_PERFTEST_USAGE_H
/* What a run costs this end: CPU time, cycles, and the counters that changed. One thread calls
 * these functions. */
#include "end.h"

#define PT_COUNTERS 32u /* counters that are watched: some always, the others are named by -W */

struct pt_usage {
	const char *names[PT_COUNTERS];
	unsigned n;	  /* number of names */
	unsigned nalways; /* the first names, which are watched without -W */
	char text[512];	  /* the names of -W, each with a NUL */
	/* Between pt_usage_start() and pt_usage_stop(): the values at the start. Then: what the run
	 * has added. cycles are those of the time stamp counter; process_ns is the CPU time of this
	 * process; busy and total are the ticks of all CPUs of the machine. */
	uint64_t ns, cycles, process_ns, busy, total;
	uint64_t values[PT_COUNTERS];
};

/* Chooses the counters. Returns -1 after a message on stderr if -W names a counter that the adapter
 * does not have. */
int pt_usage_init(struct pt_usage *u, const struct pt_end *e);
void pt_usage_start(struct pt_usage *u, const struct pt_end *e);
void pt_usage_stop(struct pt_usage *u, const struct pt_end *e);

/* After pt_usage_stop(): how busy all CPUs of the machine were, in percent; the CPU cycles that
 * this process used; the cycles of a microsecond. */
double pt_usage_cpu_percent(const struct pt_usage *u);
double pt_usage_cycles(const struct pt_usage *u);
double pt_usage_cycles_per_us(const struct pt_usage *u);

#endif
