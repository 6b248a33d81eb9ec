/* Seeded random numbers: the same seed gives the same sequence on every machine. Not for secrets.
 * The generator is a value of the caller's; one thread. (xoshiro256**, state filled by splitmix64) */
#ifndef RN_RNG_H
#define RN_RNG_H

#include "types.h"

struct rn_rng {
	uint64_t s[4];
};

void rn_rng_seed(struct rn_rng *r, uint64_t seed);
uint64_t rn_rng_next(struct rn_rng *r);
/* Uniform in [0, n) without bias; 0 when n is 0. */
uint64_t rn_rng_below(struct rn_rng *r, uint64_t n);
/* True ppm times in a million. Draws exactly one number, whatever ppm is. */
bool rn_rng_chance(struct rn_rng *r, uint32_t ppm);

#endif
