/* The names and descriptions of the status codes of NetworkDirect (ND), and the wait for an ND
 * request. May be used by any thread. */
#ifndef TOOLS_STATUS_H
#define TOOLS_STATUS_H

#include "ndstatus.h"

/* Returns a name such as "ND_CANCELED". A status without a name in ndstatus.h gives its number as
 * text, valid until the thread's next call. */
const char *nd_name(HRESULT hr);
/* Returns a description such as "cancelled, the connection ended". */
const char *nd_text(HRESULT hr);

/* Waits until a request has ended, and returns the request's status. `any` is the ND object on
 * which the request was started, and `started` is what the starting call returned. If timeout_ms
 * pass (negative: no limit) or the user asks to stop, returns ND_IO_TIMEOUT, and the request is
 * still pending. */
HRESULT nd_finish(void *any, HRESULT started, OVERLAPPED *ov, int timeout_ms);

#endif
