/*
 * Completion ports and overlapped requests. The only kind of file is one from
 * IND2Adapter::CreateOverlappedFile. A file can be bound once, either to a port or to a completion
 * routine.
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
 * Type of a completion routine. `status` is the NTSTATUS of the request, 0 or negative; it is not
 * an error number of GetLastError.
 */
typedef void (*LPOVERLAPPED_COMPLETION_ROUTINE)(DWORD status, DWORD bytes, LPOVERLAPPED overlapped);

COMPAT_BEGIN

/*
 * Creates a completion port, binds a file to a port, or does both. With INVALID_HANDLE_VALUE as
 * `file` and NULL as `port`, creates a port. With a file, binds the file to the port, or to a new
 * port if `port` is NULL. Returns the port. Fails with ERROR_INVALID_PARAMETER if the file is
 * already bound or if a port is given without a file, and with ERROR_INVALID_HANDLE for a wrong
 * handle. `threads` is ignored.
 */
HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads);

/*
 * Takes one packet from the port. Returns TRUE for a posted packet and for a request that
 * succeeded. Returns FALSE with *overlapped set for a request that failed; the last error is the
 * translated status of the request. Returns FALSE with *overlapped NULL if no packet was taken; the
 * last error is then WAIT_TIMEOUT, ERROR_ABANDONED_WAIT_0 (the port was closed during the wait) or
 * ERROR_INVALID_HANDLE.
 */
BOOL GetQueuedCompletionStatus(HANDLE port, LPDWORD bytes, PULONG_PTR key, LPOVERLAPPED *overlapped,
			       DWORD timeoutMs);

/*
 * Takes up to n packets and returns TRUE if there was at least one. The status of a request is in
 * `Internal` of its entry. If no packet was taken, *removed is 0 and the last error is as for
 * GetQueuedCompletionStatus.
 */
BOOL GetQueuedCompletionStatusEx(HANDLE port, LPOVERLAPPED_ENTRY entries, ULONG n, PULONG removed,
				 DWORD timeoutMs, BOOL alertable);

/*
 * Posts a packet to the port. The thread that takes the packet receives the three values unchanged;
 * the library does not access *overlapped.
 */
BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, LPOVERLAPPED overlapped);

/*
 * Returns the result of a request and, if `wait` is TRUE, first waits for its end. Fails with
 * ERROR_IO_INCOMPLETE if the request is pending, and with the translated status of the request if
 * the request failed. `file` is ignored.
 */
BOOL GetOverlappedResult(HANDLE file, LPOVERLAPPED overlapped, LPDWORD bytes, BOOL wait);

/*
 * Binds a file to a completion routine. The library calls the routine on its own threads, at most
 * 64 at a time. Fails with ERROR_INVALID_PARAMETER if the file is already bound.
 */
BOOL BindIoCompletionCallback(HANDLE file, LPOVERLAPPED_COMPLETION_ROUTINE routine, ULONG flags);

/*
 * Accepts the two FILE_SKIP_ modes and changes nothing, because both are always on. Other bits fail
 * with ERROR_INVALID_PARAMETER.
 */
BOOL SetFileCompletionNotificationModes(HANDLE file, UCHAR modes);

COMPAT_END

#endif
