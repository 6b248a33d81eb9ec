/*
 * How does a thread sleep on a condition variable, and how is a function run once
 * (InitOnceExecuteOnce)? A condition variable counts its wakes; an INIT_ONCE variable has a state.
 * Threads sleep in WaitOnAddress until the count or the state changes.
 *
 * This file keeps no state: the variables are in the client's memory. The functions run on the
 * caller's thread.
 */
#include "last_error.h"

#include <synchapi.h>

void InitializeConditionVariable(PCONDITION_VARIABLE variable)
{
	variable->Ptr = NULL;
}

/*
 * Returns how often the condition variable was woken. A thread reads this count before it releases
 * its lock, and then sleeps in WaitOnAddress. If a wake comes after the count was read, the count
 * has changed. WaitOnAddress then returns at once, so the wake is not lost.
 */
static PVOID wakes_so_far(PCONDITION_VARIABLE variable)
{
	return __atomic_load_n(&variable->Ptr, __ATOMIC_SEQ_CST);
}

static BOOL wait_for_a_wake(PCONDITION_VARIABLE variable, PVOID seen, DWORD timeout_ms)
{
	return WaitOnAddress(&variable->Ptr, &seen, sizeof(seen), timeout_ms);
}

BOOL SleepConditionVariableCS(PCONDITION_VARIABLE variable, PCRITICAL_SECTION section,
			      DWORD timeout_ms)
{
	PVOID seen = wakes_so_far(variable);
	BOOL woken;

	LeaveCriticalSection(section);
	woken = wait_for_a_wake(variable, seen, timeout_ms);
	EnterCriticalSection(section);
	return woken;
}

BOOL SleepConditionVariableSRW(PCONDITION_VARIABLE variable, PSRWLOCK lock, DWORD timeout_ms,
			       ULONG flags)
{
	BOOL shared = flags & CONDITION_VARIABLE_LOCKMODE_SHARED;
	PVOID seen = wakes_so_far(variable);
	BOOL woken;

	if (shared)
		ReleaseSRWLockShared(lock);
	else
		ReleaseSRWLockExclusive(lock);
	woken = wait_for_a_wake(variable, seen, timeout_ms);
	if (shared)
		AcquireSRWLockShared(lock);
	else
		AcquireSRWLockExclusive(lock);
	return woken;
}

static void count_a_wake(PCONDITION_VARIABLE variable)
{
	__atomic_add_fetch(&variable->Ptr, 1, __ATOMIC_SEQ_CST);
}

void WakeConditionVariable(PCONDITION_VARIABLE variable)
{
	count_a_wake(variable);
	WakeByAddressSingle(&variable->Ptr);
}

void WakeAllConditionVariable(PCONDITION_VARIABLE variable)
{
	count_a_wake(variable);
	WakeByAddressAll(&variable->Ptr);
}

enum {
	NOT_RUN,
	RUNNING,
	DONE,
};

void InitOnceInitialize(PINIT_ONCE once)
{
	*once = (INIT_ONCE)INIT_ONCE_STATIC_INIT;
}

static BOOL run(PINIT_ONCE once, PINIT_ONCE_FN function, PVOID parameter)
{
	PVOID context = NULL;
	BOOL done = function(once, parameter, &context);

	once->Ptr = done ? context : NULL;
	__atomic_store_n(&once->compat_state, done ? DONE : NOT_RUN, __ATOMIC_SEQ_CST);
	WakeByAddressAll(&once->compat_state);
	return done;
}

BOOL InitOnceExecuteOnce(PINIT_ONCE once, PINIT_ONCE_FN function, PVOID parameter, LPVOID *context)
{
	LONG state = NOT_RUN;

	while (!__atomic_compare_exchange_n(&once->compat_state, &state, RUNNING, FALSE,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
	       state != DONE) {
		LONG running = RUNNING;

		WaitOnAddress(&once->compat_state, &running, sizeof(running), INFINITE);
		state = NOT_RUN;
	}
	if (state != DONE && !run(once, function, parameter))
		return FALSE;
	if (context)
		*context = once->Ptr;
	return TRUE;
}
