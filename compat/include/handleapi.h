/*
 * Handles of events, ports, overlapped files, threads, semaphores and mutexes. The client may use
 * the two low bits.
 */
#ifndef COMPAT_HANDLEAPI_H
#define COMPAT_HANDLEAPI_H

#include "minwinbase.h"

#define HANDLE_FLAG_INHERIT	       0x00000001
#define HANDLE_FLAG_PROTECT_FROM_CLOSE 0x00000002

COMPAT_BEGIN

/*
 * Fails with ERROR_INVALID_HANDLE if the handle is not open. Closing the pseudo handles (-1, -2)
 * has no effect.
 */
BOOL CloseHandle(HANDLE handle);

COMPAT_END

#endif
