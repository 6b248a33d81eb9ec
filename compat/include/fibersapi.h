/*
 * Values that each thread stores for itself, with a routine that runs when the thread ends. There
 * are no fibers.
 */
#ifndef COMPAT_FIBERSAPI_H
#define COMPAT_FIBERSAPI_H

#include "minwinbase.h"

#define FLS_OUT_OF_INDEXES 0xFFFFFFFFu

typedef void (*PFLS_CALLBACK_FUNCTION)(PVOID value);

COMPAT_BEGIN

/*
 * When a thread ends and its value is not NULL, the routine runs with that value. The routine may
 * be NULL. Fails like TlsAlloc.
 */
DWORD FlsAlloc(PFLS_CALLBACK_FUNCTION routine);

/*
 * The routine runs for the calling thread's value only; Windows runs it for the values of all
 * threads.
 */
BOOL FlsFree(DWORD index);

/* Same as TlsGetValue. */
PVOID FlsGetValue(DWORD index);

/* Same as TlsSetValue. */
BOOL FlsSetValue(DWORD index, PVOID value);

COMPAT_END

#endif
