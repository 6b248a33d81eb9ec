/*
 * Handles of events, completion ports, overlapped files, threads, semaphores and mutexes. A program
 * may store bits of its own in the two low bits of a handle, because the library ignores these
 * bits.
 */
#ifndef COMPAT_HANDLEAPI_H
#define COMPAT_HANDLEAPI_H

#include "minwinbase.h"

#define HANDLE_FLAG_INHERIT	       0x00000001
#define HANDLE_FLAG_PROTECT_FROM_CLOSE 0x00000002

COMPAT_BEGIN

/*
 * Closes a handle. Fails with ERROR_INVALID_HANDLE if the handle is not open. Has no effect on the
 * pseudo handles -1 (GetCurrentProcess) and -2 (GetCurrentThread).
 */
BOOL CloseHandle(HANDLE handle);

COMPAT_END

#endif
