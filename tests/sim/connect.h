/* One random run of CM connections over impaired links, with IPv4 or IPv6, from listening to the
 * end of timewait. */
#ifndef SIM_CONNECT_H
#define SIM_CONNECT_H

#include "sim.h"

struct connect_totals {
	uint64_t runs, connections, established, rejected, unreachable, messages;
	uint64_t resolved; /* datagram services resolved (SIDR) */
	uint64_t thought;  /* events that a slow client handled late */
	uint64_t mads_again, lost;
	uint64_t verdicts[RN_V_COUNT];
};

/* Returns 0 if every connection that was not rejected was established and carried its messages in
 * both directions, both sides got exactly one event about its end, and nothing is left after
 * timewait. Otherwise the number of objections, each printed to `out`. */
unsigned connect_run(uint64_t seed, struct connect_totals *totals, FILE *out, FILE *log);

#endif
