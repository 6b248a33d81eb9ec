/*
 * The Local... and Global... functions, which allocate memory. The handle of a memory block is the
 * block's address, because blocks never move here.
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

/*
 * Allocates a block on the process heap. The flag LMEM_ZEROINIT clears the block. Returns NULL if
 * memory is short.
 */
HLOCAL LocalAlloc(UINT flags, SIZE_T bytes);

/* Changes the size of a block. Returns NULL on failure; the block is then unchanged. */
HLOCAL LocalReAlloc(HLOCAL memory, SIZE_T bytes, UINT flags);

/* Returns the size of a block in bytes, or 0 for memory that is not from LocalAlloc. */
SIZE_T LocalSize(HLOCAL memory);

/* Frees a block. Returns NULL on success, and `memory` on failure. */
HLOCAL LocalFree(HLOCAL memory);

/*
 * LocalAlloc under its older name: allocates a block on the process heap. Returns NULL if memory is
 * short.
 */
HGLOBAL GlobalAlloc(UINT flags, SIZE_T bytes);

/*
 * LocalReAlloc under its older name: changes the size of a block. Returns NULL on failure; the
 * block is then unchanged.
 */
HGLOBAL GlobalReAlloc(HGLOBAL memory, SIZE_T bytes, UINT flags);

/*
 * LocalSize under its older name: returns the size of a block in bytes, or 0 for memory that is not
 * from GlobalAlloc.
 */
SIZE_T GlobalSize(HGLOBAL memory);

/*
 * LocalFree under its older name: frees a block. Returns NULL on success, and `memory` on failure.
 */
HGLOBAL GlobalFree(HGLOBAL memory);

/*
 * Returns the address of the block, which is `memory` itself. Locks nothing, because blocks never
 * move here.
 */
LPVOID GlobalLock(HGLOBAL memory);

/*
 * Returns FALSE and sets the last error to ERROR_SUCCESS. On Windows this result means that the
 * block is no longer locked.
 */
BOOL GlobalUnlock(HGLOBAL memory);

COMPAT_END

#endif
