/*
 * The callback pool: a few threads that run clients' completion routines, so that a routine neither
 * runs on the stack of a thread that called the library nor delays other completions. Any thread
 * may call.
 */
#ifndef OS_POOL_H
#define OS_POOL_H

#include "os/port.h"

/* Starts the pool's first thread unless it exists. ND_INSUFFICIENT_RESOURCES: the thread cannot be
 * started. */
HRESULT os_pool_start(void);

/* Takes ownership of the completion packet and runs its routine soon, on a thread of the pool.
 * os_pool_start() must have succeeded before. */
void os_pool_queue(struct os_packet *);

#endif
