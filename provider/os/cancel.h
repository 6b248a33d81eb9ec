/*
 * Calls that a cancelled thread finishes. Clients may cancel their threads (pthread_cancel) at any
 * moment; a thread that ended in the middle of one of our calls would leave its locks taken and its
 * work half done for everybody else. So every call that may reach a cancellation point of the C
 * library is made uncancelled; it is only the waits for a client's event, port or request that are
 * cancellation points, with the lock let go of and nothing lost.
 */
#ifndef OS_CANCEL_H
#define OS_CANCEL_H

#include <pthread.h>

static inline int os_cancel_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void os_cancel_restore(const int *before)
{
	pthread_setcancelstate(*before, NULL);
}

/* The calling thread is not cancelled before the end of the scope. Costs two locked instructions: not
 * for Send, Receive and GetResults, which reach no cancellation point outside the link. */
#define OS_UNCANCELLED __attribute__((cleanup(os_cancel_restore), unused)) const int cancel_before = os_cancel_off()

/* What a cancelled wait lets go of: for pthread_cleanup_push. */
static inline void os_cancel_unlock(void *lock)
{
	pthread_mutex_unlock(lock);
}

#endif
