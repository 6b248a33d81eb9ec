/*
 * Blocks threads until an OVERLAPPED has its final status.
 *
 * Owns a fixed set of buckets, each with a lock, a condition variable and the number of waiting
 * threads. A hash of the OVERLAPPED's address selects the bucket. So the completing thread needs
 * only the address: the client may have freed the OVERLAPPED already.
 *
 * Memory order: a waiting thread increments the bucket's count and then reads the status. The
 * completing thread stores the status and then reads the count. All four accesses are sequentially
 * consistent, so at least one thread sees what the other thread wrote. A completion without waiting
 * threads takes no lock.
 */
#include "os/park.h"
#include "os/overlapped.h"

#include <pthread.h>
#include <stdatomic.h>

#define BUCKETS 64

static struct bucket {
	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t woken;
	atomic_uint waiters;
} buckets[BUCKETS] = {
	[0 ... BUCKETS - 1] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
};

static struct bucket *bucket_of(const void *address)
{
	return &buckets[(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> 58];
}

static void leave(void *arg)
{
	struct bucket *bucket = arg;

	pthread_mutex_unlock(&bucket->lock);
	atomic_fetch_sub(&bucket->waiters, 1);
}

void os_park_until_done(const OVERLAPPED *overlapped)
{
	struct bucket *bucket = bucket_of(overlapped);

	if (os_overlapped_status(overlapped) != ND_PENDING)
		return;
	atomic_fetch_add(&bucket->waiters, 1);
	pthread_mutex_lock(&bucket->lock);
	pthread_cleanup_push(leave, bucket);
	while (os_overlapped_status(overlapped) == ND_PENDING)
		pthread_cond_wait(&bucket->woken, &bucket->lock);
	pthread_cleanup_pop(1);
}

void os_park_wake(const OVERLAPPED *overlapped)
{
	struct bucket *bucket = bucket_of(overlapped);

	if (!atomic_load(&bucket->waiters))
		return;
	pthread_mutex_lock(&bucket->lock);
	pthread_cond_broadcast(&bucket->woken);
	pthread_mutex_unlock(&bucket->lock);
}
