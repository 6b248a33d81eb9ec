/* Starts the library's own threads, and waits for their end. */
#include "os/thread.h"
#include "os/child.h"

#include <signal.h>
#include <time.h>

int os_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	int rc;

	os_child_watch();
	/* Block all signals except SIGSEGV and SIGBUS. A client's completion routine may poll the
	 * NIC and thereby access unmapped buffers. If these two signals were blocked, such an
	 * access would end the process instead of failing the request. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		pthread_setname_np(*thread, name);
	return rc;
}

void os_thread_disable_cancel(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

bool os_thread_join(pthread_t thread)
{
	struct timespec until;

	if (pthread_equal(thread, pthread_self()))
		return false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return pthread_timedjoin_np(thread, NULL, &until) == 0;
}
