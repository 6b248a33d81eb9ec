/* A hash table of intrusive nodes with a fixed number of buckets. The table allocates nothing and
 * never resizes: the owner chooses the number of buckets for the largest number of objects. Not
 * thread-safe.
 *
 * To find a key, the caller loops over the nodes that have the key's hash, and compares the key of
 * each of these nodes:
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

/* nbuckets is a power of two; `bucket` is the caller's array of nbuckets entries, cleared here. */
void rn_htab_init(struct rn_htab *h, struct rn_hnode **bucket, uint32_t nbuckets);
/* Several nodes may have the same hash, and even the same key; lookups return the newest first. */
void rn_htab_add(struct rn_htab *h, struct rn_hnode *n, uint64_t hash);
/* n must be in the table; otherwise an assertion fails. */
void rn_htab_del(struct rn_htab *h, struct rn_hnode *n);
/* rn_htab_first() returns the newest node with this hash, rn_htab_next() the next older node with
 * the hash of n. Both return NULL if there is none. */
struct rn_hnode *rn_htab_first(const struct rn_htab *h, uint64_t hash);
struct rn_hnode *rn_htab_next(const struct rn_hnode *n);

/* Hash functions without a secret, of bytes and of one number, for keys that this host chose
 * itself. A table whose keys come from the wire must use rn_secret_hash(); otherwise a peer could
 * choose keys that all collide. */
uint64_t rn_hash_bytes(const void *bytes, size_t len, uint64_t seed);
uint64_t rn_hash_u64(uint64_t x);

#endif
