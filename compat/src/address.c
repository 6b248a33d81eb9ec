/*
 * Which threads wait until the value at an address changes (WaitOnAddress)? This file owns the
 * lists of waiters, in a hash table whose key is the address; each bucket has a lock. A waiter is a
 * local variable of the waiting thread. The functions run on the caller's thread.
 */
#include "deadline.h"
#include "last_error.h"

#include <pthread.h>
#include <stdbool.h>
#include <synchapi.h>

#define BUCKETS 64

struct waiter {
	struct waiter *next;
	const volatile void *address;
	pthread_cond_t woken;
	bool is_woken;
};

static struct bucket {
	pthread_mutex_t lock;
	struct waiter *first; /* the waiter that has waited longest; new waiters are appended */
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {PTHREAD_MUTEX_INITIALIZER, NULL}};

static struct bucket *bucket_of(const volatile void *address)
{
	return &buckets[((uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15u) >> 58];
}

static bool still_equal(const volatile void *address, const void *compare, SIZE_T bytes)
{
	switch (bytes) {
	case 1:
		return __atomic_load_n((const volatile uint8_t *)address, __ATOMIC_SEQ_CST) ==
		       *(const uint8_t *)compare;
	case 2:
		return __atomic_load_n((const volatile uint16_t *)address, __ATOMIC_SEQ_CST) ==
		       *(const uint16_t *)compare;
	case 4:
		return __atomic_load_n((const volatile uint32_t *)address, __ATOMIC_SEQ_CST) ==
		       *(const uint32_t *)compare;
	default:
		return __atomic_load_n((const volatile uint64_t *)address, __ATOMIC_SEQ_CST) ==
		       *(const uint64_t *)compare;
	}
}

static void append(struct bucket *bucket, struct waiter *waiter)
{
	struct waiter **place = &bucket->first;

	while (*place)
		place = &(*place)->next;
	*place = waiter;
}

static void take_out(struct bucket *bucket, struct waiter *waiter)
{
	struct waiter **place = &bucket->first;

	while (*place && *place != waiter)
		place = &(*place)->next;
	if (*place)
		*place = waiter->next;
}

static void sleep_until(struct bucket *bucket, struct waiter *waiter, uint64_t deadline)
{
	struct timespec end = {(time_t)(deadline / 1000), (long)(deadline % 1000) * 1000000};
	int status = 0;

	while (!waiter->is_woken && !status) {
		if (deadline == UINT64_MAX)
			pthread_cond_wait(&waiter->woken, &bucket->lock);
		else
			status = pthread_cond_clockwait(&waiter->woken, &bucket->lock,
							CLOCK_MONOTONIC, &end);
	}
}

BOOL WaitOnAddress(volatile VOID *address, PVOID compare, SIZE_T bytes, DWORD timeout_ms)
{
	uint64_t deadline = compat_deadline_in(timeout_ms);
	struct waiter waiter = {NULL, address, PTHREAD_COND_INITIALIZER, false};
	struct bucket *bucket = bucket_of(address);
	bool slept;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return compat_fail(ERROR_INVALID_PARAMETER);
	pthread_mutex_lock(&bucket->lock);
	slept = still_equal(address, compare, bytes);
	if (slept) {
		append(bucket, &waiter);
		sleep_until(bucket, &waiter, deadline);
		take_out(bucket, &waiter);
	}
	pthread_mutex_unlock(&bucket->lock);
	pthread_cond_destroy(&waiter.woken);
	return !slept || waiter.is_woken || compat_fail(ERROR_TIMEOUT);
}

static void wake(const volatile void *address, bool all)
{
	struct bucket *bucket = bucket_of(address);
	struct waiter **place = &bucket->first;
	bool more = true;

	pthread_mutex_lock(&bucket->lock);
	while (*place && more) {
		struct waiter *waiter = *place;

		if (waiter->address != address) {
			place = &waiter->next;
			continue;
		}
		/*
		 * Remove the woken waiter from the list here. The waiter's thread may run much
		 * later, and the next WakeByAddressSingle must wake a different thread.
		 */
		*place = waiter->next;
		waiter->is_woken = true;
		pthread_cond_signal(&waiter->woken);
		more = all;
	}
	pthread_mutex_unlock(&bucket->lock);
}

void WakeByAddressSingle(PVOID address)
{
	wake(address, false);
}

void WakeByAddressAll(PVOID address)
{
	wake(address, true);
}
