/* The last error: each thread has one error number. WSAGetLastError returns the same number. */
#ifndef COMPAT_ERRHANDLINGAPI_H
#define COMPAT_ERRHANDLINGAPI_H

#include "winerror.h"
#include "windef.h"

COMPAT_BEGIN

/*
 * Returns the error number that the last failed call of this thread set. A function that succeeds
 * leaves the number unchanged, unless the comment at the function's declaration says otherwise.
 */
DWORD GetLastError(void);

/* Sets the last error of the calling thread; 0 means no error. */
void SetLastError(DWORD code);

COMPAT_END

#endif
