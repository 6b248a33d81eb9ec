/* Protection against pthread_cancel() of an application's thread inside softrnic. Cancellation is
 * disabled while such a thread:
 * - polls a shard, because the thread holds the shard's lock
 * - holds a mutex
 * - wakes a sleeping shard, because no other thread would write to the shard's eventfd */
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
