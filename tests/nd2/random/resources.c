/* Makes random calls of adapters, regions and completion queues, and creates the objects of all
 * kinds. Any thread of the driver may call these functions. */
#include "random.h"

#include <arpa/inet.h>

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

#define QP_DEPTH 32u
#define SRQ_SGE	 4u

static const GUID *const iid_of[KINDS] = {
	[K_ADAPTER] = &IID_IND2Adapter,	    [K_REGION] = &IID_IND2MemoryRegion,
	[K_CQ] = &IID_IND2CompletionQueue,  [K_QP] = &IID_IND2QueuePair,
	[K_CONNECTOR] = &IID_IND2Connector, [K_LISTENER] = &IID_IND2Listener,
	[K_WINDOW] = &IID_IND2MemoryWindow, [K_SRQ] = &IID_IND2SharedReceiveQueue,
};

static void nothing(enum act act, int adapter, HRESULT hr, void **out)
{
	check_answer(act, adapters[adapter], IN(ONLY), hr);
	CHECK(*out == NULL, "%s left a pointer", act_name(act));
}

/* ---- creation ---- */

static HRESULT create_cq(int adapter, const GUID *iid, HANDLE file, ULONG depth, void **out)
{
	return CALL(adapters[adapter], CreateCompletionQueue, iid, file, depth, (USHORT)pick(2),
		    pick(4), out);
}

struct qp_call {
	IUnknown *recv, *send;
	ULONG rq, sq, rq_sge, sq_sge, inl;
	void *context;
};

static HRESULT create_qp(int adapter, const struct qp_call *c, void **out)
{
	*out = (void *)1; /* the method must replace this value; a failing method stores NULL */
	return CALL(adapters[adapter], CreateQueuePair, &IID_IND2QueuePair, c->recv, c->send,
		    c->context, c->rq, c->sq, c->rq_sge, c->sq_sge, c->inl, out);
}

static void create_bad_qp(int adapter, struct qp_call c)
{
	enum act act = (enum act)(A_CREATE_QP_QUEUE + pick(7));
	void *out;

	switch ((int)act) {
	case A_CREATE_QP_QUEUE:
		c.recv = chance(50) ? NULL : (IUnknown *)base[adapter].mr;
		break;
	case A_CREATE_QP_QUEUE2:
		c.send = chance(50) ? NULL : (IUnknown *)base[adapter].mr;
		break;
	case A_CREATE_QP_DEPTH:
		c.rq = limits.MaxReceiveQueueDepth + 1;
		break;
	case A_CREATE_QP_DEPTH2:
		c.sq = limits.MaxInitiatorQueueDepth + 1;
		break;
	case A_CREATE_QP_SGE:
		c.rq_sge = limits.MaxReceiveSge + 1;
		break;
	case A_CREATE_QP_SGE2:
		c.sq_sge = limits.MaxInitiatorSge + 1;
		break;
	default:
		c.inl = limits.MaxInlineDataSize + 1;
		break;
	}
	nothing(act, adapter, create_qp(adapter, &c, &out), &out);
}

static void create_without_srq(int adapter, const struct qp_call *c)
{
	void *out = (void *)1;

	nothing(A_CREATE_QP_SRQ, adapter,
		CALL(adapters[adapter], CreateQueuePairWithSrq, &IID_IND2QueuePair, c->recv,
		     c->send, chance(50) ? NULL : (IUnknown *)base[adapter].mr, NULL, c->sq,
		     c->sq_sge, c->inl, &out),
		&out);
}

static void create_queue_pair(int adapter)
{
	struct thing *recv = thing_any(K_CQ, adapter), *send = thing_any(K_CQ, adapter);
	struct qp_call c = {.rq = QP_DEPTH,
			    .sq = QP_DEPTH,
			    .rq_sge = 1 + pick(4),
			    .sq_sge = 1 + pick(4),
			    .inl = pick(limits.MaxInlineDataSize + 1)};
	void *out;

	if (recv != NULL && send != NULL) {
		c.recv = recv->obj;
		c.send = send->obj;
		if (chance(4)) {
			create_without_srq(adapter, &c);
		} else if (chance(15)) {
			create_bad_qp(adapter, c);
		} else {
			c.context = qp_life_new(recv->life, send->life);
			check_answer(A_CREATE, adapters[adapter], IN(ONLY),
				     create_qp(adapter, &c, &out));
			thing_keep(K_QP, adapter, out, false, c.context);
		}
	}
	if (recv != NULL)
		thing_put(recv);
	if (send != NULL)
		thing_put(send);
}

static HRESULT create_on(enum kind kind, int adapter, const GUID *iid, HANDLE file, ULONG depth,
			 void **out)
{
	IND2Adapter *a = adapters[adapter];

	*out = (void *)1; /* the method must replace this value; a failing method stores NULL */
	switch (kind) {
	case K_REGION:
		return CALL(a, CreateMemoryRegion, iid, file, out);
	case K_CONNECTOR:
		return CALL(a, CreateConnector, iid, file, out);
	case K_LISTENER:
		return CALL(a, CreateListener, iid, file, out);
	case K_SRQ:
		return CALL(a, CreateSharedReceiveQueue, iid, file, depth, SRQ_SGE, pick(20), 0, 0,
			    out);
	default:
		return create_cq(adapter, iid, file, depth, out);
	}
}

static void create_window(int adapter)
{
	void *out = (void *)1;

	if (chance(5)) {
		nothing(A_CREATE_NO_INTERFACE, adapter,
			CALL(adapters[adapter], CreateMemoryWindow, &IID_IND2Adapter, &out), &out);
		return;
	}
	check_answer(A_CREATE, adapters[adapter], IN(ONLY),
		     CALL(adapters[adapter], CreateMemoryWindow, &IID_IND2MemoryWindow, &out));
	thing_keep(K_WINDOW, adapter, out, false, NULL);
}

void create_somehow(enum kind kind, int adapter)
{
	ULONG depth = kind == K_CQ ? 128 + pick(129) : 64;
	bool packets;
	HANDLE file;
	void *out;

	if (kind == K_QP) {
		create_queue_pair(adapter);
		return;
	}
	if (kind == K_WINDOW) {
		create_window(adapter);
		return;
	}
	file = file_take(adapter, &packets);
	switch (pick(20)) {
	case 0:
		nothing(A_CREATE_NO_INTERFACE, adapter,
			create_on(kind, adapter, &IID_IND2Adapter, file, depth, &out), &out);
		break;
	case 1:
		nothing(A_CREATE_NO_FILE, adapter,
			create_on(kind, adapter, iid_of[kind], chance(50) ? NULL : (HANDLE)0x12340,
				  depth, &out),
			&out);
		break;
	case 2:
		depth = chance(50) ? 0 : limits.MaxCompletionQueueDepth + 1;
		nothing(A_CREATE_CQ_DEPTH, adapter,
			create_on(K_CQ, adapter, &IID_IND2CompletionQueue, file, depth, &out),
			&out);
		break;
	case 3:
		nothing(A_CREATE_SRQ_DEPTH, adapter,
			create_on(K_SRQ, adapter, &IID_IND2SharedReceiveQueue, file,
				  chance(50) ? 0 : limits.MaxSharedReceiveQueueDepth + 1, &out),
			&out);
		nothing(A_CREATE_SRQ_SGE, adapter,
			CALL(adapters[adapter], CreateSharedReceiveQueue,
			     &IID_IND2SharedReceiveQueue, file, 1, limits.MaxReceiveSge + 1, 0, 0,
			     0, &out),
			&out);
		break;
	default:
		check_answer(A_CREATE, adapters[adapter], IN(ONLY),
			     create_on(kind, adapter, iid_of[kind], file, depth, &out));
		thing_keep(kind, adapter, out, packets, kind == K_CQ ? cq_life_new(depth) : NULL);
		break;
	}
	file_give(file);
}

/* ---- adapter and provider ---- */

static void query_interface(int adapter)
{
	static const enum kind kinds[] = {K_REGION, K_CQ, K_QP, K_CONNECTOR, K_LISTENER};
	enum kind kind = kinds[pick(5)];
	struct thing *t = thing_any(kind, adapter);
	const GUID *iid = iid_of[kind];
	void *out = &out;

	if (t == NULL)
		return;
	if (chance(40)) {
		check_answer(A_QUERY_NO_INTERFACE, t, IN(ONLY),
			     CALL(t->obj, QueryInterface, &IID_IND2Provider, &out));
		CHECK(out == NULL, "QueryInterface left a pointer");
	} else if (chance(20)) {
		check_answer(A_QUERY_NO_POINTER, t, IN(ONLY),
			     CALL(t->obj, QueryInterface, iid, NULL));
	} else {
		if (chance(30))
			iid = &IID_IUnknown;
		else if (kind != K_QP && chance(50))
			iid = &IID_IND2Overlapped;
		check_answer(A_QUERY_INTERFACE, t, IN(ONLY),
			     CALL(t->obj, QueryInterface, iid, &out));
		CHECK(out == t->obj, "another pointer for the same object");
		CHECK(CALL(t->obj, Release) != 0, "the last reference was not the last");
	}
	thing_put(t);
}

static void ask_provider(int adapter)
{
	struct sockaddr_in sin = address_of(adapter, (uint16_t)pick(65536));
	IND2Adapter *opened = NULL;
	IND2Provider *p;
	UINT64 id;
	void *none = &none;

	CHECK(DllGetClassObject(&IID_IND2Adapter, &IID_IND2Provider, (void **)&p) == S_OK,
	      "no provider");
	check_answer(A_RESOLVE, p, IN(ONLY), CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id));
	if (chance(30)) {
		check_answer(A_OPEN, p, IN(ONLY),
			     CALL(p, OpenAdapter, &IID_IND2Adapter, id, (void **)&opened));
		CHECK(CALL(opened, Release) == 0, "an adapter with somebody else's reference");
	} else if (chance(50)) {
		check_answer(A_OPEN_UNKNOWN, p, IN(ONLY),
			     CALL(p, OpenAdapter, &IID_IND2Adapter, id ^ 0x5a5a, &none));
		CHECK(none == NULL, "OpenAdapter left a pointer");
	}
	sin = address_of(77 + (int)pick(50), 0);
	check_answer(A_RESOLVE_FOREIGN, p, IN(ONLY),
		     CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id));
	CALL(p, Release);
}

void adapter_acts(int adapter)
{
	IND2Adapter *a = adapters[adapter];
	SOCKET_ADDRESS_LIST *list;
	ND2_ADAPTER_INFO info;
	ULONG cb = 0;

	switch (pick(5)) {
	case 0:
		cb = sizeof(info) - 1 - pick(20);
		check_answer(A_QUERY_SHORT, a, IN(ONLY),
			     CALL(a, Query, chance(50) ? NULL : &info, &cb));
		CHECK(cb == sizeof(info), "size %u", cb);
		check_answer(A_QUERY, a, IN(ONLY), CALL(a, Query, &info, &cb));
		break;
	case 1:
		check_answer(A_ADDRESSES_SHORT, a, IN(ONLY), CALL(a, QueryAddressList, NULL, &cb));
		list = malloc(cb);
		check_answer(A_ADDRESSES, a, IN(ONLY), CALL(a, QueryAddressList, list, &cb));
		free(list);
		break;
	case 2:
		ask_provider(adapter);
		break;
	default:
		query_interface(adapter);
		break;
	}
}

/* ---- regions ---- */

struct register_call {
	const void *buf;
	SIZE_T len;
	ULONG flags;
};

static HRESULT call_register(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	const struct register_call *c = arg;

	return CALL((IND2MemoryRegion *)t->obj, Register, c->buf, c->len, c->flags, ov);
}

static HRESULT call_deregister(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL((IND2MemoryRegion *)t->obj, Deregister, ov);
}

static HRESULT call_cancel(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL(OV(t->obj), CancelOverlappedRequests);
}

static void look_at_tokens(struct thing *t)
{
	IND2MemoryRegion *mr = (IND2MemoryRegion *)t->obj;
	UINT32 local = CALL(mr, GetLocalToken), remote = CALL(mr, GetRemoteToken);
	uint32_t states;

	if (pthread_rwlock_trywrlock(&t->turn) != 0)
		return;
	states = atomic_load(&t->states);
	local = CALL(mr, GetLocalToken);
	remote = CALL(mr, GetRemoteToken);
	if (states == IN(REGION_REGISTERED))
		CHECK(local != 0 && remote != 0, "no token of a registered region");
	if (states == IN(REGION_FREE))
		CHECK(local == 0 && remote == 0, "a token of no registration");
	atomic_store(&t->token, remote);
	pthread_rwlock_unlock(&t->turn);
}

void region_acts(struct thing *t)
{
	struct register_call c = {base[t->adapter].buf, BASE_BYTES, pick(16)};

	switch (pick(12)) {
	case 0:
		c.buf = NULL;
		c.len = pick(2);
		thing_act(t, A_REGISTER_NULL, true, call_register, &c);
		break;
	case 1:
		c.len = 0;
		thing_act(t, A_REGISTER_EMPTY, true, call_register, &c);
		break;
	case 2:
		c.len = (SIZE_T)limits.MaxRegistrationSize + 1;
		thing_act(t, A_REGISTER_HUGE, true, call_register, &c);
		break;
	case 3:
		c.buf = (void *)(UINTPTR_MAX - 4095);
		thing_act(t, A_REGISTER_WRAPS, true, call_register, &c);
		break;
	case 4:
		c.flags = 0x40;
		thing_act(t, A_REGISTER_FLAGS, true, call_register, &c);
		break;
	case 5:
		thing_act(t, A_REGION_CANCEL, false, call_cancel, NULL);
		break;
	case 6:
	case 7:
		thing_act(t, A_DEREGISTER, true, call_deregister, NULL);
		break;
	case 8:
	case 9:
		look_at_tokens(t);
		break;
	default:
		thing_act(t, A_REGISTER, true, call_register, &c);
		break;
	}
}

/* ---- completion queues ---- */

static HRESULT call_notify(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL((IND2CompletionQueue *)t->obj, Notify, *(const ULONG *)arg, ov);
}

static HRESULT call_affinity(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	KAFFINITY mask;
	USHORT group;

	return CALL((IND2CompletionQueue *)t->obj, GetNotifyAffinity, arg ? NULL : &group, &mask);
}

static HRESULT call_resize(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL((IND2CompletionQueue *)t->obj, Resize, *(const ULONG *)arg);
}

/* Calls Resize. A valid new depth is at least 256, since the requests that traffic.c posts need
 * that many entries. */
static void resize(struct thing *t)
{
	ULONG depth = 256 + pick(2000);
	enum act act = A_RESIZE;

	if (chance(20)) {
		act = A_RESIZE_BAD;
		depth = chance(50) ? 0 : limits.MaxCompletionQueueDepth + 1;
	}
	thing_act(t, act, false, call_resize, &depth);
}

void cq_acts(struct thing *t)
{
	ULONG type = chance(50) ? ND_CQ_NOTIFY_ANY : ND_CQ_NOTIFY_SOLICITED;

	switch (pick(17)) {
	case 16:
		resize(t);
		break;
	case 0:
		type = ND_CQ_NOTIFY_ERRORS;
		thing_act(t, A_NOTIFY_ERRORS, true, call_notify, &type);
		break;
	case 1:
		type = 3 + pick(5);
		thing_act(t, A_NOTIFY_UNKNOWN, true, call_notify, &type);
		break;
	case 2:
		thing_act(t, A_AFFINITY, false, call_affinity, NULL);
		break;
	case 3:
		thing_act(t, A_AFFINITY_NULL, false, call_affinity, t);
		break;
	case 4:
	case 5:
		thing_act(t, A_CQ_CANCEL, false, call_cancel, NULL);
		break;
	case 6:
	case 7:
	case 8:
		thing_act(t, A_NOTIFY, true, call_notify, &type);
		break;
	default:
		reap_some(t);
		break;
	}
}

/* ---- shared receive queues without queue pairs, and windows without bindings ---- */

static HRESULT call_srq(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	IND2SharedReceiveQueue *srq = (IND2SharedReceiveQueue *)t->obj;
	ND2_SGE sge[SRQ_SGE + 1] = {{base[t->adapter].buf, 100, base[t->adapter].local}};
	KAFFINITY mask;
	USHORT group;

	switch ((int)*(const enum act *)arg) {
	case A_SRQ_RECEIVE:
		return CALL(srq, Receive, t, sge, 1 + pick(SRQ_SGE));
	case A_SRQ_NO_LIST:
		return CALL(srq, Receive, t, NULL, 1);
	case A_SRQ_MANY:
		return CALL(srq, Receive, t, sge, SRQ_SGE + 1);
	case A_SRQ_LONG:
		sge[0].BufferLength = limits.MaxTransferLength + 1;
		return CALL(srq, Receive, t, sge, 1);
	case A_SRQ_NOTIFY:
		return CALL(srq, Notify, ov);
	case A_SRQ_MODIFY:
		return CALL(srq, Modify, pick(100), pick(100));
	case A_SRQ_MODIFY_BAD:
		return CALL(srq, Modify, limits.MaxSharedReceiveQueueDepth + 1, pick(10));
	case A_SRQ_AFFINITY:
		return CALL(srq, GetNotifyAffinity, &group, &mask);
	default:
		return CALL(srq, GetNotifyAffinity, NULL, &mask);
	}
}

void srq_acts(struct thing *t)
{
	static const enum act acts[] = {A_SRQ_NO_LIST,	A_SRQ_MANY,	     A_SRQ_LONG,
					A_SRQ_NOTIFY,	A_SRQ_MODIFY,	     A_SRQ_MODIFY_BAD,
					A_SRQ_AFFINITY, A_SRQ_AFFINITY_NULL, A_SRQ_RECEIVE,
					A_SRQ_RECEIVE,	A_SRQ_RECEIVE,	     A_SRQ_NOTIFY};
	enum act act = acts[pick(sizeof(acts) / sizeof(acts[0]))];

	if (chance(10))
		thing_act(t, A_SRQ_CANCEL, false, call_cancel, NULL);
	else
		thing_act(t, act, act == A_SRQ_NOTIFY, call_srq, &act);
}

void window_acts(struct thing *t)
{
	CALL((IND2MemoryWindow *)t->obj, GetRemoteToken);
}
