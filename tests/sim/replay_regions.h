/* The memory regions of a replaced host, derived from the peer's requests: addresses close to each
 * other belong to one region. */
#ifndef RN_REPLAY_REGIONS_H
#define RN_REPLAY_REGIONS_H

#include <stdint.h>

struct rn_mr_table;

#define REGIONS_MAX 16u

struct region {
	uint64_t low, high; /* range of addresses that the peer uses */
	uint8_t *at;	    /* place of the first byte */
	uint32_t lkey, rkey;
};

struct regions {
	struct region region[REGIONS_MAX];
	unsigned n;
};

/* Adds a range of addresses that a request of the peer uses. */
void regions_add(struct regions *all, uint64_t va, uint64_t len);
/* Registers all regions, one after the other, in `room` bytes of memory. */
void regions_register(struct regions *all, struct rn_mr_table *mrs, uint8_t *memory, uint64_t room);
/* The region with this address. Fails if there is none. */
const struct region *regions_find(const struct regions *all, uint64_t va);
void regions_remove(struct regions *all, struct rn_mr_table *mrs);

#endif
