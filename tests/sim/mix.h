/* One random run: a mix of operations over impaired links. Every byte and every completion is
 * checked. */
#ifndef SIM_MIX_H
#define SIM_MIX_H

#include "sim.h"

struct mix_totals {
	uint64_t runs, messages, bytes;
	uint64_t sends, sends_imm, writes, writes_imm, reads, atomics, fenced, silent, solicited,
		inlined, empty;
	uint64_t frames, lost, duplicated, reordered, corrupted;
	uint64_t credit_waits;
	uint64_t short_way; /* frames that rn_shard_rx_short() received */
	uint64_t wrapped;   /* number of runs that begin near the PSN wrap at 2^24 */
	uint64_t verdicts[RN_V_COUNT];
};

/* Runs one seed. Returns 0 on success, otherwise the number of failed checks, each printed to
 * `out`. */
unsigned mix_run(uint64_t seed, struct mix_totals *totals, FILE *out, FILE *log);
void mix_print(const struct mix_totals *totals, FILE *out);

#endif
