/* The functions with which the core reads and writes application memory. The caller of
 * rn_shard_create() supplies these functions. */
#ifndef RN_MEM_OPS_H
#define RN_MEM_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All accesses of the core to application memory go through these functions. Shard threads pass a
 * `ptr` that the table of memory regions (mr.c) has just checked. If the application has unmapped,
 * protected or truncated the memory, the function returns false and does not crash.
 *
 * `gather_icrc` copies like `gather`, and continues the CRC *icrc (wire/icrc.h) over the bytes that
 * it stores at dst. After a fault *icrc has no meaning.
 *
 * `place` stores the last byte last, with an ordinary store after a barrier, because a client may
 * poll this byte. Other bytes are copied in ascending order. `cmp_swap` and `fetch_add` are atomic
 * for all CPUs. Their ptr is 8-byte aligned; *old gets the value before the operation. */
struct rn_mem_ops {
	bool (*gather)(void *dst, const void *ptr, size_t n);
	bool (*place)(void *ptr, const void *src, size_t n);
	bool (*cmp_swap)(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old);
	bool (*fetch_add)(void *ptr, uint64_t add, uint64_t *old);
	bool (*gather_icrc)(void *dst, const void *ptr, size_t n, uint32_t *icrc);
};

/* Calls `gather`, or `gather_icrc` if icrc is not NULL. */
static inline bool rn_mem_gather(const struct rn_mem_ops *mem, void *dst, const void *ptr, size_t n,
				 uint32_t *icrc)
{
	return icrc ? mem->gather_icrc(dst, ptr, n, icrc) : mem->gather(dst, ptr, n);
}

/* Plain memory accesses for simulator and tests; a fault crashes the program. */
extern const struct rn_mem_ops rn_mem_plain;

#endif
