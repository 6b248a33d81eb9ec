/* Threads, and values that each of them has for itself. */
#ifndef COMPAT_PROCESSTHREADSAPI_H
#define COMPAT_PROCESSTHREADSAPI_H

#include "minwinbase.h"

#define CREATE_SUSPENDED		  0x00000004
#define STACK_SIZE_PARAM_IS_A_RESERVATION 0x00010000

#define THREAD_PRIORITY_IDLE	      (-15)
#define THREAD_PRIORITY_LOWEST	      (-2)
#define THREAD_PRIORITY_BELOW_NORMAL  (-1)
#define THREAD_PRIORITY_NORMAL	      0
#define THREAD_PRIORITY_ABOVE_NORMAL  1
#define THREAD_PRIORITY_HIGHEST	      2
#define THREAD_PRIORITY_TIME_CRITICAL 15
#define THREAD_PRIORITY_ERROR_RETURN  0x7fffffff

#define TLS_MINIMUM_AVAILABLE 64
#define TLS_OUT_OF_INDEXES    0xFFFFFFFFu

COMPAT_BEGIN

/* The handle can be waited for. flags: CREATE_SUSPENDED. A stack smaller than the system's default is that default. */
HANDLE CreateThread(LPSECURITY_ATTRIBUTES attributes, SIZE_T stack, LPTHREAD_START_ROUTINE start, LPVOID parameter,
		    DWORD flags, LPDWORD id);

/* Unwinds the stack as pthread_exit does: C++ destructors run. */
DECLSPEC_NORETURN void ExitThread(DWORD code);

/* STILL_ACTIVE while it runs. ERROR_INVALID_HANDLE: not a thread of CreateThread. */
BOOL GetExitCodeThread(HANDLE thread, LPDWORD code);

/* For a thread created suspended: the count it had, 0 when it runs already. -1: ERROR_INVALID_HANDLE. */
DWORD ResumeThread(HANDLE thread);

/* TRUE if the system was asked; it never says whether another thread ran. */
BOOL SwitchToThread(void);

/* A pseudo handle, -2: the calling thread to the calls of this header. It cannot be waited for. */
HANDLE GetCurrentThread(void);

/* The number the system gives it, unique on this machine. */
DWORD GetCurrentThreadId(void);

/* Of a thread of CreateThread or the calling one; 0 with ERROR_INVALID_HANDLE. */
DWORD GetThreadId(HANDLE thread);

/* The former mask of processors 0 to 63; 0 with ERROR_INVALID_PARAMETER when none of the mask may be used. */
DWORD_PTR SetThreadAffinityMask(HANDLE thread, DWORD_PTR mask);

/* There is group 0 only. former may be NULL. */
BOOL SetThreadGroupAffinity(HANDLE thread, const GROUP_AFFINITY *affinity, PGROUP_AFFINITY former);

/* A wish, not kept: answers the processor of the last wish, at first MAXIMUM_PROCESSORS; -1 for a processor that is none. */
DWORD SetThreadIdealProcessor(HANDLE thread, DWORD processor);

/* The same with groups, of which there is number 0 only. former may be NULL. */
BOOL SetThreadIdealProcessorEx(HANDLE thread, PPROCESSOR_NUMBER ideal, PPROCESSOR_NUMBER former);

/* As a nice value, as far as the system permits: raising it needs a privilege and is TRUE without, too. */
BOOL SetThreadPriority(HANDLE thread, int priority);

/* What SetThreadPriority was told last; THREAD_PRIORITY_ERROR_RETURN: not a thread. */
int GetThreadPriority(HANDLE thread);

/* The first 15 bytes, for debuggers and ps; S_OK. */
HRESULT SetThreadDescription(HANDLE thread, PCWSTR description);

/* Where the calling thread runs at this moment. */
DWORD GetCurrentProcessorNumber(void);

/* The same with its group, 0. */
void GetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number);

/* TLS_OUT_OF_INDEXES: all 128 are taken, by this call or FlsAlloc. The value is NULL in each thread. */
DWORD TlsAlloc(void);

/* ERROR_INVALID_PARAMETER: not taken. */
BOOL TlsFree(DWORD index);

/* NULL until it is set; the last error says whether the index was good: 0 or ERROR_INVALID_PARAMETER. */
LPVOID TlsGetValue(DWORD index);

/* Of the calling thread. ERROR_INVALID_PARAMETER: not taken. */
BOOL TlsSetValue(DWORD index, LPVOID value);

COMPAT_END

#endif
