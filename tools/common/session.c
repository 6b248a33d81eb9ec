/* Creates the ND2 objects of a tool and waits for its requests. A wait first polls for 5 ms; with
 * the inline idle policy this polling also drives the NIC. Then the wait arms the completion queue
 * and sleeps. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "address.h"
#include "stop.h"

#define POLL_NS		   5000000
#define POLLS_PER_CLOCK	   64
#define CONNECT_TIMEOUT_MS 20000
#define GIVE_UP_MS	   1000

const char *session_program = "tool";

/* Prints a message and returns -1. Prints nothing if the user has asked to stop, because
 * stop_leave() then prints the reason. */
static int complain(const char *what, HRESULT hr)
{
	if (!stop_asked())
		fprintf(stderr, "%s: %s: %s\n", session_program, what, nd_text(hr));
	return -1;
}

/* Waits for the request on `object` whose starting call returned `started`. Returns the request's
 * status, or ND_IO_TIMEOUT. After a timeout the request is cancelled, so that s->ov can be used
 * again. */
static HRESULT finish(struct session *s, void *object, HRESULT started, int timeout_ms)
{
	IND2Overlapped *o = object;
	HRESULT hr = nd_finish(o, started, &s->ov, timeout_ms);
	if (hr == ND_IO_TIMEOUT && started == ND_PENDING && (HRESULT)s->ov.Internal == ND_PENDING) {
		o->lpVtbl->CancelOverlappedRequests(o);
		o->lpVtbl->GetOverlappedResult(o, &s->ov, true);
	}
	return hr;
}

int session_open(struct session *s, const struct sockaddr *local, size_t len)
{
	ULONG cb = sizeof(s->info);
	memset(s, 0, sizeof(*s));
	HRESULT hr = NdOpenAdapter(&IID_IND2Adapter, local, len, (void **)&s->adapter);
	if (FAILED(hr))
		return complain("cannot open the adapter", hr);
	hr = s->adapter->lpVtbl->Query(s->adapter, &s->info, &cb);
	if (SUCCEEDED(hr))
		hr = s->adapter->lpVtbl->CreateOverlappedFile(s->adapter, &s->file);
	if (SUCCEEDED(hr))
		hr = NdsEventCreate(true, false, &s->event);
	if (SUCCEEDED(hr))
		hr = NdsEventCreate(true, false, &s->notify.hEvent);
	s->ov.hEvent = s->event;
	return FAILED(hr) ? complain("cannot set up the adapter", hr) : 0;
}

static int make_memory(struct session *s)
{
	size_t data = (size_t)s->chunk * s->slots;
	if (s->recv_bytes == 0)
		s->recv_bytes = s->chunk < SESSION_MSG_BYTES ? SESSION_MSG_BYTES : s->chunk;
	if (s->nrecv == 0)
		s->nrecv = s->slots + 8;
	s->mem_bytes = data + s->nrecv * s->recv_bytes + SESSION_MSGS * SESSION_MSG_BYTES;
	s->mem = mmap(NULL, s->mem_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (s->mem == MAP_FAILED) {
		s->mem = NULL;
		return complain("no memory for the buffers", ND_NO_MEMORY);
	}
	HRESULT hr = s->adapter->lpVtbl->CreateMemoryRegion(s->adapter, &IID_IND2MemoryRegion,
							    s->file, (void **)&s->mr);
	if (SUCCEEDED(hr))
		hr = finish(s, s->mr,
			    s->mr->lpVtbl->Register(s->mr, s->mem, s->mem_bytes,
						    ND_MR_FLAG_ALLOW_LOCAL_WRITE |
							    ND_MR_FLAG_ALLOW_REMOTE_READ |
							    ND_MR_FLAG_ALLOW_REMOTE_WRITE,
						    &s->ov),
			    CONNECT_TIMEOUT_MS);
	if (FAILED(hr))
		return complain("cannot register memory", hr);
	s->local_token = s->mr->lpVtbl->GetLocalToken(s->mr);
	s->remote_token = s->mr->lpVtbl->GetRemoteToken(s->mr);
	return 0;
}

static HRESULT make_queue_pair(struct session *s, ULONG depth)
{
	IND2Adapter *a = s->adapter;
	if (!s->share)
		return a->lpVtbl->CreateQueuePair(a, &IID_IND2QueuePair, (IUnknown *)s->cq,
						  (IUnknown *)s->cq, s, s->nrecv, depth, 1, 1, 0,
						  (void **)&s->qp);
	HRESULT hr = a->lpVtbl->CreateSharedReceiveQueue(a, &IID_IND2SharedReceiveQueue, s->file,
							 s->nrecv, 1, 0, 0, 0, (void **)&s->srq);
	return FAILED(hr)
		       ? hr
		       : a->lpVtbl->CreateQueuePairWithSrq(a, &IID_IND2QueuePair, (IUnknown *)s->cq,
							   (IUnknown *)s->cq, (IUnknown *)s->srq, s,
							   depth, 1, 0, (void **)&s->qp);
}

int session_prepare(struct session *s, uint32_t chunk, uint32_t slots)
{
	ULONG depth = 2 * slots + 64;
	s->chunk = chunk;
	s->slots = slots;
	HRESULT hr = s->adapter->lpVtbl->CreateCompletionQueue(
		s->adapter, &IID_IND2CompletionQueue, s->file, 2 * depth, 0, 0, (void **)&s->cq);
	if (FAILED(hr))
		return complain("cannot create a completion queue", hr);
	if (make_memory(s) != 0)
		return -1;
	hr = make_queue_pair(s, depth);
	if (FAILED(hr))
		return complain("cannot create a queue pair", hr);
	for (uint32_t i = 0; i < s->nrecv; i++)
		if (session_repost(s, i) != 0)
			return -1;
	return 0;
}

static int make_connector(struct session *s)
{
	HRESULT hr = s->adapter->lpVtbl->CreateConnector(s->adapter, &IID_IND2Connector, s->file,
							 (void **)&s->connector);
	return FAILED(hr) ? complain("cannot create a connector", hr) : 0;
}

int session_connect(struct session *s, const struct sockaddr_storage *local,
		    const struct sockaddr_storage *peer)
{
	if (make_connector(s) != 0)
		return -1;
	IND2Connector *c = s->connector;
	HRESULT hr = c->lpVtbl->Bind(c, (const struct sockaddr *)local, address_bytes(local));
	if (FAILED(hr))
		return complain("cannot bind the local address", hr);
	hr = finish(s, c,
		    c->lpVtbl->Connect(c, (IUnknown *)s->qp, (const struct sockaddr *)peer,
				       address_bytes(peer), s->info.MaxInboundReadLimit,
				       s->info.MaxOutboundReadLimit, NULL, 0, &s->ov),
		    3 * CONNECT_TIMEOUT_MS);
	if (FAILED(hr))
		return complain("cannot connect", hr);
	hr = finish(s, c, c->lpVtbl->CompleteConnect(c, &s->ov), CONNECT_TIMEOUT_MS);
	return FAILED(hr) ? complain("cannot complete the connection", hr) : 0;
}

int session_listen(struct session *s, const struct sockaddr_storage *at, uint16_t *port)
{
	HRESULT hr = s->adapter->lpVtbl->CreateListener(s->adapter, &IID_IND2Listener, s->file,
							(void **)&s->listener);
	struct sockaddr_storage got;
	ULONG cb = sizeof(got);
	if (SUCCEEDED(hr))
		hr = s->listener->lpVtbl->Bind(s->listener, (const struct sockaddr *)at,
					       address_bytes(at));
	if (SUCCEEDED(hr))
		hr = s->listener->lpVtbl->Listen(s->listener, 0);
	if (SUCCEEDED(hr))
		hr = s->listener->lpVtbl->GetLocalAddress(s->listener, (struct sockaddr *)&got,
							  &cb);
	if (FAILED(hr))
		return complain("cannot listen", hr);
	*port = ntohs(got.ss_family == AF_INET ? ((struct sockaddr_in *)&got)->sin_port
					       : ((struct sockaddr_in6 *)&got)->sin6_port);
	return 0;
}

int session_accept(struct session *s)
{
	return session_accept_at(s, s->listener);
}

int session_accept_at(struct session *s, IND2Listener *l)
{
	if (make_connector(s) != 0)
		return -1;
	HRESULT hr = finish(
		s, l, l->lpVtbl->GetConnectionRequest(l, (IUnknown *)s->connector, &s->ov), -1);
	if (FAILED(hr))
		return complain("no connection request", hr);
	IND2Connector *c = s->connector;
	hr = finish(s, c,
		    c->lpVtbl->Accept(c, (IUnknown *)s->qp, s->info.MaxInboundReadLimit,
				      s->info.MaxOutboundReadLimit, NULL, 0, &s->ov),
		    CONNECT_TIMEOUT_MS);
	return FAILED(hr) ? complain("cannot accept the connection", hr) : 0;
}

void session_disconnect(struct session *s, bool orderly)
{
	IND2Connector *c = s->connector;
	stop_leave(session_program);
	if (c)
		finish(s, c, c->lpVtbl->Disconnect(c, &s->ov),
		       orderly ? CONNECT_TIMEOUT_MS : GIVE_UP_MS);
}

void session_wait_closed(struct session *s, bool orderly)
{
	IND2Connector *c = s->connector;
	if (!stop_came()) /* after a signal: disconnect without waiting for the peer */
		finish(s, c, c->lpVtbl->NotifyDisconnect(c, &s->ov),
		       orderly ? CONNECT_TIMEOUT_MS : GIVE_UP_MS);
	session_disconnect(s, orderly && !stop_came());
}

bool session_port_is_gone(struct session *s)
{
	ULONG cb = sizeof(s->info);
	HRESULT hr = s->adapter->lpVtbl->Query(s->adapter, &s->info, &cb);

	return hr == ND_DEVICE_REMOVED && complain("the connection has ended", hr) != 0;
}

#define LET_GO(p)                                \
	do {                                     \
		if (p)                           \
			(p)->lpVtbl->Release(p); \
		(p) = NULL;                      \
	} while (0)

void session_reset(struct session *s)
{
	if (stop_came())
		session_disconnect(s, false);
	LET_GO(s->connector);
	LET_GO(s->qp);
	LET_GO(s->srq);
	if (s->mr && s->mem)
		finish(s, s->mr, s->mr->lpVtbl->Deregister(s->mr, &s->ov), CONNECT_TIMEOUT_MS);
	LET_GO(s->mr);
	LET_GO(s->cq);
	if (s->mem)
		munmap(s->mem, s->mem_bytes);
	s->mem = NULL;
	s->next_msg = 0;
	s->nrecv = 0;
	s->recv_bytes = 0;
	s->in_flight = 0;
}

void session_close(struct session *s)
{
	session_reset(s);
	LET_GO(s->listener);
	if (s->file)
		NdsHandleClose(s->file);
	if (s->event)
		NdsHandleClose(s->event);
	if (s->notify.hEvent)
		NdsHandleClose(s->notify.hEvent);
	LET_GO(s->adapter);
}

uint8_t *session_slot(const struct session *s, uint32_t slot)
{
	return s->mem + (size_t)slot * s->chunk;
}

static uint8_t *recv_buffer(const struct session *s, uint32_t i)
{
	return s->mem + (size_t)s->chunk * s->slots + i * s->recv_bytes;
}

static void *context(enum done_kind kind, uint32_t index)
{
	return (void *)((uintptr_t)index << 2 | kind);
}

static int posted(struct session *s, const char *what, HRESULT hr)
{
	if (FAILED(hr))
		return complain(what, hr);
	s->in_flight++;
	return 0;
}

int session_send_msg(struct session *s, const void *msg, uint32_t length)
{
	uint8_t *room = recv_buffer(s, s->nrecv) +
			(size_t)(s->next_msg++ % SESSION_MSGS) * SESSION_MSG_BYTES;
	memcpy(room, msg, length);
	ND2_SGE sge = {room, length, s->local_token};
	return posted(s, "cannot send",
		      s->qp->lpVtbl->Send(s->qp, context(DONE_SEND, 0), &sge, 1, 0));
}

int session_send_slot(struct session *s, uint32_t slot, uint32_t length)
{
	ND2_SGE sge = {session_slot(s, slot), length, s->local_token};
	return posted(s, "cannot send",
		      s->qp->lpVtbl->Send(s->qp, context(DONE_SEND, slot), &sge, 1, 0));
}

int session_write_slot(struct session *s, uint32_t slot, uint32_t length, uint64_t addr,
		       uint32_t token, bool silent)
{
	ND2_SGE sge = {session_slot(s, slot), length, s->local_token};
	HRESULT hr = s->qp->lpVtbl->Write(s->qp, context(DONE_WRITE, slot), &sge, 1, addr, token,
					  silent ? ND_OP_FLAG_SILENT_SUCCESS : 0);
	if (silent)
		return FAILED(hr) ? complain("cannot write", hr) : 0;
	return posted(s, "cannot write", hr);
}

int session_read_slot(struct session *s, uint32_t slot, uint32_t length, uint64_t addr,
		      uint32_t token)
{
	ND2_SGE sge = {session_slot(s, slot), length, s->local_token};
	return posted(
		s, "cannot read",
		s->qp->lpVtbl->Read(s->qp, context(DONE_READ, slot), &sge, 1, addr, token, 0));
}

int session_repost(struct session *s, uint32_t i)
{
	ND2_SGE sge = {recv_buffer(s, i), (ULONG)s->recv_bytes, s->local_token};
	HRESULT hr = s->srq ? s->srq->lpVtbl->Receive(s->srq, context(DONE_RECV, i), &sge, 1)
			    : s->qp->lpVtbl->Receive(s->qp, context(DONE_RECV, i), &sge, 1);
	return FAILED(hr) ? complain("cannot post a receive", hr) : 0;
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool poll_for(struct session *s, ND2_RESULT *r, uint64_t ns)
{
	uint64_t start = 0, now;
	do {
		for (unsigned i = 0; i < POLLS_PER_CLOCK; i++)
			if (s->cq->lpVtbl->GetResults(s->cq, r, 1))
				return true;
		now = now_ns();
		start = start ? start : now;
	} while (now - start < ns);
	return false;
}

/* Takes one result: polls for a while, then arms the completion queue and sleeps. Returns 1 with a
 * result, 0 if no result came in time, -1 on failure. */
static int fetch(struct session *s, ND2_RESULT *r, int timeout_ms)
{
	if (poll_for(s, r, timeout_ms ? POLL_NS : 0))
		return 1;
	if (timeout_ms == 0)
		return 0;
	HRESULT hr = s->cq->lpVtbl->Notify(s->cq, ND_CQ_NOTIFY_ANY, &s->notify);
	if (FAILED(hr))
		return complain("completion queue failed", hr);
	if (s->cq->lpVtbl->GetResults(s->cq, r, 1)) {
		s->cq->lpVtbl->CancelOverlappedRequests(s->cq);
		s->cq->lpVtbl->GetOverlappedResult(s->cq, &s->notify, true);
		return 1;
	}
	if (nd_finish(s->cq, hr, &s->notify, timeout_ms) == ND_IO_TIMEOUT) {
		s->cq->lpVtbl->CancelOverlappedRequests(s->cq);
		s->cq->lpVtbl->GetOverlappedResult(s->cq, &s->notify, true);
	}
	return s->cq->lpVtbl->GetResults(s->cq, r, 1) ? 1 : 0;
}

int session_next(struct session *s, struct done *done, int timeout_ms)
{
	static const char *const names[] = {"send", "write", "read", "receive"};
	ND2_RESULT r;
	int got = stop_asked() ? -1 : fetch(s, &r, timeout_ms);
	if (got <= 0)
		return stop_asked() ? -1 : got;
	*done = (struct done){(enum done_kind)((uintptr_t)r.RequestContext & 3),
			      (uint32_t)((uintptr_t)r.RequestContext >> 2), r.BytesTransferred,
			      NULL};
	if (done->kind == DONE_RECV)
		done->data = recv_buffer(s, done->index);
	else
		s->in_flight--;
	if (FAILED(r.Status)) {
		if (!s->quiet && !stop_asked())
			fprintf(stderr, "%s: %s failed: %s\n", session_program, names[done->kind],
				nd_text(r.Status));
		s->quiet = true; /* later requests are flushed: print no error for them */
		return -1;
	}
	return 1;
}
