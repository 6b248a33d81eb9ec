/* Gives the name, text and value of counter number i, for code that prints, sums or exports all
 * counters. The tables are constant. Any thread may read the tables. */
#include "wire/stats.h"

#include <assert.h>

static const struct {
	const char *name, *text;
	/* Names and texts in the order of the fields of struct rn_stats. */
} counter[] = {
#define X(name, reply, qp, text) {"verdict_" #name, text},
	RN_VERDICT_ROWS(X)
#undef X
#define X(field, text) {#field, text},
		RN_STAT_ROWS(X)
#undef X
};

#define COUNTERS (sizeof(counter) / sizeof(counter[0]))
/* rn_stats_value() and rn_stats_add() read the struct as an array. */
static_assert(sizeof(struct rn_stats) == COUNTERS * sizeof(uint64_t), "one uint64_t per counter");

unsigned rn_stats_count(void)
{
	return COUNTERS;
}

const char *rn_stats_name(unsigned i)
{
	return i < COUNTERS ? counter[i].name : "";
}

const char *rn_stats_text(unsigned i)
{
	return i < COUNTERS ? counter[i].text : "";
}

uint64_t rn_stats_value(const struct rn_stats *s, unsigned i)
{
	return i < COUNTERS ? ((const uint64_t *)s)[i] : 0;
}

void rn_stats_add(struct rn_stats *sum, const struct rn_stats *s)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)s;
	for (unsigned i = 0; i < COUNTERS; i++)
		to[i] += from[i];
}
