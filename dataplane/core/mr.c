/* Memory regions: who may touch which memory, and the two functions that do.
 *
 * A table of slots, one per region. A key is (permuted slot number << 8) | variant; the variant
 * runs 1..255, begins anywhere, and changes with every use of a slot, so no key is 0 and a stale key dies with its
 * region. The permutation is a keyed bijection of 24 bits that is cheap to invert, because it is
 * inverted at every touch of memory.
 *
 * Why readers need no lock: `key` is the publication word. add() fills the other fields and then
 * stores the key with release; a reader loads it with acquire and goes on only when it equals the
 * key it was given, so it sees those fields. remove() stores 0. From then on new readers fail, and
 * a reader that saw the key before may still use the fields and the memory: both stay as they are
 * until reclaim(), which the caller makes only after every shard has passed a quiescent point. No
 * field of a published or retired slot is ever written, so nothing can be read torn.
 *
 * add, remove and reclaim: the control thread. Everything else: any shard.
 */
#include "mr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "idpool.h"
#include "rng.h"

#define SLOT_BITS 24
#define SLOT_MASK ((1u << SLOT_BITS) - 1)

struct region {
	_Alignas(64) _Atomic uint32_t key; /* 0 = not published */
	uint32_t pd;
	uint32_t access;
	uint32_t retired; /* the key it had, until reclaimed */
	uint64_t iova;
	uint64_t length;
	char *ptr;
	uint8_t variant;
};

struct rn_mr_table {
	struct region *region; /* in memory, on cache lines */
	void *memory;
	uint32_t max, live;
	uint32_t seed; /* of the variants slots begin with */
	/* slot -> number: x = (x ^ in) * mul1; x ^= x >> 12; x = x * mul2 + out */
	uint32_t in, mul1, mul2, out, inv1, inv2;
	struct rn_idpool free;
	uint32_t *free_ring;
};

/* Of an odd number modulo 2^32: each step doubles the correct bits. */
static uint32_t inverse(uint32_t a)
{
	uint32_t x = a;
	for (int i = 0; i < 5; i++)
		x *= 2 - a * x;
	return x;
}

static uint32_t number_of(const struct rn_mr_table *t, uint32_t slot)
{
	uint32_t x = ((slot ^ t->in) * t->mul1) & SLOT_MASK;
	x ^= x >> (SLOT_BITS / 2);
	return (x * t->mul2 + t->out) & SLOT_MASK;
}

static inline uint32_t slot_of(const struct rn_mr_table *t, uint32_t key)
{
	uint32_t x = (((key >> 8) - t->out) * t->inv2) & SLOT_MASK;
	x ^= x >> (SLOT_BITS / 2);
	return ((x * t->inv1) & SLOT_MASK) ^ t->in;
}

struct rn_mr_table *rn_mr_table_create(uint32_t max_regions, uint64_t seed)
{
	struct rn_mr_table *t = calloc(1, sizeof(*t));
	struct rn_rng rng;

	if (!t)
		return NULL;
	t->max = RN_MIN(RN_MAX(max_regions, 1u), 1u << SLOT_BITS);
	/* Room for a million slots costs what is used of it: pages that calloc() has from the kernel stay untouched. */
	t->memory = calloc(t->max + 1, sizeof(*t->region));
	t->free_ring = malloc(t->max * sizeof(*t->free_ring));
	if (!t->memory || !t->free_ring) {
		rn_mr_table_destroy(t);
		return NULL;
	}
	t->region = (struct region *)RN_ALIGN_UP((uintptr_t)t->memory, (uintptr_t)64);
	rn_idpool_init(&t->free, t->free_ring, 0, t->max);
	rn_rng_seed(&rng, seed);
	t->in = rn_rng_next(&rng) & SLOT_MASK;
	t->mul1 = (uint32_t)rn_rng_next(&rng) | 1;
	t->mul2 = (uint32_t)rn_rng_next(&rng) | 1;
	t->out = rn_rng_next(&rng) & SLOT_MASK;
	t->inv1 = inverse(t->mul1);
	t->inv2 = inverse(t->mul2);
	t->seed = (uint32_t)rn_rng_next(&rng);
	return t;
}

void rn_mr_table_destroy(struct rn_mr_table *t)
{
	if (!t)
		return;
	free(t->memory);
	free(t->free_ring);
	free(t);
}

/* 0: the slot was never used. */
static uint8_t next_variant(const struct rn_mr_table *t, uint32_t slot, uint8_t last)
{
	if (last == 0)
		last = (uint8_t)(((slot ^ t->seed) * 2654435761u) >> 24);
	return last == UINT8_MAX ? 1 : last + 1;
}

int rn_mr_add(struct rn_mr_table *t, const struct rn_mr_attr *attr, uint32_t *lkey, uint32_t *rkey)
{
	struct region *r;
	uint32_t slot, key;

	if (rn_range_wraps(attr->iova, attr->length) ||
	    rn_range_wraps((uintptr_t)attr->ptr, attr->length))
		return -EINVAL;
	slot = rn_idpool_get(&t->free);
	if (slot == RN_ID_NONE)
		return -ENOSPC;
	r = &t->region[slot];
	r->variant = next_variant(t, slot, r->variant);
	key = number_of(t, slot) << 8 | r->variant;
	rn_assert(slot_of(t, key) == slot);
	r->pd = attr->pd;
	r->access = attr->access;
	r->iova = attr->iova;
	r->length = attr->length;
	r->ptr = attr->ptr;
	r->retired = 0;
	/* Release: whoever sees the key sees the fields above. */
	atomic_store_explicit(&r->key, key, memory_order_release);
	t->live++;
	*lkey = *rkey = key;
	return 0;
}

static struct region *region_of(const struct rn_mr_table *t, uint32_t key)
{
	uint32_t slot = slot_of(t, key);
	return slot < t->max ? &t->region[slot] : NULL;
}

int rn_mr_remove(struct rn_mr_table *t, uint32_t lkey)
{
	struct region *r = region_of(t, lkey);

	if (!lkey || !r || atomic_load_explicit(&r->key, memory_order_relaxed) != lkey)
		return -ENOENT;
	r->retired = lkey;
	/* Relaxed: nothing is published with it; the grace period orders it before any reuse. */
	atomic_store_explicit(&r->key, 0, memory_order_relaxed);
	t->live--;
	return 0;
}

void rn_mr_reclaim(struct rn_mr_table *t, uint32_t lkey)
{
	struct region *r = region_of(t, lkey);

	rn_assert(lkey && r && r->retired == lkey);
	r->retired = 0;
	rn_idpool_put(&t->free, (uint32_t)(r - t->region));
}

uint32_t rn_mr_count(const struct rn_mr_table *t)
{
	return t->live;
}

enum rn_verdict rn_mr_check(const struct rn_mr_table *t, uint32_t key, uint32_t pd, uint64_t addr,
			    uint64_t len, uint32_t need, void **ptr)
{
	const struct region *r = region_of(t, key);
	uint64_t off;

	if (!key || !r || atomic_load_explicit(&r->key, memory_order_acquire) != key || r->pd != pd)
		return RN_V_REQ_RKEY;
	if ((r->access & need) != need)
		return RN_V_REQ_RIGHTS;
	off = addr - r->iova;
	if (addr < r->iova || off > r->length || len > r->length - off)
		return RN_V_REQ_BOUNDS;
	*ptr = r->ptr + off;
	return RN_V_OK;
}

enum rn_verdict rn_gather(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			  uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, void *dst)
{
	void *ptr;
	enum rn_verdict v = rn_mr_check(t, key, pd, addr, len, need, &ptr);

	if (v != RN_V_OK)
		return v;
	return mem->gather(dst, ptr, len) ? RN_V_OK : RN_V_REQ_FAULT;
}

enum rn_verdict rn_place(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			 uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, const void *src)
{
	void *ptr;
	enum rn_verdict v = rn_mr_check(t, key, pd, addr, len, need, &ptr);

	if (v != RN_V_OK)
		return v;
	return mem->place(ptr, src, len) ? RN_V_OK : RN_V_REQ_FAULT;
}

static bool plain_gather(void *dst, const void *ptr, size_t n)
{
	memcpy(dst, ptr, n);
	return true;
}

/* Ascending, the last byte last and as one ordinary store: a client may poll it. */
static bool plain_place(void *ptr, const void *src, size_t n)
{
	if (!n)
		return true;
	memcpy(ptr, src, n - 1);
	atomic_thread_fence(memory_order_release);
	*((volatile uint8_t *)ptr + n - 1) = ((const uint8_t *)src)[n - 1];
	return true;
}

const struct rn_mem_ops rn_mem_plain = {.gather = plain_gather, .place = plain_place};
