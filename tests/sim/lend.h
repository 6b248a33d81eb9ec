/* One random run of memory that is lent: windows bound, announced, used, taken back and bound again over impaired
 * links, on any of several queue pairs; at the end somebody breaks the rules. */
#ifndef SIM_LEND_H
#define SIM_LEND_H

#include "sim.h"

struct lend_totals {
	uint64_t runs, laps, writes, reads, moved, pipelined, silent, fenced, said_last;
	uint64_t frames, lost;
	uint64_t endings[4]; /* by enum lend_ending */
};

/* How a run ends: well; with a key that is no more; through another queue pair; with a window taken back in use. */
enum lend_ending { LEND_WELL, LEND_STALE, LEND_ASTRAY, LEND_RECALLED };

/* Runs seed; 0 when all held, else the number of objections, each printed to `out`. */
unsigned lend_run(uint64_t seed, struct lend_totals *totals, FILE *out, FILE *log);

#endif
