/* One random run: a mix of operations over impaired links, every byte and every completion checked. */
#ifndef SIM_MIX_H
#define SIM_MIX_H

#include "sim.h"

struct mix_totals {
	uint64_t runs, messages, bytes;
	uint64_t sends, sends_imm, writes, writes_imm, reads, atomics, fenced, silent, solicited, inlined, empty;
	uint64_t frames, lost, duplicated, reordered, corrupted;
	uint64_t credit_waits;
	uint64_t wrapped;  /* runs whose PSNs crossed 2^24 */
	uint64_t verdicts[RN_V_COUNT];
};

/* Runs seed; 0 when all held, else the number of objections, each printed to `out`. */
unsigned mix_run(uint64_t seed, struct mix_totals *totals, FILE *out, FILE *log);
void mix_print(const struct mix_totals *totals, FILE *out);

#endif
