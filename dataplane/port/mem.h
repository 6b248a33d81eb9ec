/* Access to application memory. When the application has unmapped, protected or truncated memory
 * that it registered, the functions of rn_mem_guarded return false instead of crashing. */
#ifndef RN_MEM_H
#define RN_MEM_H

#include "shard/core.h"
#include "wire/icrc_kernel.h"

/* Installs the handlers for SIGSEGV and SIGBUS, and counts the calls. The handlers act only on
 * faults inside the routines of mem.c, and pass all other faults on to the former handlers. Returns
 * 0 or -errno. Not thread-safe; the caller must hold a lock. */
int rn_mem_install(void);
/* Restores the former handlers when called as often as rn_mem_install(). If another handler was
 * installed over mem.c's handler in the meantime, mem.c's handler stays in place: the other handler
 * may pass faults on to it. The next rn_mem_install() then uses mem.c's handler again. */
void rn_mem_uninstall(void);

/* To be called before and after an application's thread polls a shard. rn_mem_unblock() unblocks
 * SIGSEGV and SIGBUS, and rn_mem_restore() restores the thread's signal mask. The kernel ends a
 * process at a fault whose signal is blocked.
 * The mask is checked at most every 50 us. In a thread that blocks one of the signals, each poll
 * iteration costs two system calls. */
void rn_mem_unblock(rn_time now);
void rn_mem_restore(void);

/* Asks the kernel to use huge pages for those that lie within a large table, or none. With small
 * pages random accesses to the table often miss in the TLB, but pages without data need no memory.
 * Has no effect if the kernel has no huge pages. */
void rn_mem_advise_pages(void *memory, size_t bytes, bool huge);

/* The functions by which shards access application memory. To be called after rn_mem_install(), in
 * a thread that has neither SIGSEGV nor SIGBUS blocked. */
extern const struct rn_mem_ops rn_mem_guarded;
/* rn_mem_guarded.gather_icrc with the given kernel, which the processor can run. For tests and
 * benchmarks: rn_mem_guarded uses the fastest kernel. */
bool rn_mem_gather_icrc(enum rn_icrc_kernel_id id, void *dst, const void *ptr, size_t n,
			uint32_t *icrc);

#endif
