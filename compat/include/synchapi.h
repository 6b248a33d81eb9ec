/*
 * Objects with which threads wait for each other. Events, semaphores and mutexes have a handle;
 * locks and condition variables have none. Creating an object with a name fails with
 * ERROR_NOT_SUPPORTED. Security attributes and access rights are ignored. Alertable waits are
 * ordinary waits, because asynchronous procedure calls (APCs) do not exist here.
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

/*
 * A lock that the owning thread may enter again. The members of this structure differ from those on
 * Windows.
 */
typedef struct _RTL_CRITICAL_SECTION {
	pthread_mutex_t compat_mutex;
} RTL_CRITICAL_SECTION, *PRTL_CRITICAL_SECTION, CRITICAL_SECTION, *PCRITICAL_SECTION,
	*LPCRITICAL_SECTION;

/*
 * A lock for one writer or many readers. As on Windows, all bits zero means unlocked. Unlike on
 * Windows, the lock is larger than a pointer.
 */
typedef struct _RTL_SRWLOCK {
	pthread_rwlock_t compat_rwlock;
} RTL_SRWLOCK, *PRTL_SRWLOCK, SRWLOCK, *PSRWLOCK;
/* clang-format off */
#define SRWLOCK_INIT	 {PTHREAD_RWLOCK_INITIALIZER}
/* clang-format on */
#define RTL_SRWLOCK_INIT SRWLOCK_INIT

typedef struct _RTL_CONDITION_VARIABLE {
	PVOID Ptr; /* number of wakes so far, stored as a pointer */
} RTL_CONDITION_VARIABLE, *PRTL_CONDITION_VARIABLE, CONDITION_VARIABLE, *PCONDITION_VARIABLE;
/* clang-format off */
#define CONDITION_VARIABLE_INIT	    {0}
#define RTL_CONDITION_VARIABLE_INIT {0}
/* clang-format on */

typedef struct _RTL_RUN_ONCE {
	LONG compat_state;
	PVOID Ptr; /* context stored by the callback of InitOnceExecuteOnce */
} RTL_RUN_ONCE, *PRTL_RUN_ONCE, INIT_ONCE, *PINIT_ONCE, *LPINIT_ONCE;
/* clang-format off */
#define INIT_ONCE_STATIC_INIT {0, 0}
/* clang-format on */
#define RTL_RUN_ONCE_INIT INIT_ONCE_STATIC_INIT
typedef BOOL (*PINIT_ONCE_FN)(PINIT_ONCE once, PVOID parameter, PVOID *context);

COMPAT_BEGIN

/* ---- Events ------------------------------------------------------------------------------- */

/*
 * Creates an event with NdsEventCreate, so the event may be used as OVERLAPPED.hEvent. Fails with
 * ERROR_NOT_SUPPORTED if `name` is not NULL.
 */
HANDLE CreateEventA(LPSECURITY_ATTRIBUTES attributes, BOOL manualReset, BOOL initiallySet,
		    LPCSTR name);

/*
 * CreateEventA with a wide name: creates an event. Fails with ERROR_NOT_SUPPORTED if `name` is not
 * NULL.
 */
HANDLE CreateEventW(LPSECURITY_ATTRIBUTES attributes, BOOL manualReset, BOOL initiallySet,
		    LPCWSTR name);

/*
 * Creates an event. `flags` may contain CREATE_EVENT_MANUAL_RESET and CREATE_EVENT_INITIAL_SET;
 * other bits fail with ERROR_INVALID_PARAMETER.
 */
HANDLE CreateEventExA(LPSECURITY_ATTRIBUTES attributes, LPCSTR name, DWORD flags, DWORD access);

/*
 * CreateEventExA with a wide name: creates an event. `flags` may contain CREATE_EVENT_MANUAL_RESET
 * and CREATE_EVENT_INITIAL_SET.
 */
HANDLE CreateEventExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access);

/* Sets an event. Fails with ERROR_INVALID_HANDLE if the handle is not an event. */
BOOL SetEvent(HANDLE event);

/* Resets an event. Fails with ERROR_INVALID_HANDLE if the handle is not an event. */
BOOL ResetEvent(HANDLE event);

/* ---- Waiting for objects ------------------------------------------------------------------ */

/*
 * Waits for an event, thread, semaphore or mutex; overlapped files and completion ports cannot be
 * waited for. Returns WAIT_OBJECT_0, WAIT_TIMEOUT or WAIT_FAILED.
 */
DWORD WaitForSingleObject(HANDLE handle, DWORD timeoutMs);

/*
 * WaitForSingleObject with an ignored parameter: `alertable` has no effect, because there are no
 * asynchronous procedure calls.
 */
DWORD WaitForSingleObjectEx(HANDLE handle, DWORD timeoutMs, BOOL alertable);

/*
 * Waits until any object (`all` FALSE) or every object (`all` TRUE) of the array is signalled. `n`
 * is 1 to MAXIMUM_WAIT_OBJECTS. The wait then takes the object: resets an auto-reset event,
 * decrements a semaphore, or acquires a mutex.
 *
 * A wait for any object takes the first signalled object of the array. A wait for every object
 * takes one object after the other; on Windows all are taken at once. If another thread takes an
 * object meanwhile, the wait gives back the objects already taken, and begins again.
 */
DWORD WaitForMultipleObjects(DWORD n, const HANDLE *handles, BOOL all, DWORD timeoutMs);

/*
 * WaitForMultipleObjects with an ignored parameter: `alertable` has no effect, because there are no
 * asynchronous procedure calls.
 */
DWORD WaitForMultipleObjectsEx(DWORD n, const HANDLE *handles, BOOL all, DWORD timeoutMs,
			       BOOL alertable);

/*
 * Signals the object `signalled`: sets an event, releases a semaphore or mutex. Then waits for the
 * object `awaited`. Another thread may run between the two steps.
 */
DWORD SignalObjectAndWait(HANDLE signalled, HANDLE awaited, DWORD timeoutMs, BOOL alertable);

/* Sleeps for `ms` milliseconds. Sleep(INFINITE) never returns; Sleep(0) lets other threads run. */
void Sleep(DWORD ms);

/*
 * Sleeps for `ms` milliseconds and returns 0. `alertable` has no effect, because there are no
 * asynchronous procedure calls.
 */
DWORD SleepEx(DWORD ms, BOOL alertable);

/* ---- Semaphores and mutexes --------------------------------------------------------------- */

/*
 * Creates a semaphore. Fails with ERROR_INVALID_PARAMETER unless 0 <= initial <= most and most > 0.
 */
HANDLE CreateSemaphoreA(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCSTR name);

/*
 * CreateSemaphoreA with a wide name: creates a semaphore. `name` must be NULL, because named
 * semaphores do not exist here.
 */
HANDLE CreateSemaphoreW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name);

/* CreateSemaphoreW with flags: creates a semaphore. `flags` must be 0. */
HANDLE CreateSemaphoreExW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name,
			  DWORD flags, DWORD access);

/*
 * Adds `count` to the count of a semaphore and stores the former count in *previous. If the count
 * would exceed its maximum, fails with ERROR_TOO_MANY_POSTS and changes nothing. `previous` may be
 * NULL.
 */
BOOL ReleaseSemaphore(HANDLE semaphore, LONG count, LONG *previous);

/*
 * Creates a mutex, which the owning thread may acquire several times. The mutex stays owned if that
 * thread ends without releasing it: WAIT_ABANDONED does not exist here.
 */
HANDLE CreateMutexA(LPSECURITY_ATTRIBUTES attributes, BOOL initiallyOwned, LPCSTR name);

/*
 * CreateMutexA with a wide name: creates a mutex. `name` must be NULL, because named mutexes do not
 * exist here.
 */
HANDLE CreateMutexW(LPSECURITY_ATTRIBUTES attributes, BOOL initiallyOwned, LPCWSTR name);

/* CreateMutexW with flags: creates a mutex. The only flag is CREATE_MUTEX_INITIAL_OWNER. */
HANDLE CreateMutexExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access);

/*
 * Releases a mutex once. Fails with ERROR_NOT_OWNER if the calling thread does not own the mutex.
 */
BOOL ReleaseMutex(HANDLE mutex);

/* ---- Without a handle: locks, condition variables, InitOnce, waiting on addresses --------- */

/* Initializes a critical section. A thread that is in the section may enter it again. */
void InitializeCriticalSection(LPCRITICAL_SECTION section);

/* Initializes a critical section and returns TRUE. The spin count is ignored. */
BOOL InitializeCriticalSectionAndSpinCount(LPCRITICAL_SECTION section, DWORD spins);

/* Initializes a critical section and returns TRUE. The spin count and the flags are ignored. */
BOOL InitializeCriticalSectionEx(LPCRITICAL_SECTION section, DWORD spins, DWORD flags);

/* Has no effect: critical sections here have no spin count. Returns 0. */
DWORD SetCriticalSectionSpinCount(LPCRITICAL_SECTION section, DWORD spins);

/* Enters a critical section. Waits while another thread is in the section. */
void EnterCriticalSection(LPCRITICAL_SECTION section);

/*
 * Enters a critical section unless another thread is in the section. Returns TRUE if the section
 * was entered.
 */
BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section);

/* Leaves a critical section. Has no effect if the calling thread is not in the section. */
void LeaveCriticalSection(LPCRITICAL_SECTION section);

/* Frees a critical section. No thread may be in the section. */
void DeleteCriticalSection(LPCRITICAL_SECTION section);

/* Initializes a lock for one writer or many readers. A thread must not acquire the lock twice. */
void InitializeSRWLock(PSRWLOCK lock);

/* Acquires the lock for writing. */
void AcquireSRWLockExclusive(PSRWLOCK lock);

/* Acquires the lock for reading. */
void AcquireSRWLockShared(PSRWLOCK lock);

/* Acquires the lock for writing, or returns FALSE if a thread holds the lock. */
BOOLEAN TryAcquireSRWLockExclusive(PSRWLOCK lock);

/* Acquires the lock for reading, or returns FALSE if a thread holds the lock for writing. */
BOOLEAN TryAcquireSRWLockShared(PSRWLOCK lock);

/* Releases a lock that was acquired for writing. */
void ReleaseSRWLockExclusive(PSRWLOCK lock);

/* Releases a lock that was acquired for reading. */
void ReleaseSRWLockShared(PSRWLOCK lock);

/* Initializes a condition variable, as the initializer CONDITION_VARIABLE_INIT does. */
void InitializeConditionVariable(PCONDITION_VARIABLE variable);

/*
 * Leaves the critical section, waits until another thread wakes the condition variable, and enters
 * the section again. The caller must have entered the section exactly once. Fails with
 * ERROR_TIMEOUT after `timeoutMs`. As on Windows, the call may also return without a wake.
 */
BOOL SleepConditionVariableCS(PCONDITION_VARIABLE variable, PCRITICAL_SECTION section,
			      DWORD timeoutMs);

/*
 * Releases the lock, waits until another thread wakes the condition variable, and acquires the lock
 * again. If `flags` is CONDITION_VARIABLE_LOCKMODE_SHARED, the caller holds the lock for reading,
 * otherwise for writing. Fails with ERROR_TIMEOUT after `timeoutMs`. As on Windows, the call may
 * also return without a wake.
 */
BOOL SleepConditionVariableSRW(PCONDITION_VARIABLE variable, PSRWLOCK lock, DWORD timeoutMs,
			       ULONG flags);

/* Wakes one thread that waits for the condition variable. */
void WakeConditionVariable(PCONDITION_VARIABLE variable);

/* Wakes all threads that wait for the condition variable. */
void WakeAllConditionVariable(PCONDITION_VARIABLE variable);

/* Initializes *once for InitOnceExecuteOnce, as the initializer INIT_ONCE_STATIC_INIT does. */
void InitOnceInitialize(PINIT_ONCE once);

/*
 * Calls `function` unless the initialization of *once has already succeeded. If another thread's
 * `function` is running for *once, this call first waits until that function has returned.
 * - `function` returns TRUE: the initialization has succeeded, and no further function is called.
 * - `function` returns FALSE: this call returns FALSE, and the next caller's `function` is called.
 * *context receives the context that the successful function has stored; `context` may be NULL.
 */
BOOL InitOnceExecuteOnce(PINIT_ONCE once, PINIT_ONCE_FN function, PVOID parameter, LPVOID *context);

/*
 * Waits while the values at `address` and `compare` are equal. Each value has `bytes` bytes (1, 2,
 * 4 or 8). Fails with ERROR_TIMEOUT after `timeoutMs`. The call may also return without a wake.
 */
BOOL WaitOnAddress(volatile VOID *address, PVOID compare, SIZE_T bytes, DWORD timeoutMs);

/*
 * Wakes one thread that waits in WaitOnAddress for this address. The caller must change the value
 * at the address before this call.
 */
void WakeByAddressSingle(PVOID address);

/*
 * Wakes all threads that wait in WaitOnAddress for this address. The caller must change the value
 * at the address before this call.
 */
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
