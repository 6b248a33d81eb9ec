/* Impairment: what a simulated bad network does to one packet. A rule (struct rn_impair) is a plain
 * value; all zero means a perfect network. The simulator and, if configured, the NIC
 * (dataplane/port) apply rules to packets. The caller owns the random generator, the only state. */
#ifndef RN_IMPAIR_H
#define RN_IMPAIR_H

#include "base/rng.h"
#include "base/types.h"

/* The impairments of one simulated cable or DPDK port. Members ending in _ppm are probabilities in
 * parts per million. */
struct rn_impair {
	uint32_t loss_ppm;
	uint32_t duplicate_ppm;
	uint32_t reorder_ppm; /* probability that reorder_ns is added to the packet's delay */
	uint32_t corrupt_ppm; /* probability that one bit of the packet is flipped */
	/* Probability that one payload bit is flipped and the ICRC recomputed to match.
	 * rn_impair_decide() ignores this member. dataplane/port applies this member with
	 * rn_tamper_frame(). */
	uint32_t tamper_ppm;
	/* The delay is random between min and max. If max is smaller than min, the delay is min. */
	rn_time delay_min_ns;
	rn_time delay_max_ns;
	rn_time reorder_ns;
};

struct rn_fate {
	unsigned copies;     /* 0 = lost, 1 = delivered, 2 = duplicated */
	rn_time delay_ns[2]; /* delay of the first and of the second copy */
	bool reordered;	     /* the first copy was held back */
	/* one bit of the first copy is flipped: bit corrupt_bit % 8 of byte corrupt_bit / 8 */
	bool corrupt;
	uint64_t corrupt_bit;
};

/* Returns the fate of a packet of len bytes (> 0). Each call draws the same count of random numbers
 * for every rule. A changed probability therefore leaves the other decisions from the same seed
 * unchanged. */
struct rn_fate rn_impair_decide(const struct rn_impair *rule, struct rn_rng *rng, size_t len);

/* Returns true when the rule has no effect on any packet. */
bool rn_impair_none(const struct rn_impair *rule);

#endif
