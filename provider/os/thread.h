/*
 * Threads of this library. They block all signals except SIGSEGV and SIGBUS, since other signals
 * are for the application's threads; they cannot be cancelled; and they end when the library is
 * unloaded.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread. Returns 0 or an errno. `name` may have at most 15 characters. `run` must call
 * os_thread_disable_cancel() first. */
int os_thread_start(pthread_t *, const char *name, void *(*run)(void *), void *arg);
void os_thread_disable_cancel(void);

/*
 * Waits at most 1 s for the thread to end, since a client's routine that runs on it may never
 * return. Does not wait if the thread is the calling one: a client's routine may have called
 * exit(), which runs this function. False: the thread still runs.
 */
bool os_thread_join(pthread_t);

#endif
