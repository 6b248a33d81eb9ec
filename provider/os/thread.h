/*
 * Threads of this library. They block all signals except SIGSEGV and SIGBUS, since other signals
 * are for the application's threads; they cannot be cancelled; and they end when the library is
 * unloaded.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Returns 0 or an errno. `name` has at most 15 characters. `run` must call
 * os_thread_disable_cancel() first. */
int os_thread_start(pthread_t *, const char *name, void *(*run)(void *), void *arg);
void os_thread_disable_cancel(void);

/*
 * Waits at most 1 s for the thread to end, since a client's routine on it may never return; does
 * not wait for the calling thread, since such a routine may itself have called exit(). False: the
 * thread still runs.
 */
bool os_thread_join(pthread_t);

#endif
