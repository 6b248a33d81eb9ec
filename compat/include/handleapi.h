/* Handles: of events, ports, overlapped files, threads, semaphores, mutexes. Their two low bits are the client's. */
#ifndef COMPAT_HANDLEAPI_H
#define COMPAT_HANDLEAPI_H

#include "minwinbase.h"

#define HANDLE_FLAG_INHERIT		0x00000001
#define HANDLE_FLAG_PROTECT_FROM_CLOSE	0x00000002

COMPAT_BEGIN

/* ERROR_INVALID_HANDLE: not open. The pseudo handles of process and thread (-1, -2) are accepted and stay. */
BOOL CloseHandle(HANDLE handle);

COMPAT_END

#endif
