/* At the end of a thread, the library calls the callbacks that the program gave to FlsAlloc. */
#ifndef COMPAT_THREAD_H
#define COMPAT_THREAD_H

/*
 * Clears the values that the calling thread has stored at FLS and TLS indexes. Passes each value to
 * the callback that FlsAlloc received for the value's index. A second call finds no values.
 */
void compat_slots_end(void);

#endif
