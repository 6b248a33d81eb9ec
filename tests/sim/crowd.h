/* One random run of clients that share ports (lan.h): they connect to each other, within a host and
 * over the wire, while a client dies or a switch restarts. */
#ifndef SIM_CROWD_H
#define SIM_CROWD_H

#include <stdio.h>

#include "lan.h"

struct crowd_totals {
	uint64_t runs, connections, inside, bereaved, messages, deaths, restarts, frames, lost;
	uint64_t outcomes[RN_OUTCOMES];
	rn_time slowest_news; /* longest time until a peer heard of a death; without loss only */
};

/* Runs one seed. Returns the number of failed checks, each printed to `out`. The checks:
 * - Every connection between clients that live carries all its messages, with the right bytes, and
 *   ends by a DISCONNECT of its active side.
 * - The peers of a client that dies hear that; without loss and restarts within 100 ms.
 * - In the end no shard and no switch has an object left. */
unsigned crowd_run(uint64_t seed, struct crowd_totals *totals, FILE *out);

#endif
