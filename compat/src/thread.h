/* Calls the callbacks that the program gave to FlsAlloc, at the end of a thread. */
#ifndef COMPAT_THREAD_H
#define COMPAT_THREAD_H

/*
 * Clears the calling thread's values at all indexes. Passes each value to the callback that
 * FlsAlloc received for the index. A second call finds no values.
 */
void compat_slots_end(void);

#endif
