/* Functions for heaps. The memory of heaps comes from malloc() and is aligned to 16 bytes. */
#ifndef COMPAT_HEAPAPI_H
#define COMPAT_HEAPAPI_H

#include "winnt.h"

#define HEAP_NO_SERIALIZE	   0x00000001 /* has no effect: every heap is thread-safe */
#define HEAP_GENERATE_EXCEPTIONS   0x00000004 /* has no effect: a failed call returns NULL */
#define HEAP_ZERO_MEMORY	   0x00000008
#define HEAP_REALLOC_IN_PLACE_ONLY 0x00000010
#define HEAP_CREATE_ENABLE_EXECUTE 0x00040000 /* has no effect: blocks are never executable */

typedef enum _HEAP_INFORMATION_CLASS {
	HeapCompatibilityInformation = 0,
	HeapEnableTerminationOnCorruption = 1
} HEAP_INFORMATION_CLASS;

COMPAT_BEGIN

/* Returns the heap of the process, which always exists and cannot be destroyed. */
HANDLE GetProcessHeap(void);

/*
 * Creates a heap that grows as needed; all three arguments are ignored. Returns NULL if memory is
 * short.
 */
HANDLE HeapCreate(DWORD flags, SIZE_T initial, SIZE_T most);

/* Destroys a heap and frees all of its blocks. The process heap cannot be destroyed. */
BOOL HeapDestroy(HANDLE heap);

/* Allocates a block. Returns NULL if memory is short or the heap does not exist. */
LPVOID HeapAlloc(HANDLE heap, DWORD flags, SIZE_T bytes);

/*
 * Changes the size of a block. Returns NULL on failure; the block is then unchanged.
 * HEAP_ZERO_MEMORY clears the bytes that are added.
 */
LPVOID HeapReAlloc(HANDLE heap, DWORD flags, LPVOID memory, SIZE_T bytes);

/*
 * Frees a block; does nothing if `memory` is NULL. Fails with ERROR_INVALID_PARAMETER if the block
 * does not belong to this heap.
 */
BOOL HeapFree(HANDLE heap, DWORD flags, LPVOID memory);

/*
 * Returns the size that the block was allocated with, or (SIZE_T)-1 if the block does not belong to
 * this heap.
 */
SIZE_T HeapSize(HANDLE heap, DWORD flags, LPCVOID memory);

/*
 * Returns whether `memory` is a block of the heap. If `memory` is NULL, returns whether the heap
 * exists.
 */
BOOL HeapValidate(HANDLE heap, DWORD flags, LPCVOID memory);

/* Ignores its arguments and returns TRUE. */
BOOL HeapSetInformation(HANDLE heap, HEAP_INFORMATION_CLASS kind, PVOID information, SIZE_T bytes);

COMPAT_END

#endif
