/* The last error: one number per thread. WSAGetLastError reads the same number. */
#ifndef COMPAT_ERRHANDLINGAPI_H
#define COMPAT_ERRHANDLINGAPI_H

#include "winerror.h"
#include "windef.h"

COMPAT_BEGIN

/*
 * Returns the number that the last failed call of this thread set. A call that succeeds sets it
 * only where its remark says so.
 */
DWORD GetLastError(void);

/* Sets any value; 0 means no error. */
void SetLastError(DWORD code);

COMPAT_END

#endif
