/* Heaps: memory from the allocator of the C library, 16 bytes aligned. */
#ifndef COMPAT_HEAPAPI_H
#define COMPAT_HEAPAPI_H

#include "winnt.h"

#define HEAP_NO_SERIALIZE	      0x00000001 /* ignored: heaps are always serialized */
#define HEAP_GENERATE_EXCEPTIONS      0x00000004 /* ignored: NULL is returned */
#define HEAP_ZERO_MEMORY	      0x00000008
#define HEAP_REALLOC_IN_PLACE_ONLY    0x00000010
#define HEAP_CREATE_ENABLE_EXECUTE    0x00040000 /* ignored: memory is not executable */

typedef enum _HEAP_INFORMATION_CLASS {
	HeapCompatibilityInformation = 0,
	HeapEnableTerminationOnCorruption = 1
} HEAP_INFORMATION_CLASS;

COMPAT_BEGIN

/* There is one, and it cannot be destroyed. */
HANDLE GetProcessHeap(void);

/* Grows as needed: `most` is no limit. NULL: no memory. */
HANDLE HeapCreate(DWORD flags, SIZE_T initial, SIZE_T most);

/* Frees all that was allocated from it. */
BOOL HeapDestroy(HANDLE heap);

/* NULL: no memory, or no such heap. */
LPVOID HeapAlloc(HANDLE heap, DWORD flags, SIZE_T bytes);

/* NULL: `memory` is as it was. HEAP_ZERO_MEMORY is for what is added. */
LPVOID HeapReAlloc(HANDLE heap, DWORD flags, LPVOID memory, SIZE_T bytes);

/* TRUE for NULL. FALSE, ERROR_INVALID_PARAMETER: not of this heap, as far as can be told. */
BOOL HeapFree(HANDLE heap, DWORD flags, LPVOID memory);

/* The size that was asked for; (SIZE_T)-1: not of this heap. */
SIZE_T HeapSize(HANDLE heap, DWORD flags, LPCVOID memory);

/* Whether `memory` (or, for NULL, the heap) is one of ours. */
BOOL HeapValidate(HANDLE heap, DWORD flags, LPCVOID memory);

/* Nothing to set. TRUE. */
BOOL HeapSetInformation(HANDLE heap, HEAP_INFORMATION_CLASS kind, PVOID information, SIZE_T bytes);

COMPAT_END

#endif
