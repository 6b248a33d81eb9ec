/* Names the status codes of NetworkDirect (ND) and waits for ND requests. Keeps no state. Any
 * thread may call these functions. */
#include "status.h"

#include <stdbool.h>
#include <stdio.h>

#include "ndspi.h"
#include "stop.h"

/* clang-format off */
#define ROW(name, words) {name, #name, words}
/* clang-format on */

static const struct {
	HRESULT hr;
	const char *name, *words;
} rows[] = {
	ROW(ND_SUCCESS, "success"),
	ROW(ND_TIMEOUT, "not in time"),
	ROW(ND_PENDING, "pending"),
	ROW(ND_BUFFER_OVERFLOW, "the buffer is too small for all of it"),
	ROW(ND_DEVICE_BUSY, "busy"),
	ROW(ND_NO_MORE_ENTRIES, "no more entries"),
	ROW(ND_UNSUCCESSFUL, "unsuccessful"),
	ROW(ND_ACCESS_VIOLATION, "access violation"),
	ROW(ND_INVALID_HANDLE, "invalid handle"),
	ROW(ND_INVALID_PARAMETER, "invalid parameter"),
	ROW(ND_INVALID_DEVICE_REQUEST, "invalid request"),
	ROW(ND_NO_MEMORY, "out of memory"),
	ROW(ND_INVALID_PARAMETER_MIX, "parameters do not go together"),
	ROW(ND_DATA_OVERRUN, "data overrun"),
	ROW(ND_SHARING_VIOLATION, "address in use"),
	ROW(ND_INSUFFICIENT_RESOURCES, "insufficient resources"),
	ROW(ND_DEVICE_NOT_READY, "the framework is not started"),
	ROW(ND_IO_TIMEOUT, "no answer from the peer"),
	ROW(ND_NOT_SUPPORTED, "not supported"),
	ROW(ND_INTERNAL_ERROR, "internal error"),
	ROW(ND_INVALID_PARAMETER_1, "parameter 1 is invalid"),
	ROW(ND_INVALID_PARAMETER_2, "parameter 2 is invalid"),
	ROW(ND_INVALID_PARAMETER_3, "parameter 3 is invalid"),
	ROW(ND_INVALID_PARAMETER_4, "parameter 4 is invalid"),
	ROW(ND_INVALID_PARAMETER_5, "parameter 5 is invalid"),
	ROW(ND_INVALID_PARAMETER_6, "parameter 6 is invalid"),
	ROW(ND_INVALID_PARAMETER_7, "parameter 7 is invalid"),
	ROW(ND_INVALID_PARAMETER_8, "parameter 8 is invalid"),
	ROW(ND_INVALID_PARAMETER_9, "parameter 9 is invalid"),
	ROW(ND_INVALID_PARAMETER_10, "parameter 10 is invalid"),
	ROW(ND_CANCELED, "cancelled, the connection ended"),
	ROW(ND_REMOTE_ERROR, "the peer refused the request"),
	ROW(ND_INVALID_ADDRESS, "no adapter of the configuration has this address"),
	ROW(ND_INVALID_DEVICE_STATE, "not allowed in this state"),
	ROW(ND_INVALID_BUFFER_SIZE, "the message is longer than the buffer"),
	ROW(ND_TOO_MANY_ADDRESSES, "too many addresses"),
	ROW(ND_ADDRESS_ALREADY_EXISTS, "address in use"),
	ROW(ND_CONNECTION_REFUSED, "connection refused"),
	ROW(ND_CONNECTION_INVALID, "not connected"),
	ROW(ND_CONNECTION_ACTIVE, "already connected"),
	ROW(ND_NETWORK_UNREACHABLE, "network unreachable"),
	ROW(ND_HOST_UNREACHABLE, "host unreachable"),
	ROW(ND_CONNECTION_ABORTED, "connection aborted"),
	ROW(ND_DEVICE_REMOVED, "the port is gone"),
	ROW(STATUS_BUFFER_TOO_SMALL, "the buffer is too small"),
	ROW(STATUS_DATA_ERROR, "data error"),
	ROW(STATUS_BAD_NETWORK_NAME, "bad network name"),
	ROW(STATUS_CONNECTION_DISCONNECTED, "disconnected"),
	ROW(STATUS_ADDRESS_ALREADY_ASSOCIATED, "the address is bound already"),
	ROW(STATUS_ADDRESS_NOT_ASSOCIATED, "no address is bound"),
	ROW(STATUS_REQUEST_ABORTED, "request aborted"),
	ROW(E_NOTIMPL, "not implemented"),
	ROW(E_NOINTERFACE, "no such interface"),
	ROW(E_POINTER, "a pointer is missing"),
	ROW(E_OUTOFMEMORY, "out of memory"),
};

static const char *look_up(HRESULT hr, bool name)
{
	static _Thread_local char number[32];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].hr == hr)
			return name ? rows[i].name : rows[i].words;
	snprintf(number, sizeof(number), "status 0x%08x", (unsigned)hr);
	return number;
}

const char *nd_name(HRESULT hr)
{
	return look_up(hr, true);
}

const char *nd_text(HRESULT hr)
{
	return look_up(hr, false);
}

/* Waits in steps of STOP_LOOK_MS, because the user's stop signal does not wake this thread. */
static bool await_event(HANDLE event, int timeout_ms)
{
	while (timeout_ms != 0) {
		int ms = timeout_ms > 0 && timeout_ms < STOP_LOOK_MS ? timeout_ms : STOP_LOOK_MS;
		if (NdsEventWait(event, (ULONG)ms) == ND_SUCCESS)
			return true;
		if (stop_asked())
			return false;
		timeout_ms -= timeout_ms > 0 ? ms : 0;
	}
	return NdsEventWait(event, 0) == ND_SUCCESS;
}

HRESULT nd_finish(void *any, HRESULT started, OVERLAPPED *ov, int timeout_ms)
{
	IND2Overlapped *o = any;
	if (started != ND_PENDING)
		return started;
	HRESULT hr = o->lpVtbl->GetOverlappedResult(o, ov, false);
	if (hr != ND_PENDING)
		return hr;
	if (!await_event(ov->hEvent, timeout_ms))
		return ND_IO_TIMEOUT;
	return o->lpVtbl->GetOverlappedResult(o, ov, true);
}
