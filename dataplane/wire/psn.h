/* 24-bit packet sequence numbers: every comparison is modulo 2^24 (docs/spec/rocev2.md 1.9). */
#ifndef RN_PSN_H
#define RN_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define RN_PSN_MASK 0xFFFFFFu
/* the maximum number of unacknowledged PSNs; for two PSNs that are further apart, nobody can tell
 * which PSN is earlier */
#define RN_PSN_WINDOW (1u << 23)

static inline uint32_t rn_psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & RN_PSN_MASK;
}

/* Returns the number of steps from PSN `from` up to PSN `to`: 0 .. 2^24 - 1. */
static inline uint32_t rn_psn_steps(uint32_t from, uint32_t to)
{
	return (to - from) & RN_PSN_MASK;
}

/* Returns the signed distance a - b: -2^23 .. 2^23 - 1. The shift moves bit 23 to the sign bit. */
static inline int32_t rn_psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/* True if PSN a is less than half the PSN space before PSN b. */
static inline bool rn_psn_before(uint32_t a, uint32_t b)
{
	return rn_psn_diff(a, b) < 0;
}

#endif
