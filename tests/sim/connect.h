/* One random run of CM connections over impaired links, with IPv4 or IPv6, from listening to the
 * end of timewait. */
#ifndef SIM_CONNECT_H
#define SIM_CONNECT_H

#include "sim.h"

struct connect_totals {
	uint64_t runs, connections, established, rejected, unreachable, messages;
	uint64_t resolved; /* number of datagram services resolved (SIDR) */
	uint64_t thought;  /* number of events that a slow client handled late */
	uint64_t mads_again, lost;
	uint64_t verdicts[RN_V_COUNT];
};

/* Runs the connections of one seed. Returns the number of failed checks, each printed to `out`; 0
 * is success. The checks:
 * - Every connection that was not rejected is established and carries its messages in both
 *   directions.
 * - Both sides get exactly one event about the end of a connection.
 * - Nothing is left after timewait. */
unsigned connect_run(uint64_t seed, struct connect_totals *totals, FILE *out, FILE *log);

#endif
