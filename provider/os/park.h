/*
 * Blocks a thread until an OVERLAPPED is no longer pending. Needs neither an event nor a completion
 * port. Any thread may call.
 */
#ifndef OS_PARK_H
#define OS_PARK_H

#include "ndtypes.h"

/* Returns once the OVERLAPPED's status is final. Until then the caller keeps the OVERLAPPED
 * alive. */
void os_park_until_done(const OVERLAPPED *);

/* To be called after the final status was stored. Uses only the address of the OVERLAPPED, since
 * the client may have freed the memory. */
void os_park_wake(const OVERLAPPED *);

#endif
