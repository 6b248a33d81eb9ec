/* How the core reads and writes application memory: functions that the caller of rn_shard_create() brings. */
#ifndef RN_MEM_OPS_H
#define RN_MEM_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The only ways to application memory. `ptr` comes from the MR table just now. Return false on a fault (memory
 * unmapped, protected or truncated by the application): nothing may crash. `place` stores ascending, the last
 * bytes last, as one ordinary store after a barrier: a client may poll the last byte. The last two are one step to every
 * CPU; ptr is 8-byte aligned, *old is what was there. */
struct rn_mem_ops {
	bool (*gather)(void *dst, const void *ptr, size_t n);
	bool (*place)(void *ptr, const void *src, size_t n);
	bool (*cmp_swap)(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old);
	bool (*fetch_add)(void *ptr, uint64_t add, uint64_t *old);
};
extern const struct rn_mem_ops rn_mem_plain; /* no fault recovery: simulator and tests */

#endif
