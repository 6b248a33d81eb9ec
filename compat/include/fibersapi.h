/*
 * Fiber local storage. A program allocates an index, and each thread stores a value of its own at
 * that index. When a thread ends, a routine of the index can receive the thread's value. There are
 * no fibers here, so the values belong to threads.
 */
#ifndef COMPAT_FIBERSAPI_H
#define COMPAT_FIBERSAPI_H

#include "minwinbase.h"

#define FLS_OUT_OF_INDEXES 0xFFFFFFFFu

typedef void (*PFLS_CALLBACK_FUNCTION)(PVOID value);

COMPAT_BEGIN

/*
 * Allocates an index at which each thread stores a value of its own. When a thread ends and its
 * value is not NULL, `routine` is called with the value; `routine` may be NULL. Returns
 * FLS_OUT_OF_INDEXES if no index is free.
 */
DWORD FlsAlloc(PFLS_CALLBACK_FUNCTION routine);

/*
 * Frees an index. The routine of the index runs for the calling thread's value only; Windows runs
 * it for the values of all threads.
 */
BOOL FlsFree(DWORD index);

/*
 * Returns the value that the calling thread stored at the index with FlsSetValue, NULL at first.
 * Sets the last error to 0, or to ERROR_INVALID_PARAMETER if the index is not allocated.
 */
PVOID FlsGetValue(DWORD index);

/*
 * Stores `value` at the index. Only the calling thread sees this value. Fails with
 * ERROR_INVALID_PARAMETER if the index is not allocated.
 */
BOOL FlsSetValue(DWORD index, PVOID value);

COMPAT_END

#endif
