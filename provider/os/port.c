/*
 * Implements completion ports. Owns each completion port's queue of packets, the list of waiting
 * threads, and the file descriptor. One leaf lock guards all three. The descriptor is an eventfd
 * whose counter is 1 while the queue is not empty.
 *
 * Threads wait only while the queue is empty. As on Windows, the thread that began to wait last
 * gets the next packet. The packet is given to that thread under the lock, so that no other thread
 * can take the packet first.
 */
#include "os/port.h"
#include "os/cancel.h"
#include "os/deadline.h"
#include "os/handle.h"
#include "os/live.h"
#include "ndstatus.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A thread that waits for a completion packet. The struct is on that thread's stack. It is in the
 * completion port's list until the thread is given a packet or stops waiting. */
struct waiter {
	struct waiter *next; /* the thread that began to wait before this thread */
	struct os_port *port;
	struct os_packet *given;
	pthread_cond_t woken;
};

struct os_port {
	struct os_object object;
	pthread_mutex_t lock;
	struct waiter *waiters; /* the newest waiting thread is first */
	struct os_packet *first;
	struct os_packet **end; /* where the next completion packet is linked */
	bool closed;
	int fd; /* eventfd; -1 until a client asks for the completion port's descriptor */
};

static void drop_packets(struct os_port *port)
{
	while (port->first) {
		struct os_packet *packet = port->first;

		port->first = packet->next;
		free(packet);
		os_live_remove(&os_live[OS_LIVE_PACKET]);
	}
	port->end = &port->first;
}

static void close_port(struct os_object *object)
{
	struct os_port *port = (struct os_port *)object;

	pthread_mutex_lock(&port->lock);
	port->closed = true;
	drop_packets(port);
	for (struct waiter *w = port->waiters; w; w = w->next)
		pthread_cond_signal(&w->woken);
	pthread_mutex_unlock(&port->lock);
}

static void destroy_port(struct os_object *object)
{
	struct os_port *port = (struct os_port *)object;

	drop_packets(port);
	if (port->fd >= 0)
		close(port->fd);
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

/* Gives a completion packet to the thread that began to wait last. Returns false if no thread
 * waits. */
static bool give_to_waiter(struct os_port *port, struct os_packet *packet)
{
	struct waiter *w = port->waiters;

	if (!w)
		return false;
	port->waiters = w->next;
	w->given = packet;
	pthread_cond_signal(&w->woken);
	return true;
}

void os_port_queue(struct os_port *port, struct os_packet *packet)
{
	OS_UNCANCELLED;

	pthread_mutex_lock(&port->lock);
	if (port->closed) {
		free(packet);
	} else {
		os_live_add(&os_live[OS_LIVE_PACKET]);
		packet->next = NULL;
		if (!give_to_waiter(port, packet)) {
			if (!port->first && port->fd >= 0)
				eventfd_write(port->fd, 1);
			*port->end = packet;
			port->end = &packet->next;
		}
	}
	pthread_mutex_unlock(&port->lock);
}

static void move_packet(struct os_packet *packet, NDS_PORT_ENTRY *entry)
{
	*entry = (NDS_PORT_ENTRY){
		.lpCompletionKey = packet->key,
		.lpOverlapped = packet->overlapped,
		.Internal = packet->status,
		.dwNumberOfBytesTransferred = packet->bytes,
	};
	free(packet);
	os_live_remove(&os_live[OS_LIVE_PACKET]);
}

static ULONG move_packets(struct os_port *port, NDS_PORT_ENTRY *entries, ULONG n)
{
	OS_UNCANCELLED;
	eventfd_t drained;
	ULONG taken = 0;

	while (taken < n && port->first) {
		struct os_packet *packet = port->first;

		port->first = packet->next;
		move_packet(packet, &entries[taken++]);
	}
	if (!port->first) {
		port->end = &port->first;
		if (taken && port->fd >= 0)
			eventfd_read(port->fd, &drained);
	}
	return taken;
}

static void leave(struct waiter *w)
{
	struct waiter **at = &w->port->waiters;

	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
	pthread_cond_destroy(&w->woken);
}

/* pthread_cleanup_push handler. A thread that is cancelled after it was given a completion packet
 * cannot return the packet to its caller. So the packet goes to another waiting thread, or back to
 * the front of the queue. */
static void cancelled(void *arg)
{
	OS_UNCANCELLED;
	struct waiter *w = arg;
	struct os_port *port = w->port;

	leave(w);
	if (w->given && port->closed) {
		free(w->given);
		os_live_remove(&os_live[OS_LIVE_PACKET]);
	} else if (w->given && !give_to_waiter(port, w->given)) {
		if (!port->first && port->fd >= 0)
			eventfd_write(port->fd, 1);
		w->given->next = port->first;
		if (!port->first)
			port->end = &w->given->next;
		port->first = w->given;
	}
	pthread_mutex_unlock(&port->lock);
}

static bool wait_woken(struct waiter *w, const struct os_deadline *deadline)
{
	int rc;

	pthread_cleanup_push(cancelled, w);
	if (deadline->never)
		rc = pthread_cond_wait(&w->woken, &w->port->lock);
	else
		rc = pthread_cond_timedwait(&w->woken, &w->port->lock, &deadline->at);
	pthread_cleanup_pop(0);
	return rc != ETIMEDOUT;
}

/* Waits for a completion packet. Returns NULL if the deadline has passed or the completion port was
 * closed. */
static struct os_packet *wait_for_packet(struct os_port *port, const struct os_deadline *deadline)
{
	struct waiter me = {.next = port->waiters, .port = port};

	os_cond_init(&me.woken);
	port->waiters = &me;
	while (!me.given && !port->closed && wait_woken(&me, deadline))
		;
	leave(&me);
	return me.given;
}

HRESULT os_port_take(struct os_port *port, NDS_PORT_ENTRY *entries, ULONG n, ULONG timeout_ms,
		     ULONG *count)
{
	struct os_deadline deadline = os_deadline_in(timeout_ms);
	struct os_packet *given;
	bool closed;

	pthread_mutex_lock(&port->lock);
	*count = move_packets(port, entries, n);
	if (!*count && timeout_ms && !port->closed) {
		given = wait_for_packet(port, &deadline);
		if (given) {
			move_packet(given, entries);
			*count = 1 + move_packets(port, entries + 1, n - 1);
		}
	}
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
