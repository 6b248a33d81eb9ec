/*
 * Completion ports: a queue of packets, one per finished request or posted by the client, taken by
 * any number of threads, oldest first. Of the waiting threads the one that came last is served
 * first, and the packet that wakes a thread is reserved for it. Any thread; callers hold a
 * reference.
 */
#ifndef OS_PORT_H
#define OS_PORT_H

#include "ndtypes.h"

struct os_port;

/*
 * The record of one completion, on the heap and complete in itself, since the client's OVERLAPPED
 * may be gone when it is read. It may be the first member of something larger; its last owner
 * calls free().
 */
struct os_packet {
	struct os_packet *next;
	OVERLAPPED *overlapped;
	struct os_port *port; /* the port that the file is bound to; NULL: none */
	ULONG_PTR key;
	NDS_COMPLETION_ROUTINE routine; /* for the pool; a port ignores it */
	uint32_t status;
	uint32_t bytes;
};

HRESULT os_port_create(HANDLE *handle);

/* A new reference, or NULL if the handle is not an open port. */
struct os_port *os_port_get(HANDLE);
void os_port_ref(struct os_port *);
void os_port_put(struct os_port *);

/* Takes the packet over; a port whose handle was closed frees it. Never blocks for long. */
void os_port_queue(struct os_port *, struct os_packet *);

/* As NdsPortGet. */
HRESULT os_port_take(struct os_port *, NDS_PORT_ENTRY *, ULONG n, ULONG timeout_ms, ULONG *count);

/* A descriptor as that of os_event_fd, readable while packets wait. */
int os_port_fd(struct os_port *);

#endif
