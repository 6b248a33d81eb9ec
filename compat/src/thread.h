/* For threads that end: calls the callbacks that the program gave to FlsAlloc. */
#ifndef COMPAT_THREAD_H
#define COMPAT_THREAD_H

/*
 * Clears the calling thread's values at all indexes, and passes each value to the callback that the
 * program gave to FlsAlloc for the index. A second call finds no values and calls nothing.
 */
void compat_slots_end(void);

#endif
