/* How a function of this folder fails. Any thread. */
#ifndef COMPAT_LAST_ERROR_H
#define COMPAT_LAST_ERROR_H

#include <errhandlingapi.h>
#include <winternl.h>

/* Sets the last error; FALSE, so that a function can return it. */
static inline BOOL compat_fail(DWORD code)
{
	SetLastError(code);
	return FALSE;
}

/* The same from a status. */
static inline BOOL compat_fail_status(HRESULT status)
{
	return compat_fail(RtlNtStatusToDosError(status));
}

#endif
