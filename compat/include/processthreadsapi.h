/* Threads, and values that each thread stores for itself. */
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

/*
 * The handle can be waited for. The only flag with an effect is CREATE_SUSPENDED. A stack has at
 * least the system's default size.
 */
HANDLE CreateThread(LPSECURITY_ATTRIBUTES attributes, SIZE_T stack, LPTHREAD_START_ROUTINE start,
		    LPVOID parameter, DWORD flags, LPDWORD id);

/* Unwinds the stack as pthread_exit() does, so C++ destructors run. */
DECLSPEC_NORETURN void ExitThread(DWORD code);

/*
 * The code is STILL_ACTIVE while the thread runs. Fails with ERROR_INVALID_HANDLE for other than
 * CreateThread's handles.
 */
BOOL GetExitCodeThread(HANDLE thread, LPDWORD code);

/*
 * Returns 1 for a thread that was created suspended and now starts, 0 for a running one, -1 with
 * ERROR_INVALID_HANDLE.
 */
DWORD ResumeThread(HANDLE thread);

/* Returns TRUE once the processor was offered; Linux does not report whether another thread ran. */
BOOL SwitchToThread(void);

/*
 * Returns a pseudo handle (-2) that names the calling thread in the functions of this header. It
 * cannot be waited for.
 */
HANDLE GetCurrentThread(void);

/* Returns the thread id of Linux, which is unique on this machine. */
DWORD GetCurrentThreadId(void);

/*
 * Takes a handle of CreateThread or the calling thread's pseudo handle; returns 0 with
 * ERROR_INVALID_HANDLE for others.
 */
DWORD GetThreadId(HANDLE thread);

/*
 * Returns the former mask of processors 0 to 63; 0 with ERROR_INVALID_PARAMETER if no processor of
 * the mask may be used.
 */
DWORD_PTR SetThreadAffinityMask(HANDLE thread, DWORD_PTR mask);

/* Only group 0 exists. `former` may be NULL. */
BOOL SetThreadGroupAffinity(HANDLE thread, const GROUP_AFFINITY *affinity, PGROUP_AFFINITY former);

/*
 * Stores the number without any effect on scheduling. Returns the one stored before, at first
 * MAXIMUM_PROCESSORS; -1 on failure.
 */
DWORD SetThreadIdealProcessor(HANDLE thread, DWORD processor);

/* Same as SetThreadIdealProcessor, with a group, which must be 0. `former` may be NULL. */
BOOL SetThreadIdealProcessorEx(HANDLE thread, PPROCESSOR_NUMBER ideal, PPROCESSOR_NUMBER former);

/*
 * Sets a nice value. Raising the priority needs a privilege; without it the call returns TRUE and
 * has no effect.
 */
BOOL SetThreadPriority(HANDLE thread, int priority);

/*
 * Returns the priority last set with SetThreadPriority; THREAD_PRIORITY_ERROR_RETURN if the handle
 * is not a thread.
 */
int GetThreadPriority(HANDLE thread);

/* Sets the name that debuggers and ps show, cut to 15 bytes. Returns S_OK. */
HRESULT SetThreadDescription(HANDLE thread, PCWSTR description);

/* Returns the processor that the calling thread runs on at this moment. */
DWORD GetCurrentProcessorNumber(void);

/* Same as GetCurrentProcessorNumber, with the group, which is 0. */
void GetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number);

/*
 * The value is NULL in each thread at first. TlsAlloc and FlsAlloc share 128 indexes; without a
 * free one returns TLS_OUT_OF_INDEXES.
 */
DWORD TlsAlloc(void);

/* Fails with ERROR_INVALID_PARAMETER if the index is not allocated. */
BOOL TlsFree(DWORD index);

/*
 * Returns NULL until a value is set. Sets the last error to 0, or to ERROR_INVALID_PARAMETER if the
 * index is not allocated.
 */
LPVOID TlsGetValue(DWORD index);

/*
 * Sets the value of the calling thread. Fails with ERROR_INVALID_PARAMETER if the index is not
 * allocated.
 */
BOOL TlsSetValue(DWORD index, LPVOID value);

COMPAT_END

#endif
