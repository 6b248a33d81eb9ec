/* Impairment: what a simulated bad network does to one packet, drawn from a seeded generator. A
 * rule (struct rn_impair) is a plain value; all zero stands for a perfect network. The simulator
 * applies rules to its packets, and so does the NIC (dataplane/port) if its configuration has a
 * rule. Stateless except for the generator, which belongs to the caller. */
#ifndef RN_IMPAIR_H
#define RN_IMPAIR_H

#include "base/rng.h"
#include "base/types.h"

/* The impairments of one link or port. Members ending in _ppm are probabilities in parts per
 * million. */
struct rn_impair {
	uint32_t loss_ppm;
	uint32_t duplicate_ppm;
	uint32_t reorder_ppm; /* the packet is held back by reorder_ns on top of its delay */
	uint32_t corrupt_ppm; /* one bit is flipped */
	/* Probability that one payload bit is flipped and the ICRC recomputed to match.
	 * rn_impair_decide() ignores this member: dataplane/port tampers with frames itself, with
	 * rn_tamper_frame(). */
	uint32_t tamper_ppm;
	/* the delay is drawn from min to max; it is always min if max is smaller */
	rn_time delay_min_ns;
	rn_time delay_max_ns;
	rn_time reorder_ns;
};

struct rn_fate {
	unsigned copies;     /* 0 = lost, 1 = delivered, 2 = duplicated */
	rn_time delay_ns[2]; /* delay of each copy */
	bool reordered;	     /* the first copy was held back */
	/* one bit of the first copy is flipped: bit corrupt_bit % 8 of byte corrupt_bit / 8 */
	bool corrupt;
	uint64_t corrupt_bit;
};

/* Returns the fate of a packet of len bytes (> 0). Each call draws the same count of random
 * numbers, whatever the rule says, so that a change of one probability does not change the other
 * decisions made from the same seed. */
struct rn_fate rn_impair_decide(const struct rn_impair *rule, struct rn_rng *rng, size_t len);

/* Returns true when the rule has no effect on any packet. */
bool rn_impair_none(const struct rn_impair *rule);

#endif
