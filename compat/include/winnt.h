/*
 * Types and macros that Windows shares with its kernel: LARGE_INTEGER, linked lists, access rights,
 * memory barriers.
 */
#ifndef COMPAT_WINNT_H
#define COMPAT_WINNT_H

#include <string.h>
#include "windef.h"
#include "ntstatus.h"
#include "guiddef.h"

#define ANYSIZE_ARRAY 1

#ifndef EXTERN_C
#ifdef __cplusplus
#define EXTERN_C extern "C"
#else
#define EXTERN_C extern
#endif
#endif

typedef union _LARGE_INTEGER {
	__extension__ struct {
		DWORD LowPart;
		LONG HighPart;
	};
	struct {
		DWORD LowPart;
		LONG HighPart;
	} u;
	LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
	__extension__ struct {
		DWORD LowPart;
		DWORD HighPart;
	};
	struct {
		DWORD LowPart;
		DWORD HighPart;
	} u;
	ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef struct _LUID {
	DWORD LowPart;
	LONG HighPart;
} LUID, *PLUID;

typedef struct _LIST_ENTRY {
	struct _LIST_ENTRY *Flink;
	struct _LIST_ENTRY *Blink;
} LIST_ENTRY, *PLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
	struct _SINGLE_LIST_ENTRY *Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

typedef struct _PROCESSOR_NUMBER {
	WORD Group;
	BYTE Number;
	BYTE Reserved;
} PROCESSOR_NUMBER, *PPROCESSOR_NUMBER;

typedef struct _GROUP_AFFINITY {
	KAFFINITY Mask;
	WORD Group;
	WORD Reserved[3];
} GROUP_AFFINITY, *PGROUP_AFFINITY;

/*
 * The offset of `field` in `type`, as a compile-time constant. `field` may contain an array index
 * that is known only at run time; the offset is then no constant.
 *
 * In C++, gcc's offsetof rejects such an index, and the address of a member is not a constant.
 * Therefore the C++ version takes the sizeof of an array with offset + 1 bytes, and subtracts 1.
 */
#if defined(__cplusplus) && !defined(__clang__)
#define COMPAT_OFFSET(type, field) (sizeof(char[(ULONG_PTR) & ((type *)0)->field + 1]) - 1)
#else
#define COMPAT_OFFSET(type, field) offsetof(type, field)
#endif
#define FIELD_OFFSET(type, field)	      ((LONG)COMPAT_OFFSET(type, field))
#define UFIELD_OFFSET(type, field)	      ((DWORD)COMPAT_OFFSET(type, field))
#define RTL_FIELD_SIZE(type, field)	      (sizeof(((type *)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) (offsetof(type, field) + RTL_FIELD_SIZE(type, field))
#define CONTAINING_RECORD(address, type, field) \
	((type *)(void *)((char *)(ULONG_PTR)(address) - __builtin_offsetof(type, field)))

#define MEMORY_ALLOCATION_ALIGNMENT 16
#define SYSTEM_CACHE_ALIGNMENT_SIZE 64
#define SYSTEM_CACHE_LINE	    64
#define TYPE_ALIGNMENT(t)	    __alignof__(t)
#define C_ASSERT(e)                                                        \
	typedef char COMPAT_JOIN(compat_c_assert_, __LINE__)[(e) ? 1 : -1] \
		__attribute__((__unused__))
#define COMPAT_JOIN(a, b)  COMPAT_JOIN2(a, b)
#define COMPAT_JOIN2(a, b) a##b

#define RtlZeroMemory(p, n)	   memset((p), 0, (n))
#define RtlFillMemory(p, n, byte)  memset((p), (byte), (n))
#define RtlCopyMemory(to, from, n) memcpy((to), (from), (n))
#define RtlMoveMemory(to, from, n) memmove((to), (from), (n))
#define RtlEqualMemory(a, b, n)	   (!memcmp((a), (b), (n)))

#define Int32x32To64(a, b)  ((LONGLONG)(LONG)(a) * (LONGLONG)(LONG)(b))
#define UInt32x32To64(a, b) ((ULONGLONG)(DWORD)(a) * (ULONGLONG)(DWORD)(b))

#define MAXCHAR	 0x7f
#define MAXSHORT 0x7fff
#define MAXLONG	 0x7fffffff
#define MAXBYTE	 0xff
#define MAXWORD	 0xffff
#define MAXDWORD 0xffffffffu
#define MAXULONG 0xffffffffu
#define MAXUINT	 0xffffffffu
#define MAXINT	 0x7fffffff

#define DELETE			 0x00010000
#define READ_CONTROL		 0x00020000
#define WRITE_DAC		 0x00040000
#define WRITE_OWNER		 0x00080000
#define SYNCHRONIZE		 0x00100000
#define STANDARD_RIGHTS_REQUIRED 0x000F0000
#define EVENT_MODIFY_STATE	 0x0002
#define EVENT_ALL_ACCESS	 0x1F0003
#define SEMAPHORE_MODIFY_STATE	 0x0002
#define SEMAPHORE_ALL_ACCESS	 0x1F0003
#define MUTEX_MODIFY_STATE	 0x0001
#define MUTEX_ALL_ACCESS	 0x1F0001
#define GENERIC_READ		 0x80000000u
#define GENERIC_WRITE		 0x40000000u
#define GENERIC_EXECUTE		 0x20000000u
#define GENERIC_ALL		 0x10000000u

#define MAXIMUM_WAIT_OBJECTS 64
#define MAXIMUM_PROCESSORS   64

#define PROCESSOR_ARCHITECTURE_INTEL   0
#define PROCESSOR_ARCHITECTURE_AMD64   9
#define PROCESSOR_ARCHITECTURE_ARM64   12
#define PROCESSOR_ARCHITECTURE_UNKNOWN 0xffff

/*
 * MemoryBarrier is a full barrier for the processor and the compiler. The three ...Barrier macros
 * that follow are barriers for the compiler only. YieldProcessor is the processor's hint for spin
 * loops.
 */
#define MemoryBarrier()	    __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define _ReadWriteBarrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define _ReadBarrier()	    __atomic_signal_fence(__ATOMIC_ACQUIRE)
#define _WriteBarrier()	    __atomic_signal_fence(__ATOMIC_RELEASE)
#if defined(__x86_64__) || defined(__i386__)
#define YieldProcessor() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define YieldProcessor() __asm__ volatile("yield")
#else
#define YieldProcessor() __asm__ volatile("" ::: "memory")
#endif

#endif
