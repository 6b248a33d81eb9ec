/* Memory by pages: reserved, committed, protected, locked; and the words for filling and copying. */
#ifndef COMPAT_MEMORYAPI_H
#define COMPAT_MEMORYAPI_H

#include "winnt.h"

#define PAGE_NOACCESS	       0x01
#define PAGE_READONLY	       0x02
#define PAGE_READWRITE	       0x04
#define PAGE_WRITECOPY	       0x08
#define PAGE_EXECUTE	       0x10
#define PAGE_EXECUTE_READ      0x20
#define PAGE_EXECUTE_READWRITE 0x40
#define PAGE_EXECUTE_WRITECOPY 0x80
#define PAGE_GUARD	       0x100 /* refused */
#define PAGE_NOCACHE	       0x200 /* refused */
#define PAGE_WRITECOMBINE      0x400 /* refused */

#define MEM_COMMIT	0x00001000
#define MEM_RESERVE	0x00002000
#define MEM_DECOMMIT	0x00004000
#define MEM_RELEASE	0x00008000
#define MEM_FREE	0x00010000
#define MEM_PRIVATE	0x00020000
#define MEM_MAPPED	0x00040000
#define MEM_RESET	0x00080000 /* refused */
#define MEM_TOP_DOWN	0x00100000 /* ignored */
#define MEM_WRITE_WATCH 0x00200000 /* refused */
#define MEM_PHYSICAL	0x00400000 /* refused */
#define MEM_LARGE_PAGES 0x20000000
#define MEM_IMAGE	0x01000000

typedef struct _MEMORY_BASIC_INFORMATION {
	PVOID BaseAddress;
	PVOID AllocationBase;
	DWORD AllocationProtect;
	WORD PartitionId;
	SIZE_T RegionSize;
	DWORD State;
	DWORD Protect;
	DWORD Type;
} MEMORY_BASIC_INFORMATION, *PMEMORY_BASIC_INFORMATION;

#ifndef ZeroMemory
#define ZeroMemory(memory, bytes)	memset((memory), 0, (bytes))
#define FillMemory(memory, bytes, byte) memset((memory), (byte), (bytes))
#define CopyMemory(to, from, bytes)	memcpy((to), (from), (bytes))
#define MoveMemory(to, from, bytes)	memmove((to), (from), (bytes))
#endif
#define RtlSecureZeroMemory SecureZeroMemory

COMPAT_BEGIN

/* Clears memory even if nobody looks at it again. */
PVOID SecureZeroMemory(PVOID memory, SIZE_T bytes);

/*
 * Reservations start at multiples of 64 KB, unless an address is given, which is rounded down to
 * that. MEM_LARGE_PAGES with both other flags: from the huge pages set aside on this machine,
 * ERROR_NO_SYSTEM_RESOURCES when there are none; `bytes` is a multiple of GetLargePageMinimum().
 * NULL: ERROR_INVALID_ADDRESS (taken, or no reservation there), ERROR_INVALID_PARAMETER,
 * ERROR_NOT_ENOUGH_MEMORY.
 */
LPVOID VirtualAlloc(LPVOID address, SIZE_T bytes, DWORD type, DWORD protect);

/* MEM_DECOMMIT: pages of one reservation (0 bytes: all). MEM_RELEASE: the whole, with 0 bytes. */
BOOL VirtualFree(LPVOID address, SIZE_T bytes, DWORD type);

/* Any memory of this process, and committed; *old is what the first page had. */
BOOL VirtualProtect(LPVOID address, SIZE_T bytes, DWORD protect, DWORD *old);

/* ERROR_WORKING_SET_QUOTA: more than this process may lock (ulimit -l). */
BOOL VirtualLock(LPVOID address, SIZE_T bytes);

/* FALSE, ERROR_NOT_LOCKED: no memory there. Memory that was not locked is no error, unlike on Windows. */
BOOL VirtualUnlock(LPVOID address, SIZE_T bytes);

/* Bytes written to *information, 0 when it fails. Memory that is not from VirtualAlloc is MEM_PRIVATE or MEM_MAPPED. */
SIZE_T VirtualQuery(LPCVOID address, MEMORY_BASIC_INFORMATION *information, SIZE_T bytes);

/* Of this process; the node is a wish and ignored. */
LPVOID VirtualAllocEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect);

/* As VirtualAllocEx. */
LPVOID VirtualAllocExNuma(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect, DWORD node);

/* As VirtualFree, of this process. */
BOOL VirtualFreeEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type);

/* 0: this machine has no huge pages. */
SIZE_T GetLargePageMinimum(void);

COMPAT_END

#endif
