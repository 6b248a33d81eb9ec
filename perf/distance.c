/* Measures how far apart two CPU cores are (distance.h). The functions run on the asking core,
 * which measures the round trip time. This file also has the names of the regimes (classes of
 * distance). */
#include "distance.h"

#include <rte_cycles.h>
#include "sample.h"

#define ROUNDS 600

const char *const rn_regime_names[RN_REGIME_COUNT] = {
#define X(name, text, from, to) text,
	RN_REGIMES(X)
#undef X
};

double rn_distance_ask(struct rn_distance *d)
{
	uint64_t hz = rte_get_tsc_hz();
	struct rn_sample s = {0};
	double median;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ask = d->ask + 1, t0 = rte_rdtsc();

		d->ask = ask;
		while (d->answer != ask) {
			if (rte_rdtsc() - t0 > hz) {
				rn_sample_free(&s);
				return -1;
			}
		}
		rn_sample_add(&s, (double)(rte_rdtsc() - t0));
	}
	median = rn_sample_at(&s, 0.5) * 1e9 / (double)hz;
	rn_sample_free(&s);
	return median;
}

enum rn_regime rn_regime_of(double before, double after)
{
	static const double bounds[][2] = {
#define X(name, text, from, to) {from, to},
		RN_REGIMES(X)
#undef X
	};

	for (int i = 0; i < RN_REGIME_COUNT; i++) {
		if (before >= bounds[i][0] && before < bounds[i][1] && after >= bounds[i][0] &&
		    after < bounds[i][1])
			return (enum rn_regime)i;
	}
	return RN_REGIME_MIXED;
}
