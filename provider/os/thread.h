/*
 * Threads of this library: they take no signals, which are the application's, except faults of
 * their own, nobody can cancel them, and they end when the library is unloaded.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* 0 or an errno. `name` has at most 15 characters. The first thing that `run` does is to settle. */
int os_thread_start(pthread_t *, const char *name, void *(*run)(void *), void *arg);
void os_thread_settle(void);

/*
 * Waits a second at most, and not at all for oneself: a routine of the client's may never return,
 * or may itself have called exit(). False: the thread runs on.
 */
bool os_thread_join(pthread_t);

#endif
