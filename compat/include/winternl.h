/*
 * The function of the native interface that clients of ND2 use: it translates a status to an error
 * number.
 */
#ifndef COMPAT_WINTERNL_H
#define COMPAT_WINTERNL_H

#include "winnt.h"

COMPAT_BEGIN

/*
 * Translates the statuses of ntstatus.h to error numbers; returns ERROR_MR_MID_NOT_FOUND (317) for
 * others.
 */
ULONG RtlNtStatusToDosError(NTSTATUS status);

COMPAT_END

#endif
