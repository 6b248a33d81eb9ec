/* The set-up that every thread created by softrnic runs first. */
#ifndef RN_THREAD_H
#define RN_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Sets up the calling thread: name (at most 15 characters), signals, no cancellation. Blocks all
 * signals except SIGSEGV and SIGBUS, because signals belong to the application's threads. If
 * SIGSEGV or SIGBUS were blocked at a fault, the kernel would end the process without calling the
 * handler of mem.c. Threads created by this thread inherit the signal mask. */
static inline void rn_thread_set_up(const char *name)
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
