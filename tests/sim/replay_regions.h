/* A shard takes the place of one captured host, and needs the memory regions of that host. These
 * regions are derived from the addresses in the peer's requests: addresses less than 1 MiB apart
 * belong to the same memory region. */
#ifndef RN_REPLAY_REGIONS_H
#define RN_REPLAY_REGIONS_H

#include <stdint.h>

struct rn_mr_table;

#define REGIONS_MAX 16u

struct region {
	uint64_t low, high; /* lowest and highest address that the peer uses */
	uint8_t *at;	    /* where the byte with address `low` is in the shard's memory */
	uint32_t lkey, rkey;
};

struct regions {
	struct region region[REGIONS_MAX];
	unsigned n;
};

/* Adds an address range that a request of the peer names. */
void regions_add(struct regions *all, uint64_t va, uint64_t len);
/* Registers all memory regions and places them one after the other in `memory`, which has `room`
 * bytes. */
void regions_register(struct regions *all, struct rn_mr_table *mrs, uint8_t *memory, uint64_t room);
/* Returns the region that contains this address. Fails the test if there is none. */
const struct region *regions_find(const struct regions *all, uint64_t va);
void regions_remove(struct regions *all, struct rn_mr_table *mrs);

#endif
