/* Which random numbers do base, wire and core use? They come from a seeded generator, because these
 * folders must not read a clock or ask the system. The same seed repeats a test run. The caller
 * owns the generator. Runs on the caller's thread. */
#include "base/rng.h"

static uint64_t rotate_left(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* splitmix64: seeds that differ in one bit give unrelated states. No seed gives the all-zero state,
 * which xoshiro256** could never leave. */
void rn_rng_seed(struct rn_rng *r, uint64_t seed)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(r->s); i++) {
		uint64_t z = (seed += UINT64_C(0x9E3779B97F4A7C15));
		z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
		r->s[i] = z ^ (z >> 31);
	}
}

uint64_t rn_rng_next(struct rn_rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t rn_rng_below(struct rn_rng *r, uint64_t n)
{
	if (n == 0)
		return 0;
	/* Reject random numbers below floor = 2^64 mod n. The count of the remaining numbers is a
	 * multiple of n, so every remainder is equally likely. */
	uint64_t floor = (0 - n) % n;
	uint64_t x;
	do {
		x = rn_rng_next(r);
	} while (x < floor);
	return x % n;
}

/* Scales 32 random bits to [0, 1000000) by multiplication. 2^32 is no multiple of 10^6, so
 * the probability may exceed ppm / 10^6 by less than one part in 4294. That is too little to matter
 * here. */
bool rn_rng_chance(struct rn_rng *r, uint32_t ppm)
{
	uint64_t x = rn_rng_next(r) >> 32;
	return x * 1000000u >> 32 < ppm;
}
