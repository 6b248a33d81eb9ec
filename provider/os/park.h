/*
 * Blocks a thread until an OVERLAPPED is no longer pending, whether or not it has an event or a
 * port. Any thread.
 */
#ifndef OS_PARK_H
#define OS_PARK_H

#include "ndtypes.h"

/* Returns once the status is final; the caller keeps the block alive until then. */
void os_park_until_done(const OVERLAPPED *);

/* To be called after the final status was stored. Uses only the address, never the block. */
void os_park_wake(const OVERLAPPED *);

#endif
