/* An application's thread in our code, which may be cancelled (pthread_cancel) at any moment. It must not end while it
 * holds the turn, a lock, or a wake-up that it alone will give: no system call in such a scope is a cancellation point. */
#ifndef RN_CANCEL_H
#define RN_CANCEL_H

#include <pthread.h>

static inline int rn_cancel_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void rn_cancel_restore(const int *before)
{
	pthread_setcancelstate(*before, NULL);
}

/* The calling thread is not cancelled before the end of the scope. Two locked instructions. */
#define RN_UNCANCELLED __attribute__((cleanup(rn_cancel_restore), unused)) const int cancel_before = rn_cancel_off()

#endif
