/*
 * The callback pool: a few threads that run clients' completion routines, so that a routine never
 * runs on the stack of a client's call nor delays other completions. Any thread.
 */
#ifndef OS_POOL_H
#define OS_POOL_H

#include "os/port.h"

/* Makes sure that at least one thread exists. ND_INSUFFICIENT_RESOURCES. */
HRESULT os_pool_start(void);

/* Takes the packet over and runs its routine soon. Needs a successful os_pool_start before. */
void os_pool_queue(struct os_packet *);

#endif
