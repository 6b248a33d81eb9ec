/*
 * Completion ports and overlapped requests. A file is one of IND2Adapter::CreateOverlappedFile; it
 * can be bound once, either to a port or to a completion routine.
 */
#ifndef COMPAT_IOAPISET_H
#define COMPAT_IOAPISET_H

#include "minwinbase.h"
#include "ntstatus.h"

#define FILE_SKIP_COMPLETION_PORT_ON_SUCCESS 0x1
#define FILE_SKIP_SET_EVENT_ON_HANDLE	     0x2

/* A request whose hEvent has its low bit set posts no packet to the port. */
#define HasOverlappedIoCompleted(overlapped) \
	((DWORD)__atomic_load_n(&(overlapped)->Internal, __ATOMIC_ACQUIRE) != (DWORD)STATUS_PENDING)

/* `status` is the NTSTATUS of the request, 0 or negative, not an error number. */
typedef void (*LPOVERLAPPED_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, LPOVERLAPPED overlapped);

COMPAT_BEGIN

/*
 * With INVALID_HANDLE_VALUE and NULL creates a port. With a file binds it to the port, or to a new
 * one if `port` is NULL, and returns that port. Fails with ERROR_INVALID_PARAMETER if the file is
 * already bound or if there is a port but no file, or with ERROR_INVALID_HANDLE. `threads` is
 * ignored.
 */
HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads);

/*
 * Returns TRUE for the packet of a request that succeeded and for a posted packet. Returns FALSE
 * with *overlapped set for a request that failed; the last error is its translated status. Returns
 * FALSE with *overlapped NULL if no packet was taken: WAIT_TIMEOUT, ERROR_ABANDONED_WAIT_0 (the
 * port was closed meanwhile) or ERROR_INVALID_HANDLE.
 */
BOOL GetQueuedCompletionStatus(HANDLE port, LPDWORD bytes, PULONG_PTR key, LPOVERLAPPED *overlapped,
			       DWORD timeoutMs);

/*
 * Takes up to n packets. Whether a request failed is in `Internal` of its entry. Fails like
 * GetQueuedCompletionStatus if no packet was taken; *removed is then 0.
 */
BOOL GetQueuedCompletionStatusEx(HANDLE port, LPOVERLAPPED_ENTRY entries, ULONG n, PULONG removed,
				 DWORD timeoutMs, BOOL alertable);

/*
 * The thread that takes the packet receives the three values as they are; `overlapped` is not
 * accessed.
 */
BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, LPOVERLAPPED overlapped);

/*
 * Returns the result of a request, after waiting for it if `wait`. Fails with ERROR_IO_INCOMPLETE
 * if the request is pending, or with its translated status if it failed. `file` is ignored.
 */
BOOL GetOverlappedResult(HANDLE file, LPOVERLAPPED overlapped, LPDWORD bytes, BOOL wait);

/*
 * The routine runs on threads of the library, at most 64 at a time. Fails with
 * ERROR_INVALID_PARAMETER if the file is already bound.
 */
BOOL BindIoCompletionCallback(HANDLE file, LPOVERLAPPED_COMPLETION_ROUTINE routine, ULONG flags);

/*
 * Both modes are always on, so setting them succeeds; other bits fail with ERROR_INVALID_PARAMETER.
 */
BOOL SetFileCompletionNotificationModes(HANDLE file, UCHAR modes);

COMPAT_END

#endif
