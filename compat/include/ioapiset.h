/*
 * Completion ports, and where the requests of an overlapped file end. A file is one of
 * IND2Adapter::CreateOverlappedFile; it is bound once, to a port or to a routine.
 */
#ifndef COMPAT_IOAPISET_H
#define COMPAT_IOAPISET_H

#include "minwinbase.h"
#include "ntstatus.h"

#define FILE_SKIP_COMPLETION_PORT_ON_SUCCESS 0x1
#define FILE_SKIP_SET_EVENT_ON_HANDLE	     0x2

/* The low bit of hEvent keeps the request from the port. */
#define HasOverlappedIoCompleted(overlapped) \
	((DWORD)__atomic_load_n(&(overlapped)->Internal, __ATOMIC_ACQUIRE) != (DWORD)STATUS_PENDING)

/* status is the raw NTSTATUS of the request, 0 or negative, not an error number. */
typedef void (*LPOVERLAPPED_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, LPOVERLAPPED overlapped);

COMPAT_BEGIN

/*
 * INVALID_HANDLE_VALUE and NULL: a new port. A file: bound to the port given, which is returned, or to a
 * new one. NULL: ERROR_INVALID_PARAMETER (bound already, or a port without a file), ERROR_INVALID_HANDLE. threads is ignored.
 */
HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads);

/*
 * TRUE: a packet of a request that succeeded, or a posted one. FALSE with *overlapped set: of one that failed, for
 * which the last error is the translated status. FALSE with *overlapped NULL: WAIT_TIMEOUT, ERROR_ABANDONED_WAIT_0 (the port
 * was closed meanwhile), ERROR_INVALID_HANDLE.
 */
BOOL GetQueuedCompletionStatus(HANDLE port, LPDWORD bytes, PULONG_PTR key, LPOVERLAPPED *overlapped, DWORD timeoutMs);

/* Up to n packets, whatever became of their requests: look at Internal. FALSE as above, *removed is 0 then. */
BOOL GetQueuedCompletionStatusEx(HANDLE port, LPOVERLAPPED_ENTRY entries, ULONG n, PULONG removed, DWORD timeoutMs,
				 BOOL alertable);

/* Hands the three values to whoever takes the packet; overlapped is not looked at. */
BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, LPOVERLAPPED overlapped);

/* Of a request that is over, or waits for it. FALSE: ERROR_IO_INCOMPLETE, or the translated status. The file is ignored. */
BOOL GetOverlappedResult(HANDLE file, LPOVERLAPPED overlapped, LPDWORD bytes, BOOL wait);

/* The routine runs on threads of the library, up to 64 at once. ERROR_INVALID_PARAMETER: the file is bound already. */
BOOL BindIoCompletionCallback(HANDLE file, LPOVERLAPPED_COMPLETION_ROUTINE routine, ULONG flags);

/* Both modes are always on: asking for them succeeds, other bits are ERROR_INVALID_PARAMETER. */
BOOL SetFileCompletionNotificationModes(HANDLE file, UCHAR modes);

COMPAT_END

#endif
