/* Which memory may a request access, and how is this memory read and written? Owns the table of
 * slots, one per memory region or memory window. The control thread adds, removes and reclaims
 * regions and windows. The shard of a QP binds windows to the QP. Any shard looks up keys, without
 * a lock.
 *
 * A key is (number << 8) | variant, with a number of 24 bits and a variant of 1..255. The low bits
 * of the number are the number of the slot, so an access finds its slot without a search. Slot,
 * upper bits and variant are drawn at random each time a slot is taken, so nobody can guess a key
 * from other keys.
 *
 * So the slots in use lie apart from each other: the first ones take a page each. As soon as nearly
 * every page has a slot in use, huge pages take no more memory, and the kernel is asked for
 * them. */
#include "memory/mr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/mem_ops.h"
#include "memory/mr_check.h"
#include "wire/icrc.h"
#include "base/secret.h"

#define SLOT_ALIGN ((uintptr_t)64)

static size_t slots_bytes(const struct rn_mr_table *t)
{
	return ((size_t)t->mask + 2) * sizeof(*t->region);
}

/* Returns the number of the slot in entry i of t->free. */
static uint32_t free_slot(const struct rn_mr_table *t, uint32_t i)
{
	return t->free[i] ? t->free[i] - 1 : i;
}

struct rn_mr_table *rn_mr_table_create(uint32_t max_regions, const struct rn_secret *keys)
{
	struct rn_mr_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->nfree = RN_MIN(RN_MAX(max_regions, 1u), RN_MR_MAX);
	t->mask = rn_pow2_up(t->nfree) - 1;
	static_assert(RN_MR_MAX < 1u << RN_MR_NUMBER_BITS, "a slot has more than one number");
	/* A large table costs only the memory in use, because the kernel allocates each page at the
	 * first write to the page. */
	t->memory = calloc(1, slots_bytes(t) + SLOT_ALIGN);
	t->free = calloc(t->nfree, sizeof(*t->free));
	if (!t->memory || !t->free) {
		rn_mr_table_destroy(t);
		return NULL;
	}
	t->region = (struct rn_region *)RN_ALIGN_UP((uintptr_t)t->memory, SLOT_ALIGN);
	rn_stream_init(&t->draws, keys, 0);
	return t;
}

void rn_mr_table_destroy(struct rn_mr_table *t)
{
	if (!t)
		return;
	free(t->memory);
	free(t->free);
	free(t);
}

void rn_mr_table_advise(struct rn_mr_table *t,
			void (*advise)(void *memory, size_t bytes, bool huge))
{
	advise(t->region, slots_bytes(t), false);
	t->advise = advise;
}

/* Returns the slot of the region or window to which the number in `key` belongs, or a slot that is
 * never used if there is none. The region or window may be removed and not yet reclaimed. */
static inline struct rn_region *region_of(const struct rn_mr_table *t, uint32_t key)
{
	struct rn_region *r = rn_mr_slot(t, key);
	uint32_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);

	return taken && taken >> 8 == key >> 8 ? r : &t->region[t->mask + 1];
}

/* Draws a random key for slot r. The key's number differs from that of the slot's previous key, so
 * the previous key stays invalid. */
static uint32_t fresh_key(struct rn_mr_table *t, const struct rn_region *r)
{
	uint32_t number, variant;

	do {
		uint64_t draw = rn_stream_next(&t->draws);

		number = (draw & RN_MR_NUMBER_MASK & ~t->mask) | (uint32_t)(r - t->region);
		variant = 1 + (uint32_t)(draw >> RN_MR_NUMBER_BITS) % UINT8_MAX;
	} while (r->bound && r->bound >> 8 == number);
	return number << 8 | variant;
}

/* Takes a random free slot and draws a key, which is not yet published. Returns NULL if the table
 * is full. */
static struct rn_region *take_slot(struct rn_mr_table *t, uint32_t *key)
{
	struct rn_region *r;
	uint32_t i, last;

	if (t->nfree == 0)
		return NULL;
	i = (uint32_t)((rn_stream_next(&t->draws) >> 32) * t->nfree >> 32);
	last = --t->nfree;
	r = &t->region[free_slot(t, i)];
	t->free[i] = free_slot(t, last) + 1;
	*key = fresh_key(t, r);
	r->retired = false;
	atomic_store_explicit(&r->taken, *key, memory_order_relaxed);
	return r;
}

/* A page of 4 KiB has 64 slots. With one slot in so many in use, 98 % of the pages are in use. */
#define SPARSE 16u

/* One thread at a time changes the number, so a store is enough. */
static void count(struct rn_mr_table *t, int change)
{
	uint32_t live = rn_mr_count(t) + (uint32_t)change;

	atomic_store_explicit(&t->live, live, memory_order_relaxed);
	if (t->advise && live > t->mask / SPARSE) {
		t->advise(t->region, slots_bytes(t), true);
		t->advise = NULL;
	}
}

static bool wraps(const struct rn_mr_attr *attr)
{
	return rn_range_wraps(attr->iova, attr->length) ||
	       rn_range_wraps((uintptr_t)attr->ptr, attr->length);
}

/* Fills a slot that no shard uses, and publishes its key. */
static void publish(struct rn_region *r, const struct rn_mr_attr *attr, uint32_t key)
{
	r->pd = attr->pd;
	r->access = attr->access;
	r->iova = attr->iova;
	r->length = attr->length;
	r->ptr = attr->ptr;
	atomic_store_explicit(&r->owner, RN_MR_REGION, memory_order_relaxed);
	/* Release: a shard that sees the key sees the fields above. */
	atomic_store_explicit(&r->key, key, memory_order_release);
}

int rn_mr_add(struct rn_mr_table *t, const struct rn_mr_attr *attr, uint32_t *lkey, uint32_t *rkey)
{
	struct rn_region *r;
	uint32_t key;

	if (wraps(attr))
		return -EINVAL;
	r = take_slot(t, &key);
	if (!r)
		return -ENOSPC;
	publish(r, attr, key);
	count(t, 1);
	*lkey = *rkey = key;
	return 0;
}

/* Makes the keys of the region invalid and returns the region, or NULL if there is none. */
static struct rn_region *hide(struct rn_mr_table *t, uint32_t lkey)
{
	struct rn_region *r = region_of(t, lkey);

	if (!lkey || atomic_load_explicit(&r->key, memory_order_relaxed) != lkey ||
	    atomic_load_explicit(&r->owner, memory_order_relaxed) != RN_MR_REGION)
		return NULL;
	/* Relaxed is enough: storing 0 publishes no fields. The slot is reused only after every
	 * shard has passed a quiescent point. */
	atomic_store_explicit(&r->key, 0, memory_order_relaxed);
	return r;
}

int rn_mr_remove(struct rn_mr_table *t, uint32_t lkey)
{
	struct rn_region *r = hide(t, lkey);

	if (!r)
		return -ENOENT;
	r->retired = true;
	count(t, -1);
	return 0;
}

int rn_mr_suspend(struct rn_mr_table *t, uint32_t lkey, const struct rn_mr_attr *attr)
{
	if (wraps(attr))
		return -EINVAL;
	return hide(t, lkey) ? 0 : -ENOENT;
}

void rn_mr_resume(struct rn_mr_table *t, uint32_t lkey, const struct rn_mr_attr *attr)
{
	struct rn_region *r = region_of(t, lkey);

	rn_assert(r->taken == lkey && !r->key && !r->retired);
	publish(r, attr, lkey);
}

void rn_mr_reclaim(struct rn_mr_table *t, uint32_t lkey)
{
	struct rn_region *r = region_of(t, lkey);

	rn_assert(lkey && r->retired && r->taken == lkey);
	r->retired = false;
	r->bound = lkey;
	atomic_store_explicit(&r->taken, 0, memory_order_relaxed);
	t->free[t->nfree++] = (uint32_t)(r - t->region) + 1;
}

uint32_t rn_mr_count(const struct rn_mr_table *t)
{
	return atomic_load_explicit(&t->live, memory_order_relaxed);
}

static inline enum rn_verdict gather(const struct rn_mem_ops *mem, void *dst, const void *ptr,
				     uint32_t len, uint32_t *icrc)
{
	return rn_mem_gather(mem, dst, ptr, len, icrc) ? RN_V_OK : RN_V_REQ_FAULT;
}

static inline enum rn_verdict place(const struct rn_mem_ops *mem, void *ptr, const void *src,
				    uint32_t len)
{
	return mem->place(ptr, src, len) ? RN_V_OK : RN_V_REQ_FAULT;
}

enum rn_verdict rn_mr_check(const struct rn_mr_table *t, uint32_t key, uint32_t pd, uint64_t addr,
			    uint64_t len, uint32_t need, void **ptr)
{
	return rn_mr_look(t, key, pd, addr, len, need, ptr);
}

/* A window with the remote rights `access` is to be bound to a region. Returns the local rights
 * that the region needs: local write for remote writes and atomics, otherwise none. */
static uint32_t region_need(uint32_t access)
{
	return access & (RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_ATOMIC) ? RN_ACCESS_LOCAL_WRITE
									   : 0;
}

enum rn_verdict rn_mr_window_allows(const struct rn_mr_table *t, const struct rn_region *w,
				    uint64_t addr, uint64_t len, uint32_t need, void **ptr)
{
	uint64_t off = addr - w->iova;

	if ((w->access & need) != need)
		return RN_V_REQ_RIGHTS;
	if (addr < w->iova || off > w->length || len > w->length - off)
		return RN_V_REQ_BOUNDS;
	return rn_mr_check(t, w->lkey, w->pd, addr, len, region_need(need), ptr) == RN_V_OK
		       ? RN_V_OK
		       : RN_V_REQ_RKEY;
}

enum rn_verdict rn_mr_check_remote(const struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
				   uint64_t addr, uint64_t len, uint32_t need, void **ptr)
{
	return rn_mr_look_remote(t, key, via, addr, len, need, ptr);
}

enum rn_verdict rn_gather(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			  uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, void *dst,
			  uint32_t *icrc)
{
	void *ptr;
	enum rn_verdict v = rn_mr_look(t, key, pd, addr, len, need, &ptr);

	return v == RN_V_OK ? gather(mem, dst, ptr, len, icrc) : v;
}

enum rn_verdict rn_gather_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				 uint32_t key, struct rn_mr_via via, uint64_t addr, uint32_t len,
				 uint32_t need, void *dst, uint32_t *icrc)
{
	void *ptr;
	enum rn_verdict v = rn_mr_look_remote(t, key, via, addr, len, need, &ptr);

	return v == RN_V_OK ? gather(mem, dst, ptr, len, icrc) : v;
}

enum rn_verdict rn_place(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			 uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, const void *src)
{
	void *ptr;
	enum rn_verdict v = rn_mr_look(t, key, pd, addr, len, need, &ptr);

	return v == RN_V_OK ? place(mem, ptr, src, len) : v;
}

enum rn_verdict rn_place_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				uint32_t key, struct rn_mr_via via, uint64_t addr, uint32_t len,
				uint32_t need, const void *src)
{
	void *ptr;
	enum rn_verdict v = rn_mr_look_remote(t, key, via, addr, len, need, &ptr);

	return v == RN_V_OK ? place(mem, ptr, src, len) : v;
}

enum rn_verdict rn_atomic_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				 uint32_t key, struct rn_mr_via via, uint64_t addr, bool swap,
				 const struct rn_atomic *operands, uint64_t *old)
{
	void *ptr;
	enum rn_verdict v = rn_mr_look_remote(t, key, via, addr, RN_ATOMIC_BYTES,
					      RN_ACCESS_REMOTE_ATOMIC, &ptr);
	bool done;

	if (v != RN_V_OK)
		return v;
	if ((addr | (uintptr_t)ptr) % RN_ATOMIC_BYTES)
		return RN_V_REQ_MISALIGNED;
	done = swap ? mem->cmp_swap(ptr, operands->compare, operands->swap_add, old)
		    : mem->fetch_add(ptr, operands->swap_add, old);
	return done ? RN_V_OK : RN_V_REQ_FAULT;
}

/* ---- memory windows ----
 *
 * A BIND writes the fields of a window while other shards may look up the window's key. Therefore
 * only the shard of the QP that owns the window may use these fields:
 * - Before a bind, claim() changes `owner` from RN_MR_UNBOUND to the QP, by compare-and-swap. This
 *   fails if another QP owns the window. After the last use, disown() stores RN_MR_UNBOUND.
 * - A shard that looks up a key uses the fields only if `owner` is the QP of the request. This
 *   shard alone serves the QP, so the shard's own thread wrote the fields. */

int rn_mw_add(struct rn_mr_table *t, uint32_t pd, struct rn_mw_shared *shared, uint32_t *id)
{
	struct rn_region *w = take_slot(t, id);

	if (!w)
		return -ENOSPC;
	w->pd = pd;
	w->shared = shared;
	w->bound = *id;
	atomic_init(&shared->ended, *id);
	count(t, 1);
	/* Release: a shard that claims the window sees the fields above. */
	atomic_store_explicit(&w->owner, RN_MR_UNBOUND, memory_order_release);
	return 0;
}

int rn_mw_remove(struct rn_mr_table *t, uint32_t id, uint32_t *qpn)
{
	struct rn_region *w = region_of(t, id);
	uint32_t owner = RN_MR_UNBOUND;

	if (!atomic_compare_exchange_strong_explicit(&w->owner, &owner, RN_MR_DEAD,
						     memory_order_acquire, memory_order_relaxed)) {
		*qpn = owner;
		return owner == RN_MR_REGION || owner == RN_MR_DEAD ? -ENOENT : -EBUSY;
	}
	w->retired = true;
	count(t, -1);
	return 0;
}

/* If the QP via.qpn owns the window to which the number in `key` belongs, returns the window.
 * Otherwise returns NULL. */
static struct rn_region *owned(const struct rn_mr_table *t, uint32_t key, struct rn_mr_via via)
{
	struct rn_region *w = region_of(t, key);

	return rn_mr_owner(w) == via.qpn ? w : NULL;
}

static void disown(struct rn_region *w)
{
	/* Release: the next owner must not write the fields before this thread has read them. */
	atomic_store_explicit(&w->owner, RN_MR_UNBOUND, memory_order_release);
}

/* Makes the QP via.qpn the owner of the window to which the number in `key` belongs, and returns
 * the window. Returns NULL in these cases: there is no such window, a QP owns the window already,
 * or the window belongs to another PD. */
static struct rn_region *claim(const struct rn_mr_table *t, uint32_t key, struct rn_mr_via via)
{
	struct rn_region *w = region_of(t, key);
	uint32_t owner = RN_MR_UNBOUND;

	if (!atomic_compare_exchange_strong_explicit(&w->owner, &owner, via.qpn,
						     memory_order_acquire, memory_order_relaxed))
		return NULL;
	/* The slot may have got another window since region_of() looked at it. */
	if (atomic_load_explicit(&w->taken, memory_order_relaxed) >> 8 == key >> 8 &&
	    w->pd == via.pd)
		return w;
	disown(w);
	return NULL;
}

static void link_up(struct rn_mr_table *t, struct rn_mw_list *bound, struct rn_region *w)
{
	uint32_t self = (uint32_t)(w - t->region) + 1;

	w->prev = 0;
	w->next = bound->first;
	if (w->next)
		t->region[w->next - 1].prev = self;
	bound->first = self;
}

static void unlink_from(struct rn_mr_table *t, struct rn_mw_list *bound, struct rn_region *w)
{
	if (w->next)
		t->region[w->next - 1].prev = w->prev;
	if (w->prev)
		t->region[w->prev - 1].next = w->next;
	else
		bound->first = w->next;
}

/* Binds the window to which the number in `key` belongs, and returns whether it is bound. */
static bool bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
		 const struct rn_bind *b, struct rn_mw_list *bound, bool fixed)
{
	const uint32_t remote =
		RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC;
	struct rn_region *w = owned(t, key, via), *fresh = NULL;
	void *ptr;

	if (!key || b->access & ~remote ||
	    (w && atomic_load_explicit(&w->key, memory_order_relaxed)))
		return false;
	/* If w is set, the QP owns the window and has invalidated the key of the last bind, so the
	 * QP may bind the window again. If w is NULL, the QP claims the window, which fails if
	 * another QP owns it. */
	if (!w)
		w = fresh = claim(t, key, via);
	if (!w)
		return false;
	if (rn_mr_check(t, b->lkey, via.pd, addr, b->length,
			RN_ACCESS_MW_BIND | region_need(b->access), &ptr) != RN_V_OK) {
		if (fresh)
			disown(fresh);
		return false;
	}
	w->access = b->access;
	w->iova = addr;
	w->length = b->length;
	w->lkey = b->lkey;
	w->bound = key;
	w->fixed = fixed;
	if (fresh)
		link_up(t, bound, w);
	/* Release: another shard that sees the key also sees the owner of the window, and rejects
	 * the access. */
	atomic_store_explicit(&w->key, key, memory_order_release);
	return true;
}

bool rn_mw_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
		const struct rn_bind *b, struct rn_mw_list *bound)
{
	return bind(t, key, via, addr, b, bound, false);
}

bool rn_mw_invalidate(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via)
{
	struct rn_region *w = owned(t, key, via);

	if (!key || !w || w->fixed || atomic_load_explicit(&w->key, memory_order_relaxed) != key)
		return false;
	atomic_store_explicit(&w->key, 0, memory_order_relaxed);
	return true;
}

static void end(struct rn_mr_table *t, struct rn_region *w, struct rn_mw_list *bound)
{
	atomic_store_explicit(&w->key, 0, memory_order_relaxed);
	unlink_from(t, bound, w);
	/* Release: when the application sees this store, the shard has finished its accesses to the
	 * memory. */
	atomic_store_explicit(&w->shared->ended, w->bound, memory_order_release);
	disown(w);
}

void rn_mw_release(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
		   struct rn_mw_list *bound)
{
	struct rn_region *w = owned(t, key, via);

	if (w && w->bound == key && !atomic_load_explicit(&w->key, memory_order_relaxed))
		end(t, w, bound);
}

void rn_mw_unbind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
		  struct rn_mw_list *bound)
{
	struct rn_region *w = owned(t, key, via);

	if (w)
		end(t, w, bound);
}

void rn_mw_unbind_all(struct rn_mr_table *t, struct rn_mw_list *bound)
{
	while (bound->first)
		end(t, &t->region[bound->first - 1], bound);
}

/* Reports `key` as ended if no QP owns the window. Returns whether that is so. */
static bool report_ended(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via)
{
	struct rn_region *w = claim(t, key, via);

	if (!w)
		return false;
	atomic_store_explicit(&w->shared->ended, key, memory_order_release);
	disown(w);
	return true;
}

void rn_mw_cancel_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via)
{
	report_ended(t, key, via);
}

bool rn_mw_rebind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
		  const struct rn_bind *b, struct rn_mw_list *bound)
{
	rn_mw_unbind(t, key, via, bound);
	return b->length ? bind(t, key, via, addr, b, bound, true) : report_ended(t, key, via);
}

/* ---- memory operations without fault recovery (rn_mem_plain) ---- */

static bool plain_gather(void *dst, const void *ptr, size_t n)
{
	memcpy(dst, ptr, n);
	return true;
}

static bool plain_gather_icrc(void *dst, const void *ptr, size_t n, uint32_t *icrc)
{
	memcpy(dst, ptr, n);
	*icrc = rn_icrc_add(*icrc, dst, n);
	return true;
}

/* Stores the last byte last, with one ordinary store, because a client may poll the last byte. */
static bool plain_place(void *ptr, const void *src, size_t n)
{
	if (!n)
		return true;
	memcpy(ptr, src, n - 1);
	atomic_thread_fence(memory_order_release);
	*((volatile uint8_t *)ptr + n - 1) = ((const uint8_t *)src)[n - 1];
	return true;
}

static bool plain_cmp_swap(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old)
{
	*old = compare;
	atomic_compare_exchange_strong((_Atomic uint64_t *)ptr, old, swap);
	return true;
}

static bool plain_fetch_add(void *ptr, uint64_t add, uint64_t *old)
{
	*old = atomic_fetch_add((_Atomic uint64_t *)ptr, add);
	return true;
}

const struct rn_mem_ops rn_mem_plain = {.gather = plain_gather,
					.place = plain_place,
					.cmp_swap = plain_cmp_swap,
					.fetch_add = plain_fetch_add,
					.gather_icrc = plain_gather_icrc};
