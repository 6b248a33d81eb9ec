/*
 * The callback pool: a few threads that run clients' completion routines, so that a routine never
 * runs on the stack of a call the client made, nor holds up other completions. Any thread.
 */
#ifndef OS_POOL_H
#define OS_POOL_H

#include "port.h"

/* Makes sure that a thread exists. ND_INSUFFICIENT_RESOURCES. */
HRESULT os_pool_start(void);

/* Takes the packet over; its routine runs soon. Needs a successful os_pool_start before. */
void os_pool_queue(struct os_packet *);

#endif
