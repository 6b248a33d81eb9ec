/* Memory regions: keys, one check function, and the only two functions that touch application memory.
 *
 * One table per NIC. add and remove are called by the NIC's control thread (serialised by the caller); check, gather
 * and place by every shard, concurrently, without locks. An entry is unpublished by remove; its slot and its memory may
 * be reused only after every shard has passed a quiescent point (rn_mr_reclaim()), which is the caller's to wait
 * for. Keys: slot number permuted by a secret, low byte a variant that changes with every use of the slot, so that keys
 * can't be guessed in sequence and stale ones die. lkey == rkey is NOT promised to callers.
 */
#ifndef RN_MR_H
#define RN_MR_H

#include "rn/abi.h"
#include "types.h"
#include "verdict.h"

struct rn_mr_table;
struct rn_mem_ops;

struct rn_mr_attr {
	void *ptr;       /* where the memory is for us (a daemon's own mapping later) */
	uint64_t iova;   /* address by which WQEs and peers name its first byte; usually (uint64_t)ptr */
	uint64_t length;
	uint32_t pd;
	uint32_t access; /* enum rn_access */
};

struct rn_mr_table *rn_mr_table_create(uint32_t max_regions, uint64_t seed); /* NULL: no memory */
void rn_mr_table_destroy(struct rn_mr_table *t);

/* 0, -EINVAL (wraps), -ENOSPC (table full). */
int rn_mr_add(struct rn_mr_table *t, const struct rn_mr_attr *attr, uint32_t *lkey, uint32_t *rkey);
/* Unpublishes. 0 or -ENOENT. The slot comes back with rn_mr_reclaim(). */
int rn_mr_remove(struct rn_mr_table *t, uint32_t lkey);
/* After a grace period: the slot of a removed lkey may be used again. */
void rn_mr_reclaim(struct rn_mr_table *t, uint32_t lkey);
uint32_t rn_mr_count(const struct rn_mr_table *t);

/* One check for all uses: RN_V_OK, RN_V_REQ_RKEY (key or PD), RN_V_REQ_RIGHTS, RN_V_REQ_BOUNDS. need: enum rn_access
 * bits that must all be granted (0 = local read). On RN_V_OK *ptr is where [addr, addr+len) is. len 0 is not checked
 * by callers at all. Any shard. */
enum rn_verdict rn_mr_check(const struct rn_mr_table *t, uint32_t key, uint32_t pd, uint64_t addr, uint64_t len,
			    uint32_t need, void **ptr);

/* check, then touch. RN_V_REQ_FAULT when the memory behind a valid key is gone. */
enum rn_verdict rn_gather(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key, uint32_t pd,
			  uint64_t addr, uint32_t len, uint32_t need, void *dst);
enum rn_verdict rn_place(const struct rn_mr_table *t, const struct rn_mem_ops *mem, uint32_t key, uint32_t pd,
			 uint64_t addr, uint32_t len, uint32_t need, const void *src);

#endif
