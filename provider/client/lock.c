/* What happens when several threads want one lock? A thread that finds the lock taken marks it as
 * awaited and sleeps on a futex. Whoever releases an awaited lock wakes one sleeper. Owns nothing.
 * Runs in any thread. */
#include "client/lock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void rn_lock_wait(struct rn_lock *lock)
{
	/* A thread that was woken marks the lock as awaited, because other threads may still sleep.
	 * If the state changes before FUTEX_WAIT begins, FUTEX_WAIT returns at once, so no wake-up
	 * is lost. */
	while (atomic_exchange_explicit(&lock->state, RN_LOCK_AWAITED, memory_order_acquire) !=
	       RN_LOCK_FREE)
		syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, RN_LOCK_AWAITED, NULL, NULL,
			0);
}

void rn_lock_wake(struct rn_lock *lock)
{
	syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
