/* The one call of the native interface that clients of ND2 like: from a status to an error number. */
#ifndef COMPAT_WINTERNL_H
#define COMPAT_WINTERNL_H

#include "winnt.h"

COMPAT_BEGIN

/* The error number of a status; ERROR_MR_MID_NOT_FOUND (317) if it has none. Knows the statuses of ntstatus.h. */
ULONG RtlNtStatusToDosError(NTSTATUS status);

COMPAT_END

#endif
