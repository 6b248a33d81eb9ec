/*
 * The callback pool: a few threads that run clients' completion routines. So a routine does not run
 * on the stack of a thread that called the library, and does not delay other completions. Any
 * thread may call.
 */
#ifndef OS_POOL_H
#define OS_POOL_H

#include "os/port.h"

/* Starts the pool's first thread unless that thread exists. Returns ND_INSUFFICIENT_RESOURCES if
 * the thread cannot be started. */
HRESULT os_pool_start(void);

/* Takes ownership of the completion packet and runs the packet's routine soon, on a thread of the
 * pool. os_pool_start() must have succeeded before. */
void os_pool_queue(struct os_packet *);

#endif
