/* What an ND status is called, and what it means in words. Any thread. */
#ifndef TOOLS_STATUS_H
#define TOOLS_STATUS_H

#include "ndstatus.h"

/* "ND_CANCELED", or the number for one that ndstatus.h does not have. Both texts live as long as the program; that of a
 * number until the thread asks again. */
const char *nd_name(HRESULT hr);
/* "cancelled, the connection ended" */
const char *nd_text(HRESULT hr);

/* Waits for the end of a request that answered `started`: its status, or ND_IO_TIMEOUT after timeout_ms (negative: never) or
 * when the user asks to stop; it is pending still then. `any` is the object it was made on, or another one. */
HRESULT nd_finish(void *any, HRESULT started, OVERLAPPED *ov, int timeout_ms);

#endif
