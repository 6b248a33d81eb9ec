#ifndef RN_PERF_DISTANCE_H
#define RN_PERF_DISTANCE_H
/* Measures how far apart two CPU cores are at the moment. A probe measures the round trip time of a
 * cache line. A hypervisor may move virtual CPUs within seconds, which changes a two-core
 * measurement three- to fivefold. So each epoch (a measurement of some milliseconds) runs between
 * two probes. The class of distance that both probes found is the regime of the epoch: the same
 * core, near or far. */
#include <stdint.h>

/* Memory shared by the asking core and the answering core. The memory must be zeroed before use. */
struct rn_distance {
	volatile uint64_t ask __attribute__((aligned(256)));
	volatile uint64_t answer __attribute__((aligned(256)));
};

/* The regimes; columns: X(name, printed name, from, to). A probe is in a regime if its round trip
 * time is at least `from` ns and less than `to` ns. SMT: two hardware threads of one core. MIXED:
 * the two probes of an epoch are in different regimes. */
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

/* Answers a pending request of the asking core. The answering core calls this function in a
 * loop. */
static inline void rn_distance_answer(struct rn_distance *d)
{
	uint64_t ask = d->ask;

	if (d->answer != ask)
		d->answer = ask;
}

/* Returns the median round trip time of a cache line in ns; negative if the other core does not
 * answer within a second. The other core must be calling rn_distance_answer() in a loop. */
double rn_distance_ask(struct rn_distance *d);

/* Returns the regime of an epoch whose two probes measured `before` and `after` ns. Returns MIXED
 * if the probes are in different regimes. */
enum rn_regime rn_regime_of(double before, double after);

#endif
