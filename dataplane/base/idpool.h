/* A fixed pool of ids, handed out first in, first out. An id that was put back is reused as late as
 * possible, so that a late packet or event refers to a free id rather than to a new object with the
 * same id.
 *
 * Every call is O(1), rn_idpool_init() included: the caller's ring is written only when ids are
 * put back. */
#ifndef RN_IDPOOL_H
#define RN_IDPOOL_H

#include "base/types.h"

#define RN_ID_NONE UINT32_MAX

struct rn_idpool {
	/* ring buffer of the ids that were put back: `back` is their number, `head` the index of
	 * the oldest */
	uint32_t *ring;
	uint32_t size, head, back;
	/* ids >= first + fresh were never handed out; rn_idpool_get() uses them up before it reuses
	 * ids that were put back */
	uint32_t first, fresh;
};

/* The pool holds first, first+1, ... first+count-1 and hands them out in that order. `ring`
 * belongs to the caller, has room for count ids and outlives the pool. */
void rn_idpool_init(struct rn_idpool *p, uint32_t *ring, uint32_t first, uint32_t count);
/* Takes an id out of the pool. Returns RN_ID_NONE when all ids are taken. */
uint32_t rn_idpool_get(struct rn_idpool *p);
/* Puts an id back that rn_idpool_get() returned. Putting back more ids than were taken fails an
 * assertion. */
void rn_idpool_put(struct rn_idpool *p, uint32_t id);

#endif
