/* The memory that a replaced host had lent to its peer, found from what the peer asks for: requests
 * that lie near each other name one region, others a region of their own. */
#ifndef RN_REPLAY_REGIONS_H
#define RN_REPLAY_REGIONS_H

#include <stdint.h>

struct rn_mr_table;

#define REGIONS_MAX 16u

struct region {
	uint64_t low, high; /* addresses as the peer names them */
	uint8_t *at;	    /* where the first byte is */
	uint32_t lkey, rkey;
};

struct regions {
	struct region region[REGIONS_MAX];
	unsigned n;
};

/* The peer names these bytes. */
void regions_add(struct regions *all, uint64_t va, uint64_t len);
/* Registers all of them in `room` bytes of memory, one behind the other. */
void regions_register(struct regions *all, struct rn_mr_table *mrs, uint8_t *memory, uint64_t room);
/* The one that has this address; there must be one. */
const struct region *regions_find(const struct regions *all, uint64_t va);
void regions_remove(struct regions *all, struct rn_mr_table *mrs);

#endif
