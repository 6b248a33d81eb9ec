/*
 * Completion ports and overlapped requests. A call with an OVERLAPPED starts a request on a file.
 * The request may end after the call has returned. Every such file comes from
 * IND2Adapter::CreateOverlappedFile. A file can be bound once, either to a completion port or to a
 * completion routine. Threads take completion packets from a completion port. A completion packet
 * reports the end of a request, or was posted by the program.
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
 * Creates a completion port, binds a file to a completion port, or does both. Returns the
 * completion port.
 * - `file` INVALID_HANDLE_VALUE and `port` NULL: creates a completion port.
 * - a file and `port` NULL: creates a completion port and binds the file to the new port.
 * - a file and a port: binds the file to `port`.
 * Fails with ERROR_INVALID_PARAMETER if the file is already bound, or if a port is given without a
 * file. Fails with ERROR_INVALID_HANDLE for a wrong handle. `threads` is ignored.
 */
HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads);

/*
 * Takes one completion packet from the completion port.
 * - A posted packet or a successful request: returns TRUE.
 * - A failed request: returns FALSE and sets *overlapped. The last error is the error number for
 *   the NTSTATUS of the request.
 * - No packet: returns FALSE and sets *overlapped to NULL. The last error is WAIT_TIMEOUT,
 *   ERROR_INVALID_HANDLE, or ERROR_ABANDONED_WAIT_0 if the completion port was closed during the
 *   wait.
 */
BOOL GetQueuedCompletionStatus(HANDLE port, LPDWORD bytes, PULONG_PTR key, LPOVERLAPPED *overlapped,
			       DWORD timeoutMs);

/*
 * Takes up to n completion packets. Returns TRUE if at least one packet was taken. Otherwise sets
 * *removed to 0 and the last error as GetQueuedCompletionStatus does. The member `Internal` of an
 * entry is the NTSTATUS of the request.
 */
BOOL GetQueuedCompletionStatusEx(HANDLE port, LPOVERLAPPED_ENTRY entries, ULONG n, PULONG removed,
				 DWORD timeoutMs, BOOL alertable);

/*
 * Posts a completion packet to the completion port. The thread that takes the packet receives
 * `bytes`, `key` and `overlapped` unchanged. The library does not access *overlapped.
 */
BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, LPOVERLAPPED overlapped);

/*
 * Returns the result of a request. If `wait` is TRUE, first waits for the end of the request. Fails
 * with ERROR_IO_INCOMPLETE if the request is pending. If the request failed, fails with the error
 * number for the request's NTSTATUS. `file` is ignored.
 */
BOOL GetOverlappedResult(HANDLE file, LPOVERLAPPED overlapped, LPDWORD bytes, BOOL wait);

/*
 * Binds a file to a completion routine. At the end of each request on the file, one of up to 64
 * threads of the library calls the routine. Fails with ERROR_INVALID_PARAMETER if the file is
 * already bound.
 */
BOOL BindIoCompletionCallback(HANDLE file, LPOVERLAPPED_COMPLETION_ROUTINE routine, ULONG flags);

/*
 * Accepts the modes FILE_SKIP_COMPLETION_PORT_ON_SUCCESS and FILE_SKIP_SET_EVENT_ON_HANDLE. Changes
 * nothing: every file behaves as if both modes were set. Other bits in `modes` fail with
 * ERROR_INVALID_PARAMETER.
 */
BOOL SetFileCompletionNotificationModes(HANDLE file, UCHAR modes);

COMPAT_END

#endif
