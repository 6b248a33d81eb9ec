/*
 * Events, semaphores, mutexes and how to wait for them; locks without a handle. All of them belong
 * to this process: a name fails with ERROR_NOT_SUPPORTED. Security attributes and access rights are
 * ignored. Alertable waits only wait, because there are no APCs.
 */
#ifndef COMPAT_SYNCHAPI_H
#define COMPAT_SYNCHAPI_H

#include <pthread.h>
#include "minwinbase.h"

#define CREATE_EVENT_MANUAL_RESET	   0x00000001
#define CREATE_EVENT_INITIAL_SET	   0x00000002
#define CREATE_MUTEX_INITIAL_OWNER	   0x00000001
#define CRITICAL_SECTION_NO_DEBUG_INFO	   0x01000000
#define CONDITION_VARIABLE_LOCKMODE_SHARED 0x1

/* A recursive lock; its members differ from those on Windows. */
typedef struct _RTL_CRITICAL_SECTION {
	pthread_mutex_t compat_mutex;
} RTL_CRITICAL_SECTION, *PRTL_CRITICAL_SECTION, CRITICAL_SECTION, *PCRITICAL_SECTION,
	*LPCRITICAL_SECTION;

/* A lock of all zeros is unlocked. It is larger than a pointer. */
typedef struct _RTL_SRWLOCK {
	pthread_rwlock_t compat_rwlock;
} RTL_SRWLOCK, *PRTL_SRWLOCK, SRWLOCK, *PSRWLOCK;
/* clang-format off */
#define SRWLOCK_INIT	 {PTHREAD_RWLOCK_INITIALIZER}
/* clang-format on */
#define RTL_SRWLOCK_INIT SRWLOCK_INIT

typedef struct _RTL_CONDITION_VARIABLE {
	PVOID Ptr; /* counts the calls of Wake */
} RTL_CONDITION_VARIABLE, *PRTL_CONDITION_VARIABLE, CONDITION_VARIABLE, *PCONDITION_VARIABLE;
/* clang-format off */
#define CONDITION_VARIABLE_INIT	    {0}
#define RTL_CONDITION_VARIABLE_INIT {0}
/* clang-format on */

typedef struct _RTL_RUN_ONCE {
	LONG compat_state;
	PVOID Ptr; /* the context that the function returned */
} RTL_RUN_ONCE, *PRTL_RUN_ONCE, INIT_ONCE, *PINIT_ONCE, *LPINIT_ONCE;
/* clang-format off */
#define INIT_ONCE_STATIC_INIT {0, 0}
/* clang-format on */
#define RTL_RUN_ONCE_INIT INIT_ONCE_STATIC_INIT
typedef BOOL (*PINIT_ONCE_FN)(PINIT_ONCE once, PVOID parameter, PVOID *context);

COMPAT_BEGIN

/* ---- Events ------------------------------------------------------------------------------- */

/*
 * The event is one of NdsEventCreate, so OVERLAPPED.hEvent takes it. Fails with ERROR_NOT_SUPPORTED
 * for a name, or if memory is short.
 */
HANDLE CreateEventA(LPSECURITY_ATTRIBUTES attributes, BOOL manualReset, BOOL initiallySet,
		    LPCSTR name);

/* Same as CreateEventA. */
HANDLE CreateEventW(LPSECURITY_ATTRIBUTES attributes, BOOL manualReset, BOOL initiallySet,
		    LPCWSTR name);

/*
 * The flags are CREATE_EVENT_MANUAL_RESET and CREATE_EVENT_INITIAL_SET; others fail with
 * ERROR_INVALID_PARAMETER.
 */
HANDLE CreateEventExA(LPSECURITY_ATTRIBUTES attributes, LPCSTR name, DWORD flags, DWORD access);

/* Same as CreateEventExA. */
HANDLE CreateEventExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access);

/* Fails with ERROR_INVALID_HANDLE if the handle is not an event. */
BOOL SetEvent(HANDLE event);

/* Fails with ERROR_INVALID_HANDLE if the handle is not an event. */
BOOL ResetEvent(HANDLE event);

/* ---- Waiting ------------------------------------------------------------------------------ */

/*
 * Waits for an event, thread, semaphore or mutex, not for files or ports. Returns WAIT_OBJECT_0,
 * WAIT_TIMEOUT or WAIT_FAILED.
 */
DWORD WaitForSingleObject(HANDLE handle, DWORD timeoutMs);

/* Same as WaitForSingleObject. */
DWORD WaitForSingleObjectEx(HANDLE handle, DWORD timeoutMs, BOOL alertable);

/*
 * Takes 1 to MAXIMUM_WAIT_OBJECTS handles. A wait for one takes the first that is signalled. A wait
 * for all takes them one after the other, and releases those it has if another thread takes one of
 * the rest; Windows takes all at once.
 */
DWORD WaitForMultipleObjects(DWORD n, const HANDLE *handles, BOOL all, DWORD timeoutMs);

/* Same as WaitForMultipleObjects. */
DWORD WaitForMultipleObjectsEx(DWORD n, const HANDLE *handles, BOOL all, DWORD timeoutMs,
			       BOOL alertable);

/* Sets or releases the first object, then waits for the second. The two steps are not atomic. */
DWORD SignalObjectAndWait(HANDLE signalled, HANDLE awaited, DWORD timeoutMs, BOOL alertable);

/* With INFINITE never returns; with 0 lets other threads run. */
void Sleep(DWORD ms);

/* Same as Sleep; returns 0. */
DWORD SleepEx(DWORD ms, BOOL alertable);

/* ---- Semaphores and mutexes --------------------------------------------------------------- */

/* Fails with ERROR_INVALID_PARAMETER unless 0 <= initial <= most and most > 0. */
HANDLE CreateSemaphoreA(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCSTR name);

/* Same as CreateSemaphoreA. */
HANDLE CreateSemaphoreW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name);

/* Same as CreateSemaphoreA; `flags` must be 0. */
HANDLE CreateSemaphoreExW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name,
			  DWORD flags, DWORD access);

/*
 * Fails with ERROR_TOO_MANY_POSTS, and changes nothing, if the count would exceed its maximum.
 * `previous` may be NULL.
 */
BOOL ReleaseSemaphore(HANDLE semaphore, LONG count, LONG *previous);

/*
 * A thread may take its mutex again. A thread that ends still owns its mutexes: there is no
 * WAIT_ABANDONED.
 */
HANDLE CreateMutexA(LPSECURITY_ATTRIBUTES attributes, BOOL initiallyOwned, LPCSTR name);

/* Same as CreateMutexA. */
HANDLE CreateMutexW(LPSECURITY_ATTRIBUTES attributes, BOOL initiallyOwned, LPCWSTR name);

/* Same as CreateMutexA; the only flag is CREATE_MUTEX_INITIAL_OWNER. */
HANDLE CreateMutexExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access);

/* Fails with ERROR_NOT_OWNER if the calling thread does not own the mutex. */
BOOL ReleaseMutex(HANDLE mutex);

/* ---- Locks without a handle --------------------------------------------------------------- */

/* A thread may enter the section it is in again. */
void InitializeCriticalSection(LPCRITICAL_SECTION section);

/* Ignores the spin count and returns TRUE. */
BOOL InitializeCriticalSectionAndSpinCount(LPCRITICAL_SECTION section, DWORD spins);

/* Ignores the spin count and the flags and returns TRUE. */
BOOL InitializeCriticalSectionEx(LPCRITICAL_SECTION section, DWORD spins, DWORD flags);

/* Ignores the spin count and returns 0. */
DWORD SetCriticalSectionSpinCount(LPCRITICAL_SECTION section, DWORD spins);

/* Waits without a limit. */
void EnterCriticalSection(LPCRITICAL_SECTION section);

/* Returns TRUE if the calling thread has entered the section. */
BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section);

/* Has no effect in a thread that has not entered the section. */
void LeaveCriticalSection(LPCRITICAL_SECTION section);

/* No thread may be in the section. */
void DeleteCriticalSection(LPCRITICAL_SECTION section);

/* A lock for one writer or many readers; a thread must not acquire it twice. */
void InitializeSRWLock(PSRWLOCK lock);

/* Acquires the lock for writing. */
void AcquireSRWLockExclusive(PSRWLOCK lock);

/* Acquires the lock for reading. */
void AcquireSRWLockShared(PSRWLOCK lock);

/* Returns FALSE if the lock is held. */
BOOLEAN TryAcquireSRWLockExclusive(PSRWLOCK lock);

/* Returns FALSE if the lock is held for writing. */
BOOLEAN TryAcquireSRWLockShared(PSRWLOCK lock);

/* Releases a lock that was acquired for writing. */
void ReleaseSRWLockExclusive(PSRWLOCK lock);

/* Releases a lock that was acquired for reading. */
void ReleaseSRWLockShared(PSRWLOCK lock);

/* Same as CONDITION_VARIABLE_INIT. */
void InitializeConditionVariable(PCONDITION_VARIABLE variable);

/*
 * Leaves the section, which the thread has entered exactly once, while it waits. Fails with
 * ERROR_TIMEOUT. As on Windows, it may return without a wake.
 */
BOOL SleepConditionVariableCS(PCONDITION_VARIABLE variable, PCRITICAL_SECTION section,
			      DWORD timeoutMs);

/*
 * Same as SleepConditionVariableCS, with a lock held for writing, or for reading with
 * CONDITION_VARIABLE_LOCKMODE_SHARED.
 */
BOOL SleepConditionVariableSRW(PCONDITION_VARIABLE variable, PSRWLOCK lock, DWORD timeoutMs,
			       ULONG flags);

/* Wakes one waiting thread. */
void WakeConditionVariable(PCONDITION_VARIABLE variable);

/* Wakes all waiting threads. */
void WakeAllConditionVariable(PCONDITION_VARIABLE variable);

/* Same as INIT_ONCE_STATIC_INIT. */
void InitOnceInitialize(PINIT_ONCE once);

/*
 * Runs the function once, while other callers wait. Returns FALSE if the function returns FALSE;
 * the next call then runs it again. `context` may be NULL.
 */
BOOL InitOnceExecuteOnce(PINIT_ONCE once, PINIT_ONCE_FN function, PVOID parameter, LPVOID *context);

/*
 * Waits while 1, 2, 4 or 8 bytes at the two addresses are equal. Fails with ERROR_TIMEOUT. May
 * return without a wake.
 */
BOOL WaitOnAddress(volatile VOID *address, PVOID compare, SIZE_T bytes, DWORD timeoutMs);

/* Wakes one thread that waits on the address. Change the value before the call. */
void WakeByAddressSingle(PVOID address);

/* Wakes all threads that wait on the address. Change the value before the call. */
void WakeByAddressAll(PVOID address);

COMPAT_END

#ifdef UNICODE
#define CreateEvent	CreateEventW
#define CreateEventEx	CreateEventExW
#define CreateSemaphore CreateSemaphoreW
#define CreateMutex	CreateMutexW
#else
#define CreateEvent	CreateEventA
#define CreateEventEx	CreateEventExA
#define CreateSemaphore CreateSemaphoreA
#define CreateMutex	CreateMutexA
#endif
#define CreateSemaphoreEx CreateSemaphoreExW
#define CreateMutexEx	  CreateMutexExW

#endif
