#ifndef RN_PERF_DISTANCE_H
#define RN_PERF_DISTANCE_H
/* How far apart are the two cores at the moment? A hypervisor may move virtual CPUs between
 * hardware threads, cores and dies within seconds, and a two-core figure changes three- to
 * fivefold with them. So each epoch is measured between two probes, and counts only if both find
 * the same regime. */
#include <stdint.h>

/* In memory that both sides share; zeroed. */
struct rn_distance {
	volatile uint64_t ask __attribute__((aligned(256)));
	volatile uint64_t answer __attribute__((aligned(256)));
};

/* X(name, text, from, to): round trips in ns, [from, to) */
#define RN_REGIMES(X)            \
	X(SMT, "smt", 0, 95)     \
	X(NEAR, "near", 95, 200) \
	X(FAR, "far", 300, 1e9)  \
	X(MIXED, "mixed", 0, 0)

enum rn_regime {
#define X(name, text, from, to) RN_REGIME_##name,
	RN_REGIMES(X)
#undef X
		RN_REGIME_COUNT
};

extern const char *const rn_regime_names[RN_REGIME_COUNT];

/* The peer's part: answers a pending request. Call it in a loop. */
static inline void rn_distance_answer(struct rn_distance *d)
{
	uint64_t ask = d->ask;

	if (d->answer != ask)
		d->answer = ask;
}

/* Median round trip of a cache line in ns; negative if the peer does not answer within a second.
 * The peer must be in its answering loop. */
double rn_distance_ask(struct rn_distance *d);

/* The regime of an epoch between two probes; MIXED if they differ. */
enum rn_regime rn_regime_of(double before, double after);

#endif
