/*
 * The Local... and Global... functions. Memory never moves, so a handle is the address of the
 * memory.
 */
#ifndef COMPAT_GLOBALMEM_H
#define COMPAT_GLOBALMEM_H

#include "winnt.h"

#define LMEM_FIXED    0x0000
#define LMEM_MOVEABLE 0x0002
#define LMEM_ZEROINIT 0x0040
#define LPTR	      (LMEM_FIXED | LMEM_ZEROINIT)
#define GMEM_FIXED    0x0000
#define GMEM_MOVEABLE 0x0002
#define GMEM_ZEROINIT 0x0040
#define GPTR	      (GMEM_FIXED | GMEM_ZEROINIT)
#define GHND	      (GMEM_MOVEABLE | GMEM_ZEROINIT)

COMPAT_BEGIN

/* Returns NULL if memory is short. */
HLOCAL LocalAlloc(UINT flags, SIZE_T bytes);

/* Returns NULL on failure; `memory` is then unchanged. */
HLOCAL LocalReAlloc(HLOCAL memory, SIZE_T bytes, UINT flags);

/* Returns 0 for memory that is not from LocalAlloc. */
SIZE_T LocalSize(HLOCAL memory);

/* Returns NULL on success, otherwise `memory`. */
HLOCAL LocalFree(HLOCAL memory);

/* Same as LocalAlloc. */
HGLOBAL GlobalAlloc(UINT flags, SIZE_T bytes);

/* Same as LocalReAlloc. */
HGLOBAL GlobalReAlloc(HGLOBAL memory, SIZE_T bytes, UINT flags);

/* Same as LocalSize. */
SIZE_T GlobalSize(HGLOBAL memory);

/* Same as LocalFree. */
HGLOBAL GlobalFree(HGLOBAL memory);

/* Returns `memory` itself. */
LPVOID GlobalLock(HGLOBAL memory);

/*
 * Returns FALSE and sets the last error to ERROR_SUCCESS, which means that the memory is no longer
 * locked.
 */
BOOL GlobalUnlock(HGLOBAL memory);

COMPAT_END

#endif
