/* One random run with memory windows. The windows are bound, announced to the peer, used by the
 * peer, invalidated and bound again. Several QPs and impaired links are used. At the end of most
 * runs node 1 accesses memory to which it has no right. */
#ifndef SIM_LEND_H
#define SIM_LEND_H

#include "sim.h"

struct lend_totals {
	uint64_t runs, laps, writes, reads, moved, pipelined, silent, fenced, said_last;
	uint64_t frames, lost;
	uint64_t endings[4]; /* number of runs, by enum lend_ending */
};

/* How a run ends:
 * - LEND_WELL: without a wrong access;
 * - LEND_STALE: with an access through a former key;
 * - LEND_OTHER_QP: with an access through another QP;
 * - LEND_INVALIDATED: with accesses to a memory window that is invalidated meanwhile. */
enum lend_ending { LEND_WELL, LEND_STALE, LEND_OTHER_QP, LEND_INVALIDATED };

/* Runs one seed. Returns 0 on success, otherwise the number of failed checks, each printed to
 * `out`. */
unsigned lend_run(uint64_t seed, struct lend_totals *totals, FILE *out, FILE *log);

#endif
