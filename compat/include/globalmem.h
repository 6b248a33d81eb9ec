/* The old heap functions; memory never moves, so a handle is the address. */
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

/* NULL: no memory. */
HLOCAL LocalAlloc(UINT flags, SIZE_T bytes);

/* NULL: `memory` is as it was. */
HLOCAL LocalReAlloc(HLOCAL memory, SIZE_T bytes, UINT flags);

/* 0: not from LocalAlloc. */
SIZE_T LocalSize(HLOCAL memory);

/* NULL when it worked, else `memory`. */
HLOCAL LocalFree(HLOCAL memory);

/* As LocalAlloc. */
HGLOBAL GlobalAlloc(UINT flags, SIZE_T bytes);

/* As LocalReAlloc. */
HGLOBAL GlobalReAlloc(HGLOBAL memory, SIZE_T bytes, UINT flags);

/* As LocalSize. */
SIZE_T GlobalSize(HGLOBAL memory);

/* As LocalFree. */
HGLOBAL GlobalFree(HGLOBAL memory);

/* `memory` itself. */
LPVOID GlobalLock(HGLOBAL memory);

/* FALSE with no error: it is not locked any more. */
BOOL GlobalUnlock(HGLOBAL memory);

COMPAT_END

#endif
