/* One hostile run: a live connection under attack by frames with valid ICRC and wrong everything, and by garbage. */
#ifndef SIM_HOSTILE_H
#define SIM_HOSTILE_H

#include "sim.h"

struct hostile_totals {
	uint64_t runs, frames, survived, revived; /* frames injected; QPs alive at the end; QPs made anew */
	uint64_t done;                            /* requests that completed with success in spite of all */
	uint64_t verdicts[RN_V_COUNT];
};

/* 0 when all held: nothing outside writable regions changed, the books balance, the NIC still works afterwards, nothing
 * is left over. Objections go to `out`. */
unsigned hostile_run(uint64_t seed, unsigned frames, struct hostile_totals *totals, FILE *out);

#endif
