/*
 * Completion ports: queues of completion packets, from which any number of threads take packets,
 * oldest first. Every finished request queues a packet; the client may post packets, too.
 *
 * The thread that began to wait last is served first. The packet that wakes a thread is reserved
 * for that thread. Any thread that holds a reference may call.
 */
#ifndef OS_PORT_H
#define OS_PORT_H

#include "ndtypes.h"

struct os_port;

/*
 * A completion packet: the record of one completion, on the heap. The packet does not depend on the
 * client's OVERLAPPED, which may be freed before the packet is read. A completion packet may be the
 * first member of a larger struct. Its last owner frees it with free().
 */
struct os_packet {
	struct os_packet *next;
	OVERLAPPED *overlapped;
	/* the completion port that the request's file is bound to, or NULL */
	struct os_port *port;
	ULONG_PTR key;
	/* the client's routine, for the callback pool; a completion port ignores this member */
	NDS_COMPLETION_ROUTINE routine;
	uint32_t status;
	uint32_t bytes;
};

HRESULT os_port_create(HANDLE *handle);

/* Returns a new reference. Returns NULL if the handle is not an open completion port. */
struct os_port *os_port_get(HANDLE);
void os_port_ref(struct os_port *);
void os_port_put(struct os_port *);

/* Takes ownership of the completion packet and queues it. Frees the packet if the completion port's
 * handle was closed. Never blocks for long. */
void os_port_queue(struct os_port *, struct os_packet *);

/* Takes up to n completion packets, oldest first, as NdsPortGet() does. Waits for the first
 * packet. */
HRESULT os_port_take(struct os_port *, NDS_PORT_ENTRY *, ULONG n, ULONG timeout_ms, ULONG *count);

/* Returns the completion port's file descriptor, which is readable while packets are queued. The
 * port owns the descriptor, and the first call creates it. Returns -1 if no descriptor is left. */
int os_port_fd(struct os_port *);

#endif
