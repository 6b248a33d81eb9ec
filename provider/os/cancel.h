/*
 * Keeps pthread_cancel from ending a thread in the middle of a call of this library. Such a thread
 * would leave locks taken and work half done.
 *
 * So every call that may reach a cancellation point of the C library disables cancellation. The
 * exceptions are the waits for an event, a completion port or an OVERLAPPED, which can be
 * cancelled. A thread that is cancelled in such a wait releases the mutex of the wait, and nothing
 * is lost.
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

/* Disables cancellation of the calling thread until the end of the scope. Costs two locked
 * instructions, so Send, Receive and GetResults do not use this macro. The only cancellation points
 * that these methods can reach are in the NIC (dataplane/). The NIC disables cancellation there
 * itself. */
#define OS_UNCANCELLED                                                                \
	__attribute__((cleanup(os_cancel_restore), unused)) const int cancel_before = \
		os_cancel_off()

/* pthread_cleanup_push handler: releases the mutex that a cancelled wait holds. */
static inline void os_cancel_unlock(void *lock)
{
	pthread_mutex_unlock(lock);
}

#endif
