/* The one clock of the data plane: the time stamp counter scaled to nanoseconds. Read once per turn. Any thread; every
 * shard of the process shares one origin, so their times compare. */
#ifndef RN_CLOCK_H
#define RN_CLOCK_H

#include <rte_cycles.h>

#include "types.h"

struct rn_clock {
	uint64_t base; /* TSC at time 0 */
	uint64_t mult; /* nanoseconds per tick, 32.32 fixed point */
};

/* After rte_eal_init(), which calibrates the TSC. Time starts at 1 s, so that "now - something" never wraps. */
static inline void rn_clock_init(struct rn_clock *c)
{
	uint64_t hz = rte_get_tsc_hz();

	c->mult = (uint64_t)(((unsigned __int128)1000000000u << 32) / hz);
	c->base = rte_rdtsc() - hz;
}

static inline rn_time rn_clock_now(const struct rn_clock *c)
{
	return (rn_time)(((unsigned __int128)(rte_rdtsc() - c->base) * c->mult) >> 32);
}

#endif
