/*
 * Fiber local storage: each thread stores its own value at an index that the program allocates.
 * When a thread ends, the routine given to FlsAlloc is called with the thread's value. Fibers do
 * not exist here.
 */
#ifndef COMPAT_FIBERSAPI_H
#define COMPAT_FIBERSAPI_H

#include "minwinbase.h"

#define FLS_OUT_OF_INDEXES 0xFFFFFFFFu

typedef void (*PFLS_CALLBACK_FUNCTION)(PVOID value);

COMPAT_BEGIN

/*
 * Allocates an index at which each thread stores its own value. When a thread with a value other
 * than NULL ends, `routine` is called with the value. `routine` may be NULL. Returns
 * FLS_OUT_OF_INDEXES if no index is free.
 */
DWORD FlsAlloc(PFLS_CALLBACK_FUNCTION routine);

/*
 * Frees an index. Calls the routine given to FlsAlloc with the calling thread's value. Windows
 * calls the routine with the values of all threads.
 */
BOOL FlsFree(DWORD index);

/*
 * Returns the calling thread's value at the index, or NULL if the thread has stored none. Sets the
 * last error to 0, or to ERROR_INVALID_PARAMETER if the index is not allocated.
 */
PVOID FlsGetValue(DWORD index);

/*
 * Stores `value` at the index. Only the calling thread sees this value. Fails with
 * ERROR_INVALID_PARAMETER if the index is not allocated.
 */
BOOL FlsSetValue(DWORD index, PVOID value);

COMPAT_END

#endif
