/*
 * The one function of the native interface of Windows that ND2 clients use. It translates an
 * NTSTATUS to an error number.
 */
#ifndef COMPAT_WINTERNL_H
#define COMPAT_WINTERNL_H

#include "winnt.h"

COMPAT_BEGIN

/*
 * Translates a status of ntstatus.h to an error number. Returns the error number in an HRESULT of
 * HRESULT_FROM_WIN32, and ERROR_MR_MID_NOT_FOUND (317) for any other status.
 */
ULONG RtlNtStatusToDosError(NTSTATUS status);

COMPAT_END

#endif
