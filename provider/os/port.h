/*
 * Completion ports: a queue of completion packets (one for each finished request, and those that
 * the client posts), from which any number of threads take packets, oldest first. Among waiting
 * threads, the one that began to wait last is served first, and the packet that wakes a thread is
 * reserved for it. Any thread that holds a reference may call.
 */
#ifndef OS_PORT_H
#define OS_PORT_H

#include "ndtypes.h"

struct os_port;

/*
 * A completion packet: the record of one completion, on the heap. It does not depend on the
 * client's OVERLAPPED, which may be freed before the record is read. It may be the first member of
 * a larger struct; its last owner frees it with free().
 */
struct os_packet {
	struct os_packet *next;
	OVERLAPPED *overlapped;
	/* the completion port that the request's file is bound to; NULL: none */
	struct os_port *port;
	ULONG_PTR key;
	/* the client's routine, for the callback pool; a completion port ignores it */
	NDS_COMPLETION_ROUTINE routine;
	uint32_t status;
	uint32_t bytes;
};

HRESULT os_port_create(HANDLE *handle);

/* Returns a new reference, or NULL if the handle is not an open completion port. */
struct os_port *os_port_get(HANDLE);
void os_port_ref(struct os_port *);
void os_port_put(struct os_port *);

/* Takes ownership of the completion packet and queues it, or frees it if the port's handle was
 * closed. Never blocks for long. */
void os_port_queue(struct os_port *, struct os_packet *);

/* Takes completion packets as NdsPortGet() does: up to n, oldest first, waiting for the first
 * one. */
HRESULT os_port_take(struct os_port *, NDS_PORT_ENTRY *, ULONG n, ULONG timeout_ms, ULONG *count);

/* Returns the completion port's file descriptor, readable while packets are queued; the port owns
 * it, and the first call creates it. -1: no descriptor is left. */
int os_port_fd(struct os_port *);

#endif
