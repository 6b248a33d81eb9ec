/* Access to application memory that survives faults: the functions of rn_mem_guarded return false
 * instead of crashing when the application has unmapped, protected or truncated memory that it
 * registered. */
#ifndef RN_MEM_H
#define RN_MEM_H

#include "shard/core.h"

/* Installs the handlers for SIGSEGV and SIGBUS; calls are counted. The handlers act only on faults
 * inside mem.c's copy routines and pass all others to the handlers that were installed before. Not
 * thread-safe; the caller must hold a lock. Returns 0 or -errno. */
int rn_mem_install(void);
/* The call that matches the first rn_mem_install() restores the former handlers. If another handler
 * was installed over ours in the meantime, ours stays in place, because the other one may pass
 * faults on to it. The next rn_mem_install() then uses it again. */
void rn_mem_uninstall(void);

/* To be called before and after an application's thread polls a shard. Such a thread may have
 * blocked SIGSEGV or SIGBUS, and for a fault whose signal is blocked the kernel ends the process.
 * rn_mem_unblock() unblocks both signals and rn_mem_restore() restores the thread's mask. The mask
 * is checked at most every 50 us; a thread that does block one of the signals needs two system
 * calls per poll. */
void rn_mem_unblock(rn_time now);
void rn_mem_restore(void);

/* The access functions for the shards. They may be called after rn_mem_install(), in any thread in
 * which SIGSEGV and SIGBUS are not blocked. */
extern const struct rn_mem_ops rn_mem_guarded;

#endif
