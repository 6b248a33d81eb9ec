/* A fixed pool of ids, handed out in first-in first-out order: an id that was put back is used again as late as
 * possible, so a late packet or event meets a free id rather than a new owner. O(1), init too: memory, which is the
 * caller's, is touched only as far as ids come back. */
#ifndef RN_IDPOOL_H
#define RN_IDPOOL_H

#include "types.h"

#define RN_ID_NONE UINT32_MAX

struct rn_idpool {
	uint32_t *ring; /* the ids that came back, oldest at head */
	uint32_t size, head, back;
	uint32_t first, fresh; /* first + fresh and those above were never handed out: freer than any that came back */
};

/* The pool holds first, first+1, ... first+count-1 and hands them out in that order. `ring` has room for count. */
void rn_idpool_init(struct rn_idpool *p, uint32_t *ring, uint32_t first, uint32_t count);
/* RN_ID_NONE when all are taken. */
uint32_t rn_idpool_get(struct rn_idpool *p);
/* Puts back an id that was got; putting one twice is a broken invariant. */
void rn_idpool_put(struct rn_idpool *p, uint32_t id);

#endif
