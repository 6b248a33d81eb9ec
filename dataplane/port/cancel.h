/* Protection against pthread_cancel() of an application's thread inside softrnic. Such a thread
 * must not end in three situations. While it polls a shard, it holds the shard's lock. It may also
 * hold a mutex. And when it wakes a sleeping shard, it must still write to the shard's eventfd,
 * because no other thread would do so. In these three situations cancellation is disabled, so that
 * no system call can end the thread. */
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
