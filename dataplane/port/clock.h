/* The clock of the data plane: the CPU's time stamp counter scaled to nanoseconds. A shard reads
 * the clock once per poll iteration. Times of all shards of a process have the same origin and can
 * be compared. Any thread may read the clock. */
#ifndef RN_CLOCK_H
#define RN_CLOCK_H

#include <rte_cycles.h>

#include "base/types.h"

struct rn_clock {
	uint64_t base; /* time stamp counter (TSC) at time `start` */
	/* nanoseconds per tick, 32.32 fixed point; 0: the clock stands still at `start`, and
	 * perf/bench_link advances `start`, so that its turns do not depend on the CPU's speed */
	uint64_t mult;
	rn_time start;
};

/* To be called after rte_eal_init(), which calibrates the TSC. Time starts at 1 s, so that the
 * current time minus an interval of up to 1 s does not wrap. */
static inline void rn_clock_init(struct rn_clock *c)
{
	uint64_t hz = rte_get_tsc_hz();

	c->mult = (uint64_t)(((unsigned __int128)1000000000u << 32) / hz);
	c->base = rte_rdtsc();
	c->start = RN_S(1);
}

static inline rn_time rn_clock_now(const struct rn_clock *c)
{
	return c->start + (rn_time)(((unsigned __int128)(rte_rdtsc() - c->base) * c->mult) >> 32);
}

#endif
