/* Threads of CreateThread: what their ending runs. */
#ifndef COMPAT_THREAD_H
#define COMPAT_THREAD_H

/* Runs the routines of FlsAlloc for the calling thread's values, once. */
void compat_slots_end(void);

#endif
