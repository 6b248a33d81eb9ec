/*
 * The current process: its id, its processors and its times, and functions that end the process.
 * Calls with the handle of another process fail with ERROR_INVALID_HANDLE.
 */
#ifndef COMPAT_PROCESSCLOCK_H
#define COMPAT_PROCESSCLOCK_H

#include "minwinbase.h"

#define ALL_PROCESSOR_GROUPS 0xffff

COMPAT_BEGIN

/*
 * Returns a pseudo handle (-1) for the current process. The caller need not close the pseudo
 * handle.
 */
HANDLE GetCurrentProcess(void);

/* Returns the id of the current process, as getpid() does. */
DWORD GetCurrentProcessId(void);

/*
 * Returns the id of the current process. `process` must be GetCurrentProcess(); otherwise returns 0
 * with ERROR_INVALID_HANDLE.
 */
DWORD GetProcessId(HANDLE process);

/*
 * Ends the process after running the atexit() functions on the calling thread. Linux keeps only the
 * low 8 bits of the exit code.
 */
DECLSPEC_NORETURN void ExitProcess(UINT code);

/*
 * Ends this process at once, without flushing streams. Returns FALSE with ERROR_INVALID_HANDLE for
 * another process.
 */
BOOL TerminateProcess(HANDLE process, UINT code);

/*
 * Stores the idle, kernel and user times of the machine in units of 100 ns. Each time is the sum
 * over all processors and grows in steps of 10 ms. As on Windows, *kernel includes *idle.
 */
BOOL GetSystemTimes(FILETIME *idle, FILETIME *kernel, FILETIME *user);

/*
 * Stores the start time of this process in *created, and its processor times in *kernel and *user.
 * Stores 0 in *ended.
 */
BOOL GetProcessTimes(HANDLE process, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		     FILETIME *user);

/*
 * Stores the start time of the calling thread in *created, and its processor times in *kernel and
 * *user. Fails with ERROR_INVALID_HANDLE if `thread` is not GetCurrentThread().
 */
BOOL GetThreadTimes(HANDLE thread, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		    FILETIME *user);

/* Stores the processor time of this process in *cycles, in nanoseconds. Windows stores cycles. */
BOOL QueryProcessCycleTime(HANDLE process, ULONG64 *cycles);

/*
 * Stores the processor time of the calling thread in *cycles, in nanoseconds. Windows stores
 * cycles.
 */
BOOL QueryThreadCycleTime(HANDLE thread, ULONG64 *cycles);

/*
 * Stores two masks with one bit for each of the processors 0 to 63. *mask contains the processors
 * that this process may use. *system contains the processors that are online.
 */
BOOL GetProcessAffinityMask(HANDLE process, DWORD_PTR *mask, DWORD_PTR *system);

/*
 * Sets the processors that all threads of this process, and threads started later, may use. Fails
 * with ERROR_INVALID_PARAMETER if the mask contains no existing processor.
 */
BOOL SetProcessAffinityMask(HANDLE process, DWORD_PTR mask);

/*
 * Returns the number of processors that are online. `group` must be 0 or ALL_PROCESSOR_GROUPS. For
 * any other group returns 0 with ERROR_INVALID_PARAMETER.
 */
DWORD GetActiveProcessorCount(WORD group);

/* Returns the number of configured processors, including those that are not online. */
DWORD GetMaximumProcessorCount(WORD group);

/* Returns 1: Linux has no processor groups, so all processors are in group 0. */
WORD GetActiveProcessorGroupCount(void);

/* Returns 1: Linux has no processor groups, so all processors are in group 0. */
WORD GetMaximumProcessorGroupCount(void);

/* Changes nothing and returns TRUE: Linux has no working sets. */
BOOL SetProcessWorkingSetSize(HANDLE process, SIZE_T least, SIZE_T most);

/* Changes nothing and returns TRUE: Linux has no priority classes. */
BOOL SetPriorityClass(HANDLE process, DWORD priority);

COMPAT_END

#define IDLE_PRIORITY_CLASS	    0x00000040
#define BELOW_NORMAL_PRIORITY_CLASS 0x00004000
#define NORMAL_PRIORITY_CLASS	    0x00000020
#define ABOVE_NORMAL_PRIORITY_CLASS 0x00008000
#define HIGH_PRIORITY_CLASS	    0x00000080
#define REALTIME_PRIORITY_CLASS	    0x00000100

#endif
