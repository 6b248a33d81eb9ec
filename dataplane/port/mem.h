/* Application memory, touched without trusting it: struct rn_mem_ops whose accesses end in `false`, not in a crash, when
 * the application has unmapped, protected or truncated what it registered. */
#ifndef RN_MEM_H
#define RN_MEM_H

#include "core.h"

/* Installs the SIGSEGV and SIGBUS handlers (counted). They act only on faults inside mem.c's copy routine and pass all
 * others to the handler that was there before. Not thread safe: the caller serialises. 0 or -errno. */
int rn_mem_install(void);
/* The last one puts the former handlers back, unless somebody has put another over ours meanwhile: that one is taken to
 * pass faults on to ours, which stays where it is then, also for the next install. */
void rn_mem_uninstall(void);

/* Around a turn that an application's thread makes, which may have blocked any signal: the kernel would end the process
 * for a fault of that thread. Its mask is looked up at most every 50 us, and is its own again after rn_mem_restore(). A
 * thread that blocks SIGSEGV or SIGBUS is served, at the price of two system calls a turn. */
void rn_mem_expose(rn_time now);
void rn_mem_restore(void);

/* Any thread whose SIGSEGV and SIGBUS are not blocked, after rn_mem_install(). */
extern const struct rn_mem_ops rn_mem_guarded;

#endif
