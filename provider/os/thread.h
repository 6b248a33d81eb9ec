/*
 * Threads of this library. They block all signals except SIGSEGV and SIGBUS, since the other
 * signals are for the application's threads. They cannot be cancelled. They end when the library is
 * unloaded.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread. `name` may have at most 15 characters. `run` must call
 * os_thread_disable_cancel() first. Returns 0 or an errno. */
int os_thread_start(pthread_t *, const char *name, void *(*run)(void *), void *arg);
void os_thread_disable_cancel(void);

/*
 * Waits at most 1 s for the thread to end, since the thread may run a client's routine that never
 * returns. Does not wait for the calling thread itself: a client's routine may have called exit(),
 * which runs this function. Returns false if the thread still runs.
 */
bool os_thread_join(pthread_t);

#endif
