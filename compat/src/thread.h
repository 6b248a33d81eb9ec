/* Threads of CreateThread, and the routines that run when they end. */
#ifndef COMPAT_THREAD_H
#define COMPAT_THREAD_H

/*
 * Passes the calling thread's values to the routines of FlsAlloc and clears the values, so a second
 * call runs no routine again.
 */
void compat_slots_end(void);

#endif
