/*
 * Threads of this library: they block all signals but faults, since signals are for the
 * application's threads; they cannot be cancelled; and they end when the library is unloaded.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* 0 or an errno. `name` has at most 15 characters. `run` calls os_thread_disable_cancel first. */
int os_thread_start(pthread_t *, const char *name, void *(*run)(void *), void *arg);
void os_thread_disable_cancel(void);

/*
 * Waits for the thread's end, 1 s at most, and not at all for the calling thread: a client's
 * routine may never return, or may itself have called exit(). False: the thread still runs.
 */
bool os_thread_join(pthread_t);

#endif
