/* A shard replaces a captured host in a replay (replay.h). This module registers with the shard the
 * memory regions that the captured host must have had, and owns their keys. A replay runs in one
 * thread. */
#include "replay_regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory/mr.h"
#include "sim.h"
#include "base/types.h"

#define NEAR (1u << 20)

void regions_add(struct regions *all, uint64_t va, uint64_t len)
{
	struct region *g = all->region;

	for (; g < all->region + all->n; g++)
		if (va + NEAR >= g->low && va <= g->high + NEAR)
			break;
	if (g == all->region + all->n) {
		assert_true(all->n < REGIONS_MAX);
		*g = (struct region){.low = va, .high = va};
		all->n++;
	}
	g->low = RN_MIN(g->low, va);
	g->high = RN_MAX(g->high, va + len);
}

void regions_register(struct regions *all, struct rn_mr_table *mrs, uint8_t *memory, uint64_t room)
{
	uint32_t access = RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ |
			  RN_ACCESS_REMOTE_ATOMIC;

	for (struct region *g = all->region; g < all->region + all->n; g++) {
		uint64_t len = g->high - g->low;

		assert_true(len <= room);
		g->at = memory;
		assert_int_equal(
			rn_mr_add(mrs, &(struct rn_mr_attr){memory, g->low, len, SIM_PD, access},
				  &g->lkey, &g->rkey),
			0);
		len = RN_MIN(room, (len + 63) & ~UINT64_C(63));
		memory += len;
		room -= len;
	}
}

const struct region *regions_find(const struct regions *all, uint64_t va)
{
	for (const struct region *g = all->region; g < all->region + all->n; g++)
		if (va >= g->low && va <= g->high)
			return g;
	fail_msg("no region has address %llx", (unsigned long long)va);
	return NULL;
}

void regions_remove(struct regions *all, struct rn_mr_table *mrs)
{
	for (struct region *g = all->region; g < all->region + all->n; g++) {
		assert_int_equal(rn_mr_remove(mrs, g->lkey), 0);
		rn_mr_reclaim(mrs, g->lkey);
	}
}
