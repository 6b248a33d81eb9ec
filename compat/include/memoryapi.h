/*
 * Functions that reserve, commit, protect and lock pages of memory, and macros that fill and copy
 * memory.
 */
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
#define PAGE_GUARD	       0x100 /* refused by VirtualAlloc and VirtualProtect */
#define PAGE_NOCACHE	       0x200 /* refused by VirtualAlloc and VirtualProtect */
#define PAGE_WRITECOMBINE      0x400 /* refused by VirtualAlloc and VirtualProtect */

#define MEM_COMMIT	0x00001000
#define MEM_RESERVE	0x00002000
#define MEM_DECOMMIT	0x00004000
#define MEM_RELEASE	0x00008000
#define MEM_FREE	0x00010000
#define MEM_PRIVATE	0x00020000
#define MEM_MAPPED	0x00040000
#define MEM_RESET	0x00080000 /* refused by VirtualAlloc */
#define MEM_TOP_DOWN	0x00100000 /* ignored by VirtualAlloc */
#define MEM_WRITE_WATCH 0x00200000 /* refused by VirtualAlloc */
#define MEM_PHYSICAL	0x00400000 /* refused by VirtualAlloc */
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

/* Fills memory with zeros; the compiler cannot optimize the call away. */
PVOID SecureZeroMemory(PVOID memory, SIZE_T bytes);

/*
 * Reserves address space (MEM_RESERVE), commits pages (MEM_COMMIT), or does both. A reservation
 * starts at a multiple of 64 KB; other values of `address` are rounded down.
 *
 * MEM_LARGE_PAGES takes huge pages. The flag needs MEM_RESERVE and MEM_COMMIT, and `bytes` must be
 * a multiple of GetLargePageMinimum().
 *
 * Fails with:
 * - ERROR_INVALID_ADDRESS if the range to reserve is occupied, or the range to commit is not
 *   reserved
 * - ERROR_INVALID_PARAMETER if an argument is wrong
 * - ERROR_NOT_ENOUGH_MEMORY if memory is short
 * - ERROR_NO_SYSTEM_RESOURCES if there are not enough huge pages
 */
LPVOID VirtualAlloc(LPVOID address, SIZE_T bytes, DWORD type, DWORD protect);

/*
 * Decommits pages (MEM_DECOMMIT) or frees a whole reservation (MEM_RELEASE).
 * - MEM_RELEASE: `address` must be the start of the reservation and `bytes` must be 0.
 * - MEM_DECOMMIT: all pages must belong to one reservation. If `bytes` is 0, `address` must be the
 *   start of the reservation, and all of its pages are decommitted.
 */
BOOL VirtualFree(LPVOID address, SIZE_T bytes, DWORD type);

/*
 * Changes the protection of committed pages, even of pages that are not from VirtualAlloc. *old
 * receives the former protection of the first page.
 */
BOOL VirtualProtect(LPVOID address, SIZE_T bytes, DWORD protect, DWORD *old);

/*
 * Locks pages in physical memory. Fails with ERROR_NOACCESS if no memory is mapped at `address`.
 * Fails with ERROR_WORKING_SET_QUOTA if the process would exceed its limit of locked memory
 * (`ulimit -l`).
 */
BOOL VirtualLock(LPVOID address, SIZE_T bytes);

/*
 * Unlocks pages that VirtualLock locked. Fails with ERROR_NOT_LOCKED if a page of the range is not
 * mapped. A mapped page that is not locked is no error here; on Windows such a page is an error.
 */
BOOL VirtualUnlock(LPVOID address, SIZE_T bytes);

/*
 * Describes the page at `address` and the following pages with the same state and protection.
 * Returns the number of bytes written to *information, or 0 on failure. Mapped memory that is not
 * from VirtualAlloc counts as committed. The type of such memory is MEM_MAPPED if the memory
 * belongs to a file, otherwise MEM_PRIVATE.
 */
SIZE_T VirtualQuery(LPCVOID address, MEMORY_BASIC_INFORMATION *information, SIZE_T bytes);

/* VirtualAlloc for a given process, which must be the current process. */
LPVOID VirtualAllocEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect);

/*
 * VirtualAlloc with two more arguments: the process must be the current one, and the NUMA node is
 * ignored.
 */
LPVOID VirtualAllocExNuma(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect,
			  DWORD node);

/* VirtualFree for a given process, which must be the current process. */
BOOL VirtualFreeEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type);

/* Returns the size of a huge page in bytes, or 0 if this machine has no huge pages. */
SIZE_T GetLargePageMinimum(void);

COMPAT_END

#endif
