/* What does the simulated bad network do to a packet: lose, duplicate, delay, reorder or corrupt
 * the packet? The caller's random generator is the only state. Runs on the caller's thread. */
#include "base/impair.h"

/* Returns a delay from the rule's range. x is a random number, unused if the range has one value.
 * The caller draws x for every rule, as impair.h demands. */
static rn_time draw_delay(const struct rn_impair *rule, uint64_t x)
{
	if (rule->delay_max_ns <= rule->delay_min_ns)
		return rule->delay_min_ns;
	return rule->delay_min_ns + x % (rule->delay_max_ns - rule->delay_min_ns + 1);
}

struct rn_fate rn_impair_decide(const struct rn_impair *rule, struct rn_rng *rng, size_t len)
{
	struct rn_fate fate = {.copies = 1};

	/* Make all draws first, in a fixed order, and combine the results afterwards. If a draw
	 * were skipped, all later draws would get other numbers. */
	rn_assert(len > 0);
	bool lost = rn_rng_chance(rng, rule->loss_ppm);
	bool doubled = rn_rng_chance(rng, rule->duplicate_ppm);
	fate.reordered = rn_rng_chance(rng, rule->reorder_ppm);
	fate.corrupt = rn_rng_chance(rng, rule->corrupt_ppm);
	fate.corrupt_bit = rn_rng_next(rng) % (len * 8);
	fate.delay_ns[0] =
		draw_delay(rule, rn_rng_next(rng)) + (fate.reordered ? rule->reorder_ns : 0);
	fate.delay_ns[1] = draw_delay(rule, rn_rng_next(rng));
	if (lost)
		fate.copies = 0;
	else if (doubled)
		fate.copies = 2;
	return fate;
}

bool rn_impair_none(const struct rn_impair *rule)
{
	return !rule->loss_ppm && !rule->duplicate_ppm && !rule->reorder_ppm &&
	       !rule->corrupt_ppm && !rule->tamper_ppm && !rule->delay_min_ns &&
	       !rule->delay_max_ns;
}
