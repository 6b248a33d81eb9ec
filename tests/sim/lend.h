/* One random run with memory windows. The windows are bound, announced to the peer, used by it,
 * invalidated and bound again, on any of several QPs and over impaired links. At the end of most
 * runs one node accesses memory to which it has no right. */
#ifndef SIM_LEND_H
#define SIM_LEND_H

#include "sim.h"

struct lend_totals {
	uint64_t runs, laps, writes, reads, moved, pipelined, silent, fenced, said_last;
	uint64_t frames, lost;
	uint64_t endings[4]; /* number of runs, by enum lend_ending */
};

/* How a run ends: without a wrong access; with an access through a former key; through another QP;
 * or through a memory window that is invalidated meanwhile. */
enum lend_ending { LEND_WELL, LEND_STALE, LEND_OTHER_QP, LEND_INVALIDATED };

/* Runs one seed. Returns 0 on success, otherwise the number of failed checks, each printed to
 * `out`. */
unsigned lend_run(uint64_t seed, struct lend_totals *totals, FILE *out, FILE *log);

#endif
