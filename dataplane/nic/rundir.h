/* Cleans up EAL's run directory of this process, by default /var/run/dpdk/rnPID. The functions run
 * in a control thread, under the lock of the in-process link (inproc.c). */
#ifndef RN_NIC_RUNDIR_H
#define RN_NIC_RUNDIR_H

#include <stdbool.h>

/* To be called after EAL has started. With `shared`, other processes may attach to the shared
 * memory while this one runs, so the files stay until exit. Without it, the directory is removed if
 * it is empty, now and once more at exit. */
void rn_rundir_started(bool shared);

/* To be called after EAL failed to start: removes all files that it created, unless another process
 * uses the directory. */
void rn_rundir_failed(void);

/* To be called before EAL starts: registers the removal of the directory at exit. atexit handlers
 * run in reverse order, so EAL's own handlers, which remove EAL's sockets, run first. */
void rn_rundir_at_exit(void);

#endif
