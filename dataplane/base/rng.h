/* Seeded random numbers: the same seed gives the same sequence on every machine. These numbers can
 * be predicted; secret.h has numbers for secrets. The caller owns the generator, which is not
 * thread-safe. The algorithm is xoshiro256**, seeded by splitmix64. */
#ifndef RN_RNG_H
#define RN_RNG_H

#include "base/types.h"

struct rn_rng {
	uint64_t s[4];
};

void rn_rng_seed(struct rn_rng *r, uint64_t seed);
uint64_t rn_rng_next(struct rn_rng *r);
/* Returns a uniform random number in [0, n); 0 when n is 0. May draw several numbers from r. */
uint64_t rn_rng_below(struct rn_rng *r, uint64_t n);
/* Returns true with a probability of ppm in a million. Draws exactly one number, for any ppm. */
bool rn_rng_chance(struct rn_rng *r, uint32_t ppm);

#endif
