/* Functions with which the code of this folder reports a failure. Any thread may call them. */
#ifndef COMPAT_LAST_ERROR_H
#define COMPAT_LAST_ERROR_H

#include <errhandlingapi.h>
#include <winternl.h>

/* Sets the last error and returns FALSE, so that a caller can write `return compat_fail(...)`. */
static inline BOOL compat_fail(DWORD code)
{
	SetLastError(code);
	return FALSE;
}

/* Sets the last error to the error number for an NTSTATUS or HRESULT, and returns FALSE. */
static inline BOOL compat_fail_status(HRESULT status)
{
	return compat_fail(RtlNtStatusToDosError(status));
}

#endif
