/* The names and descriptions of the status codes of NetworkDirect (ND), and the wait for an ND
 * request. Any thread may call these functions. */
#ifndef TOOLS_STATUS_H
#define TOOLS_STATUS_H

#include "ndstatus.h"

/* Returns a name such as "ND_CANCELED". For a status without a name in ndstatus.h, returns its
 * number as text. That text is valid until the thread's next call. */
const char *nd_name(HRESULT hr);
/* Returns a description such as "cancelled, the connection ended". */
const char *nd_text(HRESULT hr);

/* Waits until an ND request has ended, and returns the request's status. `any` is the ND object on
 * which the request was started; `started` is the status that the starting call returned. Returns
 * ND_IO_TIMEOUT after timeout_ms (negative: no limit) or when the user asks to stop. The request is
 * then still pending. */
HRESULT nd_finish(void *any, HRESULT started, OVERLAPPED *ov, int timeout_ms);

#endif
