/* How functions of this folder report a failure. Any thread. */
#ifndef COMPAT_LAST_ERROR_H
#define COMPAT_LAST_ERROR_H

#include <errhandlingapi.h>
#include <winternl.h>

/* Sets the last error and returns FALSE, for `return compat_fail(...)`. */
static inline BOOL compat_fail(DWORD code)
{
	SetLastError(code);
	return FALSE;
}

/* Sets the last error that a status translates to; returns FALSE. */
static inline BOOL compat_fail_status(HRESULT status)
{
	return compat_fail(RtlNtStatusToDosError(status));
}

#endif
