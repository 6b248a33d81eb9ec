/* The last error: one number for each thread, which WSAGetLastError reads too. */
#ifndef COMPAT_ERRHANDLINGAPI_H
#define COMPAT_ERRHANDLINGAPI_H

#include "winerror.h"
#include "windef.h"

COMPAT_BEGIN

/* The number this thread's last failing call left; a success leaves it alone unless its contract says otherwise. */
DWORD GetLastError(void);

/* Any value; 0 is no error. */
void SetLastError(DWORD code);

COMPAT_END

#endif
