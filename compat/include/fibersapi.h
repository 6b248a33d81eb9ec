/* Values of a thread with a routine that runs when it ends. There are no fibers. */
#ifndef COMPAT_FIBERSAPI_H
#define COMPAT_FIBERSAPI_H

#include "minwinbase.h"

#define FLS_OUT_OF_INDEXES 0xFFFFFFFFu

typedef void (*PFLS_CALLBACK_FUNCTION)(PVOID value);

COMPAT_BEGIN

/* The routine, which may be NULL, gets the value of each ending thread that is not NULL. FLS_OUT_OF_INDEXES as TlsAlloc. */
DWORD FlsAlloc(PFLS_CALLBACK_FUNCTION routine);

/* The routine runs for the calling thread's value; those of other threads are forgotten, where Windows runs it for them. */
BOOL FlsFree(DWORD index);

/* As TlsGetValue. */
PVOID FlsGetValue(DWORD index);

/* As TlsSetValue. */
BOOL FlsSetValue(DWORD index, PVOID value);

COMPAT_END

#endif
