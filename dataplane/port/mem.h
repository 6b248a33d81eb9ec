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

/* Any thread, after rn_mem_install(). */
extern const struct rn_mem_ops rn_mem_guarded;

#endif
