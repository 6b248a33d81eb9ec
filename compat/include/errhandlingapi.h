/* The last error: each thread has one error number. WSAGetLastError returns the same number. */
#ifndef COMPAT_ERRHANDLINGAPI_H
#define COMPAT_ERRHANDLINGAPI_H

#include "winerror.h"
#include "windef.h"

COMPAT_BEGIN

/*
 * Returns the error number that the last failed call of this thread set. Calls that succeed do not
 * change the error number, except where the declaration of a function says so.
 */
DWORD GetLastError(void);

/* Sets the last error of the calling thread; 0 means no error. */
void SetLastError(DWORD code);

COMPAT_END

#endif
