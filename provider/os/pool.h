/*
 * The callback pool: a few threads that run clients' completion routines, so that a routine neither
 * runs on the stack of a client's call nor delays other completions. Any thread may call.
 */
#ifndef OS_POOL_H
#define OS_POOL_H

#include "os/port.h"

/* Starts a first thread unless one exists. ND_INSUFFICIENT_RESOURCES: it cannot be started. */
HRESULT os_pool_start(void);

/* Takes ownership of the packet and runs its routine soon. os_pool_start() must have succeeded
 * before. */
void os_pool_queue(struct os_packet *);

#endif
