/* Random calls of connectors and listeners. Most calls of a connector are the next step of its
 * connection (lead_on()): purely random calls would hardly ever complete a connection. All other
 * calls are random. Any thread of the driver may call these functions. */
#include "random.h"

#include <arpa/inet.h>

/* ---- random addresses ---- */

static uint16_t some_port(int adapter)
{
	struct thing *l = thing_any(K_LISTENER, adapter);
	uint16_t number = 0;

	if (l == NULL)
		return 1;
	number = atomic_load(&l->port);
	thing_put(l);
	return number != 0 ? number : 1;
}

struct bind_call {
	struct sockaddr_in sin;
	ULONG cb;
	bool null;
};

static HRESULT call_connector_bind(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	const struct bind_call *c = arg;

	return CALL((IND2Connector *)t->obj, Bind, c->null ? NULL : SA(&c->sin), c->cb);
}

static HRESULT call_listener_bind(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	const struct bind_call *c = arg;

	return CALL((IND2Listener *)t->obj, Bind, c->null ? NULL : SA(&c->sin), c->cb);
}

/* Makes the address invalid: no adapter has it, or it is too short, of another family, or NULL. */
static void spoil(struct bind_call *c)
{
	switch (pick(4)) {
	case 0:
		c->sin = address_of(60, 0);
		break;
	case 1:
		c->cb = pick(16);
		break;
	case 2:
		c->sin.sin_family = AF_UNIX;
		break;
	default:
		c->null = true;
		break;
	}
}

static HRESULT call_address(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	enum act act = *(const enum act *)arg;
	struct sockaddr_storage sa;
	bool tight = act == A_LOCAL_SHORT || act == A_PEER_SHORT || act == A_LISTENER_ADDRESS_SHORT;
	ULONG cb = tight ? pick(16) : sizeof(sa);
	struct sockaddr *out = tight && chance(50) ? NULL : (struct sockaddr *)&sa;
	HRESULT hr;

	if (t->kind == K_LISTENER)
		hr = CALL((IND2Listener *)t->obj, GetLocalAddress, out, &cb);
	else if (act == A_LOCAL || act == A_LOCAL_SHORT)
		hr = CALL((IND2Connector *)t->obj, GetLocalAddress, out, &cb);
	else
		hr = CALL((IND2Connector *)t->obj, GetPeerAddress, out, &cb);
	if (hr == ND_SUCCESS || hr == ND_BUFFER_OVERFLOW)
		CHECK(cb == sizeof(struct sockaddr_in), "an address of %u bytes", cb);
	if (hr == ND_SUCCESS && t->kind == K_LISTENER)
		atomic_store(&t->port, ntohs(((struct sockaddr_in *)&sa)->sin_port));
	return hr;
}

static void ask_address(struct thing *t, enum act act)
{
	thing_act(t, act, false, call_address, &act);
}

/* ---- steps of a connection that take a queue pair ---- */

struct connect_call {
	IUnknown *qp;
	struct sockaddr_in to;
	ULONG cb;
	const void *data;
	ULONG len;
	enum act act;
};

static HRESULT call_connect(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	const struct connect_call *c = arg;

	return CALL((IND2Connector *)t->obj, Connect, c->qp, SA(&c->to), c->cb, pick(20), pick(20),
		    c->data, c->len, ov);
}

static HRESULT call_accept(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	const struct connect_call *c = arg;

	return CALL((IND2Connector *)t->obj, Accept, c->qp, pick(20), pick(20), c->data, c->len,
		    ov);
}

/* Draws up to five queue pairs and returns the first one that was neither used for a connection nor
 * flushed. If all five were, returns the last one. Returns NULL as soon as a drawn slot is
 * empty. */
static struct thing *some_queue_pair(int adapter)
{
	struct thing *qp = thing_any(K_QP, adapter);

	for (int i = 0; i < 4 && qp != NULL && !qp_life_fresh(qp->life); i++) {
		thing_put(qp);
		qp = thing_any(K_QP, adapter);
	}
	return qp;
}

/* Calls Accept or Connect with a random queue pair. A Connect is recorded as A_CONNECT_FRESH if two
 * conditions hold:
 * - The queue pair was never used before.
 * - This thread holds the queue pair's lock `turn` for writing. So no other thread uses the queue
 *   pair during the call. */
static void with_queue_pair(struct thing *t, struct connect_call *c, bool accept)
{
	struct thing *qp = some_queue_pair(t->adapter);
	bool mine;

	if (qp == NULL)
		return;
	mine = pthread_rwlock_trywrlock(&qp->turn) == 0;
	if (mine || pthread_rwlock_tryrdlock(&qp->turn) == 0) {
		bool fresh = qp_life_use(qp->life) && mine;
		enum act act = accept ? A_ACCEPT : fresh ? A_CONNECT_FRESH : A_CONNECT;

		c->qp = qp->obj;
		if (thing_act(t, act, true, accept ? call_accept : call_connect, c) != ND_PENDING &&
		    fresh)
			qp_life_unuse(qp->life);
		pthread_rwlock_unlock(&qp->turn);
	}
	thing_put(qp);
}

static uint8_t data_bytes[256];

static void connect_somehow(struct thing *t)
{
	int to = chance(85) ? 1 - t->adapter : t->adapter;
	struct connect_call c = {.to = address_of(to, some_port(to)),
				 .cb = sizeof(c.to),
				 .data = data_bytes,
				 .len = pick(limits.MaxCallerData + 1)};

	switch (pick(24)) {
	case 0:
		c.qp = chance(50) ? NULL : (IUnknown *)base[t->adapter].mr;
		thing_act(t, A_CONNECT_NO_QP, true, call_connect, &c);
		return;
	case 1:
		if (rarely(100))
			/* No neighbour has this address. It is used rarely, since its address
			 * resolution takes long. */
			c.to = address_of(60, 7);
		else
			c.to.sin_port = htons(2); /* no listener has this port number */
		break;
	case 2:
		c.to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		break;
	default:
		break;
	}
	with_queue_pair(t, &c, false);
}

static HRESULT call_connect_with(struct thing *t, struct connect_call *c)
{
	struct thing *qp = thing_any(K_QP, t->adapter);
	HRESULT hr = ND_TIMEOUT;

	if (qp != NULL) {
		c->qp = qp->obj;
		hr = thing_act(t, c->act, true,
			       c->act == A_ACCEPT_LONG ? call_accept : call_connect, c);
		thing_put(qp);
	}
	return hr;
}

static void connect_badly(struct thing *t)
{
	struct connect_call c = {.to = address_of(1 - t->adapter, 1), .cb = sizeof(c.to)};

	switch (pick(5)) {
	case 0:
		c.to.sin_addr.s_addr = 0;
		c.act = A_CONNECT_NOWHERE;
		break;
	case 1:
		c.cb = pick(16);
		c.act = A_CONNECT_ADDRESS;
		break;
	case 2:
		c.data = data_bytes;
		c.len = limits.MaxCallerData + 1 + pick(100);
		c.act = A_CONNECT_LONG;
		break;
	case 3:
		c.data = data_bytes;
		c.len = limits.MaxCalleeData + 1;
		c.act = A_ACCEPT_LONG;
		break;
	default:
		c.len = 1 + pick(20);
		c.act = A_CONNECT_NO_DATA;
		break;
	}
	call_connect_with(t, &c);
}

static void accept_somehow(struct thing *t)
{
	struct connect_call c = {.data = data_bytes, .len = pick(limits.MaxCalleeData + 1)};

	if (chance(5)) {
		c.qp = chance(50) ? NULL : (IUnknown *)base[t->adapter].mr;
		thing_act(t, A_ACCEPT_NO_QP, true, call_accept, &c);
		return;
	}
	with_queue_pair(t, &c, true);
}

/* ---- steps of a connection that take no queue pair ---- */

static HRESULT call_plain(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	IND2Connector *c = (IND2Connector *)t->obj;
	uint8_t data[256];
	ULONG in = 99, out = 99, cb = sizeof(data);
	HRESULT hr;

	switch ((int)*(const enum act *)arg) {
	case A_COMPLETE:
		return CALL(c, CompleteConnect, ov);
	case A_NOTIFY_END:
		return CALL(c, NotifyDisconnect, ov);
	case A_DISCONNECT:
		return CALL(c, Disconnect, ov);
	case A_REJECT:
		return CALL(c, Reject, data_bytes, pick(limits.MaxCalleeData + 1));
	case A_REJECT_LONG:
		return CALL(c, Reject, data_bytes, limits.MaxCalleeData + 1);
	case A_LIMITS:
		hr = CALL(c, GetReadLimits, chance(50) ? &in : NULL, &out);
		CHECK(FAILED(hr) || out <= limits.MaxOutboundReadLimit, "read limit %u", out);
		return hr;
	case A_DATA:
		return CALL(c, GetPrivateData, data, &cb);
	case A_DATA_SIZE:
		cb = pick(20);
		return CALL(c, GetPrivateData, cb == 0 ? NULL : data, &cb);
	default:
		return CALL(c, CancelOverlappedRequests);
	}
}

static void plain(struct thing *t, enum act act)
{
	bool overlapped = act == A_COMPLETE || act == A_NOTIFY_END || act == A_DISCONNECT;

	thing_act(t, act, overlapped, call_plain, &act);
}

static void bind_connector(struct thing *t)
{
	struct bind_call c = {.sin = address_of(t->adapter, 0), .cb = sizeof(c.sin)};

	if (chance(20))
		spoil(&c);
	else if (chance(20))
		c.sin.sin_addr.s_addr = 0;
	else if (chance(30)) /* a connector may share a listener's port number */
		c.sin.sin_port = htons(some_port(t->adapter));
	thing_act(t,
		  c.null || c.cb != sizeof(c.sin) || c.sin.sin_family != AF_INET ||
				  c.sin.sin_addr.s_addr == address_of(60, 0).sin_addr.s_addr
			  ? A_BIND_BAD
			  : A_BIND,
		  false, call_connector_bind, &c);
}

static void lead_on(struct thing *t)
{
	uint32_t states = rule_drift(K_CONNECTOR, atomic_load(&t->states));

	if (states & IN(CN_REQ_RECEIVED))
		accept_somehow(t);
	else if (states & IN(CN_REP_RECEIVED))
		plain(t, A_COMPLETE);
	else if (states & IN(CN_BOUND))
		connect_somehow(t);
	else if (states & IN(CN_CONNECTED))
		plain(t, chance(97) ? A_LIMITS : A_NOTIFY_END);
	else if (states & IN(CN_IDLE) && chance(20))
		bind_connector(t);
	else if (!(states & ~(IN(CN_DISCONNECTED) | IN(CN_DISCONNECTING) | IN(CN_PEER_GONE))) &&
		 chance(30))
		thing_drop(t);
}

void connector_acts(struct thing *t)
{
	static const enum act getters[] = {A_LOCAL, A_LOCAL_SHORT, A_PEER, A_PEER_SHORT};
	static const enum act plains[] = {A_COMPLETE, A_NOTIFY_END, A_LIMITS,
					  A_DATA,     A_DATA_SIZE,  A_REJECT_LONG};
	static const enum act breaks[] = {A_REJECT, A_DISCONNECT, A_CONNECTOR_CANCEL};

	switch (pick(12)) {
	case 0:
		ask_address(t, getters[pick(4)]);
		break;
	case 1:
		connect_badly(t);
		break;
	case 2:
		if (chance(20))
			bind_connector(t);
		break;
	case 3:
	case 4:
		plain(t, rarely(50) ? breaks[pick(3)] : plains[pick(6)]);
		break;
	case 5:
		if (chance(50))
			connect_somehow(t);
		else
			accept_somehow(t);
		break;
	default:
		lead_on(t);
		break;
	}
}

/* ---- listeners ---- */

static HRESULT call_listen(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL((IND2Listener *)t->obj, Listen, pick(4));
}

static HRESULT call_ask(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL((IND2Listener *)t->obj, GetConnectionRequest, (IUnknown *)arg, ov);
}

static HRESULT call_listener_cancel(struct thing *t, OVERLAPPED *ov, const void *arg)
{
	return CALL(OV(t->obj), CancelOverlappedRequests);
}

/* GetConnectionRequest is a call of the listener that also changes the state of the connector. So
 * this thread holds the connector's lock as well. */
static void ask(struct thing *t)
{
	struct thing *c = thing_any(K_CONNECTOR, t->adapter);
	uint32_t states;
	HRESULT hr;

	for (int i = 0; i < 3 && c != NULL && !(atomic_load(&c->states) & IN(CN_IDLE)); i++) {
		thing_put(c);
		c = thing_any(K_CONNECTOR, t->adapter);
	}
	if (c == NULL)
		return;
	if (pthread_rwlock_trywrlock(&c->turn) == 0) {
		states = rule_drift(K_CONNECTOR, atomic_load(&c->states));
		hr = thing_act(t, states == IN(CN_IDLE) ? A_ASK_IDLE : A_ASK, true, call_ask,
			       c->obj);
		if (hr == ND_PENDING)
			atomic_store(&c->states, IN(CN_QUEUED));
		else if (hr == ND_CONNECTION_ACTIVE)
			atomic_store(&c->states, states & ~IN(CN_IDLE));
		pthread_rwlock_unlock(&c->turn);
	}
	thing_put(c);
}

static void bind_listener(struct thing *t)
{
	struct bind_call c = {.sin = address_of(t->adapter, 0), .cb = sizeof(c.sin)};
	enum act act = A_LISTENER_BIND;

	if (chance(20)) {
		act = A_LISTENER_BIND_BAD;
		spoil(&c);
	} else if (chance(30)) {
		act = A_LISTENER_BIND_PORT;
		c.sin.sin_port = htons((uint16_t)(4000 + pick(3)));
		if (chance(50))
			c.sin.sin_addr.s_addr = 0;
	}
	if (thing_act(t, act, false, call_listener_bind, &c) == ND_SUCCESS)
		ask_address(t, A_LISTENER_ADDRESS);
}

void listener_acts(struct thing *t)
{
	switch (pick(16)) {
	case 0:
		if (rarely(100))
			thing_act(t, A_LISTENER_CANCEL, false, call_listener_cancel, NULL);
		break;
	case 1:
		thing_act(t, A_ASK_NOTHING, true, call_ask,
			  chance(50) ? NULL : (const void *)base[t->adapter].mr);
		break;
	case 2:
		ask_address(t, A_LISTENER_ADDRESS_SHORT);
		break;
	case 3:
	case 4:
		ask_address(t, A_LISTENER_ADDRESS);
		break;
	case 5:
	case 6:
		bind_listener(t);
		break;
	case 7:
	case 8:
		thing_act(t, A_LISTEN, false, call_listen, NULL);
		break;
	default:
		if (atomic_load(&t->states) == IN(LISTENER_IDLE))
			bind_listener(t);
		else if (atomic_load(&t->states) == IN(LISTENER_BOUND))
			thing_act(t, A_LISTEN, false, call_listen, NULL);
		else
			ask(t);
		break;
	}
}
