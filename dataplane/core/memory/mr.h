/* Memory regions and windows: keys, one check function, and the only functions that touch application memory.
 *
 * One table per NIC. add and remove are called by the NIC's control thread (serialised by the caller); check, gather
 * and place by every shard, concurrently, without locks. An entry is unpublished by remove; its slot and its memory may
 * be reused only after every shard has passed a quiescent point (rn_mr_reclaim()), which is the caller's to wait
 * for. Keys are drawn at random for each region, so that no other key tells them, and a stale one is worth nothing. The low
 * byte is a variant that is never 0; that of a window is its user's to choose. lkey == rkey is NOT promised to callers.
 *
 * A window is a slot of the same table, made and unmade by control like a region. What it exposes is set by the shard
 * of the QP it is bound on, in the order of that QP's send queue, and read by that shard alone.
 */
#ifndef RN_MR_H
#define RN_MR_H

#include "rn/abi.h"
#include "base/secret.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_mr_table;
struct rn_mem_ops;

struct rn_mr_attr {
	void *ptr;       /* where the memory is for us (a daemon's own mapping later) */
	uint64_t iova;   /* address by which WQEs and peers name its first byte; usually (uint64_t)ptr */
	uint64_t length;
	uint32_t pd;
	uint32_t access; /* enum rn_access */
};

/* max_regions: at most RN_MR_MAX count. keys: what keys are drawn from. NULL: no memory. */
#define RN_MR_MAX (1u << 23)
struct rn_mr_table *rn_mr_table_create(uint32_t max_regions, const struct rn_secret *keys);
void rn_mr_table_destroy(struct rn_mr_table *t);

/* 0, -EINVAL (wraps), -ENOSPC (table full). */
int rn_mr_add(struct rn_mr_table *t, const struct rn_mr_attr *attr, uint32_t *lkey, uint32_t *rkey);
/* Unpublishes. 0 or -ENOENT. The slot comes back with rn_mr_reclaim(). */
int rn_mr_remove(struct rn_mr_table *t, uint32_t lkey);
/* After a grace period: the slot of a removed lkey may be used again. */
void rn_mr_reclaim(struct rn_mr_table *t, uint32_t lkey);
uint32_t rn_mr_count(const struct rn_mr_table *t);

/* The check of a local use: RN_V_OK, RN_V_REQ_RKEY (key or PD, or a window's key), RN_V_REQ_RIGHTS, RN_V_REQ_BOUNDS.
 * need: enum rn_access bits that must all be granted (0 = local read). On RN_V_OK *ptr is where [addr, addr+len) is.
 * len 0 is not checked by callers at all. Any shard. */
enum rn_verdict rn_mr_check(const struct rn_mr_table *t, uint32_t key, uint32_t pd, uint64_t addr, uint64_t len,
			    uint32_t need, void **ptr);

/* check, then touch. RN_V_REQ_FAULT when the memory behind a valid key is gone. */
enum rn_verdict rn_gather(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key, uint32_t pd,
			  uint64_t addr, uint32_t len, uint32_t need, void *dst);
enum rn_verdict rn_place(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key, uint32_t pd,
			 uint64_t addr, uint32_t len, uint32_t need, const void *src);

/* Who a peer asks through: a QP of the shard that calls. */
struct rn_mr_via {
	uint32_t pd, qpn;
};

/* The same for what a peer asks: the key may also be that of a window bound on that very QP, whose rights and bounds
 * decide then. The region behind it is looked up each time; once it is gone the verdict is RN_V_REQ_RKEY. */
enum rn_verdict rn_mr_check_remote(const struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
				   uint64_t len, uint32_t need, void **ptr);
enum rn_verdict rn_gather_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
				 struct rn_mr_via via, uint64_t addr, uint32_t len, uint32_t need, void *dst);
enum rn_verdict rn_place_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
				struct rn_mr_via via, uint64_t addr, uint32_t len, uint32_t need, const void *src);
/* Swaps (if swap) or adds, at once, in the 8 bytes at addr. RN_V_REQ_MISALIGNED too: addr, or the memory it names. */
enum rn_verdict rn_atomic_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
				 struct rn_mr_via via, uint64_t addr, bool swap, const struct rn_atomic *operands,
				 uint64_t *old);

/* ---- windows ---- */

/* An unbound window. shared: outlives it. *id: the key before its first one; it names the window and opens nothing.
 * -ENOSPC. Control. */
int rn_mw_add(struct rn_mr_table *t, uint32_t pd, struct rn_mw_shared *shared, uint32_t *id);
/* Nobody can bind it from now on; rn_mr_reclaim(id) after a grace period. 0; -ENOENT: no such window; -EBUSY: bound, or
 * touched right now, on the QP *qpn: its shard is to rn_mw_drop() it first. Control. */
int rn_mw_remove(struct rn_mr_table *t, uint32_t id, uint32_t *qpn);

/* The windows bound on a QP, linked through the table. All zero: none. */
struct rn_mw_list {
	uint32_t first;
};

/* What follows is called by the shard of via.qpn. `key` names the window, its low byte counts only where said. */

/* Exposes [addr, addr + b->length) under `key`, whose low byte must not be 0. False: not an unbound window of this PD,
 * or one of this QP whose key is valid; not within a region of this PD that may be bound and allows it. */
bool rn_mw_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr, const struct rn_bind *b,
		struct rn_mw_list *bound);
/* The key, low byte included, is worth nothing from now on. The window stays the QP's until rn_mw_end(). False: it is
 * not bound on this QP with this key. */
bool rn_mw_invalidate(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via);
/* The binding of `key` is over, and its window may be bound anywhere. Nothing happens unless rn_mw_invalidate() did. */
void rn_mw_end(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, struct rn_mw_list *bound);
/* The same at once for whatever the window is bound with, if it is on this QP. */
void rn_mw_drop(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, struct rn_mw_list *bound);
void rn_mw_drop_all(struct rn_mr_table *t, struct rn_mw_list *bound);
/* The binding that was to give `key` will not come about. */
void rn_mw_void(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via);

#endif
