/* Cleans up run directories: that of EAL, by default /var/run/dpdk/rnPID, and those of the ports of
 * softrnicd (daemon_port.h). The functions run in a control thread, under the lock of the
 * in-process link (inproc.c). */
#ifndef RN_NIC_RUNDIR_H
#define RN_NIC_RUNDIR_H

#include <stdbool.h>

/* To be called after EAL has started. With `shared`, other processes may attach to the shared
 * memory while this process runs, so the files stay until exit. Without `shared`, the directory is
 * removed now if it is empty, and otherwise at exit if it is empty then. */
void rn_rundir_started(bool shared);

/* To be called after EAL failed to start. Removes all files in the run directory, unless another
 * process uses the directory. */
void rn_rundir_failed(void);

/* Removes the directories PREFIX-PID... in `base` that dead processes of this user have left, with
 * the sockets in them. A directory with any other file stays. */
void rn_rundir_sweep(const char *base, const char *prefix);

/* To be called before EAL starts. Registers a function that removes the run directory at exit.
 * atexit handlers run in reverse order, so EAL's own handlers, which remove EAL's sockets, run
 * first. */
void rn_rundir_at_exit(void);

#endif
