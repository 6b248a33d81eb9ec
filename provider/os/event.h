/*
 * Events: a flag that threads wait for, with manual or automatic reset, and a pollable descriptor
 * on demand. Any thread; callers hold a reference.
 */
#ifndef OS_EVENT_H
#define OS_EVENT_H

#include "ndtypes.h"

#include <stdbool.h>

struct os_event;

HRESULT os_event_create(bool manual_reset, bool set, HANDLE *handle);

/* A new reference, or NULL if the handle is not an open event. */
struct os_event *os_event_get(HANDLE);
void os_event_put(struct os_event *);

void os_event_set(struct os_event *);
void os_event_reset(struct os_event *);

/* Returns whether the event was set, and clears an automatic one. Does not wait. */
bool os_event_take(struct os_event *);

/* ND_SUCCESS (the event was set, as in os_event_take) or ND_TIMEOUT. */
HRESULT os_event_wait(struct os_event *, ULONG timeout_ms);

/* The descriptor, owned by the event and created by the first call; -1 if none is left. */
int os_event_fd(struct os_event *);

/*
 * Completes a request: writes the status into the OVERLAPPED and sets the event in one step under
 * the lock. In two steps a waiter could see the status, start its next request, which clears the
 * event, and then take the late signal of the old request for the end of the new one.
 */
void os_event_publish(struct os_event *, OVERLAPPED *, HRESULT status);

#endif
