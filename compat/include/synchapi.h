/*
 * Events, semaphores, mutexes and how to wait for them; locks that have no handle. All of them belong
 * to this process: a name is refused with ERROR_NOT_SUPPORTED. Security attributes and access rights
 * are ignored; nothing is alertable, for there are no APCs.
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

/* A recursive lock; its inside is not that of Windows. */
typedef struct _RTL_CRITICAL_SECTION {
	pthread_mutex_t compat_mutex;
} RTL_CRITICAL_SECTION, *PRTL_CRITICAL_SECTION, CRITICAL_SECTION, *PCRITICAL_SECTION, *LPCRITICAL_SECTION;

/* All zeros is an unlocked one. Larger than a pointer. */
typedef struct _RTL_SRWLOCK {
	pthread_rwlock_t compat_rwlock;
} RTL_SRWLOCK, *PRTL_SRWLOCK, SRWLOCK, *PSRWLOCK;
#define SRWLOCK_INIT	 {PTHREAD_RWLOCK_INITIALIZER}
#define RTL_SRWLOCK_INIT SRWLOCK_INIT

typedef struct _RTL_CONDITION_VARIABLE {
	PVOID Ptr; /* counts the calls of Wake */
} RTL_CONDITION_VARIABLE, *PRTL_CONDITION_VARIABLE, CONDITION_VARIABLE, *PCONDITION_VARIABLE;
#define CONDITION_VARIABLE_INIT	    {0}
#define RTL_CONDITION_VARIABLE_INIT {0}

typedef struct _RTL_RUN_ONCE {
	LONG compat_state;
	PVOID Ptr; /* the context */
} RTL_RUN_ONCE, *PRTL_RUN_ONCE, INIT_ONCE, *PINIT_ONCE, *LPINIT_ONCE;
#define INIT_ONCE_STATIC_INIT {0, 0}
#define RTL_RUN_ONCE_INIT     INIT_ONCE_STATIC_INIT
typedef BOOL (*PINIT_ONCE_FN)(PINIT_ONCE once, PVOID parameter, PVOID *context);

COMPAT_BEGIN

/* ---- Events ------------------------------------------------------------------------------- */

/* The event is one of NdsEventCreate, so OVERLAPPED.hEvent takes it. NULL: ERROR_NOT_SUPPORTED (a name), memory. */
HANDLE CreateEventA(LPSECURITY_ATTRIBUTES attributes, BOOL manualReset, BOOL initiallySet, LPCSTR name);

/* As CreateEventA. */
HANDLE CreateEventW(LPSECURITY_ATTRIBUTES attributes, BOOL manualReset, BOOL initiallySet, LPCWSTR name);

/* flags: CREATE_EVENT_MANUAL_RESET and ..._INITIAL_SET; others are ERROR_INVALID_PARAMETER. */
HANDLE CreateEventExA(LPSECURITY_ATTRIBUTES attributes, LPCSTR name, DWORD flags, DWORD access);

/* As CreateEventExA. */
HANDLE CreateEventExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access);

/* ERROR_INVALID_HANDLE: not an event. */
BOOL SetEvent(HANDLE event);

/* ERROR_INVALID_HANDLE: not an event. */
BOOL ResetEvent(HANDLE event);

/* ---- Waiting ------------------------------------------------------------------------------ */

/* Events, threads, semaphores, mutexes; not files or ports. WAIT_OBJECT_0, WAIT_TIMEOUT or WAIT_FAILED. */
DWORD WaitForSingleObject(HANDLE handle, DWORD timeoutMs);

/* As WaitForSingleObject. */
DWORD WaitForSingleObjectEx(HANDLE handle, DWORD timeoutMs, BOOL alertable);

/*
 * 1 to MAXIMUM_WAIT_OBJECTS handles. For one of them: the lowest that is signalled. For all: takes them
 * one after the other and gives back what it has when somebody else was faster, where Windows takes all in one step.
 */
DWORD WaitForMultipleObjects(DWORD n, const HANDLE *handles, BOOL all, DWORD timeoutMs);

/* As WaitForMultipleObjects. */
DWORD WaitForMultipleObjectsEx(DWORD n, const HANDLE *handles, BOOL all, DWORD timeoutMs, BOOL alertable);

/* Sets or releases the first, then waits for the second; not in one step. */
DWORD SignalObjectAndWait(HANDLE signalled, HANDLE awaited, DWORD timeoutMs, BOOL alertable);

/* INFINITE never returns; 0 gives way to others. */
void Sleep(DWORD ms);

/* As Sleep; 0. */
DWORD SleepEx(DWORD ms, BOOL alertable);

/* ---- Semaphores and mutexes --------------------------------------------------------------- */

/* 0 <= initial <= most, most > 0: otherwise ERROR_INVALID_PARAMETER. */
HANDLE CreateSemaphoreA(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCSTR name);

/* As CreateSemaphoreA. */
HANDLE CreateSemaphoreW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name);

/* As CreateSemaphoreA; flags must be 0. */
HANDLE CreateSemaphoreExW(LPSECURITY_ATTRIBUTES attributes, LONG initial, LONG most, LPCWSTR name, DWORD flags,
			  DWORD access);

/* ERROR_TOO_MANY_POSTS: more than the most, nothing changes. previous may be NULL. */
BOOL ReleaseSemaphore(HANDLE semaphore, LONG count, LONG *previous);

/* Recursive. A thread that ends with it keeps it: there is no WAIT_ABANDONED. */
HANDLE CreateMutexA(LPSECURITY_ATTRIBUTES attributes, BOOL initiallyOwned, LPCSTR name);

/* As CreateMutexA. */
HANDLE CreateMutexW(LPSECURITY_ATTRIBUTES attributes, BOOL initiallyOwned, LPCWSTR name);

/* As CreateMutexA; flags: CREATE_MUTEX_INITIAL_OWNER. */
HANDLE CreateMutexExW(LPSECURITY_ATTRIBUTES attributes, LPCWSTR name, DWORD flags, DWORD access);

/* ERROR_NOT_OWNER: another thread has it, or nobody. */
BOOL ReleaseMutex(HANDLE mutex);

/* ---- Locks without a handle --------------------------------------------------------------- */

/* Recursive. */
void InitializeCriticalSection(LPCRITICAL_SECTION section);

/* The spin count is ignored. TRUE. */
BOOL InitializeCriticalSectionAndSpinCount(LPCRITICAL_SECTION section, DWORD spins);

/* Spin count and flags are ignored. TRUE. */
BOOL InitializeCriticalSectionEx(LPCRITICAL_SECTION section, DWORD spins, DWORD flags);

/* Ignored: the former count is said to be 0. */
DWORD SetCriticalSectionSpinCount(LPCRITICAL_SECTION section, DWORD spins);

/* Waits for as long as it takes. */
void EnterCriticalSection(LPCRITICAL_SECTION section);

/* TRUE: this thread has it. */
BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section);

/* By the thread that entered; by another it does nothing. */
void LeaveCriticalSection(LPCRITICAL_SECTION section);

/* Nobody may be in it. */
void DeleteCriticalSection(LPCRITICAL_SECTION section);

/* One writer or many readers; not recursive. */
void InitializeSRWLock(PSRWLOCK lock);

/* For writing. */
void AcquireSRWLockExclusive(PSRWLOCK lock);

/* For reading. */
void AcquireSRWLockShared(PSRWLOCK lock);

/* FALSE: somebody has it. */
BOOLEAN TryAcquireSRWLockExclusive(PSRWLOCK lock);

/* FALSE: somebody writes. */
BOOLEAN TryAcquireSRWLockShared(PSRWLOCK lock);

/* Ends AcquireSRWLockExclusive. */
void ReleaseSRWLockExclusive(PSRWLOCK lock);

/* Ends AcquireSRWLockShared. */
void ReleaseSRWLockShared(PSRWLOCK lock);

/* The same as CONDITION_VARIABLE_INIT. */
void InitializeConditionVariable(PCONDITION_VARIABLE variable);

/* Leaves the section, entered once, while it waits. FALSE with ERROR_TIMEOUT. May wake for no reason, as on Windows. */
BOOL SleepConditionVariableCS(PCONDITION_VARIABLE variable, PCRITICAL_SECTION section, DWORD timeoutMs);

/* The same with a lock held for writing, or with CONDITION_VARIABLE_LOCKMODE_SHARED for reading. */
BOOL SleepConditionVariableSRW(PCONDITION_VARIABLE variable, PSRWLOCK lock, DWORD timeoutMs, ULONG flags);

/* Wakes one of those that sleep. */
void WakeConditionVariable(PCONDITION_VARIABLE variable);

/* Wakes all of those that sleep. */
void WakeAllConditionVariable(PCONDITION_VARIABLE variable);

/* The same as INIT_ONCE_STATIC_INIT. */
void InitOnceInitialize(PINIT_ONCE once);

/* Runs the function once, others wait; FALSE if it answered FALSE, then the next call runs it again. context may be NULL. */
BOOL InitOnceExecuteOnce(PINIT_ONCE once, PINIT_ONCE_FN function, PVOID parameter, LPVOID *context);

/* Waits while *address equals *compare, 1, 2, 4 or 8 bytes; FALSE with ERROR_TIMEOUT. May wake for no reason. */
BOOL WaitOnAddress(volatile VOID *address, PVOID compare, SIZE_T bytes, DWORD timeoutMs);

/* Wakes one of those that wait on the address; change the value first. */
void WakeByAddressSingle(PVOID address);

/* Wakes all of those that wait on the address; change the value first. */
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
