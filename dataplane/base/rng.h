/* Seeded random numbers: the same seed gives the same sequence on every machine. The numbers can be
 * predicted, so secrets come from secret.h. The caller owns the generator, which is not
 * thread-safe. Algorithm: xoshiro256**, its state filled by splitmix64. */
#ifndef RN_RNG_H
#define RN_RNG_H

#include "base/types.h"

struct rn_rng {
	uint64_t s[4];
};

void rn_rng_seed(struct rn_rng *r, uint64_t seed);
uint64_t rn_rng_next(struct rn_rng *r);
/* Returns a number uniform in [0, n), without bias; 0 when n is 0. May draw several numbers. */
uint64_t rn_rng_below(struct rn_rng *r, uint64_t n);
/* Returns true with a probability of ppm in a million. Draws exactly one number, whatever
 * ppm is. */
bool rn_rng_chance(struct rn_rng *r, uint32_t ppm);

#endif
