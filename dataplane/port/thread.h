/* What every thread of ours does first. */
#ifndef RN_THREAD_H
#define RN_THREAD_H

#include <pthread.h>
#include <signal.h>

/* The calling thread takes no signals, which are the application's, but the faults it may cause itself: blocked, the
 * kernel would end the process instead of asking the handler of mem.c. Threads that it makes inherit that. Nobody can
 * cancel it. */
static inline void rn_thread_settle(const char *name)
{
	sigset_t all;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_setname_np(pthread_self(), name);
}

#endif
