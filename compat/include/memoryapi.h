/* Memory by pages (reserve, commit, protect, lock), and macros that fill and copy memory. */
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

/* Clears memory; the compiler cannot remove the call. */
PVOID SecureZeroMemory(PVOID memory, SIZE_T bytes);

/*
 * A reservation starts at a multiple of 64 KB; a given address is rounded down to one.
 * MEM_LARGE_PAGES needs both MEM_RESERVE and MEM_COMMIT and takes from the machine's huge pages
 * (ERROR_NO_SYSTEM_RESOURCES if there are none); `bytes` must then be a multiple of
 * GetLargePageMinimum(). Fails with ERROR_INVALID_ADDRESS if the range is occupied or, for a
 * commit, not reserved; with ERROR_INVALID_PARAMETER; or with ERROR_NOT_ENOUGH_MEMORY.
 */
LPVOID VirtualAlloc(LPVOID address, SIZE_T bytes, DWORD type, DWORD protect);

/*
 * MEM_DECOMMIT takes pages of one reservation, 0 bytes meaning all of it. MEM_RELEASE takes a whole
 * reservation, with 0 bytes.
 */
BOOL VirtualFree(LPVOID address, SIZE_T bytes, DWORD type);

/*
 * Works on any memory of this process that is committed. *old is the former protection of the first
 * page.
 */
BOOL VirtualProtect(LPVOID address, SIZE_T bytes, DWORD protect, DWORD *old);

/* Fails with ERROR_WORKING_SET_QUOTA beyond the limit for locked memory (ulimit -l). */
BOOL VirtualLock(LPVOID address, SIZE_T bytes);

/*
 * Fails with ERROR_NOT_LOCKED if there is no memory. Unlike on Windows, unlocking memory that is
 * not locked succeeds.
 */
BOOL VirtualUnlock(LPVOID address, SIZE_T bytes);

/*
 * Returns the bytes written to *information, or 0 on failure. Memory that is not from VirtualAlloc
 * is MEM_PRIVATE or MEM_MAPPED.
 */
SIZE_T VirtualQuery(LPCVOID address, MEMORY_BASIC_INFORMATION *information, SIZE_T bytes);

/* Works for this process only. */
LPVOID VirtualAllocEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect);

/* Same as VirtualAllocEx; the node is ignored. */
LPVOID VirtualAllocExNuma(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type, DWORD protect,
			  DWORD node);

/* Same as VirtualFree, for this process only. */
BOOL VirtualFreeEx(HANDLE process, LPVOID address, SIZE_T bytes, DWORD type);

/* Returns 0 if this machine has no huge pages. */
SIZE_T GetLargePageMinimum(void);

COMPAT_END

#endif
