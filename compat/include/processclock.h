/*
 * The current process: its id, processors, times and end. Other processes cannot be used: a handle
 * that is not GetCurrentProcess() fails with ERROR_INVALID_HANDLE.
 */
#ifndef COMPAT_PROCESSCLOCK_H
#define COMPAT_PROCESSCLOCK_H

#include "minwinbase.h"

#define ALL_PROCESSOR_GROUPS 0xffff

COMPAT_BEGIN

/* Returns a pseudo handle; there is no need to close it. */
HANDLE GetCurrentProcess(void);

/* Same as getpid(). */
DWORD GetCurrentProcessId(void);

/* Returns 0 with ERROR_INVALID_HANDLE on failure. */
DWORD GetProcessId(HANDLE process);

/*
 * Runs the functions of atexit() on the calling thread. Linux keeps only the low 8 bits of the
 * code.
 */
DECLSPEC_NORETURN void ExitProcess(UINT code);

/* Ends the process at once, without flushing streams. Returns only on failure. */
BOOL TerminateProcess(HANDLE process, UINT code);

/*
 * Sums over all processors in units of 100 ns, in steps of 10 ms. As on Windows, kernel time
 * includes idle time.
 */
BOOL GetSystemTimes(FILETIME *idle, FILETIME *kernel, FILETIME *user);

/* *ended is 0, because the process is running. */
BOOL GetProcessTimes(HANDLE process, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		     FILETIME *user);

/* Works for the calling thread only: pass GetCurrentThread(). */
BOOL GetThreadTimes(HANDLE thread, FILETIME *created, FILETIME *ended, FILETIME *kernel,
		    FILETIME *user);

/* Returns processor time in nanoseconds; Windows counts cycles. */
BOOL QueryProcessCycleTime(HANDLE process, ULONG64 *cycles);

/* Same as QueryProcessCycleTime, for the calling thread. */
BOOL QueryThreadCycleTime(HANDLE thread, ULONG64 *cycles);

/* The masks cover the first 64 processors. */
BOOL GetProcessAffinityMask(HANDLE process, DWORD_PTR *mask, DWORD_PTR *system);

/*
 * Applies to all threads and those they start. Fails with ERROR_INVALID_PARAMETER if the mask holds
 * no existing processor.
 */
BOOL SetProcessAffinityMask(HANDLE process, DWORD_PTR mask);

/*
 * Returns the number of processors online. There is only group 0; other groups but
 * ALL_PROCESSOR_GROUPS have 0.
 */
DWORD GetActiveProcessorCount(WORD group);

/* Returns the number of configured processors, online or not. */
DWORD GetMaximumProcessorCount(WORD group);

/* Returns 1. */
WORD GetActiveProcessorGroupCount(void);

/* Returns 1. */
WORD GetMaximumProcessorGroupCount(void);

/* Does nothing and returns TRUE: Linux has no working sets. */
BOOL SetProcessWorkingSetSize(HANDLE process, SIZE_T least, SIZE_T most);

/* Accepts the class and changes nothing: Linux has no priority classes. */
BOOL SetPriorityClass(HANDLE process, DWORD priority);

COMPAT_END

#define IDLE_PRIORITY_CLASS	    0x00000040
#define BELOW_NORMAL_PRIORITY_CLASS 0x00004000
#define NORMAL_PRIORITY_CLASS	    0x00000020
#define ABOVE_NORMAL_PRIORITY_CLASS 0x00008000
#define HIGH_PRIORITY_CLASS	    0x00000080
#define REALTIME_PRIORITY_CLASS	    0x00000100

#endif
