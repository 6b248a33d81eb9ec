/* Finds objects by key: a chained hash table of fixed size. The connection manager finds
 * connections by peer and id; the neighbour table finds neighbours by address. The caller owns the
 * nodes and the array of buckets. The functions run on the caller's thread. */
#include "base/htab.h"

#include <string.h>

void rn_htab_init(struct rn_htab *h, struct rn_hnode **bucket, uint32_t nbuckets)
{
	rn_assert(nbuckets && (nbuckets & (nbuckets - 1)) == 0);
	h->bucket = bucket;
	h->mask = nbuckets - 1;
	h->count = 0;
	memset(bucket, 0, nbuckets * sizeof(*bucket));
}

void rn_htab_add(struct rn_htab *h, struct rn_hnode *n, uint64_t hash)
{
	struct rn_hnode **b = &h->bucket[hash & h->mask];
	n->hash = hash;
	n->next = *b;
	*b = n;
	h->count++;
}

void rn_htab_del(struct rn_htab *h, struct rn_hnode *n)
{
	struct rn_hnode **at = &h->bucket[n->hash & h->mask];
	while (*at != n) {
		rn_assert(*at);
		at = &(*at)->next;
	}
	*at = n->next;
	n->next = NULL;
	h->count--;
}

/* Returns the first node with this hash, from n on, or NULL. A bucket also holds nodes with other
 * hashes, which are skipped by comparing n->hash. Their keys are not read, because the keys are in
 * other memory and reading them could cost cache misses. */
static struct rn_hnode *skip_to(struct rn_hnode *n, uint64_t hash)
{
	while (n && n->hash != hash)
		n = n->next;
	return n;
}

struct rn_hnode *rn_htab_first(const struct rn_htab *h, uint64_t hash)
{
	return skip_to(h->bucket[hash & h->mask], hash);
}

struct rn_hnode *rn_htab_next(const struct rn_hnode *n)
{
	return skip_to(n->next, n->hash);
}

/* Two rounds of xor-shift and multiplication by an odd constant: each input bit reaches the low
 * bits, which select the bucket. */
uint64_t rn_hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xD6E8FEB86659FD93);
	x ^= x >> 32;
	x *= UINT64_C(0xD6E8FEB86659FD93);
	return x ^ x >> 32;
}

/* Hashes words of 8 bytes; zeros fill up the last word. The hash starts with the key's length.
 * Without the length, a key with zero bytes appended could have the same hash as the key itself. */
uint64_t rn_hash_bytes(const void *bytes, size_t len, uint64_t seed)
{
	const uint8_t *b = bytes;
	uint64_t h = rn_hash_u64(seed ^ len);

	while (len) {
		uint64_t word = 0;
		size_t n = RN_MIN(len, sizeof(word));
		memcpy(&word, b, n);
		h = rn_hash_u64((h + UINT64_C(0x9E3779B97F4A7C15)) ^ word);
		b += n;
		len -= n;
	}
	return h;
}
