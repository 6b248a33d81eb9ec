/* Out of memory: each call is made with its first allocation failing, then its second, and so on
 * until none fails. The call returns the documented status, leaks nothing, and leaves everything
 * else working. The linker's --wrap makes provider and NIC call the functions below instead of the
 * allocating functions. DPDK's own calls are unchanged. */
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

/* ---- the allocator that fails ---- */

enum whose { NOBODY, MINE, ANY }; /* allocations fail in no thread, arm()'s thread, any thread */

static _Atomic int armed, left;
static _Atomic unsigned failed;
static __thread bool mine;

static bool fails(void)
{
	int whose = atomic_load(&armed);

	if (whose == NOBODY || (whose == MINE && !mine) || atomic_fetch_sub(&left, 1) != 1)
		return false;
	atomic_fetch_add(&failed, 1);
	errno = ENOMEM;
	return true;
}

#define INSTEAD(type, name, params, args, none)               \
	type __real_##name params;                            \
	type __wrap_##name params;                            \
	type __wrap_##name params                             \
	{                                                     \
		return fails() ? (none) : __real_##name args; \
	}

INSTEAD(void *, malloc, (size_t n), (n), NULL)
INSTEAD(void *, calloc, (size_t n, size_t size), (n, size), NULL)
INSTEAD(void *, realloc, (void *p, size_t n), (p, n), NULL)
INSTEAD(void *, aligned_alloc, (size_t align, size_t n), (align, n), NULL)
INSTEAD(char *, strdup, (const char *s), (s), NULL)
INSTEAD(int, eventfd, (unsigned count, int flags), (count, flags), -1)
INSTEAD(int, pthread_create,
	(pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg),
	(thread, attr, run, arg), EAGAIN)

/* Makes the k-th allocation from now on fail, and no other allocation. */
static void arm(enum whose whose, int k)
{
	mine = true;
	atomic_store(&failed, 0);
	atomic_store(&left, k);
	atomic_store(&armed, whose);
}

/* Lets all allocations succeed again. Returns true if an allocation has failed since arm(). */
static bool disarm(void)
{
	atomic_store(&armed, NOBODY);
	return atomic_load(&failed) != 0;
}

/* ---- counts of live objects ---- */

#define KINDS 32

struct census {
	NDS_LIVE live[KINDS];
	ULONG n;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void count(struct census *c)
{
	memset(c, 0, sizeof(*c));
	c->n = NdsLiveObjects(c->live, KINDS);
}

static uint64_t of_kind(const struct census *c, const char *kind)
{
	for (ULONG i = 0; i < c->n; i++)
		if (strcmp(c->live[i].Kind, kind) == 0)
			return c->live[i].Count;
	return 0;
}

/* Waits until each kind has the number of live objects that `before` recorded. Fails the test after
 * 20 s. The delivery thread may hold a last reference for a moment. */
static void nothing_more(const struct census *before, const char *call)
{
	uint64_t end = now_ms() + 20000;
	struct census now;
	bool same;

	do {
		same = true;
		count(&now);
		for (ULONG i = 0; i < now.n; i++)
			same = same && now.live[i].Count == of_kind(before, now.live[i].Kind);
		if (!same)
			usleep(500);
	} while (!same && now_ms() < end);
	for (ULONG i = 0; i < now.n; i++)
		if (now.live[i].Count != of_kind(before, now.live[i].Kind))
			fail_msg("%s leaves %ld of kind %s", call,
				 (long)(now.live[i].Count - of_kind(before, now.live[i].Kind)),
				 now.live[i].Kind);
}

/* ---- the tested calls ---- */

#define NONE  ND_NO_MEMORY
#define SHORT ND_INSUFFICIENT_RESOURCES

/* Objects on which calls are run; prepare() and clean() renew the objects that a call changes. */
struct bench {
	struct pair p;		     /* a connected pair */
	struct end e;		     /* an unconnected end on adapter 0; its region is registered */
	struct pair q;		     /* not connected; a before_*() function opens it */
	IND2SharedReceiveQueue *srq; /* of depth 16 and threshold 2, with 4 receives posted */
	IND2MemoryRegion *mr;	     /* not registered, unless prepare() does that */
	IND2Listener *listener;	     /* not bound, unless prepare() does that */
	IND2Connector *connector;
	HANDLE file, event, port;
	void *made;
	HANDLE handle;
	OVERLAPPED ov[4];
};

struct call {
	const char *name;
	void (*prepare)(struct bench *); /* runs before each attempt; may be NULL */
	HRESULT (*run)(struct bench *);	 /* makes the call while one allocation fails */
	void (*undo)(struct bench *);	 /* runs after a call that succeeded */
	void (*clean)(struct bench *);	 /* runs after each attempt; may be NULL */
	HRESULT allowed[3];
};

static void release_made(struct bench *b)
{
	IUnknown *made = b->made;

	RELEASE(made);
	b->made = NULL;
}

static void close_handle(struct bench *b)
{
	HR(NdsHandleClose(b->handle), ND_SUCCESS);
}

/* Returns hr. If hr is ND_PENDING, returns the status with which the request ends. */
static HRESULT ended(void *obj, HRESULT hr, OVERLAPPED *ov)
{
	return hr == ND_PENDING ? finish(obj, ov) : hr;
}

#define MAKES(function, ...)                                                          \
	static HRESULT function(struct bench *b)                                      \
	{                                                                             \
		HRESULT hr = (b->made = b, CALL(adapters[0], __VA_ARGS__, &b->made)); \
		if (FAILED(hr))                                                       \
			assert_null(b->made);                                         \
		return hr;                                                            \
	}

MAKES(make_cq, CreateCompletionQueue, &IID_IND2CompletionQueue, b->e.file, 100, 0, 0)
MAKES(make_mr, CreateMemoryRegion, &IID_IND2MemoryRegion, b->e.file)
MAKES(make_mw, CreateMemoryWindow, &IID_IND2MemoryWindow)
MAKES(make_qp, CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)b->e.cq, (IUnknown *)b->p.a.cq,
      NULL, 500, 500, 4, 4, 64)
MAKES(make_srq, CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, b->e.file, 100, 2, 5, 0, 0)
MAKES(make_qp_on_srq, CreateQueuePairWithSrq, &IID_IND2QueuePair, (IUnknown *)b->e.cq,
      (IUnknown *)b->p.a.cq, (IUnknown *)b->srq, NULL, 500, 4, 64)
MAKES(make_connector, CreateConnector, &IID_IND2Connector, b->e.file)
MAKES(make_listener, CreateListener, &IID_IND2Listener, b->e.file)

static HRESULT make_file(struct bench *b)
{
	return CALL(adapters[0], CreateOverlappedFile, &b->handle);
}

static HRESULT open_again(struct bench *b)
{
	struct sockaddr_in sin = address_of(0, 0);
	IND2Provider *provider;
	static const GUID any;
	UINT64 id;
	HRESULT hr;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&provider), S_OK);
	HR(CALL(provider, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	hr = CALL(provider, OpenAdapter, &IID_IND2Adapter, id, &b->made);
	CALL(provider, Release);
	return hr;
}

static HRESULT register_it(struct bench *b)
{
	return ended(b->mr, CALL(b->mr, Register, b->e.buf, 5000, 0, &b->ov[0]), &b->ov[0]);
}

static void deregister_it(struct bench *b)
{
	OVERLAPPED ov = {0};

	ENDS(b->mr, CALL(b->mr, Deregister, &ov), &ov, ND_SUCCESS);
}

static void registered(struct bench *b)
{
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(b->mr, Register, b->e.buf, 5000, 0, &ov);

	if (hr != ND_INVALID_DEVICE_STATE) /* with this status mr is registered already */
		HR(ended(b->mr, hr, &ov), ND_SUCCESS);
}

static HRESULT run_deregister(struct bench *b)
{
	return ended(b->mr, CALL(b->mr, Deregister, &b->ov[0]), &b->ov[0]);
}

static HRESULT notify(struct bench *b)
{
	return CALL(b->e.cq, Notify, ND_CQ_NOTIFY_ANY, &b->ov[0]);
}

static void cancel_notify(struct bench *b)
{
	HR(CALL(b->e.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&b->ov[0], 0), ND_CANCELED);
}

static HRESULT grow_shared(struct bench *b)
{
	return CALL(b->srq, Modify, 3000, 3);
}

static void shrink_shared(struct bench *b)
{
	HR(CALL(b->srq, Modify, 16, 2), ND_SUCCESS);
}

static HRESULT notify_shared(struct bench *b)
{
	return CALL(b->srq, Notify, &b->ov[0]);
}

static void cancel_shared(struct bench *b)
{
	HR(CALL(b->srq, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&b->ov[0], 0), ND_CANCELED);
}

static HRESULT grow(struct bench *b)
{
	return CALL(b->e.cq, Resize, 3000);
}

static void shrink(struct bench *b)
{
	HR(CALL(b->e.cq, Resize, 256), ND_SUCCESS);
}

static void new_listener_of(struct bench *b)
{
	b->listener = new_listener(&b->e);
}

static HRESULT bind_listener(struct bench *b)
{
	struct sockaddr_in sin = address_of(0, 0);

	return CALL(b->listener, Bind, SA(&sin), sizeof(sin));
}

static void bound_listener(struct bench *b)
{
	new_listener_of(b);
	HR(bind_listener(b), ND_SUCCESS);
}

static HRESULT listen_it(struct bench *b)
{
	return CALL(b->listener, Listen, 4);
}

static void listening(struct bench *b)
{
	bound_listener(b);
	HR(listen_it(b), ND_SUCCESS);
	b->connector = new_connector(&b->e);
}

static HRESULT ask(struct bench *b)
{
	return CALL(b->listener, GetConnectionRequest, (IUnknown *)b->connector, &b->ov[0]);
}

static void cancel_ask(struct bench *b)
{
	HR(CALL(b->listener, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&b->ov[0], 0), ND_CANCELED);
}

static void drop_all(struct bench *b)
{
	RELEASE(b->listener);
	RELEASE(b->connector);
}

static void new_connector_of(struct bench *b)
{
	b->connector = new_connector(&b->e);
}

static HRESULT bind_connector(struct bench *b)
{
	struct sockaddr_in sin = address_of(0, 0);

	return CALL(b->connector, Bind, SA(&sin), sizeof(sin));
}

static HRESULT notify_disconnect(struct bench *b)
{
	return CALL(b->p.a.connector, NotifyDisconnect, &b->ov[0]);
}

static void cancel_notify_disconnect(struct bench *b)
{
	HR(CALL(b->p.a.connector, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&b->ov[0], 0), ND_CANCELED);
}

/* The before_*() functions bring the pair q to the state that the tested step needs. */
static void before_connect(struct bench *b)
{
	pair_open(&b->q, NULL);
}

static HRESULT connect_it(struct bench *b)
{
	return start_connect(&b->q, NULL, NULL, 0, &b->ov[0]);
}

static void end_connect(struct bench *b)
{
	HR(CALL(b->q.a.connector, CancelOverlappedRequests), ND_SUCCESS);
	/* A listener whose allocation failed has refused the connection request. */
	if (status_after(&b->ov[0], 0) != ND_CONNECTION_REFUSED)
		HR(status_after(&b->ov[0], 0), ND_CANCELED);
}

static void before_accept(struct bench *b)
{
	pair_open(&b->q, NULL);
	reach_request(&b->q, NULL, &b->ov[1]);
}

static HRESULT accept_it(struct bench *b)
{
	return CALL(b->q.b.connector, Accept, (IUnknown *)b->q.b.qp, 4, 4, NULL, 0, &b->ov[0]);
}

static void after_accept(struct bench *b)
{
	OVERLAPPED complete = {0};

	HR(finish(b->q.a.connector, &b->ov[1]), ND_SUCCESS);
	ENDS(b->q.a.connector, CALL(b->q.a.connector, CompleteConnect, &complete), &complete,
	     ND_SUCCESS);
	HR(finish(b->q.b.connector, &b->ov[0]), ND_SUCCESS);
	exchange(&b->q.a, &b->q.b);
}

static void before_complete(struct bench *b)
{
	pair_open(&b->q, NULL);
	reach_reply(&b->q, NULL, &b->ov[1]);
}

static HRESULT complete_it(struct bench *b)
{
	return ended(b->q.a.connector, CALL(b->q.a.connector, CompleteConnect, &b->ov[0]),
		     &b->ov[0]);
}

static void after_complete(struct bench *b)
{
	HR(finish(b->q.b.connector, &b->ov[1]), ND_SUCCESS);
	exchange(&b->q.a, &b->q.b);
}

static void before_disconnect(struct bench *b)
{
	pair_open_connected(&b->q, NULL);
}

static HRESULT disconnect_it(struct bench *b)
{
	return ended(b->q.a.connector, CALL(b->q.a.connector, Disconnect, &b->ov[0]), &b->ov[0]);
}

static void close_q(struct bench *b)
{
	pair_close(&b->q);
}

static HRESULT make_event(struct bench *b)
{
	return NdsEventCreate(0, 0, &b->handle);
}

static HRESULT make_port(struct bench *b)
{
	return NdsPortCreate(&b->handle);
}

static void new_port(struct bench *b)
{
	HR(NdsPortCreate(&b->port), ND_SUCCESS);
}

static HRESULT post_to_port(struct bench *b)
{
	return NdsPortPost(b->port, 1, 2, NULL);
}

static void close_port(struct bench *b)
{
	HR(NdsHandleClose(b->port), ND_SUCCESS);
}

static HRESULT pollable_port(struct bench *b)
{
	return NdsPortGetFd(b->port) >= 0 ? ND_SUCCESS : SHORT;
}

static void new_events(struct bench *b)
{
	HR(NdsEventCreate(0, 1, &b->event), ND_SUCCESS);
}

static HRESULT wait_any(struct bench *b)
{
	ULONG index;

	return NdsEventWaitAny(&b->event, 1, 100, &index);
}

static void close_event(struct bench *b)
{
	HR(NdsHandleClose(b->event), ND_SUCCESS);
}

static void nothing(struct bench *b)
{
}

/* clang-format off */
static const struct call calls[] = {
	{"OpenAdapter, of one that is open", NULL, open_again, release_made, NULL, {NONE}},
	{"CreateOverlappedFile", NULL, make_file, close_handle, NULL, {NONE, SHORT}},
	{"CreateCompletionQueue", NULL, make_cq, release_made, NULL, {NONE, SHORT}},
	{"CreateMemoryRegion", NULL, make_mr, release_made, NULL, {NONE, SHORT}},
	{"CreateMemoryWindow", NULL, make_mw, release_made, NULL, {SHORT}},
	{"CreateQueuePair", NULL, make_qp, release_made, NULL, {SHORT}},
	{"CreateSharedReceiveQueue", NULL, make_srq, release_made, NULL, {NONE, SHORT}},
	{"CreateQueuePairWithSrq", NULL, make_qp_on_srq, release_made, NULL, {SHORT}},
	{"IND2SharedReceiveQueue::Modify", NULL, grow_shared, shrink_shared, NULL, {SHORT}},
	{"IND2SharedReceiveQueue::Notify", NULL, notify_shared, cancel_shared, NULL, {SHORT}},
	{"CreateConnector", NULL, make_connector, release_made, NULL, {NONE, SHORT}},
	{"CreateListener", NULL, make_listener, release_made, NULL, {NONE, SHORT}},
	{"Register", NULL, register_it, deregister_it, NULL, {SHORT}},
	{"Deregister", registered, run_deregister, nothing, NULL, {SHORT}},
	{"IND2CompletionQueue::Notify", NULL, notify, cancel_notify, NULL, {SHORT}},
	{"IND2CompletionQueue::Resize", NULL, grow, shrink, NULL, {SHORT}},
	{"IND2Listener::Bind", new_listener_of, bind_listener, nothing, drop_all, {SHORT}},
	{"Listen", bound_listener, listen_it, nothing, drop_all, {SHORT}},
	{"GetConnectionRequest", listening, ask, cancel_ask, drop_all, {SHORT}},
	{"IND2Connector::Bind", new_connector_of, bind_connector, nothing, drop_all, {SHORT}},
	{"Connect", before_connect, connect_it, end_connect, close_q, {SHORT}},
	{"Accept", before_accept, accept_it, after_accept, close_q, {SHORT}},
	{"CompleteConnect", before_complete, complete_it, after_complete, close_q, {SHORT}},
	{"NotifyDisconnect", NULL, notify_disconnect, cancel_notify_disconnect, NULL, {SHORT}},
	{"Disconnect", before_disconnect, disconnect_it, nothing, close_q, {SHORT}},
	{"NdsEventCreate", NULL, make_event, close_handle, NULL, {NONE}},
	{"NdsPortCreate", NULL, make_port, close_handle, NULL, {NONE}},
	{"NdsPortPost", new_port, post_to_port, nothing, close_port, {NONE}},
	{"NdsPortGetFd", new_port, pollable_port, nothing, close_port, {SHORT}},
	{"NdsEventWaitAny", new_events, wait_any, nothing, close_event, {SHORT}},
};
/* clang-format on */

static bool is_allowed(const struct call *c, HRESULT hr)
{
	for (unsigned i = 0; i < 3; i++)
		if (c->allowed[i] != 0 && hr == c->allowed[i])
			return true;
	return false;
}

static void bench_open(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	pair_open_connected(&b->p, NULL);
	end_open(&b->e, 0, NULL);
	b->mr = new_mr(&b->e);
	HR(CALL(adapters[0], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, b->e.file, 16,
		1, 2, 0, 0, (void **)&b->srq),
	   ND_SUCCESS);
	for (unsigned i = 0; i < 4; i++)
		HR(CALL(b->srq, Receive, NULL, NULL, 0), ND_SUCCESS);
}

static void bench_close(struct bench *b)
{
	RELEASE(b->mr);
	RELEASE(b->srq);
	end_close(&b->e);
	pair_close(&b->p);
}

/* Repeats the call with its 1st, 2nd, ... allocation failing until none fails; returns the number
 * of allocations. */
static unsigned run_call(struct bench *b, const struct call *c, enum whose whose)
{
	struct census before;

	for (int k = 1; k < 1000; k++) {
		bool reached;
		HRESULT hr;

		memset(b->ov, 0, sizeof(b->ov));
		count(&before);
		if (c->prepare != NULL)
			c->prepare(b);
		arm(whose, k);
		hr = c->run(b);
		reached = disarm();
		/* A call may succeed although an allocation failed, if another thread made that
		 * allocation. */
		if (reached && whose == MINE && SUCCEEDED(hr))
			fail_msg("%s: allocation %d failed, and it answers %08x", c->name, k,
				 (unsigned)hr);
		if (FAILED(hr) && (!reached || !is_allowed(c, hr)))
			fail_msg("%s: allocation %d%s failed, and it answers %08x", c->name, k,
				 reached ? "" : " not", (unsigned)hr);
		print_message("%-36s %s %3d  %08x\n", c->name, whose == MINE ? "own" : "any", k,
			      (unsigned)hr);
		if (FAILED(hr)) {
			/* Without a failing allocation the same call succeeds. */
			hr = c->run(b);
			if (FAILED(hr))
				fail_msg("%s: after allocation %d failed, it answers %08x for good",
					 c->name, k, (unsigned)hr);
		}
		c->undo(b);
		if (c->clean != NULL)
			c->clean(b);
		if (c->undo != nothing || c->clean != NULL)
			nothing_more(&before, c->name);
		if (!reached)
			return (unsigned)k - 1;
	}
	fail_msg("%s: no end of allocations", c->name);
	return 0;
}

static void nd2_own_exhausted_calls(void **state)
{
	struct bench b;

	bench_open(&b);
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		run_call(&b, &calls[i], MINE);
		run_call(&b, &calls[i], ANY);
		exchange(&b.p.a, &b.p.b);
	}
	bench_close(&b);
}

/* ---- operations without allocations ---- */

/* Requests that were accepted are executed and completed without an allocation. */
static void nd2_own_exhausted_memory_lets_requests_complete(void **state)
{
	OVERLAPPED notify = {0}, gone = {0}, ask[2] = {{0}};
	IND2Connector *queued;
	NDS_PORT_ENTRY entry[8];
	ULONG n = 0, got = 0;
	HANDLE port;
	struct pair p;

	HR(NdsPortCreate(&port), ND_SUCCESS);
	pair_open_connected(&p, NULL);
	HR(NdsPortBind(port, p.a.file, 0), ND_SUCCESS);
	queued = new_connector(&p.b);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &notify), ND_PENDING);
	HR(CALL(p.a.connector, NotifyDisconnect, &gone), ND_PENDING);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)queued, &ask[0]), ND_PENDING);
	atomic_store(&failed, 0);
	for (unsigned i = 0; i < 50; i++) {
		arm(ANY, 1); /* any allocation of any thread would fail and be counted */
		exchange(&p.b, &p.a);
		exchange(&p.a, &p.b);
		assert_false(disarm());
	}
	arm(ANY, 1);
	HR(status_after(&notify, 20000), ND_SUCCESS);
	HR(CALL(p.listener, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&ask[0], 0), ND_CANCELED);
	HR(CALL(p.b.qp, Flush), ND_SUCCESS);
	RELEASE(p.b.qp);
	HR(status_after(&gone, 20000), ND_SUCCESS);
	while (got < 2) {
		HR(NdsPortGet(port, entry + got, 8 - got, 20000, &n), ND_SUCCESS);
		got += n;
	}
	assert_false(disarm());
	RELEASE(queued);
	pair_close(&p);
	HR(NdsHandleClose(port), ND_SUCCESS);
}

/* ---- a whole connection in which the k-th allocation of any thread fails ---- */

static bool is_one_of(HRESULT hr, const HRESULT *list)
{
	while (*list != 0 && *list != hr)
		list++;
	return hr == *list;
}

static HRESULT settled(OVERLAPPED *ov, HRESULT hr)
{
	return hr == ND_PENDING ? status_after(ov, 20000) : hr;
}

static bool try_to_connect(struct pair *p, int k)
{
	static const HRESULT ask_may[] = {SHORT, ND_CANCELED, 0},
			     connect_may[] = {SHORT, ND_CONNECTION_REFUSED, 0},
			     step_may[] = {SHORT, 0};
	OVERLAPPED ask = {0}, connect = {0}, accept = {0}, complete = {0};
	HRESULT asked, connected, hr;
	bool reached, through = false;

	arm(ANY, k);
	asked = CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, &ask);
	connected = start_connect(p, NULL, NULL, 0, &connect);
	if (asked == ND_PENDING && connected == ND_PENDING)
		while (status_after(&ask, 1) == ND_PENDING &&
		       status_after(&connect, 1) == ND_PENDING)
			;
	if (asked == ND_PENDING && status_after(&ask, 0) == ND_PENDING)
		CALL(p->listener, CancelOverlappedRequests);
	asked = settled(&ask, asked);
	if (asked == ND_SUCCESS) {
		hr = CALL(p->b.connector, Accept, (IUnknown *)p->b.qp, 1, 1, NULL, 0, &accept);
		if (hr != ND_PENDING) { /* a repeated Accept succeeds: only one allocation fails */
			assert_true(is_one_of(hr, step_may));
			HR(CALL(p->b.connector, Accept, (IUnknown *)p->b.qp, 1, 1, NULL, 0,
				&accept),
			   ND_PENDING);
		}
		HR(settled(&connect, ND_PENDING), ND_SUCCESS);
		hr = CALL(p->a.connector, CompleteConnect, &complete);
		if (hr != ND_PENDING) {
			assert_true(is_one_of(hr, step_may));
			HR(CALL(p->a.connector, CompleteConnect, &complete), ND_PENDING);
		}
		HR(settled(&complete, ND_PENDING), ND_SUCCESS);
		HR(settled(&accept, ND_PENDING), ND_SUCCESS);
		through = true;
	} else {
		assert_true(is_one_of(asked, ask_may));
		if (connected == ND_PENDING && status_after(&connect, 200) == ND_PENDING)
			CALL(p->a.connector, CancelOverlappedRequests);
		connected = settled(&connect, connected);
		assert_true(connected == ND_CANCELED || is_one_of(connected, connect_may));
	}
	reached = disarm();
	print_message("connection                           any %3d  %08x %08x\n", k,
		      (unsigned)asked, (unsigned)settled(&connect, connected));
	if (through)
		exchange(&p->a, &p->b);
	return reached;
}

static void nd2_own_exhausted_connecting(void **state)
{
	bool reached = true;

	for (int k = 1; reached; k++) {
		struct census before;
		struct pair p;

		assert_true(k < 100);
		count(&before);
		pair_open(&p, NULL);
		reached = try_to_connect(&p, k);
		pair_close(&p);
		nothing_more(&before, "a connection");
	}
}

/* An allocation fails while a connector is given a request. The connector can still be used. */
static void nd2_own_exhausted_handing_over(void **state)
{
	OVERLAPPED ask = {0}, again = {0}, connect = {0};
	struct pair p;
	HRESULT hr;

	pair_open(&p, NULL);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &ask), ND_PENDING);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	arm(ANY, 1); /* the event thread's allocation for the connection request will fail */
	hr = finish(p.listener, &ask);
	if (disarm()) {
		HR(hr, SHORT);
		/* If the listener has refused the request, this call waits for another one. */
		HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &again),
		   ND_PENDING);
		for (int ms = 0; ms < 20000 && status_after(&again, 1) == ND_PENDING; ms++)
			if (status_after(&connect, 0) != ND_PENDING) {
				HR(finish(p.a.connector, &connect), ND_CONNECTION_REFUSED);
				HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
			}
		HR(finish(p.listener, &again), ND_SUCCESS);
	}
	pair_close(&p);
}

/* ---- the first adapter of a process ---- */

/* Opening the first adapter starts EAL, the network port and all threads. Each allocation of this
 * start fails once. */
static void nd2_own_exhausted_start(void **state)
{
	bool reached = true;
	int k;

	close_adapters(NULL);
	for (k = 1; reached; k++) {
		struct bench b = {0};
		HRESULT hr;

		assert_true(k < 2000);
		arm(MINE, k);
		hr = open_again(&b);
		reached = disarm();
		if (FAILED(hr) && (!reached || hr != ND_NO_MEMORY))
			fail_msg("allocation %d failed: %08x", k, (unsigned)hr);
		print_message("%-36s own %3d  %08x\n", "OpenAdapter, of the first", k,
			      (unsigned)hr);
		if (SUCCEEDED(hr))
			release_made(&b);
		nothing_lives();
	}
	assert_true(k > 30);
	open_adapters(NULL);
}

static int nothing_is_left(void **state)
{
	disarm();
	close_adapters(state);
	nothing_lives();
	return open_adapters(state);
}

#define row(f) cmocka_unit_test_teardown(f, nothing_is_left)

static const struct CMUnitTest tests[] = {
	row(nd2_own_exhausted_calls),	   row(nd2_own_exhausted_memory_lets_requests_complete),
	row(nd2_own_exhausted_connecting), row(nd2_own_exhausted_handing_over),
	row(nd2_own_exhausted_start),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
