/* An adapter's network port is removed (rn_link_unplug) while everything is in use. Pending
 * requests end, later calls return ND_DEVICE_REMOVED, and objects can be released in any order. The
 * other adapter works on. */
#include "fixture.h"
#include "rn/link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REMOVED ND_DEVICE_REMOVED

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

static void unplug(int which)
{
	struct rn_link_info info[2];
	char err[256];

	assert_int_equal(rn_link_list(NULL, info, 2, err, sizeof(err)), 2);
	assert_int_equal(rn_link_unplug(info[which].name), 0);
}

static void answers(const char *call, HRESULT hr, HRESULT expected)
{
	if (hr != expected)
		fail_msg("%s answers %08x instead of %08x", call, (unsigned)hr, (unsigned)expected);
}

/* As pair_open(), but end a is on adapter `from` and end b on adapter `to`. */
static void pair_between(struct pair *p, int from, int to)
{
	end_open(&p->a, from, NULL);
	end_open(&p->b, to, NULL);
	listen_on(&p->b, &p->listener, &p->port, 0);
	bind_any(&p->a, p->a.connector);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- statuses that calls return after the removal ---- */

static void of_the_adapter(IND2Adapter *adapter, struct end *e, UINT64 id)
{
	SOCKET_ADDRESS_LIST *list = calloc(1, 1024);
	IND2Provider *provider;
	ND2_ADAPTER_INFO info;
	static const GUID any;
	IUnknown *cq = (IUnknown *)e->cq;
	ULONG cb = sizeof(info);
	HANDLE file = (HANDLE)1;
	void *out;

#define REFUSED(call)                            \
	do {                                     \
		out = &out;                      \
		answers(#call, (call), REMOVED); \
		assert_null(out);                \
	} while (0)
	REFUSED(CALL(adapter, CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, 8, 0, 0,
		     &out));
	REFUSED(CALL(adapter, CreateMemoryRegion, &IID_IND2MemoryRegion, e->file, &out));
	REFUSED(CALL(adapter, CreateMemoryWindow, &IID_IND2MemoryWindow, &out));
	REFUSED(CALL(adapter, CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, e->file, 8, 1,
		     0, 0, 0, &out));
	REFUSED(CALL(adapter, CreateQueuePair, &IID_IND2QueuePair, cq, cq, NULL, 8, 8, 1, 1, 0,
		     &out));
	REFUSED(CALL(adapter, CreateQueuePairWithSrq, &IID_IND2QueuePair, cq, cq, cq, NULL, 8, 1, 0,
		     &out));
	REFUSED(CALL(adapter, CreateConnector, &IID_IND2Connector, e->file, &out));
	REFUSED(CALL(adapter, CreateListener, &IID_IND2Listener, e->file, &out));
	answers("CreateOverlappedFile", CALL(adapter, CreateOverlappedFile, &file), REMOVED);
	answers("Query", CALL(adapter, Query, &info, &cb), REMOVED);
	cb = 1024;
	answers("QueryAddressList", CALL(adapter, QueryAddressList, list, &cb), REMOVED);
	free(list);
	/* The provider still works, but it does not open the removed adapter. */
	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&provider), S_OK);
	REFUSED(CALL(provider, OpenAdapter, &IID_IND2Adapter, id, &out));
	CALL(provider, Release);
}

static void of_the_cq(struct end *e)
{
	OVERLAPPED ov = {0};
	ND2_RESULT result;
	KAFFINITY mask;
	USHORT group;

	for (ULONG type = 0; type <= 2; type++)
		answers("Notify", CALL(e->cq, Notify, type, &ov), REMOVED);
	answers("GetOverlappedResult", CALL(e->cq, GetOverlappedResult, &ov, 0), REMOVED);
	answers("GetNotifyAffinity", CALL(e->cq, GetNotifyAffinity, &group, &mask), REMOVED);
	answers("Resize", CALL(e->cq, Resize, 16), REMOVED);
	answers("CancelOverlappedRequests", CALL(e->cq, CancelOverlappedRequests), ND_SUCCESS);
	assert_int_equal(CALL(e->cq, GetResults, &result, 1), 0);
}

static void of_the_region(struct end *e, IND2MemoryRegion *registered)
{
	OVERLAPPED ov = {0};

	answers("Register", CALL(e->mr, Register, e->buf, 64, 0, &ov), REMOVED);
	answers("Deregister", CALL(registered, Deregister, &ov), ND_PENDING);
	HR(finish(registered, &ov), ND_SUCCESS);
	answers("CancelOverlappedRequests", CALL(e->mr, CancelOverlappedRequests), ND_SUCCESS);
}

static void of_the_queue_pair(struct end *e)
{
	ND2_SGE sge = {e->buf, 8, e->local};

	answers("Send", CALL(e->qp, Send, NULL, &sge, 1, 0), REMOVED);
	answers("Receive", CALL(e->qp, Receive, NULL, &sge, 1), REMOVED);
	answers("Read", CALL(e->qp, Read, NULL, &sge, 1, 0, 0, 0), REMOVED);
	answers("Write", CALL(e->qp, Write, NULL, &sge, 1, 0, 0, 0), REMOVED);
	answers("Bind", CALL(e->qp, Bind, NULL, (IUnknown *)e->mr, NULL, e->buf, 8, 0), REMOVED);
	answers("Invalidate", CALL(e->qp, Invalidate, NULL, NULL, 0), REMOVED);
	answers("Flush", CALL(e->qp, Flush), ND_SUCCESS);
}

static void of_a_connector(IND2Connector *c, IND2QueuePair *qp)
{
	struct sockaddr_in sin = address_of(0, 0), to = address_of(1, 5);
	ULONG cb = sizeof(sin), in, out;
	OVERLAPPED ov = {0};
	char data[256];

	answers("Bind", CALL(c, Bind, SA(&sin), sizeof(sin)), REMOVED);
	answers("Connect",
		CALL(c, Connect, (IUnknown *)qp, SA(&to), sizeof(to), 0, 0, NULL, 0, &ov), REMOVED);
	answers("CompleteConnect", CALL(c, CompleteConnect, &ov), REMOVED);
	answers("Accept", CALL(c, Accept, (IUnknown *)qp, 0, 0, NULL, 0, &ov), REMOVED);
	answers("Reject", CALL(c, Reject, NULL, 0), REMOVED);
	answers("GetReadLimits", CALL(c, GetReadLimits, &in, &out), REMOVED);
	answers("GetLocalAddress", CALL(c, GetLocalAddress, (struct sockaddr *)&sin, &cb), REMOVED);
	answers("GetPeerAddress", CALL(c, GetPeerAddress, (struct sockaddr *)&sin, &cb), REMOVED);
	cb = sizeof(data);
	answers("GetPrivateData", CALL(c, GetPrivateData, data, &cb), REMOVED);
	answers("NotifyDisconnect", CALL(c, NotifyDisconnect, &ov), REMOVED);
	answers("Disconnect", CALL(c, Disconnect, &ov), REMOVED);
	answers("GetOverlappedResult", CALL(c, GetOverlappedResult, &ov, 1), REMOVED);
	answers("CancelOverlappedRequests", CALL(c, CancelOverlappedRequests), ND_SUCCESS);
}

static void of_a_listener(IND2Listener *l, IND2Connector *idle)
{
	struct sockaddr_in sin = address_of(0, 0);
	ULONG cb = sizeof(sin);
	OVERLAPPED ov = {0};

	answers("Bind", CALL(l, Bind, SA(&sin), sizeof(sin)), REMOVED);
	answers("Listen", CALL(l, Listen, 0), REMOVED);
	answers("GetLocalAddress", CALL(l, GetLocalAddress, (struct sockaddr *)&sin, &cb), REMOVED);
	answers("GetConnectionRequest", CALL(l, GetConnectionRequest, (IUnknown *)idle, &ov),
		REMOVED);
	answers("CancelOverlappedRequests", CALL(l, CancelOverlappedRequests), ND_SUCCESS);
}

/* The removal of the network port unbinds the window. So the region can be deregistered, although
 * the window still exists. */
static void nd2_own_removed_window(void **state)
{
	OVERLAPPED ov = {0};
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)&mw), ND_SUCCESS);
	HR(CALL(p.a.qp, Bind, (void *)1, (IUnknown *)p.a.mr, (IUnknown *)mw, p.a.buf, 100,
		ND_OP_FLAG_ALLOW_READ),
	   ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	unplug(0);
	answers("Bind", CALL(p.a.qp, Bind, NULL, (IUnknown *)p.a.mr, (IUnknown *)mw, p.a.buf, 8, 0),
		REMOVED);
	answers("Invalidate", CALL(p.a.qp, Invalidate, NULL, (IUnknown *)mw, 0), REMOVED);
	ENDS(p.a.mr, CALL(p.a.mr, Deregister, &ov), &ov, ND_SUCCESS);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_own_removed_shared_queue(void **state)
{
	OVERLAPPED wait[2] = {{0}}, later = {0};
	IND2SharedReceiveQueue *srq;
	IND2QueuePair *qp;
	KAFFINITY mask;
	USHORT group;
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(adapters[0], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, e.file, 16, 1,
		2, 0, 0, (void **)&srq),
	   ND_SUCCESS);
	HR(CALL(adapters[0], CreateQueuePairWithSrq, &IID_IND2QueuePair, (IUnknown *)e.cq,
		(IUnknown *)e.cq, (IUnknown *)srq, NULL, 8, 1, 0, (void **)&qp),
	   ND_SUCCESS);
	for (unsigned i = 0; i < 8; i++) {
		ND2_SGE sge = {e.buf, 8, e.local};

		HR(CALL(srq, Receive, NULL, &sge, 1), ND_SUCCESS);
	}
	for (unsigned i = 0; i < 2; i++)
		HR(CALL(srq, Notify, &wait[i]), ND_PENDING);
	unplug(0);
	for (unsigned i = 0; i < 2; i++)
		HR(finish(srq, &wait[i]), REMOVED);
	answers("Notify", CALL(srq, Notify, &later), REMOVED);
	answers("Modify", CALL(srq, Modify, 32, 1), REMOVED);
	answers("Receive", CALL(srq, Receive, NULL, NULL, 0), REMOVED);
	answers("Receive", CALL(qp, Receive, NULL, NULL, 0), REMOVED);
	answers("GetNotifyAffinity", CALL(srq, GetNotifyAffinity, &group, &mask), REMOVED);
	answers("CancelOverlappedRequests", CALL(srq, CancelOverlappedRequests), ND_SUCCESS);
	answers("Flush", CALL(qp, Flush), ND_SUCCESS);
	RELEASE(srq);
	RELEASE(qp);
	end_close(&e);
}

static void nd2_own_removed_calls(void **state)
{
	IND2MemoryRegion *registered;
	IND2Listener *idle_listener;
	IND2Connector *idle;
	ND2_ADAPTER_INFO info;
	ULONG cb = sizeof(info);
	struct pair p;

	HR(CALL(adapters[0], Query, &info, &cb), ND_SUCCESS);
	pair_open_connected(&p, NULL);
	registered = new_mr(&p.a);
	register_mr(registered, p.a.buf, 100, 0);
	idle_listener = new_listener(&p.a);
	idle = new_connector(&p.a);
	unplug(0);
	of_the_adapter(adapters[0], &p.a, info.AdapterId);
	of_the_cq(&p.a);
	of_the_region(&p.a, registered);
	of_the_queue_pair(&p.a);
	of_a_connector(p.a.connector, p.a.qp);
	of_a_connector(idle, p.a.qp);
	of_a_listener(idle_listener, idle);
	RELEASE(registered);
	RELEASE(idle_listener);
	RELEASE(idle);
	pair_close(&p);
}

/* ---- connectors in each state, and their pending requests ---- */

static void disconnect(struct end *e)
{
	OVERLAPPED ov = {0};

	ENDS(e->connector, CALL(e->connector, Disconnect, &ov), &ov, ND_SUCCESS);
}

static void wait_until_told(struct end *e)
{
	OVERLAPPED ov = {0};

	ENDS(e->connector, CALL(e->connector, NotifyDisconnect, &ov), &ov, ND_SUCCESS);
}

enum { ACTIVE, PASSIVE };

struct stand {
	const char *name;
	int side; /* the side whose adapter loses its network port */
	void (*reach)(struct pair *, OVERLAPPED *step);
	bool waits; /* true if reach() leaves `step` pending; the removal then ends `step` */
};

static void reach_bound(struct pair *p, OVERLAPPED *step)
{
}

static void reach_queued(struct pair *p, OVERLAPPED *step)
{
	HR(CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, step), ND_PENDING);
}

static void reach_req_sent(struct pair *p, OVERLAPPED *step)
{
	HR(start_connect(p, NULL, NULL, 0, step), ND_PENDING);
}

static void reach_req_received(struct pair *p, OVERLAPPED *step)
{
	static OVERLAPPED connect;

	reach_request(p, NULL, &connect);
}

static void reach_rep_received(struct pair *p, OVERLAPPED *step)
{
	static OVERLAPPED accept;

	reach_reply(p, NULL, &accept);
}

static void reach_rep_sent(struct pair *p, OVERLAPPED *step)
{
	reach_reply(p, NULL, step);
}

static void reach_connected(struct pair *p, OVERLAPPED *step)
{
	pair_connect(p, NULL);
	HR(CALL(p->a.connector, NotifyDisconnect, step), ND_PENDING);
}

static void reach_peer_gone(struct pair *p, OVERLAPPED *step)
{
	pair_connect(p, NULL);
	disconnect(&p->b);
	wait_until_told(&p->a);
}

static void reach_disconnected(struct pair *p, OVERLAPPED *step)
{
	pair_connect(p, NULL);
	disconnect(&p->a);
}

static const struct stand stands[] = {
	{"bound", ACTIVE, reach_bound, false},
	{"queued", PASSIVE, reach_queued, true},
	{"request sent", ACTIVE, reach_req_sent, true},
	{"request received", PASSIVE, reach_req_received, false},
	{"reply received", ACTIVE, reach_rep_received, false},
	{"reply sent", PASSIVE, reach_rep_sent, true},
	{"connected", ACTIVE, reach_connected, true},
	{"disconnected by the peer", ACTIVE, reach_peer_gone, false},
	{"disconnected", ACTIVE, reach_disconnected, false},
};
#define STANDS (sizeof(stands) / sizeof(stands[0]))

static void nd2_own_removed_connectors(void **state)
{
	OVERLAPPED step[STANDS] = {{0}}, cut_off = {0};
	struct pair p[STANDS], cut;
	HRESULT hr;

	for (unsigned i = 0; i < STANDS; i++) {
		print_message("%s\n", stands[i].name);
		pair_between(&p[i], stands[i].side == ACTIVE ? 0 : 1,
			     stands[i].side == ACTIVE ? 1 : 0);
		stands[i].reach(&p[i], &step[i]);
	}
	pair_between(&cut, 0, 1);
	pair_connect(&cut, NULL);
	/* The peer's network port is removed first, so nobody answers the DREQ of this Disconnect.
	 * The Disconnect ends in one of two ways:
	 * - with success, when this side's adapter notices that the link to the peer is down, which
	 *   takes up to 100 ms
	 * - with ND_DEVICE_REMOVED, if the network port of this side's adapter is removed first */
	unplug(1);
	HR(CALL(cut.a.connector, Disconnect, &cut_off), ND_PENDING);
	unplug(0);
	hr = finish(cut.a.connector, &cut_off);
	assert_true(hr == (HRESULT)ND_SUCCESS || hr == (HRESULT)REMOVED);
	for (unsigned i = 0; i < STANDS; i++) {
		struct end *e = stands[i].side == ACTIVE ? &p[i].a : &p[i].b;

		print_message("%s\n", stands[i].name);
		if (stands[i].waits)
			HR(finish(e->connector, &step[i]), REMOVED);
		of_a_connector(e->connector, e->qp);
		of_the_queue_pair(e);
		if (stands[i].side == PASSIVE)
			of_a_listener(p[i].listener, e->connector);
		pair_close(&p[i]);
	}
	pair_close(&cut);
}

/* ---- pending requests of completion queues ---- */

struct waiter {
	IND2CompletionQueue *cq;
	OVERLAPPED ov;
	HRESULT hr;
};

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	w->hr = CALL(w->cq, GetOverlappedResult, &w->ov, 1);
	return NULL;
}

static void nd2_own_removed_notify(void **state)
{
	OVERLAPPED errors = {0}, solicited = {0}, by_event = {0}, silent = {0};
	struct waiter w = {0};
	NDS_PORT_ENTRY entry[8];
	pthread_t thread;
	HANDLE port, event;
	struct pair p;
	ULONG n, got = 0;

	pair_open_connected(&p, NULL);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, p.a.file, 7), ND_SUCCESS);
	HR(NdsEventCreate(1, 0, &event), ND_SUCCESS);
	by_event.hEvent = event;
	silent.hEvent = (HANDLE)((uintptr_t)event | 1);
	w.cq = p.a.cq;
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ERRORS, &errors), ND_PENDING);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &solicited), ND_PENDING);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &w.ov), ND_PENDING);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &by_event), ND_PENDING);
	HR(CALL(p.a.connector, NotifyDisconnect, &silent), ND_PENDING);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &w), 0);
	HR(post_recv(&p.a, 0, 8, 1), ND_SUCCESS);
	unplug(0);
	HR(NdsEventWait(event, 20000), ND_SUCCESS);
	pthread_join(thread, NULL);
	HR(w.hr, REMOVED);
	HR(finish(p.a.cq, &errors), REMOVED);
	HR(finish(p.a.cq, &solicited), REMOVED);
	HR(finish(p.a.cq, &by_event), REMOVED);
	HR(finish(p.a.connector, &silent), REMOVED);
	while (got < 4) {
		HR(NdsPortGet(port, entry + got, 8 - got, 20000, &n), ND_SUCCESS);
		got += n;
	}
	assert_int_equal(got, 4);
	for (unsigned i = 0; i < 4; i++)
		HR(entry[i].Internal, REMOVED);
	HR(NdsPortGet(port, entry, 1, 20, &n), ND_TIMEOUT);
	/* The receive was flushed and its result stored before the pending requests ended with
	 * ND_DEVICE_REMOVED. */
	reap_is(p.a.cq, 1, ND_CANCELED);
	HR(NdsHandleClose(event), ND_SUCCESS);
	HR(NdsHandleClose(port), ND_SUCCESS);
	pair_close(&p);
}

/* ---- posted requests ---- */

static void nd2_own_removed_work_is_flushed(void **state)
{
	struct end lonely;
	struct pair p;
	ND2_RESULT r[64];
	ULONG n;

	pair_open_connected(&p, NULL);
	end_open(&lonely, 0, NULL);
	HR(post_recv(&lonely, 0, 8, 70), ND_SUCCESS);
	for (unsigned i = 0; i < 10; i++)
		HR(post_recv(&p.a, 0, 8, 10 + i), ND_SUCCESS);
	for (unsigned i = 0; i < 10; i++) /* the peer has no receives */
		HR(post_send(&p.a, 0, 8, 30 + i, i % 2 ? ND_OP_FLAG_SILENT_SUCCESS : 0),
		   ND_SUCCESS);
	unplug(0);
	/* All results are there at once: first the Sends in the order of posting, then the receives
	 * in the order of posting. */
	n = CALL(p.a.cq, GetResults, r, 64);
	assert_int_equal(n, 20);
	for (unsigned i = 0; i < 20; i++) {
		HR(r[i].Status, ND_CANCELED);
		assert_int_equal((uintptr_t)r[i].RequestContext, i < 10 ? 30 + i : i);
	}
	assert_int_equal(CALL(lonely.cq, GetResults, r, 64), 1);
	HR(r[0].Status, ND_CANCELED);
	end_close(&lonely);
	pair_close(&p);
}

struct poster {
	struct pair *p;
	_Atomic unsigned posted, done, refused;
};

/* Posts requests until 100 requests were refused because of the removal. Pauses while the results
 * of more than 100 posted requests are not fetched yet. */
static void *post_on(void *arg)
{
	struct poster *w = arg;

	for (uint64_t end = now_ms() + 20000; now_ms() < end && atomic_load(&w->refused) < 100;) {
		HRESULT hr;

		if (atomic_load(&w->posted) - atomic_load(&w->done) > 100)
			continue;
		hr = post_recv(&w->p->a, 0, 8, 1);
		if (hr == ND_SUCCESS)
			atomic_fetch_add(&w->posted, 1);
		hr = post_write(&w->p->a, 0, 8, 2, 0, &w->p->b, 0);
		if (hr == ND_SUCCESS)
			atomic_fetch_add(&w->posted, 1);
		else if (hr == REMOVED)
			atomic_fetch_add(&w->refused, 1);
	}
	return NULL;
}

static void reap_for(struct poster *w, unsigned ms)
{
	ND2_RESULT r[16];

	for (uint64_t end = now_ms() + ms; now_ms() < end && atomic_load(&w->refused) < 100;)
		atomic_fetch_add(&w->done, CALL(w->p->a.cq, GetResults, r, 16));
}

/* Each accepted request completes, even one that was posted while the network port was removed. */
static void nd2_own_removed_under_traffic(void **state)
{
	struct poster w = {0};
	pthread_t thread;
	ND2_RESULT r;
	struct pair p;

	pair_open_connected(&p, NULL);
	w.p = &p;
	assert_int_equal(pthread_create(&thread, NULL, post_on, &w), 0);
	/* On a busy machine the first completion may come late. */
	for (int i = 0; i < 100 && atomic_load(&w.done) == 0; i++)
		reap_for(&w, 100);
	unplug(0);
	reap_for(&w, 20000);
	pthread_join(thread, NULL);
	assert_true(atomic_load(&w.done) > 0);
	assert_int_equal(atomic_load(&w.refused), 100);
	while (atomic_load(&w.done) < atomic_load(&w.posted)) {
		reap(p.a.cq);
		atomic_fetch_add(&w.done, 1);
	}
	assert_int_equal(CALL(p.a.cq, GetResults, &r, 1), 0);
	pair_close(&p);
}

/* ---- the other adapter ---- */

static void nd2_own_removed_leaves_the_others(void **state)
{
	OVERLAPPED notify = {0}, told = {0};
	struct pair p, q, again;

	pair_open_connected(&p, NULL);
	pair_between(&q, 1, 1);
	pair_connect(&q, NULL);
	HR(CALL(p.b.connector, NotifyDisconnect, &told), ND_PENDING);
	HR(CALL(q.a.cq, Notify, ND_CQ_NOTIFY_ERRORS, &notify), ND_PENDING);
	HR(post_recv(&p.b, 0, 8, 1), ND_SUCCESS);
	unplug(0);
	/* The Write of p.b below has more packets than the ring between the two adapters can hold.
	 * Adapter 1 drops the surplus. Connection q, with both ends on adapter 1, works on. */
	for (unsigned i = 0; i < 40; i++)
		exchange(&q.a, &q.b);
	HR(post_write(&p.b, 0, BUF_BYTES, 2, 0, &p.a, 0), ND_SUCCESS);
	for (unsigned i = 0; i < 40; i++)
		exchange(&q.b, &q.a);
	HR(status_after(&notify, 0), ND_PENDING);
	pair_between(&again, 1, 1);
	pair_connect(&again, NULL);
	exchange(&again.a, &again.b);
	/* The adapter of end a was removed, so nobody answers end b any more. The Write of end b
	 * times out and breaks the connection. */
	reap_is(p.b.cq, 2, ND_IO_TIMEOUT);
	reap_is(p.b.cq, 1, ND_CANCELED);
	HR(finish(p.b.connector, &told), ND_SUCCESS);
	pair_close(&again);
	pair_close(&p);
	CALL(q.a.cq, CancelOverlappedRequests);
	HR(finish(q.a.cq, &notify), ND_CANCELED);
	pair_close(&q);
}

/* An adapter was removed, and then all its objects are released. The next OpenAdapter opens a
 * working adapter again. */
static void nd2_own_removed_comes_back(void **state)
{
	struct pair p;

	for (int which = 0; which < 2; which++) {
		unplug(which);
		unplug(which); /* a second removal has no effect */
		close_adapters(NULL);
		open_adapters(NULL);
		pair_open_connected(&p, NULL);
		exchange(&p.a, &p.b);
		exchange(&p.b, &p.a);
		pair_close(&p);
	}
	assert_int_equal(rn_link_unplug("no such adapter"), -ENOENT);
}

/* ---- release of the objects of a removed adapter ---- */

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* Releases all objects of a connected pair in random order, while requests are pending. */
static void let_go(unsigned seed)
{
	OVERLAPPED ov[4] = {{0}};
	IUnknown *objs[7];
	struct pair p;
	unsigned n = 0;

	pair_open_connected(&p, NULL);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[0]), ND_PENDING);
	HR(CALL(p.a.connector, NotifyDisconnect, &ov[1]), ND_PENDING);
	HR(post_recv(&p.a, 0, 8, 1), ND_SUCCESS);
	objs[n++] = (IUnknown *)p.a.cq;
	objs[n++] = (IUnknown *)p.a.qp;
	objs[n++] = (IUnknown *)p.a.connector;
	objs[n++] = (IUnknown *)p.a.mr;
	objs[n++] = (IUnknown *)new_listener(&p.a);
	objs[n++] = (IUnknown *)adapters[0];
	objs[n++] = NULL; /* NULL stands for the file's handle */
	if (seed % 2 == 0)
		unplug(0);
	else
		HR(CALL((IND2Listener *)objs[4], Bind,
			SA(&(struct sockaddr_in){.sin_family = AF_INET}), 16),
		   ND_SUCCESS);
	while (n != 0) {
		unsigned i = next_random(&seed) % n;

		if (objs[i] != NULL)
			CALL(objs[i], Release);
		else
			HR(NdsHandleClose(p.a.file), ND_SUCCESS);
		objs[i] = objs[--n];
		if (n == 4 && seed % 2 != 0)
			unplug(0); /* in the middle of the random releases */
	}
	adapters[0] = NULL;
	for (unsigned i = 0; i < 2; i++)
		assert_int_not_equal(status_after(&ov[i], 20000), ND_PENDING);
	free(p.a.buf);
	RELEASE(p.listener);
	end_close(&p.b);
	close_adapters(NULL);
	nothing_lives();
	open_adapters(NULL);
}

static void nd2_own_removed_is_let_go_in_any_order(void **state)
{
	for (unsigned seed = 1; seed <= 24; seed++)
		let_go(seed);
}

/* ---- objects made while the network port is removed ---- */

struct maker {
	HANDLE file;
	_Atomic unsigned made, wrong;
};

/* Makes completion queues and listeners, and starts one request on each. Stops when a call is
 * refused. Each of these requests must end. */
static void *make_on(void *arg)
{
	struct maker *m = arg;
	struct sockaddr_in sin = address_of(0, 0);
	HRESULT hr = ND_SUCCESS;

	for (unsigned i = 0; i < 100000 && SUCCEEDED(hr); i++) {
		OVERLAPPED ov[2] = {{0}};
		IND2CompletionQueue *cq = NULL;
		IND2Listener *l = NULL;
		IND2Connector *c = NULL;

		hr = CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, m->file, 8,
			  0, 0, (void **)&cq);
		if (SUCCEEDED(hr))
			hr = CALL(cq, Notify, ND_CQ_NOTIFY_ANY, &ov[0]);
		if (SUCCEEDED(hr))
			hr = CALL(adapters[0], CreateListener, &IID_IND2Listener, m->file,
				  (void **)&l);
		if (SUCCEEDED(hr))
			hr = CALL(adapters[0], CreateConnector, &IID_IND2Connector, m->file,
				  (void **)&c);
		if (SUCCEEDED(hr))
			hr = CALL(l, Bind, SA(&sin), sizeof(sin));
		if (SUCCEEDED(hr))
			hr = CALL(l, Listen, 0);
		if (SUCCEEDED(hr))
			hr = CALL(l, GetConnectionRequest, (IUnknown *)c, &ov[1]);
		if (hr == REMOVED && atomic_load(&m->made) != 0 && cq != NULL) {
			for (unsigned k = 0; k < 2; k++)
				if (status_after(&ov[k], 0) != 0 &&
				    status_after(&ov[k], 20000) != REMOVED)
					atomic_fetch_add(&m->wrong, 1);
		}
		atomic_fetch_add(&m->made, 1);
		RELEASE(l);
		RELEASE(c);
		RELEASE(cq);
	}
	if (hr != REMOVED)
		atomic_fetch_add(&m->wrong, 1);
	return NULL;
}

static void nd2_own_removed_while_objects_are_made(void **state)
{
	for (unsigned round = 0; round < 10; round++) {
		struct maker m = {0};
		pthread_t thread[2];
		unsigned before;

		HR(CALL(adapters[0], CreateOverlappedFile, &m.file), ND_SUCCESS);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, make_on, &m), 0);
		for (unsigned i = 0; i < 20000 && atomic_load(&m.made) < 20; i++)
			usleep(1000);
		before = atomic_load(&m.made);
		usleep(round * 77);
		unplug(0);
		for (unsigned i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
		assert_true(before >= 20);
		assert_int_equal(atomic_load(&m.wrong), 0);
		HR(NdsHandleClose(m.file), ND_SUCCESS);
		close_adapters(NULL);
		nothing_lives();
		open_adapters(NULL);
	}
}

/* Thousands of pending requests all end with ND_DEVICE_REMOVED. */
static void nd2_own_removed_ends_thousands_of_requests(void **state)
{
	enum { MANY = 4000 };
	IND2CompletionQueue **cq = calloc(MANY, sizeof(*cq));
	OVERLAPPED *ov = calloc(MANY, sizeof(*ov));
	struct end e = {.which = 0};

	HR(CALL(adapters[0], CreateOverlappedFile, &e.file), ND_SUCCESS);
	for (unsigned i = 0; i < MANY; i++) {
		cq[i] = new_cq(&e, 1);
		HR(CALL(cq[i], Notify, ND_CQ_NOTIFY_ANY, &ov[i]), ND_PENDING);
	}
	unplug(0);
	for (unsigned i = 0; i < MANY; i++)
		HR(finish(cq[i], &ov[i]), REMOVED);
	for (unsigned i = 0; i < MANY; i++)
		RELEASE(cq[i]);
	NdsHandleClose(e.file);
	free(cq);
	free(ov);
}

/* Closes the adapters after each test and checks that no object is left. The set-up of each test
 * opens the adapters, since the previous test may have removed one. */
static int leave(void **state)
{
	close_adapters(state);
	nothing_lives();
	return 0;
}

#define row(f) cmocka_unit_test_setup_teardown(f, open_adapters, leave)

static const struct CMUnitTest tests[] = {
	row(nd2_own_removed_calls),
	row(nd2_own_removed_window),
	row(nd2_own_removed_shared_queue),
	row(nd2_own_removed_connectors),
	row(nd2_own_removed_notify),
	row(nd2_own_removed_work_is_flushed),
	row(nd2_own_removed_under_traffic),
	row(nd2_own_removed_leaves_the_others),
	row(nd2_own_removed_comes_back),
	row(nd2_own_removed_is_let_go_in_any_order),
	row(nd2_own_removed_while_objects_are_made),
	row(nd2_own_removed_ends_thousands_of_requests),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		use_policy(argv[1]);
	if (argc > 2)
		cmocka_set_test_filter(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
