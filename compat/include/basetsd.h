/* Integer types of fixed width, and integer types that are as wide as a pointer (64 bits). */
#ifndef COMPAT_BASETSD_H
#define COMPAT_BASETSD_H

#include <ndtypes.h>

typedef int8_t INT8;
typedef int16_t INT16;
typedef int32_t INT32;
typedef int64_t INT64;
typedef int32_t LONG32;
typedef uint32_t ULONG32;
typedef uint32_t DWORD32;
typedef int64_t LONG64;
typedef uint64_t ULONG64;
typedef uint64_t DWORD64;
typedef intptr_t INT_PTR;
typedef uintptr_t UINT_PTR;
typedef intptr_t LONG_PTR;
typedef intptr_t SSIZE_T;
typedef int32_t HALF_PTR;
typedef uint32_t UHALF_PTR;

typedef INT8 *PINT8;
typedef INT16 *PINT16;
typedef INT32 *PINT32;
typedef INT64 *PINT64;
typedef UINT8 *PUINT8;
typedef UINT16 *PUINT16;
typedef UINT32 *PUINT32;
typedef UINT64 *PUINT64;
typedef LONG32 *PLONG32;
typedef LONG64 *PLONG64;
typedef ULONG32 *PULONG32;
typedef ULONG64 *PULONG64;
typedef DWORD32 *PDWORD32;
typedef DWORD64 *PDWORD64;
typedef INT_PTR *PINT_PTR;
typedef UINT_PTR *PUINT_PTR;
typedef LONG_PTR *PLONG_PTR;
typedef ULONG_PTR *PULONG_PTR;
typedef DWORD_PTR *PDWORD_PTR;
typedef SIZE_T *PSIZE_T;
typedef SSIZE_T *PSSIZE_T;
typedef KAFFINITY *PKAFFINITY;

#define PtrToUlong(p)	 ((ULONG)(ULONG_PTR)(p))
#define PtrToLong(p)	 ((LONG)(LONG_PTR)(p))
#define PtrToUint(p)	 ((UINT32)(UINT_PTR)(p))
#define PtrToInt(p)	 ((INT)(INT_PTR)(p))
#define UlongToPtr(u)	 ((PVOID)(ULONG_PTR)(ULONG)(u))
#define LongToPtr(i)	 ((PVOID)(LONG_PTR)(LONG)(i))
#define UintToPtr(u)	 ((PVOID)(UINT_PTR)(UINT32)(u))
#define IntToPtr(i)	 ((PVOID)(INT_PTR)(INT)(i))
#define HandleToUlong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToLong(h)	 ((LONG)(LONG_PTR)(h))
#define UlongToHandle(u) ((HANDLE)(ULONG_PTR)(ULONG)(u))
#define LongToHandle(i)	 ((HANDLE)(LONG_PTR)(LONG)(i))

#define MAXULONG_PTR ((ULONG_PTR) ~(ULONG_PTR)0)
#define MAXLONG_PTR  ((LONG_PTR)(MAXULONG_PTR >> 1))
#define MAXUINT_PTR  ((UINT_PTR) ~(UINT_PTR)0)
#define MAXSIZE_T    ((SIZE_T) ~(SIZE_T)0)
#define MAXUINT8     ((UINT8) ~(UINT8)0)
#define MAXUINT16    ((UINT16) ~(UINT16)0)
#define MAXUINT32    ((UINT32) ~(UINT32)0)
#define MAXUINT64    ((UINT64) ~(UINT64)0)
#define MAXULONG32   ((ULONG32) ~(ULONG32)0)
#define MAXULONG64   ((ULONG64) ~(ULONG64)0)
#define MAXULONGLONG ((ULONGLONG) ~(ULONGLONG)0)
#define MAXINT32     ((INT32)(MAXUINT32 >> 1))
#define MAXINT64     ((INT64)(MAXUINT64 >> 1))
#define MAXLONG64    ((LONG64)(MAXULONG64 >> 1))

#endif
