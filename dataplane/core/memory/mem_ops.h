/* The functions with which the core reads and writes application memory; the caller of
 * rn_shard_create() supplies them. */
#ifndef RN_MEM_OPS_H
#define RN_MEM_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All accesses of the core to application memory go through these functions. Shard threads call
 * them with a `ptr` that the table of memory regions (mr.c) has just checked. Each returns false on
 * a fault, that is when the application has unmapped, protected or truncated the memory; a fault
 * must not crash the program.
 *
 * `place` copies in ascending order and stores the last byte last, with an ordinary store after a
 * barrier, because a client may poll the last byte. `cmp_swap` and `fetch_add` are atomic for all
 * CPUs; ptr is 8-byte aligned, and *old gets the value before the operation. */
struct rn_mem_ops {
	bool (*gather)(void *dst, const void *ptr, size_t n);
	bool (*place)(void *ptr, const void *src, size_t n);
	bool (*cmp_swap)(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old);
	bool (*fetch_add)(void *ptr, uint64_t add, uint64_t *old);
};
/* plain copies that crash on a fault: for simulator and tests */
extern const struct rn_mem_ops rn_mem_plain;

#endif
