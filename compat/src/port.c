/*
 * How do the Windows functions for completion ports and overlapped files work? Each function calls
 * functions of libsoftrnic and sets the last error. This file keeps no state: libsoftrnic owns the
 * completion ports and files. The functions run on the caller's thread.
 */
#include "deadline.h"
#include "last_error.h"
#include "object.h"

#include <ioapiset.h>
#include <synchapi.h>

_Static_assert(sizeof(OVERLAPPED_ENTRY) == sizeof(NDS_PORT_ENTRY) &&
		       offsetof(OVERLAPPED_ENTRY, dwNumberOfBytesTransferred) ==
			       offsetof(NDS_PORT_ENTRY, dwNumberOfBytesTransferred),
	       "packets are taken straight into the client's array");

static HANDLE refuse(HRESULT hr)
{
	compat_fail_status(hr);
	return NULL;
}

HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD threads)
{
	HANDLE created = NULL;
	HRESULT hr = STATUS_SUCCESS;

	if (file == INVALID_HANDLE_VALUE && port)
		return refuse(STATUS_INVALID_PARAMETER);
	if (!port) {
		hr = NdsPortCreate(&created);
		port = created;
	}
	if (SUCCEEDED(hr) && file != INVALID_HANDLE_VALUE)
		hr = NdsPortBind(port, file, key);
	if (SUCCEEDED(hr))
		return port;
	if (created)
		NdsHandleClose(created);
	return refuse(hr);
}

/*
 * Sets the last error and returns FALSE after a wait that took no packet from the completion port.
 */
static BOOL nothing_taken(HRESULT hr)
{
	if (hr == STATUS_TIMEOUT)
		return compat_fail(WAIT_TIMEOUT);
	if (hr == STATUS_CANCELLED)
		return compat_fail(ERROR_ABANDONED_WAIT_0);
	return compat_fail_status(hr);
}

BOOL GetQueuedCompletionStatus(HANDLE port, LPDWORD bytes, PULONG_PTR key, LPOVERLAPPED *overlapped,
			       DWORD timeout_ms)
{
	NDS_PORT_ENTRY entry;
	ULONG count;
	HRESULT hr = NdsPortGet(port, &entry, 1, timeout_ms, &count);

	*overlapped = NULL;
	if (hr != STATUS_SUCCESS)
		return nothing_taken(hr);
	*bytes = entry.dwNumberOfBytesTransferred;
	*key = entry.lpCompletionKey;
	*overlapped = entry.lpOverlapped;
	return !NdsPortEntryFailed(&entry) || compat_fail_status((HRESULT)entry.Internal);
}

BOOL GetQueuedCompletionStatusEx(HANDLE port, LPOVERLAPPED_ENTRY entries, ULONG n, PULONG removed,
				 DWORD timeout_ms, BOOL alertable)
{
	HRESULT hr = NdsPortGet(port, (NDS_PORT_ENTRY *)(void *)entries, n, timeout_ms, removed);

	return hr == STATUS_SUCCESS || nothing_taken(hr);
}

BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, LPOVERLAPPED overlapped)
{
	HRESULT hr = NdsPortPost(port, bytes, key, overlapped);

	return SUCCEEDED(hr) || compat_fail_status(hr);
}

/*
 * Waits until the request of the OVERLAPPED has ended. Normally waits for the event of the
 * OVERLAPPED. Without an event, or if the event is set while the request is pending, checks the
 * request every millisecond.
 */
static void wait_until_completed(LPOVERLAPPED overlapped)
{
	while (!HasOverlappedIoCompleted(overlapped)) {
		if (!overlapped->hEvent ||
		    WaitForSingleObject(overlapped->hEvent, INFINITE) != WAIT_OBJECT_0 ||
		    !HasOverlappedIoCompleted(overlapped))
			Sleep(1);
	}
}

BOOL GetOverlappedResult(HANDLE file, LPOVERLAPPED overlapped, LPDWORD bytes, BOOL wait)
{
	HRESULT status;

	if (wait)
		wait_until_completed(overlapped);
	if (!HasOverlappedIoCompleted(overlapped))
		return compat_fail(ERROR_IO_INCOMPLETE);
	status = (HRESULT)overlapped->Internal;
	*bytes = (DWORD)overlapped->InternalHigh;
	return SUCCEEDED(status) || compat_fail_status(status);
}

BOOL BindIoCompletionCallback(HANDLE file, LPOVERLAPPED_COMPLETION_ROUTINE routine, ULONG flags)
{
	HRESULT hr = NdsFileBindCallback(file, routine);

	return SUCCEEDED(hr) || compat_fail_status(hr);
}

BOOL SetFileCompletionNotificationModes(HANDLE file, UCHAR modes)
{
	HRESULT hr = NdsFileSetModes(file, modes);

	return SUCCEEDED(hr) || compat_fail_status(hr);
}
