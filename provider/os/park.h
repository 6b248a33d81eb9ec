/*
 * Blocks a thread until an OVERLAPPED is no longer pending. This needs neither an event nor a
 * completion port. Any thread may call.
 */
#ifndef OS_PARK_H
#define OS_PARK_H

#include "ndtypes.h"

/* Returns once the OVERLAPPED's status is final. The caller must keep the OVERLAPPED alive until
 * then. */
void os_park_until_done(const OVERLAPPED *);

/* To be called after the final status was stored. Uses only the address and never reads the
 * OVERLAPPED, which the client may have freed. */
void os_park_wake(const OVERLAPPED *);

#endif
