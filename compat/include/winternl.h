/*
 * RtlNtStatusToDosError, which translates an NTSTATUS to an error number. ND2 clients use no other
 * function of the native interface of Windows.
 */
#ifndef COMPAT_WINTERNL_H
#define COMPAT_WINTERNL_H

#include "winnt.h"

COMPAT_BEGIN

/*
 * Translates an NTSTATUS to an error number. For an HRESULT from HRESULT_FROM_WIN32, returns the
 * error number in the HRESULT. For a status that is not in ntstatus.h, returns
 * ERROR_MR_MID_NOT_FOUND (317).
 */
ULONG RtlNtStatusToDosError(NTSTATUS status);

COMPAT_END

#endif
