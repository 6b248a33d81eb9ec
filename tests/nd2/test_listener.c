/* Tests of listeners: rows 116 to 125 of docs/spec/nd2.md. */
#include "fixture.h"

#include <arpa/inet.h>
#include <time.h>

/* An active side with its own connector and queue pair, on p->a's adapter and file. */
struct caller {
	IND2Connector *c;
	IND2QueuePair *qp;
	OVERLAPPED ov;
};

static void call_open(struct caller *call, struct pair *p)
{
	memset(call, 0, sizeof(*call));
	call->c = new_connector(&p->a);
	call->qp = new_qp(&p->a, p->a.cq, NULL, NULL);
	bind_any(&p->a, call->c);
}

static void call_start(struct caller *call, struct pair *p, char name)
{
	struct sockaddr_in to = address_of(1, p->port);

	HR(CALL(call->c, Connect, (IUnknown *)call->qp, SA(&to), sizeof(to), 0, 0, &name, 1,
		&call->ov),
	   ND_PENDING);
}

static void call_close(struct caller *call)
{
	RELEASE(call->c);
	RELEASE(call->qp);
}

static char name_in(IND2Connector *c)
{
	char data[56];
	ULONG cb = sizeof(data);

	HR(CALL(c, GetPrivateData, data, &cb), ND_SUCCESS);
	return data[0];
}

static void nd2_row_116_ephemeral_port_known_before_listen(void **state)
{
	struct sockaddr_in sin = address_of(1, 0);
	ULONG cb = sizeof(sin);
	IND2Listener *l;
	struct end e;

	end_open(&e, 1, NULL);
	l = new_listener(&e);
	HR(CALL(l, GetLocalAddress, (struct sockaddr *)&sin, &cb), ND_INVALID_DEVICE_STATE);
	HR(CALL(l, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
	HR(CALL(l, GetLocalAddress, (struct sockaddr *)&sin, &cb), ND_SUCCESS);
	assert_in_range(ntohs(sin.sin_port), 49152, 65535);
	RELEASE(l);
	end_close(&e);
}

static void nd2_row_117_address_of_another_listener(void **state)
{
	struct sockaddr_in sin;
	IND2Listener *l;
	struct pair p;

	pair_open(&p, NULL);
	sin = address_of(1, p.port);
	l = new_listener(&p.b);
	HR(CALL(l, Bind, SA(&sin), sizeof(sin)), ND_SHARING_VIOLATION);
	RELEASE(p.listener);
	HR(CALL(l, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
	RELEASE(l);
	pair_close(&p);
}

static void nd2_row_118_bind_twice(void **state)
{
	struct sockaddr_in sin = address_of(1, 0);
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.listener, Bind, SA(&sin), sizeof(sin)), STATUS_ADDRESS_ALREADY_ASSOCIATED);
	pair_close(&p);
}

static void nd2_row_119_listen_twice(void **state)
{
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.listener, Listen, 5), ND_INVALID_DEVICE_STATE);
	pair_close(&p);
}

static void nd2_row_120_two_callers_meet_two_connectors_in_order(void **state)
{
	OVERLAPPED request[2] = {{0}};
	struct caller call[2];
	IND2Connector *c[2];
	struct pair p;

	pair_open(&p, NULL);
	for (int i = 0; i < 2; i++) {
		c[i] = new_connector(&p.b);
		HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)c[i], &request[i]),
		   ND_PENDING);
		call_open(&call[i], &p);
	}
	call_start(&call[0], &p, 'A');
	HR(finish(p.listener, &request[0]), ND_SUCCESS);
	HR(status_after(&request[1], 50), ND_PENDING);
	call_start(&call[1], &p, 'B');
	HR(finish(p.listener, &request[1]), ND_SUCCESS);
	assert_int_equal(name_in(c[0]), 'A');
	assert_int_equal(name_in(c[1]), 'B');
	for (int i = 0; i < 2; i++) {
		RELEASE(c[i]);
		call_close(&call[i]);
	}
	pair_close(&p);
}

static void nd2_row_121_request_that_came_earlier(void **state)
{
	OVERLAPPED request = {0};
	struct caller call;
	struct pair p;

	pair_open(&p, NULL);
	call_open(&call, &p);
	call_start(&call, &p, 'C');
	HR(status_after(&call.ov, 100), ND_PENDING);
	ENDS(p.listener,
	     CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request), &request,
	     ND_SUCCESS);
	assert_int_equal(name_in(p.b.connector), 'C');
	call_close(&call);
	pair_close(&p);
}

static void nd2_row_122_busy_connector(void **state)
{
	OVERLAPPED request = {0}, other = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request), ND_PENDING);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &other),
	   ND_CONNECTION_ACTIVE);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.qp, &other),
	   ND_INVALID_PARAMETER_1);
	HR(CALL(p.listener, GetConnectionRequest, NULL, &other), ND_INVALID_PARAMETER_1);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.a.connector, &other),
	   ND_INVALID_PARAMETER_1);
	HR(CALL(p.listener, CancelOverlappedRequests), ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_123_cancel_and_release_while_requests_wait(void **state)
{
	OVERLAPPED request[2] = {{0}};
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request[0]),
	   ND_PENDING);
	HR(CALL(p.listener, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&request[0], 0), ND_CANCELED);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request[1]),
	   ND_PENDING);
	assert_int_equal(CALL(p.listener, Release), 0);
	p.listener = NULL;
	HR(status_after(&request[1], 0), ND_CANCELED);
	listen_on(&p.b, &p.listener, &p.port, 0);
	pair_connect(&p, NULL);
	pair_close(&p);
}

static void nd2_row_124_nobody_listens_any_more(void **state)
{
	struct caller call[2];
	struct timespec t0, t1;
	struct pair p;

	pair_open(&p, NULL);
	call_open(&call[0], &p);
	call_open(&call[1], &p);
	/* No connector takes this connection request before the listener is released. */
	call_start(&call[0], &p, 'D');
	HR(status_after(&call[0].ov, 50), ND_PENDING);
	RELEASE(p.listener);
	HR(finish(call[0].c, &call[0].ov), ND_CONNECTION_REFUSED);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	call_start(&call[1], &p, 'E');
	HR(finish(call[1].c, &call[1].ov), ND_CONNECTION_REFUSED);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	assert_true(t1.tv_sec - t0.tv_sec <= 10);
	call_close(&call[0]);
	call_close(&call[1]);
	pair_close(&p);
}

static int refused_of(struct caller *call, int n)
{
	int refused = 0;

	for (int i = 0; i < n; i++)
		refused += status_after(&call[i].ov, 0) == ND_CONNECTION_REFUSED;
	return refused;
}

static void nd2_row_125_backlog(void **state)
{
	OVERLAPPED request = {0};
	struct caller call[4];
	struct pair p;

	pair_open(&p, NULL);
	RELEASE(p.listener);
	listen_on(&p.b, &p.listener, &p.port, 1);
	for (int i = 0; i < 4; i++) {
		call_open(&call[i], &p);
		call_start(&call[i], &p, 'F');
	}
	for (int ms = 0; ms < 20000 && refused_of(call, 4) < 3; ms++)
		sleep_ms(1);
	/* The connection request that waits is refused neither now nor later. */
	sleep_ms(300);
	assert_int_equal(refused_of(call, 4), 3);
	/* A connector takes the connection request. So the backlog has room for another one. */
	ENDS(p.listener,
	     CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request), &request,
	     ND_SUCCESS);
	call_close(&call[3]);
	call_open(&call[3], &p);
	call_start(&call[3], &p, 'G');
	HR(status_after(&call[3].ov, 300), ND_PENDING);
	for (int i = 0; i < 4; i++)
		call_close(&call[i]);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_116_ephemeral_port_known_before_listen),
	cmocka_unit_test(nd2_row_117_address_of_another_listener),
	cmocka_unit_test(nd2_row_118_bind_twice),
	cmocka_unit_test(nd2_row_119_listen_twice),
	cmocka_unit_test(nd2_row_120_two_callers_meet_two_connectors_in_order),
	cmocka_unit_test(nd2_row_121_request_that_came_earlier),
	cmocka_unit_test(nd2_row_122_busy_connector),
	cmocka_unit_test(nd2_row_123_cancel_and_release_while_requests_wait),
	cmocka_unit_test(nd2_row_124_nobody_listens_any_more),
	cmocka_unit_test(nd2_row_125_backlog),
};

nd2_main(tests)
