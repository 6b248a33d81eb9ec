/*
 * Events: a flag that threads wait for, with manual or automatic reset, and on demand a file
 * descriptor for poll(). Any thread that holds a reference may call.
 */
#ifndef OS_EVENT_H
#define OS_EVENT_H

#include "ndtypes.h"

#include <stdbool.h>

struct os_event;

HRESULT os_event_create(bool manual_reset, bool set, HANDLE *handle);

/* Returns a new reference, or NULL if the handle is not an open event. */
struct os_event *os_event_get(HANDLE);
void os_event_put(struct os_event *);

void os_event_set(struct os_event *);
void os_event_reset(struct os_event *);

/* Returns whether the event was set, and clears it if it resets automatically. Does not wait. */
bool os_event_take(struct os_event *);

/* Waits until os_event_take() would succeed, and takes the event: ND_SUCCESS. ND_TIMEOUT: the event
 * was not set in time. */
HRESULT os_event_wait(struct os_event *, ULONG timeout_ms);

/* Returns the event's descriptor; the event owns it, and the first call creates it. -1: no
 * descriptor is left. */
int os_event_fd(struct os_event *);

/*
 * Completes a request: writes the status into the OVERLAPPED and sets the event in one step under
 * the lock. With two separate steps, a waiter could see the status and start its next request,
 * which clears the event; the late signal of the old request would then look like the end of the
 * new one.
 */
void os_event_publish(struct os_event *, OVERLAPPED *, HRESULT status);

#endif
