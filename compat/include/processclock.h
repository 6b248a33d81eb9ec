/*
 * This process: who it is, where it may run, how much time it took, how it ends. No other process
 * can be named; a handle that is not GetCurrentProcess() answers ERROR_INVALID_HANDLE.
 */
#ifndef COMPAT_PROCESSCLOCK_H
#define COMPAT_PROCESSCLOCK_H

#include "minwinbase.h"

#define ALL_PROCESSOR_GROUPS 0xffff

COMPAT_BEGIN

/* Not to be closed. */
HANDLE GetCurrentProcess(void);

/* As getpid. */
DWORD GetCurrentProcessId(void);

/* 0, ERROR_INVALID_HANDLE. */
DWORD GetProcessId(HANDLE process);

/* Runs what atexit registered, on the calling thread. Linux keeps the low 8 bits of the code. */
DECLSPEC_NORETURN void ExitProcess(UINT code);

/* Ends at once, nothing is flushed. Returns only when it fails. */
BOOL TerminateProcess(HANDLE process, UINT code);

/* Time that all processors spent, in 100 ns; as on Windows the kernel's includes the idle. Steps of 10 ms. */
BOOL GetSystemTimes(FILETIME *idle, FILETIME *kernel, FILETIME *user);

/* `ended` is 0: the process runs. */
BOOL GetProcessTimes(HANDLE process, FILETIME *created, FILETIME *ended, FILETIME *kernel, FILETIME *user);

/* The calling thread alone: GetCurrentThread(). */
BOOL GetThreadTimes(HANDLE thread, FILETIME *created, FILETIME *ended, FILETIME *kernel, FILETIME *user);

/* Nanoseconds of processor time; Windows counts cycles. */
BOOL QueryProcessCycleTime(HANDLE process, ULONG64 *cycles);

/* The same of the calling thread. */
BOOL QueryThreadCycleTime(HANDLE thread, ULONG64 *cycles);

/* Of the first 64 processors. */
BOOL GetProcessAffinityMask(HANDLE process, DWORD_PTR *mask, DWORD_PTR *system);

/* For the threads that exist, and those they start. ERROR_INVALID_PARAMETER: no processor that there is. */
BOOL SetProcessAffinityMask(HANDLE process, DWORD_PTR mask);

/* Processors online; there is one group, so group 0 or ALL_PROCESSOR_GROUPS, and 0 for another. */
DWORD GetActiveProcessorCount(WORD group);

/* Processors that could be online. */
DWORD GetMaximumProcessorCount(WORD group);

/* 1. */
WORD GetActiveProcessorGroupCount(void);

/* 1. */
WORD GetMaximumProcessorGroupCount(void);

/* Nothing to do: Linux has no working sets to size. TRUE. */
BOOL SetProcessWorkingSetSize(HANDLE process, SIZE_T least, SIZE_T most);

/* Accepted, and nothing changes: classes of priority are not those of Linux. */
BOOL SetPriorityClass(HANDLE process, DWORD priority);

COMPAT_END

#define IDLE_PRIORITY_CLASS	    0x00000040
#define BELOW_NORMAL_PRIORITY_CLASS 0x00004000
#define NORMAL_PRIORITY_CLASS	    0x00000020
#define ABOVE_NORMAL_PRIORITY_CLASS 0x00008000
#define HIGH_PRIORITY_CLASS	    0x00000080
#define REALTIME_PRIORITY_CLASS	    0x00000100

#endif
