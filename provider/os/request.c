/*
 * Requests on OVERLAPPEDs: how they begin, and how their end becomes visible to the client. A
 * method begins the request and puts it on the object's list. Later the object completes the
 * request. The delivery thread then publishes the completion and queues the completion packet to
 * the completion port.
 *
 * Clients depend on the order of publication: InternalHigh, Internal, the event, the threads that
 * wait for the OVERLAPPED, the completion packet. After Internal is written, the OVERLAPPED is not
 * accessed any more.
 *
 * The client then knows that the request has ended, and may bind the file to a completion port or a
 * callback. Such a binding must not apply to the ended request. So the file's binding is copied
 * into the packet before Internal is written.
 */
#include "os/request.h"
#include "os/cancel.h"
#include "os/event.h"
#include "os/file.h"
#include "os/live.h"
#include "os/overlapped.h"
#include "os/park.h"

#include <stddef.h>
#include <stdlib.h>

_Static_assert(offsetof(struct os_request, packet) == 0, "freeing the packet frees the request");

#define LOW_BIT	     ((uintptr_t)1)
#define CLIENTS_BITS ((uintptr_t)3)

static void publish(struct os_notice *notice)
{
	struct os_request *request =
		(struct os_request *)((char *)notice - offsetof(struct os_request, notice));
	OVERLAPPED *overlapped = request->packet.overlapped;
	struct os_event *event = request->event;
	struct os_file *file = request->file;

	request->packet.status = (uint32_t)request->status;
	os_file_address(file, &request->packet);
	if (event)
		os_event_publish(event, overlapped, request->status);
	else
		os_overlapped_store(overlapped, request->status);
	os_park_wake(overlapped);
	if (request->silent)
		free(request);
	else
		os_file_deliver(&request->packet);
	if (event)
		os_event_put(event);
	os_file_put(file);
	os_live_remove(&os_live[OS_LIVE_REQUEST]);
}

HRESULT os_request_begin(struct os_file *file, OVERLAPPED *overlapped, struct os_request **out)
{
	struct os_request *request;
	uintptr_t h_event;

	if (!overlapped)
		return ND_INVALID_PARAMETER;
	request = calloc(1, sizeof(*request));
	if (!request)
		return ND_INSUFFICIENT_RESOURCES;
	h_event = (uintptr_t)overlapped->hEvent;
	if (h_event & ~CLIENTS_BITS) {
		request->event = os_event_get(overlapped->hEvent);
		if (!request->event) {
			free(request);
			return ND_INVALID_HANDLE;
		}
	}
	os_live_add(&os_live[OS_LIVE_REQUEST]);
	os_file_ref(file);
	request->file = file;
	request->silent = h_event & LOW_BIT;
	request->notice.publish = publish;
	request->packet.overlapped = overlapped;
	*out = request;
	return ND_SUCCESS;
}

/* To be called only when the method has accepted the request. A client may use one OVERLAPPED for
 * two requests. A refused request must not overwrite the status of a pending one. */
static void make_pending(struct os_request *request)
{
	if (request->pending)
		return;
	request->pending = true;
	os_overlapped_store(request->packet.overlapped, ND_PENDING);
	if (request->event)
		os_event_reset(request->event);
}

void os_request_complete(struct os_request *request, HRESULT status)
{
	make_pending(request);
	request->status = status;
	os_notice_post(&request->notice);
}

void os_request_finish(struct os_request *request, HRESULT status)
{
	make_pending(request);
	request->status = status;
	os_notice_publish(&request->notice);
}

void os_request_refuse(struct os_request *request, HRESULT status)
{
	OVERLAPPED *overlapped = request->packet.overlapped;

	if (request->event)
		os_event_put(request->event);
	os_file_put(request->file);
	free(request);
	os_live_remove(&os_live[OS_LIVE_REQUEST]);
	os_overlapped_refuse(overlapped, status);
}

void os_request_list_init(struct os_request_list *list)
{
	list->first = NULL;
	list->last = NULL;
}

bool os_request_list_empty(const struct os_request_list *list)
{
	return !list->first;
}

void os_request_list_add(struct os_request_list *list, struct os_request *request)
{
	make_pending(request);
	request->next = NULL;
	request->prev = list->last;
	if (list->last)
		list->last->next = request;
	else
		list->first = request;
	list->last = request;
}

void os_request_list_remove(struct os_request_list *list, struct os_request *request)
{
	if (request->prev)
		request->prev->next = request->next;
	else
		list->first = request->next;
	if (request->next)
		request->next->prev = request->prev;
	else
		list->last = request->prev;
	request->next = NULL;
	request->prev = NULL;
}

struct os_request *os_request_list_take(struct os_request_list *list)
{
	struct os_request *request = list->first;

	if (request)
		os_request_list_remove(list, request);
	return request;
}

struct os_request *os_request_list_take_kind(struct os_request_list *list, uint32_t kind)
{
	struct os_request *request = list->first;

	while (request && request->kind != kind)
		request = request->next;
	if (request)
		os_request_list_remove(list, request);
	return request;
}

unsigned int os_request_list_complete(struct os_request_list *list, HRESULT status)
{
	struct os_request *request;
	unsigned int n = 0;

	for (; (request = os_request_list_take(list)); n++)
		os_request_complete(request, status);
	return n;
}

unsigned int os_request_list_cancel(struct os_request_list *list, HRESULT status)
{
	struct os_request *request;
	unsigned int n = 0;

	for (; (request = os_request_list_take(list)); n++)
		os_request_finish(request, status);
	if (!n)
		os_notice_flush();
	return n;
}

static void put_event(void *event)
{
	if (event)
		os_event_put(event);
}

/* If `wait` is set, this function is a cancellation point while the request is pending. */
HRESULT os_overlapped_result(OVERLAPPED *overlapped, bool wait)
{
	HRESULT status = os_overlapped_status(overlapped);
	struct os_event *event;

	if (status != ND_PENDING || !wait)
		return status;
	event = os_event_get(overlapped->hEvent);
	pthread_cleanup_push(put_event, event);
	os_park_until_done(overlapped);
	status = os_overlapped_status(overlapped);
	/* os_event_publish() wrote the status and set the event under the event's lock. So the
	 * event is set by now and can be taken. */
	if (event)
		os_event_take(event);
	pthread_cleanup_pop(1);
	return status;
}
