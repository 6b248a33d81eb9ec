/* The folder in which EAL has the files of a process, by default /var/run/dpdk/rnPID. Control thread, under the link's
 * lock. */
#ifndef RN_NIC_RUNDIR_H
#define RN_NIC_RUNDIR_H

#include <stdbool.h>

/* EAL has been started, or has tried. shared: others may attach as long as this process lives, so what is in the folder
 * stays until exit; else the folder goes now if it is empty, and again at exit. */
void rn_rundir_started(bool shared);

/* EAL could not be started: everything that it put there goes, unless another process has its files there. */
void rn_rundir_failed(void);

/* Before EAL registers functions of its own for exit: what removes sockets must run before the folder goes. */
void rn_rundir_at_exit(void);

#endif
