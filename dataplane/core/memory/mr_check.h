/* The structs of the table of memory regions and windows, and inline functions that check an
 * access. Used by mr.c, short_rx.c and short_tx.c. mr.c explains the table and its memory order;
 * mr.h states the rules. Any shard may call the functions. */
#ifndef RN_MR_CHECK_H
#define RN_MR_CHECK_H

#include "memory/mr.h"

#define RN_MR_NUMBER_BITS 24
#define RN_MR_NUMBER_MASK ((1u << RN_MR_NUMBER_BITS) - 1)

/* Values of region.owner. Any other value is the QPN of the QP that owns the window. This QPN is at
 * least 16 (FIRST_QPN in shard.c), so it is never one of these values. */
enum rn_mr_owner_kind { RN_MR_REGION, RN_MR_UNBOUND, RN_MR_DEAD };

struct rn_region {
	_Alignas(64) _Atomic uint32_t key; /* 0 = not published, so nobody can use the key */
	uint32_t pd;
	uint32_t access;
	/* Key of the region or id of the window in this slot, also if it is removed; 0: the slot is
	 * free. */
	_Atomic uint32_t taken;
	uint64_t iova;
	uint64_t length;
	union {
		char *ptr; /* of a region: address of the memory in this process */
		/* Of a window: its state, which the application can read. The pointer is constant
		 * until the window is removed. */
		struct rn_mw_shared *shared;
	};
	_Atomic uint32_t
		owner; /* enum rn_mr_owner_kind, or the number of the QP that owns the window */
	uint32_t lkey; /* of a window: lkey of its region */
	/* Of a window: key of its last BIND, or its id before any BIND. Of a free slot: the last
	 * `taken`, from whose number the next one must differ. */
	uint32_t bound;
	/* Of an owned window: 1 + slot number of the next and the previous window of the same QP; 0
	 * = none. */
	uint32_t next, prev;
	bool retired; /* removed, but not yet reclaimed */
	bool fixed;   /* of an owned window: rn_mw_rebind() has bound it */
};
static_assert(sizeof(struct rn_region) == 64, "a touch of memory is one cache line of the table");

struct rn_mr_table {
	/* The slots: aligned part of `memory`. The low bits of a key's number (key >> 8) are the
	 * number of its slot. One more slot, behind the others, is never used. */
	struct rn_region *region;
	uint32_t mask;	       /* number of slots, a power of two, less 1 */
	_Atomic uint32_t live; /* number of regions and windows; the control thread writes */
	void *memory;
	/* The free slots are those numbered free[0] to free[nfree - 1]. An entry is 1 + the number
	 * of a slot; an entry 0 was never written, and its slot has the number of the entry. */
	uint32_t *free;
	uint32_t nfree;
	struct rn_stream draws;
	/* Asks the kernel for huge pages (rn_mr_table_advise()). Called once, when nearly every
	 * page of the slots is in use; the pointer is NULL afterwards. */
	void (*advise)(void *memory, size_t bytes, bool huge);
};

/* Returns the slot that this key has if it is a key. */
static inline struct rn_region *rn_mr_slot(const struct rn_mr_table *t, uint32_t key)
{
	return &t->region[key >> 8 & t->mask];
}

/* Returns the region or window that has this key now, or NULL if there is none. A reader that sees
 * the key also sees the fields of a region, because rn_mr_add() stores the key last. The fields
 * stay unchanged until rn_mr_reclaim(). */
static inline const struct rn_region *rn_mr_published(const struct rn_mr_table *t, uint32_t key)
{
	const struct rn_region *r = rn_mr_slot(t, key);

	return key && atomic_load_explicit(&r->key, memory_order_acquire) == key ? r : NULL;
}

static inline uint32_t rn_mr_owner(const struct rn_region *r)
{
	return atomic_load_explicit(&r->owner, memory_order_relaxed);
}

/* Checks the rights and bounds of an access to a region. The caller has checked key and PD. */
static inline enum rn_verdict rn_mr_region_check(const struct rn_region *r, uint64_t addr,
						 uint64_t len, uint32_t need)
{
	/* If addr is before the region, `off` wraps and exceeds every length, because iova + length
	 * does not wrap (rn_mr_add()). */
	uint64_t off = addr - r->iova;

	if ((r->access & need) != need)
		return RN_V_REQ_RIGHTS;
	if (off > r->length || len > r->length - off)
		return RN_V_REQ_BOUNDS;
	return RN_V_OK;
}

/* Returns the byte at addr, which rn_mr_region_check() has allowed. */
static inline void *rn_mr_region_at(const struct rn_region *r, uint64_t addr)
{
	return r->ptr + (addr - r->iova);
}

static inline enum rn_verdict rn_mr_region_allows(const struct rn_region *r, uint64_t addr,
						  uint64_t len, uint32_t need, void **ptr)
{
	enum rn_verdict v = rn_mr_region_check(r, addr, len, need);

	if (v == RN_V_OK)
		*ptr = rn_mr_region_at(r, addr);
	return v;
}

/* Checks an access of this host to the published region r; NULL: no region has the key. */
static inline enum rn_verdict rn_mr_local_check(const struct rn_region *r, uint32_t pd,
						uint64_t addr, uint64_t len, uint32_t need)
{
	if (!r || rn_mr_owner(r) != RN_MR_REGION || r->pd != pd)
		return RN_V_REQ_RKEY;
	return rn_mr_region_check(r, addr, len, need);
}

static inline enum rn_verdict rn_mr_allows(const struct rn_region *r, uint32_t pd, uint64_t addr,
					   uint64_t len, uint32_t need, void **ptr)
{
	enum rn_verdict v = rn_mr_local_check(r, pd, addr, len, need);

	if (v == RN_V_OK)
		*ptr = rn_mr_region_at(r, addr);
	return v;
}

/* rn_mr_check() as an inline function. */
static inline enum rn_verdict rn_mr_look(const struct rn_mr_table *t, uint32_t key, uint32_t pd,
					 uint64_t addr, uint64_t len, uint32_t need, void **ptr)
{
	return rn_mr_allows(rn_mr_published(t, key), pd, addr, len, need, ptr);
}

/* Checks an access through window w. The caller has checked that w belongs to a QP of this
 * thread. */
enum rn_verdict rn_mr_window_allows(const struct rn_mr_table *t, const struct rn_region *w,
				    uint64_t addr, uint64_t len, uint32_t need, void **ptr);

/* Checks an access of the peer to the published region or window r; NULL: none has the key. */
static inline enum rn_verdict rn_mr_allows_remote(const struct rn_mr_table *t,
						  const struct rn_region *r, struct rn_mr_via via,
						  uint64_t addr, uint64_t len, uint32_t need,
						  void **ptr)
{
	uint32_t owner;

	if (!r)
		return RN_V_REQ_RKEY;
	owner = rn_mr_owner(r);
	if (rn_unlikely(owner != RN_MR_REGION))
		return owner == via.qpn ? rn_mr_window_allows(t, r, addr, len, need, ptr)
					: RN_V_REQ_RKEY;
	return r->pd == via.pd ? rn_mr_region_allows(r, addr, len, need, ptr) : RN_V_REQ_RKEY;
}

/* rn_mr_check_remote() as an inline function. */
static inline enum rn_verdict rn_mr_look_remote(const struct rn_mr_table *t, uint32_t key,
						struct rn_mr_via via, uint64_t addr, uint64_t len,
						uint32_t need, void **ptr)
{
	return rn_mr_allows_remote(t, rn_mr_published(t, key), via, addr, len, need, ptr);
}

/* rn_mr_published() for a caller that mostly uses the same key again. *last is where this caller
 * found its last key; all 0 at first. The slots of the table never move, so a slot that still holds
 * the key is the right one. */
static inline const struct rn_region *rn_mr_published_again(const struct rn_mr_table *t,
							    struct rn_mr_last *last, uint32_t key)
{
	const struct rn_region *r = last->region;

	if (rn_likely(key && last->key == key &&
		      atomic_load_explicit(&r->key, memory_order_acquire) == key)) {
		/* spares the caller's test of the result */
		if (!r)
			__builtin_unreachable();
		return r;
	}
	r = rn_mr_published(t, key);
	if (r)
		*last = (struct rn_mr_last){.region = r, .key = key};
	return r;
}

#endif
