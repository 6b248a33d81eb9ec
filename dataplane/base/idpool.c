/* Which free id is handed out next? Ids that were never used, then the id that was put back first.
 * The caller owns all memory. Runs on the caller's thread. */
#include "base/idpool.h"

void rn_idpool_init(struct rn_idpool *p, uint32_t *ring, uint32_t first, uint32_t count)
{
	*p = (struct rn_idpool){.ring = ring, .size = count, .first = first};
}

uint32_t rn_idpool_get(struct rn_idpool *p)
{
	/* First hand out ids that were never used. These ids are not in the ring. */
	if (p->fresh < p->size)
		return p->first + p->fresh++;
	if (p->back == 0)
		return RN_ID_NONE;
	uint32_t id = p->ring[p->head];
	p->head = p->head + 1 == p->size ? 0 : p->head + 1;
	p->back--;
	return id;
}

void rn_idpool_put(struct rn_idpool *p, uint32_t id)
{
	/* Every id in the ring was handed out before, so the ring cannot overflow. */
	rn_assert(p->back < p->fresh);
	uint64_t tail = (uint64_t)p->head + p->back;
	p->ring[tail < p->size ? tail : tail - p->size] = id;
	p->back++;
}
