/* Which id is free, and which of the free ones has been free longest. Caller's thread. */
#include "idpool.h"

void rn_idpool_init(struct rn_idpool *p, uint32_t *ring, uint32_t first, uint32_t count)
{
	p->ring = ring;
	p->size = p->free = count;
	p->head = 0;
	for (uint32_t i = 0; i < count; i++)
		ring[i] = first + i;
}

uint32_t rn_idpool_get(struct rn_idpool *p)
{
	if (p->free == 0)
		return RN_ID_NONE;
	uint32_t id = p->ring[p->head];
	p->head = p->head + 1 == p->size ? 0 : p->head + 1;
	p->free--;
	return id;
}

void rn_idpool_put(struct rn_idpool *p, uint32_t id)
{
	rn_assert(p->free < p->size);
	uint64_t tail = (uint64_t)p->head + p->free;
	p->ring[tail < p->size ? tail : tail - p->size] = id;
	p->free++;
}
