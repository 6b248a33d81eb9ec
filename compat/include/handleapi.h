/*
 * Handles of events, completion ports, overlapped files, threads, semaphores and mutexes. The
 * library ignores the two low bits of a handle, so a program may store bits of its own there.
 */
#ifndef COMPAT_HANDLEAPI_H
#define COMPAT_HANDLEAPI_H

#include "minwinbase.h"

#define HANDLE_FLAG_INHERIT	       0x00000001
#define HANDLE_FLAG_PROTECT_FROM_CLOSE 0x00000002

COMPAT_BEGIN

/*
 * Closes a handle. Fails with ERROR_INVALID_HANDLE if the handle is not open. Has no effect on the
 * pseudo handles that GetCurrentProcess (-1) and GetCurrentThread (-2) return.
 */
BOOL CloseHandle(HANDLE handle);

COMPAT_END

#endif
