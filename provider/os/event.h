/*
 * Events: flags that threads wait for, with manual or automatic reset. An event has a file
 * descriptor for poll() if the client asks for one. Any thread that holds a reference may call.
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

/* Returns whether the event was set, and clears an event that resets automatically. Does not
 * wait. */
bool os_event_take(struct os_event *);

/* Waits until os_event_take() would succeed, and takes the event. Returns ND_SUCCESS, or ND_TIMEOUT
 * if the event was not set in time. */
HRESULT os_event_wait(struct os_event *, ULONG timeout_ms);

/* Returns the event's file descriptor, which the event owns. The first call creates the descriptor.
 * Returns -1 if no descriptor is left. */
int os_event_fd(struct os_event *);

/*
 * Completes a request: writes the status into the OVERLAPPED and sets the event in one step, under
 * the event's lock. With two steps, a waiter could see the status and start its next request, which
 * clears the event. The late signal of the first request would then look like the end of the
 * second.
 */
void os_event_publish(struct os_event *, OVERLAPPED *, HRESULT status);

#endif
