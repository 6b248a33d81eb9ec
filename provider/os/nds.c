/* The Nds functions of ndtypes.h. Each function looks up its handle and calls the object's
 * function. Any thread may call. */
#include "os/child.h"
#include "os/deadline.h"
#include "os/event.h"
#include "os/file.h"
#include "os/handle.h"
#include "os/live.h"
#include "ndstatus.h"

#include <poll.h>
#include <stdlib.h>

HRESULT NdsHandleClose(HANDLE handle)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return os_handle_close(handle);
}

HRESULT NdsEventCreate(BOOL manual_reset, BOOL initially_set, HANDLE *event)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return os_event_create(manual_reset, initially_set, event);
}

HRESULT NdsEventSet(HANDLE handle)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_event *event = os_event_get(handle);

	if (!event)
		return ND_INVALID_HANDLE;
	os_event_set(event);
	os_event_put(event);
	return ND_SUCCESS;
}

HRESULT NdsEventReset(HANDLE handle)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_event *event = os_event_get(handle);

	if (!event)
		return ND_INVALID_HANDLE;
	os_event_reset(event);
	os_event_put(event);
	return ND_SUCCESS;
}

static void put_event(void *event)
{
	os_event_put(event);
}

HRESULT NdsEventWait(HANDLE handle, ULONG timeout_ms)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_event *event = os_event_get(handle);
	HRESULT hr;

	if (!event)
		return ND_INVALID_HANDLE;
	pthread_cleanup_push(put_event, event);
	hr = os_event_wait(event, timeout_ms);
	pthread_cleanup_pop(1);
	return hr;
}

struct held {
	struct os_event *events[NDS_WAIT_MAX];
	struct pollfd fds[NDS_WAIT_MAX];
	ULONG n;
};

static void put_all(void *arg)
{
	struct held *held = arg;

	while (held->n)
		os_event_put(held->events[--held->n]);
}

static HRESULT wait_for_any(struct held *held, ULONG timeout_ms, ULONG *index)
{
	struct os_deadline deadline = os_deadline_in(timeout_ms);
	int left;

	do {
		/* Each event is tried before the first poll(), and once more after the last
		 * poll(). */
		for (ULONG i = 0; i < held->n; i++) {
			if (os_event_take(held->events[i])) {
				*index = i;
				return ND_SUCCESS;
			}
		}
		left = os_deadline_left_ms(&deadline);
		/* poll() may return for an event that another thread takes before this thread can.
		 * The loop then polls again for the time left. */
	} while (left && (poll(held->fds, held->n, left) >= 0 || errno == EINTR));
	return left ? ND_INSUFFICIENT_RESOURCES : ND_TIMEOUT;
}

static HRESULT wait_and_put(struct held *held, ULONG timeout_ms, ULONG *index)
{
	HRESULT hr;

	pthread_cleanup_push(put_all, held);
	hr = wait_for_any(held, timeout_ms, index);
	pthread_cleanup_pop(1);
	return hr;
}

HRESULT NdsEventWaitAny(const HANDLE handles[], ULONG n, ULONG timeout_ms, ULONG *index)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct held held = {.n = 0};
	HRESULT hr = ND_SUCCESS;

	if (!n || n > NDS_WAIT_MAX)
		return ND_INVALID_PARAMETER;
	while (held.n < n && SUCCEEDED(hr)) {
		struct os_event *event = os_event_get(handles[held.n]);

		if (!event) {
			hr = ND_INVALID_HANDLE;
			break;
		}
		held.events[held.n] = event;
		held.fds[held.n] = (struct pollfd){.fd = os_event_fd(event), .events = POLLIN};
		if (held.fds[held.n++].fd < 0)
			hr = ND_INSUFFICIENT_RESOURCES;
	}
	if (SUCCEEDED(hr))
		return wait_and_put(&held, timeout_ms, index);
	put_all(&held);
	return hr;
}

int NdsEventGetFd(HANDLE handle)
{
	OS_REFUSE_CHILD(-1);
	struct os_event *event = os_event_get(handle);
	int fd;

	if (!event)
		return -1;
	fd = os_event_fd(event);
	os_event_put(event);
	return fd;
}

HRESULT NdsPortCreate(HANDLE *port)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	return os_port_create(port);
}

HRESULT NdsPortBind(HANDLE port_handle, HANDLE file_handle, ULONG_PTR key)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_port *port = os_port_get(port_handle);
	struct os_file *file = os_file_get(file_handle);
	HRESULT hr = ND_INVALID_HANDLE;

	if (port && file)
		hr = os_file_bind_port(file, port, key);
	if (file)
		os_file_put(file);
	if (port)
		os_port_put(port);
	return hr;
}

HRESULT NdsPortPost(HANDLE handle, ULONG bytes, ULONG_PTR key, OVERLAPPED *overlapped)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_port *port = os_port_get(handle);
	struct os_packet *packet;

	if (!port)
		return ND_INVALID_HANDLE;
	packet = calloc(1, sizeof(*packet));
	if (packet) {
		packet->bytes = bytes;
		packet->key = key;
		packet->overlapped = overlapped;
		os_port_queue(port, packet);
	}
	os_port_put(port);
	return packet ? ND_SUCCESS : ND_NO_MEMORY;
}

static void put_port(void *port)
{
	os_port_put(port);
}

HRESULT NdsPortGet(HANDLE handle, NDS_PORT_ENTRY entries[], ULONG n, ULONG timeout_ms, ULONG *count)
{
	*count = 0;
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_port *port;
	HRESULT hr;

	if (!n)
		return ND_INVALID_PARAMETER;
	port = os_port_get(handle);
	if (!port)
		return ND_INVALID_HANDLE;
	pthread_cleanup_push(put_port, port);
	hr = os_port_take(port, entries, n, timeout_ms, count);
	pthread_cleanup_pop(1);
	return hr;
}

int NdsPortGetFd(HANDLE handle)
{
	OS_REFUSE_CHILD(-1);
	struct os_port *port = os_port_get(handle);
	int fd;

	if (!port)
		return -1;
	fd = os_port_fd(port);
	os_port_put(port);
	return fd;
}

HRESULT NdsFileBindCallback(HANDLE handle, NDS_COMPLETION_ROUTINE routine)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_file *file = os_file_get(handle);
	HRESULT hr;

	if (!file)
		return ND_INVALID_HANDLE;
	hr = routine ? os_file_bind_callback(file, routine) : ND_INVALID_PARAMETER;
	os_file_put(file);
	return hr;
}

HRESULT NdsFileSetModes(HANDLE handle, ULONG modes)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	struct os_file *file = os_file_get(handle);

	if (!file)
		return ND_INVALID_HANDLE;
	os_file_put(file);
	return modes & ~(ULONG)(NDS_FILE_SKIP_PORT_ON_SUCCESS | NDS_FILE_SKIP_EVENT_ON_FILE)
		       ? ND_INVALID_PARAMETER
		       : ND_SUCCESS;
}

ULONG NdsLiveObjects(NDS_LIVE live[], ULONG n)
{
	ULONG kinds = 0;

	for (ULONG i = 0; i < OS_LIVE_MAX; i++) {
		const char *kind = atomic_load(&os_live[i].kind);

		if (!kind)
			continue;
		if (kinds < n)
			live[kinds] = (NDS_LIVE){kind, atomic_load(&os_live[i].count)};
		kinds++;
	}
	return kinds;
}
