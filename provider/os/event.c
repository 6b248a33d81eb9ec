/*
 * Implements events. Owns each event's flag, the list of waiting threads and the file descriptor.
 * One lock per event guards all three; it is a leaf lock, since no other module is called with this
 * lock held. The descriptor is an eventfd that mirrors the flag: counter 1 while set, 0 while
 * clear.
 */
#include "os/event.h"
#include "os/cancel.h"
#include "os/deadline.h"
#include "os/handle.h"
#include "os/overlapped.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct os_event {
	struct os_object object;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool manual_reset;
	bool set;
	int fd; /* eventfd; -1 until a client asks for the event's descriptor */
};

static void destroy_event(struct os_object *object)
{
	struct os_event *event = (struct os_event *)object;

	if (event->fd >= 0)
		close(event->fd);
	pthread_cond_destroy(&event->changed);
	pthread_mutex_destroy(&event->lock);
	free(event);
}

static const struct os_object_ops event_ops = {.kind = OS_EVENT, .destroy = destroy_event};

HRESULT os_event_create(bool manual_reset, bool set, HANDLE *handle)
{
	struct os_event *event = calloc(1, sizeof(*event));
	HRESULT hr;

	if (!event)
		return ND_NO_MEMORY;
	pthread_mutex_init(&event->lock, NULL);
	os_cond_init(&event->changed);
	event->manual_reset = manual_reset;
	event->set = set;
	event->fd = -1;
	hr = os_handle_open(&event->object, &event_ops, handle);
	if (FAILED(hr))
		destroy_event(&event->object);
	return hr;
}

struct os_event *os_event_get(HANDLE handle)
{
	return (struct os_event *)os_handle_get(handle, OS_EVENT);
}

void os_event_put(struct os_event *event)
{
	os_object_put(&event->object);
}

static void raise_flag(struct os_event *event)
{
	OS_UNCANCELLED;

	if (event->set)
		return;
	event->set = true;
	if (event->fd >= 0)
		eventfd_write(event->fd, 1);
	/* Wakes all waiting threads. If the event resets automatically, take_flag() lets only one
	 * of these threads through. */
	pthread_cond_broadcast(&event->changed);
}

static void lower_flag(struct os_event *event)
{
	OS_UNCANCELLED;
	eventfd_t drained;

	if (!event->set)
		return;
	event->set = false;
	if (event->fd >= 0)
		eventfd_read(event->fd, &drained);
}

void os_event_set(struct os_event *event)
{
	pthread_mutex_lock(&event->lock);
	raise_flag(event);
	pthread_mutex_unlock(&event->lock);
}

void os_event_reset(struct os_event *event)
{
	pthread_mutex_lock(&event->lock);
	lower_flag(event);
	pthread_mutex_unlock(&event->lock);
}

static bool take_flag(struct os_event *event)
{
	bool set = event->set;

	if (set && !event->manual_reset)
		lower_flag(event);
	return set;
}

bool os_event_take(struct os_event *event)
{
	bool taken;

	pthread_mutex_lock(&event->lock);
	taken = take_flag(event);
	pthread_mutex_unlock(&event->lock);
	return taken;
}

HRESULT os_event_wait(struct os_event *event, ULONG timeout_ms)
{
	struct os_deadline deadline = os_deadline_in(timeout_ms);
	bool in_time = true;
	bool taken;

	pthread_mutex_lock(&event->lock);
	while (!(taken = take_flag(event)) && in_time)
		in_time = os_cond_wait(&event->changed, &event->lock, &deadline);
	pthread_mutex_unlock(&event->lock);
	return taken ? ND_SUCCESS : ND_TIMEOUT;
}

int os_event_fd(struct os_event *event)
{
	int fd;

	pthread_mutex_lock(&event->lock);
	if (event->fd < 0)
		event->fd = eventfd(event->set, EFD_CLOEXEC | EFD_NONBLOCK);
	fd = event->fd;
	pthread_mutex_unlock(&event->lock);
	return fd;
}

void os_event_publish(struct os_event *event, OVERLAPPED *overlapped, HRESULT status)
{
	pthread_mutex_lock(&event->lock);
	os_overlapped_store(overlapped, status);
	raise_flag(event);
	pthread_mutex_unlock(&event->lock);
}
