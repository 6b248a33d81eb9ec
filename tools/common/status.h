/* The names of ND statuses, and what they mean in words. Any thread. */
#ifndef TOOLS_STATUS_H
#define TOOLS_STATUS_H

#include "ndstatus.h"

/* Returns "ND_CANCELED" and so on, or the number of a status that ndstatus.h does not name. A name
 * is valid for ever, a number until the thread's next call. */
const char *nd_name(HRESULT hr);
/* Returns a description, such as "cancelled, the connection ended". */
const char *nd_text(HRESULT hr);

/* Waits for the request whose call returned `started` and returns its status. ND_IO_TIMEOUT:
 * timeout_ms have passed (negative: no limit) or the user has asked to stop; the request is still
 * pending then. `any` is the object of the request, or any other one. */
HRESULT nd_finish(void *any, HRESULT started, OVERLAPPED *ov, int timeout_ms);

#endif
