/* A hash table of intrusive nodes with a fixed number of buckets. It allocates nothing and never resizes: the
 * owner sizes the buckets for the number of objects it can have. One thread.
 *
 * Lookup is a loop over the nodes of one hash value, in which the caller compares the key:
 *	for (n = rn_htab_first(h, hash); n; n = rn_htab_next(n))
 *		if (rn_container_of(n, struct thing, node)->key == key) ...
 */
#ifndef RN_HTAB_H
#define RN_HTAB_H

#include "types.h"

struct rn_hnode {
	struct rn_hnode *next;
	uint64_t hash;
};

struct rn_htab {
	struct rn_hnode **bucket;
	uint32_t mask;
	uint32_t count;
};

/* nbuckets is a power of two; `bucket` has that many entries, overwritten here. */
void rn_htab_init(struct rn_htab *h, struct rn_hnode **bucket, uint32_t nbuckets);
/* Nodes of equal hash (and key) are allowed; the newest is found first. */
void rn_htab_add(struct rn_htab *h, struct rn_hnode *n, uint64_t hash);
/* n is in the table. */
void rn_htab_del(struct rn_htab *h, struct rn_hnode *n);
struct rn_hnode *rn_htab_first(const struct rn_htab *h, uint64_t hash);
struct rn_hnode *rn_htab_next(const struct rn_hnode *n);

/* Hash of bytes, or of one number, for tables of what our own side names. What comes from the wire wants rn_secret_hash(). */
uint64_t rn_hash_bytes(const void *bytes, size_t len, uint64_t seed);
uint64_t rn_hash_u64(uint64_t x);

#endif
