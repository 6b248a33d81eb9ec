/* Protection against pthread_cancel() of an application's thread inside softrnic. Such a thread
 * must not end while it polls a shard (it holds the shard's lock then), while it holds a mutex, or
 * when it has taken over the waking of a sleeping shard but not yet written the shard's eventfd,
 * because no other thread would write it. In these scopes cancellation is disabled, so that system
 * calls are no cancellation points. */
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

/* Disables cancellation of the calling thread until the end of the scope. Costs two locked
 * instructions. */
#define RN_UNCANCELLED                                                                \
	__attribute__((cleanup(rn_cancel_restore), unused)) const int cancel_before = \
		rn_cancel_off()

#endif
