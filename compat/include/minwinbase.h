/*
 * Structures that several headers share: OVERLAPPED_ENTRY, SECURITY_ATTRIBUTES, FILETIME and
 * SYSTEMTIME.
 */
#ifndef COMPAT_MINWINBASE_H
#define COMPAT_MINWINBASE_H

#include "winnt.h"

typedef OVERLAPPED *LPOVERLAPPED;

/* A completion packet taken from a completion port. Its layout is that of NDS_PORT_ENTRY. */
typedef struct _OVERLAPPED_ENTRY {
	ULONG_PTR lpCompletionKey;
	LPOVERLAPPED lpOverlapped;
	ULONG_PTR Internal; /* NTSTATUS of the request in the low 32 bits; the high bits are 0 */
	DWORD dwNumberOfBytesTransferred;
} OVERLAPPED_ENTRY, *LPOVERLAPPED_ENTRY;

/*
 * An argument of functions that create objects. The functions ignore the contents of this
 * structure.
 */
typedef struct _SECURITY_ATTRIBUTES {
	DWORD nLength;
	LPVOID lpSecurityDescriptor;
	BOOL bInheritHandle;
} SECURITY_ATTRIBUTES, *PSECURITY_ATTRIBUTES, *LPSECURITY_ATTRIBUTES;

/* A date or a duration, in units of 100 ns. Dates are counted from the year 1601. */
typedef struct _FILETIME {
	DWORD dwLowDateTime;
	DWORD dwHighDateTime;
} FILETIME, *PFILETIME, *LPFILETIME;

typedef struct _SYSTEMTIME {
	WORD wYear;
	WORD wMonth;
	WORD wDayOfWeek;
	WORD wDay;
	WORD wHour;
	WORD wMinute;
	WORD wSecond;
	WORD wMilliseconds;
} SYSTEMTIME, *PSYSTEMTIME, *LPSYSTEMTIME;

typedef DWORD (*PTHREAD_START_ROUTINE)(LPVOID parameter);
typedef PTHREAD_START_ROUTINE LPTHREAD_START_ROUTINE;

#define ZeroMemory RtlZeroMemory
#define FillMemory RtlFillMemory
#define CopyMemory RtlCopyMemory
#define MoveMemory RtlMoveMemory

#define INFINITE 0xFFFFFFFFu

#define WAIT_OBJECT_0	   0u
#define WAIT_ABANDONED	   0x80u
#define WAIT_ABANDONED_0   0x80u
#define WAIT_IO_COMPLETION 0xC0u
#define WAIT_TIMEOUT	   258u
#define WAIT_FAILED	   0xFFFFFFFFu
#define STILL_ACTIVE	   259u

#define INVALID_HANDLE_VALUE ((HANDLE)(LONG_PTR)-1)

#endif
