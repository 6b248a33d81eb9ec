/*
 * Requests: one per OVERLAPPED for which a method returned ND_PENDING. This is the contract for
 * the objects of provider/nd2 (queues, regions, connectors, listeners).
 *
 * Life of a request
 *   1. The method checks its arguments and refuses bad ones.
 *   2. os_request_begin reads the OVERLAPPED's hEvent (event and low bit), and takes a reference
 *      on the event and the file. The later steps allocate no memory.
 *   3. The object adds the request to its list (struct os_request_list), under the object's lock.
 *      This step sets Internal to ND_PENDING and clears the event. A request that ends at once is
 *      not put on a list; os_request_complete or os_request_finish then does this step, too.
 *   4. Exactly one of these calls ends the request:
 *        os_request_complete   Only posts the completion; the delivery thread publishes it later.
 *                              NIC threads use this call.
 *        os_request_finish     Publishes all completions posted earlier and then this one, before
 *                              the call returns. Cancel and Release use this call.
 *        os_request_refuse     Replaces step 3: the method returns an error. The status is also
 *                              stored in Internal, unless another request uses the OVERLAPPED. The
 *                              event is unchanged, and no completion packet is queued.
 *      After step 4 the request no longer exists. The client may use the OVERLAPPED again as soon
 *      as Internal is not ND_PENDING.
 *
 * Rules
 *   - The thread that removes a request from the list owns the request and ends it. Call
 *     os_request_complete under the object's lock, right after the removal. Otherwise a Cancel on
 *     another thread could find neither a pending nor a posted request, and return too early.
 *   - All calls take leaf locks only and call no other module, so any lock of the object may be
 *     held. Client code (callbacks) runs on the pool's threads, never inside these calls.
 *   - Identify a request by its own address, or by `kind`, `tag` and `cookie`, never by the
 *     OVERLAPPED: a client may use one OVERLAPPED for two requests at once.
 *   - Cancel calls os_request_list_cancel under the object's lock. That function ends the requests
 *     in the order of the list, and also publishes the requests that ended earlier. Release calls
 *     os_request_list_cancel even with an empty list: a completion posted earlier may not have
 *     been written to its OVERLAPPED yet.
 */
#ifndef OS_REQUEST_H
#define OS_REQUEST_H

#include "os/delivery.h"
#include "os/port.h"

struct os_event;
struct os_file;

struct os_request {
	/* The members up to `prev` are private to request.c. */
	/* First member: whoever frees the packet (completion port, pool) then frees the whole
	 * request. */
	struct os_packet packet;
	struct os_notice notice;
	struct os_file *file;
	struct os_event *event; /* NULL if the OVERLAPPED has no event */
	HRESULT status;
	bool silent;  /* the low bit of hEvent was set, so no completion packet is queued */
	bool pending; /* Internal of the OVERLAPPED has been set to ND_PENDING */
	struct os_request *next;
	struct os_request *prev;

	/* These members are for the object to which the request belongs. They are zero at first. */
	uint32_t kind;
	uint64_t tag;
	void *cookie;
};

/*
 * Creates the record of a request on an OVERLAPPED. Does not write the OVERLAPPED yet. Errors:
 * - ND_INVALID_PARAMETER: the OVERLAPPED is NULL.
 * - ND_INVALID_HANDLE: hEvent is not an event.
 * - ND_INSUFFICIENT_RESOURCES: out of memory.
 */
HRESULT os_request_begin(struct os_file *, OVERLAPPED *, struct os_request **request);

void os_request_complete(struct os_request *, HRESULT status);
void os_request_finish(struct os_request *, HRESULT status);
void os_request_refuse(struct os_request *, HRESULT status);

/* The requests of one object, in the order in which the client issued them. The object's lock
 * guards the list. */
struct os_request_list {
	struct os_request *first;
	struct os_request *last;
};

void os_request_list_init(struct os_request_list *);
bool os_request_list_empty(const struct os_request_list *);
void os_request_list_add(struct os_request_list *, struct os_request *);

/* Removes this request from the list. */
void os_request_list_remove(struct os_request_list *, struct os_request *);

/* os_request_list_take() removes and returns the oldest request, os_request_list_take_kind() the
 * oldest request of this kind. Both return NULL if there is no such request. */
struct os_request *os_request_list_take(struct os_request_list *);
struct os_request *os_request_list_take_kind(struct os_request_list *, uint32_t kind);

/* Removes all requests and completes each with os_request_complete(), oldest first. Returns how
 * many requests were removed. */
unsigned int os_request_list_complete(struct os_request_list *, HRESULT status);

/*
 * Removes all requests and ends each with os_request_finish(), oldest first. Returns how many
 * requests were removed. On return, every request that os_request_complete() completed earlier has
 * its final status in the OVERLAPPED, even if the list was empty.
 */
unsigned int os_request_list_cancel(struct os_request_list *, HRESULT status);

/*
 * Implements IND2Overlapped::GetOverlappedResult: returns the status of the OVERLAPPED, whichever
 * object its request belongs to. If `wait` is set, returns only when the status is final.
 *
 * If the function had to wait, it also takes the OVERLAPPED's event: an event that resets
 * automatically is cleared. The OVERLAPPED need not have an event.
 */
HRESULT os_overlapped_result(OVERLAPPED *, bool wait);

#endif
