/* Memory regions and windows: their keys, the checks of an access, and the functions that copy
 * application memory.
 *
 * There is one table per NIC. The control thread adds and removes regions and windows; the caller
 * makes sure that only one such call runs at a time. All shards check accesses and copy
 * concurrently, without locks. Removing a region makes its key invalid at once, but a shard may
 * still be using the memory: the caller waits until every shard has passed a quiescent point (a
 * point at which the shard uses no region), then calls rn_mr_reclaim() and may reuse the memory.
 *
 * A key is 32 bits. Keys are drawn at random for each region, so that known keys do not help to
 * guess another, and a stale key is invalid. The low byte of a key is never 0; the user of a window
 * chooses the low byte of the window's key. Callers must not assume lkey == rkey.
 *
 * A window is a slot of the same table, and the control thread adds and removes it like a region. A
 * BIND sets the range and the rights of the window. Only the shard of the QP on which the window is
 * bound writes and reads them. This shard executes BIND and INVALIDATE requests in the order of the
 * QP's send queue. */
#ifndef RN_MR_H
#define RN_MR_H

#include "rn/abi.h"
#include "base/secret.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_mr_table;
struct rn_mem_ops;

struct rn_mr_attr {
	void *ptr;     /* the memory as mapped in this process */
	uint64_t iova; /* how WQEs and packets address the first byte; usually (uint64_t)ptr */
	uint64_t length;
	uint32_t pd;
	uint32_t access; /* enum rn_access */
};

/* rn_mr_table_create() makes a table with max_regions slots, for regions and windows together, at
 * most RN_MR_MAX. keys is the secret from which the table draws keys. Returns NULL if there is no
 * memory. */
#define RN_MR_MAX (1u << 23)
struct rn_mr_table *rn_mr_table_create(uint32_t max_regions, const struct rn_secret *keys);
void rn_mr_table_destroy(struct rn_mr_table *t);

/* Adds a region and publishes its keys. -EINVAL: iova + length or ptr + length wraps; -ENOSPC: the
 * table is full. To be called on the control thread. */
int rn_mr_add(struct rn_mr_table *t, const struct rn_mr_attr *attr, uint32_t *lkey, uint32_t *rkey);
/* Makes the keys of the region invalid; rn_mr_reclaim() frees the slot later. -ENOENT: no such
 * region. To be called on the control thread. */
int rn_mr_remove(struct rn_mr_table *t, uint32_t lkey);
/* Frees the slot of a removed region or window. To be called on the control thread, when every
 * shard has passed a quiescent point since the removal. */
void rn_mr_reclaim(struct rn_mr_table *t, uint32_t lkey);
/* Returns the number of regions and windows in the table, removed ones not included. To be called
 * on the control thread. */
uint32_t rn_mr_count(const struct rn_mr_table *t);

/* Checks an access by a local WQE to [addr, addr + len). RN_V_REQ_RKEY: no such key in this PD, or
 * the key of a window; RN_V_REQ_RIGHTS: the region does not grant all bits of `need` (enum
 * rn_access, 0 = local read); RN_V_REQ_BOUNDS: not within the region. On RN_V_OK *ptr points to the
 * byte at addr. Callers do not check accesses of 0 bytes. Any shard may call rn_mr_check(). */
enum rn_verdict rn_mr_check(const struct rn_mr_table *t, uint32_t key, uint32_t pd, uint64_t addr,
			    uint64_t len, uint32_t need, void **ptr);

/* rn_mr_check(), then a copy: rn_gather() from the region to dst, rn_place() from src to the
 * region. RN_V_REQ_FAULT: the copy faulted, because the application has unmapped the memory
 * although the key is valid. Any shard may call both functions. */
enum rn_verdict rn_gather(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			  uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, void *dst);
enum rn_verdict rn_place(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			 uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, const void *src);

/* The QP on which a peer's request arrived. Only the shard of this QP may use the value. */
struct rn_mr_via {
	uint32_t pd, qpn;
};

/* rn_mr_check(), rn_gather() and rn_place() for the request of a peer. The key may also be that of
 * a window bound on via.qpn: then the rights and bounds of the window decide. The region behind the
 * window is looked up each time; if the region does not exist any more, the verdict is
 * RN_V_REQ_RKEY. To be called by the shard of via.qpn. */
enum rn_verdict rn_mr_check_remote(const struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
				   uint64_t addr, uint64_t len, uint32_t need, void **ptr);
enum rn_verdict rn_gather_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				 uint32_t key, struct rn_mr_via via, uint64_t addr, uint32_t len,
				 uint32_t need, void *dst);
enum rn_verdict rn_place_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				uint32_t key, struct rn_mr_via via, uint64_t addr, uint32_t len,
				uint32_t need, const void *src);
/* Compare-and-swap (if `swap`) or fetch-and-add on the 8 bytes at addr, with the checks of
 * rn_mr_check_remote(). Sets *old to the value before the operation. A further verdict is
 * RN_V_REQ_MISALIGNED: addr or the memory at addr is not aligned to 8 bytes. */
enum rn_verdict rn_atomic_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				 uint32_t key, struct rn_mr_via via, uint64_t addr, bool swap,
				 const struct rn_atomic *operands, uint64_t *old);

/* ---- memory windows ---- */

/* Adds an unbound window. *shared must outlive the window. *id names the window in other calls. It
 * is not a key for accesses; the key of a BIND has the same upper 24 bits as *id. -ENOSPC: the
 * table is full. To be called on the control thread. */
int rn_mw_add(struct rn_mr_table *t, uint32_t pd, struct rn_mw_shared *shared, uint32_t *id);
/* Removes an unbound window, so that it cannot be bound any more; rn_mr_reclaim(id) frees the slot.
 * -ENOENT: no such window. -EBUSY: a QP has bound the window or is just binding it, and *qpn is set
 * to its number; the caller must make that QP's shard call rn_mw_unbind(), and then try again. To
 * be called on the control thread. */
int rn_mw_remove(struct rn_mr_table *t, uint32_t id, uint32_t *qpn);

/* A list of the windows that one QP owns, linked through the table's slots. All zero: empty. */
struct rn_mw_list {
	uint32_t first;
};

/* The functions below are called by the shard of via.qpn. The upper 24 bits of `key` select the
 * window. The low byte is ignored, except in the functions whose comment says how they use it. */

/* Exposes [addr, addr + b->length) under `key`, whose low byte must not be 0. Returns false in
 * these cases: (1) the window does not belong to this PD, another QP owns it, or it has a valid
 * key; (2) the range is not within a region of this PD that allows windows and grants the access;
 * (3) b->access has other bits than those for remote access. */
bool rn_mw_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
		const struct rn_bind *b, struct rn_mw_list *bound);
/* Makes the key (all 32 bits) invalid. The QP goes on owning the window until rn_mw_release().
 * Returns false if no window is bound on this QP with this key. */
bool rn_mw_invalidate(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via);
/* To be called after rn_mw_invalidate() of the same key (all 32 bits): reports in the window's
 * rn_mw_shared that the key is no longer bound, and releases the window, so that any QP may bind
 * it. No effect if the key was not invalidated. */
void rn_mw_release(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
		   struct rn_mw_list *bound);
/* If this QP owns the window: invalidates its key, whatever it is, and releases the window at
 * once. */
void rn_mw_unbind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
		  struct rn_mw_list *bound);
/* rn_mw_unbind() for all windows on the list. */
void rn_mw_unbind_all(struct rn_mr_table *t, struct rn_mw_list *bound);
/* For a bind that failed before the window was bound: marks `key` (all 32 bits) as ended in the
 * window's rn_mw_shared. Otherwise the client would wait for ever until the key becomes invalid.
 * Does nothing if a QP owns the window. */
void rn_mw_cancel_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via);

#endif
