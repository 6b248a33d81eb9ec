/*
 * Completion ports and overlapped requests. An overlapped request is work that a call with an
 * OVERLAPPED starts; the request may end after the call has returned. Each request belongs to a
 * file. The only files here are those that IND2Adapter::CreateOverlappedFile returns. A file can be
 * bound once, either to a completion port or to a completion routine. A completion port holds
 * completion packets, which threads take from it. A completion packet reports that a request has
 * ended, unless the program has posted the packet itself.
 */
#ifndef COMPAT_IOAPISET_H
#define COMPAT_IOAPISET_H

#include "minwinbase.h"
#include "ntstatus.h"

#define FILE_SKIP_COMPLETION_PORT_ON_SUCCESS 0x1
#define FILE_SKIP_SET_EVENT_ON_HANDLE	     0x2

/* Returns whether an overlapped request has ended, with success or failure. */
#define HasOverlappedIoCompleted(overlapped) \
	((DWORD)__atomic_load_n(&(overlapped)->Internal, __ATOMIC_ACQUIRE) != (DWORD)STATUS_PENDING)

/*
 * Type of a completion routine. `status` is the NTSTATUS with which the request ended, not an error
 * number as from GetLastError.
 */
typedef void (*LPOVERLAPPED_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, LPOVERLAPPED overlapped);

COMPAT_BEGIN

/*
 * Creates a completion port, binds a file to a completion port, or does both. With
 * INVALID_HANDLE_VALUE as `file` and NULL as `port`, creates a completion port. With a file, binds
 * the file to `port`, or to a new completion port if `port` is NULL. Returns the completion port.
 * Fails with ERROR_INVALID_PARAMETER if the file is already bound or if `port` is given without a
 * file, and with ERROR_INVALID_HANDLE for a wrong handle. `threads` is ignored.
 */
HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads);

/*
 * Takes one completion packet from the completion port. Returns TRUE for a posted packet and for a
 * request that succeeded. For a request that failed, returns FALSE and sets *overlapped; the last
 * error is the error number for the NTSTATUS of the request. If no packet was taken, returns FALSE
 * and sets *overlapped to NULL; the last error is then WAIT_TIMEOUT, ERROR_ABANDONED_WAIT_0 (the
 * completion port was closed during the wait) or ERROR_INVALID_HANDLE.
 */
BOOL GetQueuedCompletionStatus(HANDLE port, LPDWORD bytes, PULONG_PTR key, LPOVERLAPPED *overlapped,
			       DWORD timeoutMs);

/*
 * Takes up to n completion packets and returns TRUE if there was at least one. The member
 * `Internal` of an entry is the NTSTATUS of the request. If no packet was taken, sets *removed to 0
 * and the last error as GetQueuedCompletionStatus does.
 */
BOOL GetQueuedCompletionStatusEx(HANDLE port, LPOVERLAPPED_ENTRY entries, ULONG n, PULONG removed,
				 DWORD timeoutMs, BOOL alertable);

/*
 * Posts a completion packet to the completion port. The thread that takes the packet receives the
 * three values unchanged; the library does not access *overlapped.
 */
BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, LPOVERLAPPED overlapped);

/*
 * Returns the result of a request. If `wait` is TRUE, first waits until the request has ended.
 * Fails with ERROR_IO_INCOMPLETE if the request is pending, and with the error number for its
 * NTSTATUS if the request failed. `file` is ignored.
 */
BOOL GetOverlappedResult(HANDLE file, LPOVERLAPPED overlapped, LPDWORD bytes, BOOL wait);

/*
 * Binds a file to a completion routine, which is called at the end of each request on the file. The
 * library calls the routine on its own threads, on up to 64 of them at a time. Fails with
 * ERROR_INVALID_PARAMETER if the file is already bound.
 */
BOOL BindIoCompletionCallback(HANDLE file, LPOVERLAPPED_COMPLETION_ROUTINE routine, ULONG flags);

/*
 * Changes nothing: every file always behaves as if FILE_SKIP_COMPLETION_PORT_ON_SUCCESS and
 * FILE_SKIP_SET_EVENT_ON_HANDLE were set. Returns TRUE if `modes` contains only these two bits.
 * Other bits fail with ERROR_INVALID_PARAMETER.
 */
BOOL SetFileCompletionNotificationModes(HANDLE file, UCHAR modes);

COMPAT_END

#endif
