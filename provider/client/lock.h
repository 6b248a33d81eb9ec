/* A lock of one word, for locks that are nearly always free and held for a moment, such as that of
 * a CQ. Taking and releasing a free lock costs one locked instruction each and no call; a thread
 * that does not get the lock sleeps. Neither function is a cancellation point. The lock does not
 * know its owner: a thread that takes it twice waits for ever. */
#ifndef CLIENT_LOCK_H
#define CLIENT_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

enum { RN_LOCK_FREE, RN_LOCK_TAKEN, RN_LOCK_AWAITED /* taken, and a thread may sleep */ };

/* All members 0: free. */
struct rn_lock {
	_Atomic uint32_t state;
};

/* The rest of rn_lock_take() and rn_lock_release(), for a lock that several threads want. */
void rn_lock_wait(struct rn_lock *lock);
void rn_lock_wake(struct rn_lock *lock);

static inline void rn_lock_take(struct rn_lock *lock)
{
	uint32_t state = RN_LOCK_FREE;

	if (!atomic_compare_exchange_strong_explicit(&lock->state, &state, RN_LOCK_TAKEN,
						     memory_order_acquire, memory_order_relaxed))
		rn_lock_wait(lock);
}

static inline void rn_lock_release(struct rn_lock *lock)
{
	if (atomic_exchange_explicit(&lock->state, RN_LOCK_FREE, memory_order_release) ==
	    RN_LOCK_AWAITED)
		rn_lock_wake(lock);
}

#endif
