/* One run of connections: both families, over impaired links, from listening to the end of timewait. */
#ifndef SIM_CONNECT_H
#define SIM_CONNECT_H

#include "sim.h"

struct connect_totals {
	uint64_t runs, connections, established, rejected, unreachable, messages;
	uint64_t resolved; /* datagram services */
	uint64_t thought;  /* events that a slow client kept its peer waiting for */
	uint64_t mads_again, lost;
	uint64_t verdicts[RN_V_COUNT];
};

/* 0 when all held: every connection that was not refused was established and carried its messages both ways, both sides
 * learned of the end once, nothing is left over when timewait has passed. */
unsigned connect_run(uint64_t seed, struct connect_totals *totals, FILE *out, FILE *log);

#endif
