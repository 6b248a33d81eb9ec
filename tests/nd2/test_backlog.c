/* Connection requests that wait at a listener: their order, how many may wait, and their withdrawal
 * by the active side. Also tests which completion port gets the completion packet of
 * GetConnectionRequest. */
#include "fixture.h"

#include <arpa/inet.h>

#define MANY 150

/* An active side on adapter 0 with its own queue pair. Its Connect sends the argument `number` of
 * call_from() as private data. */
struct caller {
	IND2Connector *c;
	IND2QueuePair *qp;
	OVERLAPPED ov;
};

static void call_from(struct caller *call, struct end *e, uint16_t port, uint32_t number)
{
	struct sockaddr_in to = address_of(1, port);

	memset(call, 0, sizeof(*call));
	call->c = new_connector(e);
	call->qp = new_qp(e, e->cq, NULL, NULL);
	bind_any(e, call->c);
	HR(CALL(call->c, Connect, (IUnknown *)call->qp, SA(&to), sizeof(to), 0, 0, &number,
		sizeof(number), &call->ov),
	   ND_PENDING);
}

static void hang_up(struct caller *call)
{
	RELEASE(call->c);
	RELEASE(call->qp);
}

static uint32_t number_in(IND2Connector *c)
{
	uint32_t number;
	ULONG cb = sizeof(number);

	HR(CALL(c, GetPrivateData, &number, &cb), ND_BUFFER_OVERFLOW);
	return number;
}

/* Takes the next connection request from the listener, with a new connector on the adapter of e.
 * Returns the connector. */
static IND2Connector *take(struct end *e, IND2Listener *l)
{
	IND2Connector *c = new_connector(e);
	OVERLAPPED ov = {0};

	ENDS(l, CALL(l, GetConnectionRequest, (IUnknown *)c, &ov), &ov, ND_SUCCESS);
	return c;
}

static void nd2_own_listening_step_by_step(void **state)
{
	struct sockaddr_in sin = address_of(1, 0);
	OVERLAPPED ov = {0};
	struct caller call;
	IND2Listener *l;
	ULONG cb = 15;
	struct pair p;

	pair_open(&p, NULL);
	l = new_listener(&p.b);
	HR(CALL(l, Listen, 1), ND_INVALID_DEVICE_STATE);
	HR(CALL(l, GetConnectionRequest, (IUnknown *)p.b.connector, &ov), ND_INVALID_DEVICE_STATE);
	HR(CALL(l, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
	HR(CALL(l, GetConnectionRequest, (IUnknown *)p.b.connector, &ov), ND_INVALID_DEVICE_STATE);
	HR(CALL(l, GetLocalAddress, (struct sockaddr *)&sin, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, sizeof(sin));
	HR(CALL(l, GetLocalAddress, (struct sockaddr *)&sin, &cb), ND_SUCCESS);
	/* A listener that is bound, but has not called Listen, refuses connection requests. */
	call_from(&call, &p.a, ntohs(sin.sin_port), 1);
	HR(finish(call.c, &call.ov), ND_CONNECTION_REFUSED);
	hang_up(&call);
	HR(CALL(l, Listen, 1), ND_SUCCESS);
	call_from(&call, &p.a, ntohs(sin.sin_port), 2);
	HR(CALL(l, GetConnectionRequest, (IUnknown *)p.b.connector, &ov), ND_PENDING);
	HR(finish(l, &ov), ND_SUCCESS);
	assert_int_equal(number_in(p.b.connector), 2);
	hang_up(&call);
	RELEASE(l);
	pair_close(&p);
}

/* With backlog 0 (no limit) or UINT32_MAX all connection requests wait, and are taken in the order
 * of arrival. */
static void nd2_own_backlog_of_any_size(void **state)
{
	static struct caller call[MANY];
	const ULONG backlog[] = {0, UINT32_MAX};

	for (int i = 0; i < 2; i++) {
		IND2Listener *l;
		uint16_t port;
		struct pair p;

		pair_open(&p, NULL);
		listen_on(&p.b, &l, &port, backlog[i]);
		for (uint32_t k = 0; k < MANY; k++)
			call_from(&call[k], &p.a, port, k);
		HR(status_after(&call[MANY - 1].ov, 50), ND_PENDING);
		for (uint32_t k = 0; k < MANY; k++) {
			IND2Connector *c = take(&p.b, l);

			assert_int_equal(number_in(c), k);
			HR(status_after(&call[k].ov, 0), ND_PENDING);
			RELEASE(c);
			HR(finish(call[k].c, &call[k].ov), ND_CONNECTION_REFUSED);
			hang_up(&call[k]);
		}
		RELEASE(l);
		pair_close(&p);
	}
}

/* The backlog counts connection requests that no connector has taken yet. When a connector takes a
 * request, there is room for another one. */
static void nd2_own_backlog_counts_the_unclaimed(void **state)
{
	struct caller call[5];
	IND2Connector *c[3];
	IND2Listener *l;
	uint16_t port;
	struct pair p;

	pair_open(&p, NULL);
	listen_on(&p.b, &l, &port, 2);
	for (uint32_t k = 0; k < 3; k++)
		call_from(&call[k], &p.a, port, k);
	HR(finish(call[2].c, &call[2].ov), ND_CONNECTION_REFUSED);
	c[0] = take(&p.b, l);
	c[1] = take(&p.b, l);
	for (uint32_t k = 3; k < 5; k++)
		call_from(&call[k], &p.a, port, k);
	HR(status_after(&call[4].ov, 50), ND_PENDING);
	c[2] = take(&p.b, l);
	assert_int_equal(number_in(c[0]), 0);
	assert_int_equal(number_in(c[1]), 1);
	assert_int_equal(number_in(c[2]), 3);
	for (int k = 0; k < 3; k++)
		RELEASE(c[k]);
	for (int k = 0; k < 5; k++)
		hang_up(&call[k]);
	RELEASE(l);
	pair_close(&p);
}

/* Waits until adapter 1 has received every message that adapter 0 has sent so far. Messages arrive
 * in order, so a connection request from adapter 0 to another listener is the last of them. */
static void let_messages_arrive(struct pair *p)
{
	struct caller call;
	IND2Connector *c;
	IND2Listener *l;
	uint16_t port;

	listen_on(&p->b, &l, &port, 0);
	call_from(&call, &p->a, port, 0);
	c = take(&p->b, l);
	RELEASE(c);
	hang_up(&call);
	RELEASE(l);
}

static void nd2_own_withdrawn_requests_are_not_seen(void **state)
{
	struct caller call[4];
	OVERLAPPED ov = {0};
	IND2Connector *c;
	struct pair p;

	pair_open(&p, NULL);
	for (uint32_t k = 0; k < 4; k++)
		call_from(&call[k], &p.a, p.port, k);
	HR(CALL(call[0].c, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&call[0].ov, 0), ND_CANCELED);
	RELEASE(call[2].c);
	HR(status_after(&call[2].ov, 0), ND_CANCELED);
	RELEASE(call[3].qp); /* withdraws the newest connection request */
	HR(status_after(&call[3].ov, 0), ND_CANCELED);
	let_messages_arrive(&p);
	c = take(&p.b, p.listener);
	assert_int_equal(number_in(c), 1);
	RELEASE(c);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &ov), ND_PENDING);
	HR(status_after(&ov, 50), ND_PENDING);
	for (int k = 0; k < 4; k++)
		hang_up(&call[k]);
	call_from(&call[0], &p.a, p.port, 9);
	HR(finish(p.listener, &ov), ND_SUCCESS);
	assert_int_equal(number_in(p.b.connector), 9);
	hang_up(&call[0]);
	pair_close(&p);
}

/* The active side withdraws a connection request that a connector has already taken. Each further
 * call on that connector fails. */
static void nd2_own_request_withdrawn_after_it_was_taken(void **state)
{
	struct caller call;
	OVERLAPPED ov = {0};
	ULONG in, out;
	struct pair p;

	pair_open(&p, NULL);
	call_from(&call, &p.a, p.port, 1);
	RELEASE(p.b.connector);
	p.b.connector = take(&p.b, p.listener);
	hang_up(&call);
	for (int i = 0; i < 20000 && CALL(p.b.connector, GetReadLimits, &in, &out) == ND_SUCCESS;
	     i++)
		sleep_ms(1);
	HR(CALL(p.b.connector, GetReadLimits, &in, &out), ND_CONNECTION_INVALID);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 0, 0, NULL, 0, &ov),
	   ND_CONNECTION_ABORTED);
	HR(CALL(p.b.connector, Reject, NULL, 0), ND_CONNECTION_ABORTED);
	assert_int_equal(number_in(p.b.connector), 1);
	RELEASE(p.b.connector);
	/* The queue pair can still be used after the failed Accept. */
	p.b.connector = new_connector(&p.b);
	pair_connect(&p, NULL);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_own_held_requests_outlive_the_listener(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, complete = {0};
	struct pair p;

	pair_open(&p, NULL);
	reach_request(&p, NULL, &connect);
	assert_int_equal(CALL(p.listener, Release), 0);
	p.listener = NULL;
	sleep_ms(20);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, NULL, 0, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_SUCCESS);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

/* GetConnectionRequest is an overlapped request of the listener. So its completion packet goes to
 * the completion port of the listener's file, not to the completion port of the connector's
 * file. */
static void nd2_own_packet_goes_to_the_listeners_file(void **state)
{
	HANDLE port[2], file[2];
	OVERLAPPED request = {0}, connect = {0};
	NDS_PORT_ENTRY entry;
	IND2Listener *own;
	ULONG n;
	struct pair p;

	pair_open(&p, NULL);
	own = p.listener;
	for (int i = 0; i < 2; i++) {
		HR(NdsPortCreate(&port[i]), ND_SUCCESS);
		HR(CALL(adapters[1], CreateOverlappedFile, &file[i]), ND_SUCCESS);
		HR(NdsPortBind(port[i], file[i], 10 + (ULONG_PTR)i), ND_SUCCESS);
	}
	RELEASE(p.b.connector);
	HR(CALL(adapters[1], CreateListener, &IID_IND2Listener, file[0], (void **)&p.listener),
	   ND_SUCCESS);
	HR(CALL(adapters[1], CreateConnector, &IID_IND2Connector, file[1], (void **)&p.b.connector),
	   ND_SUCCESS);
	{
		struct sockaddr_in sin = address_of(1, 0);
		ULONG cb = sizeof(sin);

		HR(CALL(p.listener, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
		HR(CALL(p.listener, Listen, 0), ND_SUCCESS);
		HR(CALL(p.listener, GetLocalAddress, (struct sockaddr *)&sin, &cb), ND_SUCCESS);
		p.port = ntohs(sin.sin_port);
	}
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request), ND_PENDING);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	HR(NdsPortGet(port[0], &entry, 1, 10000, &n), ND_SUCCESS);
	assert_int_equal(entry.lpCompletionKey, 10);
	assert_ptr_equal(entry.lpOverlapped, &request);
	HR(NdsPortGet(port[1], &entry, 1, 20, &n), ND_TIMEOUT);
	RELEASE(own);
	pair_close(&p);
	for (int i = 0; i < 2; i++) {
		NdsHandleClose(file[i]);
		NdsHandleClose(port[i]);
	}
}

/* GetConnectionRequest is pending for two connectors, and the client releases the first connector.
 * The connection request then goes to the second connector. */
static void nd2_own_released_connectors_are_passed_over(void **state)
{
	OVERLAPPED request[2] = {{0}}, connect = {0};
	IND2Connector *forgotten;
	struct pair p;

	pair_open(&p, NULL);
	forgotten = new_connector(&p.b);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)forgotten, &request[0]), ND_PENDING);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request[1]),
	   ND_PENDING);
	RELEASE(forgotten);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	HR(finish(p.listener, &request[1]), ND_SUCCESS);
	HR(finish(p.listener, &request[0]), ND_CANCELED);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_listening_step_by_step),
	cmocka_unit_test(nd2_own_backlog_of_any_size),
	cmocka_unit_test(nd2_own_backlog_counts_the_unclaimed),
	cmocka_unit_test(nd2_own_withdrawn_requests_are_not_seen),
	cmocka_unit_test(nd2_own_request_withdrawn_after_it_was_taken),
	cmocka_unit_test(nd2_own_held_requests_outlive_the_listener),
	cmocka_unit_test(nd2_own_packet_goes_to_the_listeners_file),
	cmocka_unit_test(nd2_own_released_connectors_are_passed_over),
};

nd2_main(tests)
