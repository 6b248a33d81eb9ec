/* A fixed pool of ids, handed out first in, first out. An id is reused as late as possible: a late
 * packet or event then names a free id, not a new object. Every call takes constant time. */
#ifndef RN_IDPOOL_H
#define RN_IDPOOL_H

#include "base/types.h"

#define RN_ID_NONE UINT32_MAX

struct rn_idpool {
	/* ring buffer of the ids that were put back; `back` is the number of these ids, `head` the
	 * index of the oldest */
	uint32_t *ring;
	uint32_t size, head, back;
	/* Ids >= first + fresh were never handed out. rn_idpool_get() uses these ids up before it
	 * reuses ids that were put back. */
	uint32_t first, fresh;
};

/* The pool holds the ids first to first+count-1 and hands them out in this order. `ring` has room
 * for count ids. The caller owns `ring`, which must outlive the pool. */
void rn_idpool_init(struct rn_idpool *p, uint32_t *ring, uint32_t first, uint32_t count);
/* Takes an id out of the pool. Returns RN_ID_NONE when all ids are taken. */
uint32_t rn_idpool_get(struct rn_idpool *p);
/* Puts an id back that rn_idpool_get() returned. Putting back more ids than were taken fails an
 * assertion. */
void rn_idpool_put(struct rn_idpool *p, uint32_t id);

#endif
