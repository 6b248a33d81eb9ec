/*
 * Handles of events, completion ports, overlapped files, threads, semaphores and mutexes. The
 * library ignores the two low bits of a handle; the client may use them.
 */
#ifndef COMPAT_HANDLEAPI_H
#define COMPAT_HANDLEAPI_H

#include "minwinbase.h"

#define HANDLE_FLAG_INHERIT	       0x00000001
#define HANDLE_FLAG_PROTECT_FROM_CLOSE 0x00000002

COMPAT_BEGIN

/*
 * Closes a handle. Fails with ERROR_INVALID_HANDLE if the handle is not open. Closing a pseudo
 * handle, of the current process (-1) or thread (-2), has no effect.
 */
BOOL CloseHandle(HANDLE handle);

COMPAT_END

#endif
