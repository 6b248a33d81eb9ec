/* Memory regions and windows: their keys, the checks of an access, and the functions that copy
 * application memory.
 *
 * Each NIC has one table. The control thread adds and removes regions and windows, one call at a
 * time. All shards check accesses and copy memory concurrently, without locks. Removing a region
 * makes its key invalid at once, but a shard may still be using the memory. The caller waits until
 * every shard has passed a quiescent point, at which the shard uses no region. Then the caller
 * calls rn_mr_reclaim() and may reuse the memory.
 *
 * A key has 32 bits and is random, so nobody can guess a key from other keys. A removed key is
 * invalid, and stays so at least until the second next use of its slot: slot and remaining bits of
 * a new key are drawn at random, so any older key comes back only by chance. The low byte of a new
 * key is never 0; the user of a window chooses the low byte of its later keys, 0 included. The
 * number 0 is no key. Callers must not assume lkey == rkey.
 *
 * A window is a slot of the same table. A BIND sets its range and rights. Only the shard of the QP
 * on which the window is bound uses range and rights. This shard executes BIND and INVALIDATE in
 * the order of the QP's send queue. */
#ifndef RN_MR_H
#define RN_MR_H

#include "rn/abi.h"
#include "base/secret.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_mr_table;
struct rn_region;
struct rn_mem_ops;

struct rn_mr_attr {
	void *ptr;     /* address of the memory in this process */
	uint64_t iova; /* first byte's address in WQEs and packets; usually (uint64_t)ptr */
	uint64_t length;
	uint32_t pd;
	uint32_t access; /* enum rn_access */
};

/* RN_MR_MAX is the largest number of slots of a table. rn_mr_table_create() makes a table with
 * max_regions slots, for regions and windows together. Keys are drawn from the secret `keys`.
 * Returns NULL if there is no memory. */
#define RN_MR_MAX (1u << 23)
struct rn_mr_table *rn_mr_table_create(uint32_t max_regions, const struct rn_secret *keys);
void rn_mr_table_destroy(struct rn_mr_table *t);
/* Calls advise(memory, bytes, huge) for the slots of the table, which accesses read at random
 * places: now with huge = false, so that a table with few regions stays small, and when the table
 * is well filled with huge = true: the callee may then ask the kernel for huge pages. The second
 * call comes from rn_mr_add() or rn_mw_add(). To be called before these. */
void rn_mr_table_advise(struct rn_mr_table *t,
			void (*advise)(void *memory, size_t bytes, bool huge));

/* Adds a region and publishes its keys. -EINVAL: iova + length or ptr + length wraps. -ENOSPC: the
 * table is full. Runs on the control thread. */
int rn_mr_add(struct rn_mr_table *t, const struct rn_mr_attr *attr, uint32_t *lkey, uint32_t *rkey);
/* Makes the keys of a region invalid. -ENOENT: there is no such region. rn_mr_reclaim() frees the
 * slot later. Runs on the control thread. */
int rn_mr_remove(struct rn_mr_table *t, uint32_t lkey);
/* Changes a region under its keys, in two steps. rn_mr_suspend() makes the keys invalid; -ENOENT:
 * there is no such region; -EINVAL: a range of *attr wraps. When every shard has passed a quiescent
 * point, rn_mr_resume() gives the region the attributes *attr and makes the keys valid again.
 * Between the two calls rn_mr_remove() fails with -ENOENT. Both run on the control thread. */
int rn_mr_suspend(struct rn_mr_table *t, uint32_t lkey, const struct rn_mr_attr *attr);
void rn_mr_resume(struct rn_mr_table *t, uint32_t lkey, const struct rn_mr_attr *attr);
/* Frees the slot of a removed region or window. Every shard must have passed a quiescent point
 * since the removal. Runs on the control thread. */
void rn_mr_reclaim(struct rn_mr_table *t, uint32_t lkey);
/* Returns the number of regions and windows in the table, without removed ones. Exact on the
 * control thread; any shard may call this function for an estimate. */
uint32_t rn_mr_count(const struct rn_mr_table *t);

/* Checks an access by a local WQE to [addr, addr + len); len must not be 0. `need` is a set of enum
 * rn_access bits, 0 = local read. On RN_V_OK, *ptr points to the byte at addr. Any shard may call
 * this function.
 * - RN_V_REQ_RKEY: no such key in this PD, or the key of a window.
 * - RN_V_REQ_RIGHTS: the region lacks a bit of `need`.
 * - RN_V_REQ_BOUNDS: not within the region. */
enum rn_verdict rn_mr_check(const struct rn_mr_table *t, uint32_t key, uint32_t pd, uint64_t addr,
			    uint64_t len, uint32_t need, void **ptr);

/* Check an access like rn_mr_check() and then copy: rn_gather() from the region to dst, rn_place()
 * from src to the region. RN_V_REQ_FAULT: the key is valid, but the application has unmapped the
 * memory. If icrc is not NULL, rn_gather() continues the CRC *icrc over the bytes in dst, in the
 * same pass. Any shard may call these functions. */
enum rn_verdict rn_gather(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			  uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, void *dst,
			  uint32_t *icrc);
enum rn_verdict rn_place(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key,
			 uint32_t pd, uint64_t addr, uint32_t len, uint32_t need, const void *src);

/* Where a caller found its last key (rn_mr_published_again() in mr_check.h). */
struct rn_mr_last {
	const struct rn_region *region;
	uint32_t key;
};

/* The QP on which a peer's request arrived. Only the shard of this QP may use this struct. */
struct rn_mr_via {
	uint32_t pd, qpn;
};

/* Like rn_mr_check(), rn_gather() and rn_place(), but for a peer's request. The key may also name a
 * window that is bound on via.qpn. The access must then be within the rights and bounds of this
 * window. RN_V_REQ_RKEY can also mean that the window's region is gone. Runs on the shard of
 * via.qpn. */
enum rn_verdict rn_mr_check_remote(const struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
				   uint64_t addr, uint64_t len, uint32_t need, void **ptr);
enum rn_verdict rn_gather_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				 uint32_t key, struct rn_mr_via via, uint64_t addr, uint32_t len,
				 uint32_t need, void *dst, uint32_t *icrc);
enum rn_verdict rn_place_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				uint32_t key, struct rn_mr_via via, uint64_t addr, uint32_t len,
				uint32_t need, const void *src);
/* Does a compare-and-swap (if `swap`) or a fetch-and-add on the 8 bytes at addr, with the checks of
 * rn_mr_check_remote(). *old gets the value before the operation. RN_V_REQ_MISALIGNED: addr or the
 * memory at addr is not aligned to 8 bytes. Runs on the shard of via.qpn. */
enum rn_verdict rn_atomic_remote(const struct rn_mr_table *t, const struct rn_mem_ops *mem,
				 uint32_t key, struct rn_mr_via via, uint64_t addr, bool swap,
				 const struct rn_atomic *operands, uint64_t *old);

/* ---- memory windows ---- */

/* Adds an unbound window. *shared must outlive the window. *id names the window but is no key; the
 * key of a BIND has the upper 24 bits of *id. -ENOSPC: the table is full. Runs on the control
 * thread. */
int rn_mw_add(struct rn_mr_table *t, uint32_t pd, struct rn_mw_shared *shared, uint32_t *id);
/* Removes an unbound window; rn_mr_reclaim(id) frees the slot later. Runs on the control thread.
 * -ENOENT: there is no such window. -EBUSY: a QP owns the window, and *qpn is its QPN. The caller
 * must make this QP's shard call rn_mw_unbind() and then try again. */
int rn_mw_remove(struct rn_mr_table *t, uint32_t id, uint32_t *qpn);

/* The list of the windows that one QP owns, linked through the table's slots. All zero means an
 * empty list. */
struct rn_mw_list {
	uint32_t first;
};

/* The shard of via.qpn calls the functions below. The upper 24 bits of `key` select the window. The
 * low byte matters only in functions whose comment says so. */

/* Binds the window: exposes [addr, addr + b->length) under `key`, which must not be 0. Returns
 * false if
 * - the window belongs to another PD or QP, or has a valid key,
 * - no region of this PD contains the range, allows windows and grants the access,
 * - b->access has bits that are not for remote access. */
bool rn_mw_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
		const struct rn_bind *b, struct rn_mw_list *bound);
/* Like rn_mw_bind(), for a window of type 1: if the QP owns the window, first invalidates its key
 * and releases it. With b->length 0 that is all; `key` is then never valid. rn_mw_invalidate()
 * refuses the key of this binding. Also returns false if the window is to be released only, but
 * belongs to another PD or QP. */
bool rn_mw_rebind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via, uint64_t addr,
		  const struct rn_bind *b, struct rn_mw_list *bound);
/* Makes the key (all 32 bits) invalid. The QP still owns the window until rn_mw_release(). Returns
 * false if no window is bound on this QP with this key by rn_mw_bind(). */
bool rn_mw_invalidate(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via);
/* Releases a window after rn_mw_invalidate() of the same key (all 32 bits), so that any QP may bind
 * the window. Reports in the window's rn_mw_shared that the key is no longer bound. Has no effect
 * if the key was not invalidated. */
void rn_mw_release(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
		   struct rn_mw_list *bound);
/* If this QP owns the window, invalidates its key, whatever the key is, and releases the window. */
void rn_mw_unbind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via,
		  struct rn_mw_list *bound);
/* Calls rn_mw_unbind() for all windows in the list. */
void rn_mw_unbind_all(struct rn_mr_table *t, struct rn_mw_list *bound);
/* For a BIND that failed or was never executed: stores `key` (all 32 bits) in the member `ended` of
 * the window's rn_mw_shared. Otherwise the client could never bind the window again. Has no effect
 * if a QP owns the window. */
void rn_mw_cancel_bind(struct rn_mr_table *t, uint32_t key, struct rn_mr_via via);

#endif
