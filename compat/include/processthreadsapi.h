/* Threads, and thread local storage (values that each thread stores for itself). */
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
 * Starts a thread and returns its handle. A wait for the handle ends when the thread ends.
 * CREATE_SUSPENDED is the only flag with an effect. The stack is never smaller than the system's
 * default size.
 */
HANDLE CreateThread(LPSECURITY_ATTRIBUTES attributes, SIZE_T stack, LPTHREAD_START_ROUTINE start,
		    LPVOID parameter, DWORD flags, LPDWORD id);

/*
 * Ends the calling thread. ExitThread unwinds the stack, as pthread_exit() does, so C++ destructors
 * run.
 */
DECLSPEC_NORETURN void ExitThread(DWORD code);

/*
 * Stores the exit code of a thread in *code, or STILL_ACTIVE while the thread runs. Fails with
 * ERROR_INVALID_HANDLE if the handle is not from CreateThread.
 */
BOOL GetExitCodeThread(HANDLE thread, LPDWORD code);

/*
 * Starts a thread that was created suspended. Returns 1 if the thread was suspended, or 0 if the
 * thread was running. Returns -1 with ERROR_INVALID_HANDLE if the thread has ended or `thread` is
 * not a thread.
 */
DWORD ResumeThread(HANDLE thread);

/*
 * Offers the processor to other threads and always returns TRUE. On Windows, FALSE means that no
 * other thread was ready to run.
 */
BOOL SwitchToThread(void);

/*
 * Returns a pseudo handle (-2) that stands for the calling thread in the functions of this header.
 * The pseudo handle cannot be waited for.
 */
HANDLE GetCurrentThread(void);

/* Returns the Linux thread id of the calling thread, which is unique on this machine. */
DWORD GetCurrentThreadId(void);

/*
 * Returns the id of a thread. `thread` is a handle of CreateThread or GetCurrentThread(); for other
 * handles returns 0 with ERROR_INVALID_HANDLE.
 */
DWORD GetThreadId(HANDLE thread);

/*
 * Sets the processors that a thread may use, and returns the former mask. The masks cover
 * processors 0 to 63. Returns 0 with ERROR_INVALID_PARAMETER if the thread may use no processor of
 * the mask.
 */
DWORD_PTR SetThreadAffinityMask(HANDLE thread, DWORD_PTR mask);

/*
 * Sets the processors that a thread may use. Only processor group 0 exists. If `former` is not
 * NULL, *former receives the former processors.
 */
BOOL SetThreadGroupAffinity(HANDLE thread, const GROUP_AFFINITY *affinity, PGROUP_AFFINITY former);

/*
 * Stores a preferred processor, which has no effect on scheduling. Returns the former preferred
 * processor, or MAXIMUM_PROCESSORS if there was none. Returns -1 on failure.
 */
DWORD SetThreadIdealProcessor(HANDLE thread, DWORD processor);

/*
 * SetThreadIdealProcessor with a processor group, which must be 0: stores a preferred processor,
 * which has no effect on scheduling. `former` may be NULL.
 */
BOOL SetThreadIdealProcessorEx(HANDLE thread, PPROCESSOR_NUMBER ideal, PPROCESSOR_NUMBER former);

/*
 * Sets the priority of a thread: each priority of Windows stands for a nice value of Linux. A
 * higher priority needs a privilege. Without the privilege the nice value does not change, and the
 * call still returns TRUE.
 */
BOOL SetThreadPriority(HANDLE thread, int priority);

/*
 * Returns the priority last set with SetThreadPriority, or THREAD_PRIORITY_ERROR_RETURN if the
 * handle is not a thread.
 */
int GetThreadPriority(HANDLE thread);

/*
 * Sets the thread name that debuggers and ps show. Cuts the name to 15 characters and replaces
 * characters that are not ASCII by `?`. Returns S_OK.
 */
HRESULT SetThreadDescription(HANDLE thread, PCWSTR description);

/* Returns the number of the processor that the calling thread runs on at this moment. */
DWORD GetCurrentProcessorNumber(void);

/*
 * Stores where the calling thread runs at this moment: the number of the processor, and the number
 * of the processor group, which is always 0.
 */
void GetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number);

/*
 * Allocates an index at which each thread stores its own value; the value is NULL at first.
 * TlsAlloc and FlsAlloc share 128 indexes. Returns TLS_OUT_OF_INDEXES if no index is free.
 */
DWORD TlsAlloc(void);

/* Frees an index. Fails with ERROR_INVALID_PARAMETER if the index is not allocated. */
BOOL TlsFree(DWORD index);

/*
 * Returns the calling thread's value at the index, or NULL if the thread has stored none. Sets the
 * last error to 0, or to ERROR_INVALID_PARAMETER if the index is not allocated.
 */
LPVOID TlsGetValue(DWORD index);

/*
 * Stores `value` at the index. Only the calling thread sees this value. Fails with
 * ERROR_INVALID_PARAMETER if the index is not allocated.
 */
BOOL TlsSetValue(DWORD index, LPVOID value);

COMPAT_END

#endif
