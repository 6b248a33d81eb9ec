/* A hash table of intrusive nodes with a fixed number of buckets. The table allocates nothing and
 * never resizes; its owner chooses the number of buckets for the largest number of objects. Not
 * thread-safe.
 *
 * To find a key, the caller walks the nodes that have the hash of the key, and compares their keys
 * with it:
 *	for (n = rn_htab_first(h, hash); n; n = rn_htab_next(n))
 *		if (rn_container_of(n, struct thing, node)->key == key) ...
 */
#ifndef RN_HTAB_H
#define RN_HTAB_H

#include "base/types.h"

struct rn_hnode {
	struct rn_hnode *next;
	uint64_t hash;
};

struct rn_htab {
	struct rn_hnode **bucket;
	uint32_t mask;
	uint32_t count;
};

/* Initializes the table and clears the array `bucket`. The caller owns that array of nbuckets
 * entries; nbuckets is a power of two. */
void rn_htab_init(struct rn_htab *h, struct rn_hnode **bucket, uint32_t nbuckets);
/* Adds n to the table. Several nodes may have the same hash, and even the same key; lookups return
 * the newest first. */
void rn_htab_add(struct rn_htab *h, struct rn_hnode *n, uint64_t hash);
/* Removes n from the table. n must be in the table; otherwise an assertion fails. */
void rn_htab_del(struct rn_htab *h, struct rn_hnode *n);
/* rn_htab_first() returns the newest node with this hash. rn_htab_next() returns the next older
 * node with the hash of n. Both return NULL if there is no such node. */
struct rn_hnode *rn_htab_first(const struct rn_htab *h, uint64_t hash);
struct rn_hnode *rn_htab_next(const struct rn_hnode *n);

/* Hash functions without a secret, for keys that this host chose. For keys from the wire use
 * rn_secret_hash(), because a peer could choose keys that all collide here. */
uint64_t rn_hash_bytes(const void *bytes, size_t len, uint64_t seed);
uint64_t rn_hash_u64(uint64_t x);

#endif
