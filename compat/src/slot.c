/*
 * Which value has this thread stored at an index (FlsSetValue, TlsSetValue)? This file owns 128
 * indexes and the values of all threads. Each index counts its allocations and releases
 * (slot.turn). Each value stores that count (value.turn). A value is valid while the two counts are
 * equal.
 *
 * The functions run on the caller's thread. Callbacks given to FlsAlloc run on the thread that
 * ends.
 */
#include "last_error.h"
#include "thread.h"

#include <fibersapi.h>
#include <processthreadsapi.h>
#include <pthread.h>
#include <stdbool.h>

#define SLOTS 128

static struct slot {
	uint32_t turn; /* number of allocations and releases; odd while the index is allocated */
	PFLS_CALLBACK_FUNCTION routine;
} slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held to allocate or free an index */

static __thread struct value {
	uint32_t turn;
	void *value;
} values[SLOTS];

/*
 * A pthread key. Its destructor runs the callbacks given to FlsAlloc in threads that CreateThread
 * did not start.
 */
static pthread_key_t ending;
static pthread_once_t ending_once = PTHREAD_ONCE_INIT;

static void on_ending(void *unused)
{
	compat_slots_end();
}

static void make_ending(void)
{
	pthread_key_create(&ending, on_ending);
}

/* Returns the `turn` of an allocated index; 0 if the index is not allocated. */
static uint32_t allocation_of(DWORD index)
{
	uint32_t turn = index < SLOTS ? __atomic_load_n(&slots[index].turn, __ATOMIC_ACQUIRE) : 0;

	return turn & 1 ? turn : 0;
}

static DWORD allocate(PFLS_CALLBACK_FUNCTION routine)
{
	DWORD index = 0;

	pthread_mutex_lock(&lock);
	while (index < SLOTS && slots[index].turn & 1)
		index++;
	if (index < SLOTS) {
		__atomic_store_n(&slots[index].routine, routine, __ATOMIC_RELAXED);
		__atomic_add_fetch(&slots[index].turn, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	if (index < SLOTS)
		return index;
	compat_fail(ERROR_NO_MORE_ITEMS);
	return TLS_OUT_OF_INDEXES;
}

static BOOL release(DWORD index)
{
	bool taken;

	pthread_mutex_lock(&lock);
	taken = allocation_of(index);
	if (taken)
		__atomic_add_fetch(&slots[index].turn, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return taken || compat_fail(ERROR_INVALID_PARAMETER);
}

static void *get(DWORD index)
{
	uint32_t turn = allocation_of(index);

	SetLastError(turn ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER);
	return turn && values[index].turn == turn ? values[index].value : NULL;
}

static BOOL set(DWORD index, void *value)
{
	uint32_t turn = allocation_of(index);

	if (!turn)
		return compat_fail(ERROR_INVALID_PARAMETER);
	values[index] = (struct value){turn, value};
	return TRUE;
}

/*
 * Clears the calling thread's value at an index, and passes the former value to the callback given
 * to FlsAlloc, if any.
 */
static void end_one(DWORD index)
{
	uint32_t turn = allocation_of(index);
	struct value was = values[index];
	PFLS_CALLBACK_FUNCTION routine;

	values[index].value = NULL;
	if (!turn || was.turn != turn || !was.value)
		return;
	routine = __atomic_load_n(&slots[index].routine, __ATOMIC_RELAXED);
	if (routine)
		routine(was.value);
}

void compat_slots_end(void)
{
	for (DWORD index = 0; index < SLOTS; index++)
		end_one(index);
}

DWORD TlsAlloc(void)
{
	return allocate(NULL);
}

BOOL TlsFree(DWORD index)
{
	return release(index);
}

LPVOID TlsGetValue(DWORD index)
{
	return get(index);
}

BOOL TlsSetValue(DWORD index, LPVOID value)
{
	return set(index, value);
}

DWORD FlsAlloc(PFLS_CALLBACK_FUNCTION routine)
{
	return allocate(routine);
}

BOOL FlsFree(DWORD index)
{
	if (allocation_of(index))
		end_one(index);
	return release(index);
}

PVOID FlsGetValue(DWORD index)
{
	return get(index);
}

BOOL FlsSetValue(DWORD index, PVOID value)
{
	pthread_once(&ending_once, make_ending);
	pthread_setspecific(ending, values);
	return set(index, value);
}
