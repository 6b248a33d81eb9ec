/*
 * How do critical sections and SRW locks work? Each lock is a pthread lock in the client's memory
 * and has no handle. This file keeps no state. The functions run on the caller's thread.
 */
#include <synchapi.h>

void InitializeCriticalSection(LPCRITICAL_SECTION section)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&section->compat_mutex, &recursive);
	pthread_mutexattr_destroy(&recursive);
}

BOOL InitializeCriticalSectionAndSpinCount(LPCRITICAL_SECTION section, DWORD spins)
{
	InitializeCriticalSection(section);
	return TRUE;
}

BOOL InitializeCriticalSectionEx(LPCRITICAL_SECTION section, DWORD spins, DWORD flags)
{
	InitializeCriticalSection(section);
	return TRUE;
}

DWORD SetCriticalSectionSpinCount(LPCRITICAL_SECTION section, DWORD spins)
{
	return 0;
}

void EnterCriticalSection(LPCRITICAL_SECTION section)
{
	pthread_mutex_lock(&section->compat_mutex);
}

BOOL TryEnterCriticalSection(LPCRITICAL_SECTION section)
{
	return pthread_mutex_trylock(&section->compat_mutex) == 0;
}

void LeaveCriticalSection(LPCRITICAL_SECTION section)
{
	pthread_mutex_unlock(&section->compat_mutex);
}

void DeleteCriticalSection(LPCRITICAL_SECTION section)
{
	pthread_mutex_destroy(&section->compat_mutex);
}

void InitializeSRWLock(PSRWLOCK lock)
{
	*lock = (SRWLOCK)SRWLOCK_INIT;
}

void AcquireSRWLockExclusive(PSRWLOCK lock)
{
	pthread_rwlock_wrlock(&lock->compat_rwlock);
}

void AcquireSRWLockShared(PSRWLOCK lock)
{
	pthread_rwlock_rdlock(&lock->compat_rwlock);
}

BOOLEAN TryAcquireSRWLockExclusive(PSRWLOCK lock)
{
	return pthread_rwlock_trywrlock(&lock->compat_rwlock) == 0;
}

BOOLEAN TryAcquireSRWLockShared(PSRWLOCK lock)
{
	return pthread_rwlock_tryrdlock(&lock->compat_rwlock) == 0;
}

void ReleaseSRWLockExclusive(PSRWLOCK lock)
{
	pthread_rwlock_unlock(&lock->compat_rwlock);
}

void ReleaseSRWLockShared(PSRWLOCK lock)
{
	pthread_rwlock_unlock(&lock->compat_rwlock);
}
