/*
 * What has finished? Owns the queue of packets, the threads that wait for it and its descriptor,
 * under one leaf lock. The eventfd holds 1 while the queue is not empty.
 */
#include "port.h"
#include "deadline.h"
#include "handle.h"
#include "live.h"
#include "ndstatus.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct os_port {
	struct os_object object;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct os_packet *first;
	struct os_packet **end; /* where the next packet is hooked in */
	bool closed;
	int fd; /* -1 until asked for */
};

static void drop_packets(struct os_port *port)
{
	while (port->first) {
		struct os_packet *packet = port->first;

		port->first = packet->next;
		free(packet);
		os_live_gone(&os_live[OS_LIVE_PACKET]);
	}
	port->end = &port->first;
}

static void close_port(struct os_object *object)
{
	struct os_port *port = (struct os_port *)object;

	pthread_mutex_lock(&port->lock);
	port->closed = true;
	drop_packets(port);
	pthread_cond_broadcast(&port->filled);
	pthread_mutex_unlock(&port->lock);
}

static void destroy_port(struct os_object *object)
{
	struct os_port *port = (struct os_port *)object;

	drop_packets(port);
	if (port->fd >= 0)
		close(port->fd);
	pthread_cond_destroy(&port->filled);
	pthread_mutex_destroy(&port->lock);
	free(port);
}

static const struct os_object_ops port_ops = {
	.kind = OS_PORT,
	.close = close_port,
	.destroy = destroy_port,
};

HRESULT os_port_create(HANDLE *handle)
{
	struct os_port *port = calloc(1, sizeof(*port));
	HRESULT hr;

	if (!port)
		return ND_NO_MEMORY;
	pthread_mutex_init(&port->lock, NULL);
	os_cond_init(&port->filled);
	port->end = &port->first;
	port->fd = -1;
	hr = os_handle_open(&port->object, &port_ops, handle);
	if (FAILED(hr))
		destroy_port(&port->object);
	return hr;
}

struct os_port *os_port_get(HANDLE handle)
{
	return (struct os_port *)os_handle_get(handle, OS_PORT);
}

void os_port_ref(struct os_port *port)
{
	os_object_ref(&port->object);
}

void os_port_put(struct os_port *port)
{
	os_object_put(&port->object);
}

void os_port_queue(struct os_port *port, struct os_packet *packet)
{
	pthread_mutex_lock(&port->lock);
	if (port->closed) {
		free(packet);
	} else {
		if (!port->first && port->fd >= 0)
			eventfd_write(port->fd, 1);
		os_live_born(&os_live[OS_LIVE_PACKET]);
		packet->next = NULL;
		*port->end = packet;
		port->end = &packet->next;
		pthread_cond_signal(&port->filled);
	}
	pthread_mutex_unlock(&port->lock);
}

static ULONG move_packets(struct os_port *port, NDS_PORT_ENTRY *entries, ULONG n)
{
	eventfd_t drained;
	ULONG taken = 0;

	while (taken < n && port->first) {
		struct os_packet *packet = port->first;

		port->first = packet->next;
		entries[taken++] = (NDS_PORT_ENTRY){
			.lpCompletionKey = packet->key,
			.lpOverlapped = packet->overlapped,
			.Internal = packet->status,
			.dwNumberOfBytesTransferred = packet->bytes,
		};
		free(packet);
		os_live_gone(&os_live[OS_LIVE_PACKET]);
	}
	if (!port->first) {
		port->end = &port->first;
		if (taken && port->fd >= 0)
			eventfd_read(port->fd, &drained);
	}
	return taken;
}

HRESULT os_port_take(struct os_port *port, NDS_PORT_ENTRY *entries, ULONG n, ULONG timeout_ms,
		     ULONG *count)
{
	struct os_deadline deadline = os_deadline_in(timeout_ms);
	bool in_time = true;
	bool closed;

	pthread_mutex_lock(&port->lock);
	while (!(*count = move_packets(port, entries, n)) && !port->closed && in_time)
		in_time = os_cond_wait(&port->filled, &port->lock, &deadline);
	closed = port->closed;
	pthread_mutex_unlock(&port->lock);
	if (*count)
		return ND_SUCCESS;
	return closed ? ND_CANCELED : ND_TIMEOUT;
}

int os_port_fd(struct os_port *port)
{
	int fd;

	pthread_mutex_lock(&port->lock);
	if (port->fd < 0)
		port->fd = eventfd(port->first != NULL, EFD_CLOEXEC | EFD_NONBLOCK);
	fd = port->fd;
	pthread_mutex_unlock(&port->lock);
	return fd;
}
