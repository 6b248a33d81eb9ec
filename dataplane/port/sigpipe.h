/* Protection of the application against SIGPIPE. The drivers of some software ports, for example
 * net_virtio_user, write to sockets, and the other end of a socket may be closed. Such a write in a
 * thread of the application would end the process: the application may use the default action of
 * SIGPIPE. The signal's action is left alone, because it belongs to the application. */
#ifndef RN_SIGPIPE_H
#define RN_SIGPIPE_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct rn_sigpipe {
	sigset_t mask; /* the thread's signal mask before rn_sigpipe_off() */
	bool pending;  /* a SIGPIPE was pending already, which belongs to the application */
};

static inline sigset_t rn_sigpipe_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	return set;
}

static inline struct rn_sigpipe rn_sigpipe_off(void)
{
	struct rn_sigpipe before;
	sigset_t set = rn_sigpipe_set(), pending;

	sigpending(&pending);
	before.pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &set, &before.mask);
	return before;
}

/* Discards the SIGPIPE that a write in the scope has caused. The kernel sends this signal to the
 * writing thread, so it is pending here and nowhere else. */
static inline void rn_sigpipe_restore(const struct rn_sigpipe *before)
{
	const struct timespec now = {0};
	sigset_t set = rn_sigpipe_set();
	int err = errno;

	if (!before->pending)
		while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	errno = err;
}

/* Until the end of the scope a write of the calling thread to a closed socket or pipe only fails
 * with EPIPE. Costs four system calls. */
#define RN_NO_SIGPIPE                                        \
	__attribute__((cleanup(rn_sigpipe_restore), unused)) \
	const struct rn_sigpipe sigpipe_before = rn_sigpipe_off()

#endif
