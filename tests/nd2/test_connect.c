/* Tests of connecting two queue pairs: rows 126 to 147 of docs/spec/nd2.md. */
#include "fixture.h"

#include <arpa/inet.h>

static void nd2_row_126_bind_twice_is_refused(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.a.connector, Bind, SA(&sin), sizeof(sin)), STATUS_ADDRESS_ALREADY_ASSOCIATED);
	pair_connect(&p, NULL);
	HR(CALL(p.a.connector, Bind, SA(&sin), sizeof(sin)), STATUS_ADDRESS_ALREADY_ASSOCIATED);
	sin = address_of(1, 0);
	HR(CALL(p.b.connector, Bind, SA(&sin), sizeof(sin)), STATUS_ADDRESS_ALREADY_ASSOCIATED);
	pair_close(&p);
}

static void nd2_row_127_bind_to_the_port_of_a_listener(void **state)
{
	struct sockaddr_in sin;
	IND2Connector *c;
	struct pair p;

	pair_open(&p, NULL);
	sin = address_of(1, p.port);
	c = new_connector(&p.b);
	HR(CALL(c, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
	RELEASE(c);
	pair_connect(&p, NULL);
	pair_close(&p);
}

static void nd2_row_128_local_address_from_bind_on(void **state)
{
	OVERLAPPED connect = {0};
	struct sockaddr_in first, later;
	ULONG cb = sizeof(first);
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)&first, &cb), ND_SUCCESS);
	assert_int_equal(cb, 16);
	assert_int_equal(first.sin_addr.s_addr, address_of(0, 0).sin_addr.s_addr);
	assert_in_range(ntohs(first.sin_port), 49152, 65535);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)&later, &cb), ND_SUCCESS);
	assert_memory_equal(&first, &later, sizeof(first));
	pair_close(&p);
}

static void nd2_row_129_local_address_into_a_short_buffer(void **state)
{
	uint8_t sa[16];
	ULONG cb = 15;
	struct pair p;

	pair_open(&p, NULL);
	memset(sa, 0xee, sizeof(sa));
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)sa, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 16);
	for (size_t i = 0; i < sizeof(sa); i++)
		assert_int_equal(sa[i], 0xee);
	pair_close(&p);
}

static void nd2_row_130_private_data_of_connect_has_a_limit(void **state)
{
	OVERLAPPED connect = {0}, request = {0};
	uint8_t data[64], got[64];
	ULONG cb = sizeof(got);
	struct pair p;

	memset(data, 0xa5, sizeof(data));
	pair_open(&p, NULL);
	HR(start_connect(&p, NULL, data, limits.MaxCallerData + 1, &connect),
	   ND_INVALID_BUFFER_SIZE);
	HR(start_connect(&p, NULL, data, limits.MaxCallerData, &connect), ND_PENDING);
	ENDS(p.listener,
	     CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request), &request,
	     ND_SUCCESS);
	HR(CALL(p.b.connector, GetPrivateData, got, &cb), ND_SUCCESS);
	assert_int_equal(cb, limits.MaxCallerData);
	assert_memory_equal(got, data, limits.MaxCallerData);
	pair_close(&p);
}

static void nd2_row_131_private_data_of_accept_has_a_limit(void **state)
{
	OVERLAPPED connect = {0}, accept = {0};
	uint8_t data[256], got[256];
	ULONG cb = sizeof(got);
	struct pair p;

	memset(data, 0x5a, sizeof(data));
	pair_open(&p, NULL);
	reach_request(&p, NULL, &connect);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, data, limits.MaxCalleeData + 1,
		&accept),
	   ND_INVALID_BUFFER_SIZE);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, data, limits.MaxCalleeData,
		&accept),
	   ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	HR(CALL(p.a.connector, GetPrivateData, got, &cb), ND_SUCCESS);
	assert_true(cb >= limits.MaxCalleeData);
	assert_memory_equal(got, data, limits.MaxCalleeData);
	pair_close(&p);
}

static void nd2_row_132_connect_to_no_address(void **state)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(4000)};
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, SA(&to), sizeof(to), 0, 0, NULL, 0,
		&ov),
	   STATUS_BAD_NETWORK_NAME);
	pair_connect(&p, NULL);
	pair_close(&p);
}

static void nd2_row_133_connect_to_nobody_then_to_somebody(void **state)
{
	struct sockaddr_in to = address_of(77, 4000);
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open(&p, NULL);
	ENDS(p.a.connector,
	     CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, SA(&to), sizeof(to), 0, 0, NULL, 0,
		  &ov),
	     &ov, ND_HOST_UNREACHABLE);
	pair_connect(&p, NULL);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_134_a_rejection_brings_its_data(void **state)
{
	static const char no[] = "not today";
	struct sockaddr_in nobody = address_of(77, 4000);
	OVERLAPPED connect = {0};
	IND2Connector *again;
	char got[256];
	ULONG cb = sizeof(got);
	struct pair p;

	pair_open(&p, NULL);
	HR(post_recv(&p.a, 0, 1000, 1), ND_SUCCESS);
	reach_request(&p, NULL, &connect);
	HR(CALL(p.b.connector, Reject, no, sizeof(no)), ND_SUCCESS);
	HR(finish(p.a.connector, &connect), ND_CONNECTION_REFUSED);
	HR(CALL(p.a.connector, GetPrivateData, got, &cb), ND_SUCCESS);
	assert_int_equal(cb, 148);
	assert_memory_equal(got, no, sizeof(no));
	reap_none(p.a.cq, 50);
	/* GetPrivateData returns the data of the connector's last attempt to connect. The next
	 * attempt reaches no peer, so GetPrivateData then fails. */
	ENDS(p.a.connector,
	     CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, SA(&nobody), sizeof(nobody), 0, 0,
		  NULL, 0, &connect),
	     &connect, ND_HOST_UNREACHABLE);
	HR(CALL(p.a.connector, GetPrivateData, got, &cb), ND_CONNECTION_INVALID);
	/* The same connector and queue pair connect to a new connector of the peer. */
	again = new_connector(&p.b);
	RELEASE(p.b.connector);
	p.b.connector = again;
	pair_connect(&p, NULL);
	HR(post_send(&p.b, 0, 10, 2, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_135_connect_while_a_reply_is_at_hand(void **state)
{
	OVERLAPPED accept = {0}, ov = {0};
	struct pair p;

	pair_open(&p, NULL);
	reach_reply(&p, NULL, &accept);
	HR(start_connect(&p, NULL, NULL, 0, &ov), ND_CONNECTION_ACTIVE);
	pair_close(&p);
}

static void nd2_row_136_the_same_ends_twice(void **state)
{
	struct sockaddr_in from, to;
	IND2QueuePair *qp;
	IND2Connector *c;
	OVERLAPPED ov = {0};
	ULONG cb = sizeof(from);
	struct pair p;
	HRESULT hr;

	pair_open_connected(&p, NULL);
	to = address_of(1, p.port);
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)&from, &cb), ND_SUCCESS);
	c = new_connector(&p.a);
	qp = new_qp(&p.a, p.a.cq, NULL, NULL);
	HR(CALL(c, Bind, SA(&from), sizeof(from)), ND_SUCCESS);
	hr = CALL(c, Connect, (IUnknown *)qp, SA(&to), sizeof(to), 0, 0, NULL, 0, &ov);
	if (hr == ND_PENDING)
		hr = finish(c, &ov);
	HR(hr, ND_ADDRESS_ALREADY_EXISTS);
	RELEASE(c);
	RELEASE(qp);
	pair_close(&p);
}

static void nd2_row_137_private_data_size_by_a_probe(void **state)
{
	OVERLAPPED accept = {0};
	ULONG cb = 0;
	struct pair p;

	pair_open(&p, NULL);
	reach_reply(&p, NULL, &accept);
	HR(CALL(p.b.connector, GetPrivateData, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 56);
	cb = 0;
	HR(CALL(p.a.connector, GetPrivateData, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 196);
	pair_close(&p);
}

static void nd2_row_138_private_data_into_a_short_buffer(void **state)
{
	OVERLAPPED connect = {0}, request = {0};
	char got[8] = "-------";
	ULONG cb = 4;
	struct pair p;

	pair_open(&p, NULL);
	HR(start_connect(&p, NULL, "abcdefgh", 8, &connect), ND_PENDING);
	ENDS(p.listener,
	     CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request), &request,
	     ND_SUCCESS);
	HR(CALL(p.b.connector, GetPrivateData, got, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 56);
	assert_memory_equal(got, "abcd---", 8);
	pair_close(&p);
}

static void nd2_row_139_limits_that_the_server_sees(void **state)
{
	const struct how how = {.in = 2, .out = 200};
	OVERLAPPED connect = {0};
	ULONG in, out;
	struct pair p;

	pair_open(&p, NULL);
	reach_request(&p, &how, &connect);
	HR(CALL(p.b.connector, GetReadLimits, &in, &out), ND_SUCCESS);
	assert_int_equal(in, limits.MaxInboundReadLimit); /* how.out is 200, above this limit */
	assert_int_equal(out, 2);
	HR(CALL(p.b.connector, GetReadLimits, NULL, NULL), ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_140_limits_that_the_client_gets(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, complete = {0};
	ULONG in, out;
	struct pair p;

	pair_open(&p, NULL);
	reach_request(&p, NULL, &connect);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, NULL, 0, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	HR(CALL(p.a.connector, GetReadLimits, &in, &out), ND_SUCCESS);
	assert_int_equal(in, 1);
	assert_int_equal(out, 1);
	ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(CALL(p.a.connector, GetReadLimits, &in, &out), ND_SUCCESS);
	assert_int_equal(in, 1);
	assert_int_equal(out, 1);
	pair_close(&p);
}

static void nd2_row_141_complete_before_the_reply(void **state)
{
	OVERLAPPED connect = {0}, ov = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.a.connector, CompleteConnect, &ov), ND_CONNECTION_INVALID);
	reach_request(&p, NULL, &connect);
	HR(CALL(p.a.connector, CompleteConnect, &ov), ND_CONNECTION_INVALID);
	pair_close(&p);
}

static void nd2_row_142_the_active_side_rejects_the_reply(void **state)
{
	OVERLAPPED accept = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	reach_reply(&p, NULL, &accept);
	HR(CALL(p.a.connector, Reject, NULL, 0), ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_CONNECTION_REFUSED);
	reap_is(p.b.cq, 1, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_143_the_active_side_goes_away_after_the_reply(void **state)
{
	OVERLAPPED accept = {0};
	struct pair p;

	pair_open(&p, NULL);
	reach_reply(&p, NULL, &accept);
	assert_int_equal(CALL(p.a.connector, Release), 0);
	p.a.connector = NULL;
	HR(finish(p.b.connector, &accept), ND_CONNECTION_REFUSED);
	pair_close(&p);
}

static void nd2_row_144_the_active_side_cancels_its_connect(void **state)
{
	OVERLAPPED connect = {0}, accept = {0};
	struct pair p;
	HRESULT hr;

	pair_open(&p, NULL);
	reach_request(&p, NULL, &connect);
	HR(CALL(p.a.connector, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&connect, 0), ND_CANCELED);
	hr = CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, NULL, 0, &accept);
	if (hr == ND_PENDING)
		hr = finish(p.b.connector, &accept);
	HR(hr, ND_CONNECTION_ABORTED);
	pair_close(&p);
}

static void nd2_row_145_accept_with_a_busy_queue_pair(void **state)
{
	OVERLAPPED request = {0}, connect = {0}, accept = {0};
	IND2Connector *c[2];
	struct sockaddr_in to;
	IND2QueuePair *qp;
	struct pair p;

	pair_open_connected(&p, NULL);
	to = address_of(1, p.port);
	c[0] = new_connector(&p.a);
	c[1] = new_connector(&p.b);
	qp = new_qp(&p.a, p.a.cq, NULL, NULL);
	bind_any(&p.a, c[0]);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)c[1], &request), ND_PENDING);
	HR(CALL(c[0], Connect, (IUnknown *)p.a.qp, SA(&to), sizeof(to), 0, 0, NULL, 0, &connect),
	   ND_CONNECTION_ACTIVE);
	HR(CALL(c[0], Connect, (IUnknown *)qp, SA(&to), sizeof(to), 0, 0, NULL, 0, &connect),
	   ND_PENDING);
	HR(finish(p.listener, &request), ND_SUCCESS);
	HR(CALL(c[1], Accept, (IUnknown *)p.b.qp, 0, 0, NULL, 0, &accept), ND_CONNECTION_ACTIVE);
	RELEASE(c[0]);
	RELEASE(c[1]);
	RELEASE(qp);
	pair_close(&p);
}

static void nd2_row_146_send_before_the_end_of_accept(void **state)
{
	OVERLAPPED accept = {0}, complete = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(post_recv(&p.a, 0, 1000, 1), ND_SUCCESS);
	HR(post_recv(&p.b, 0, 1000, 2), ND_SUCCESS);
	reach_reply(&p, NULL, &accept);
	HR(CALL(p.a.connector, CompleteConnect, &complete), ND_PENDING);
	HR(finish(p.a.connector, &complete), ND_SUCCESS);
	HR(post_send(&p.a, 4096, 10, 3, 0), ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_SUCCESS);
	HR(post_send(&p.b, 4096, 10, 4, 0), ND_SUCCESS);
	reap_is(p.b.cq, 4, ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_147_the_server_may_send_first(void **state)
{
	struct pair p;

	pair_open(&p, NULL);
	HR(post_recv(&p.a, 0, 1000, 1), ND_SUCCESS);
	pair_connect(&p, NULL);
	HR(post_send(&p.b, 4096, 10, 2, 0), ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_126_bind_twice_is_refused),
	cmocka_unit_test(nd2_row_127_bind_to_the_port_of_a_listener),
	cmocka_unit_test(nd2_row_128_local_address_from_bind_on),
	cmocka_unit_test(nd2_row_129_local_address_into_a_short_buffer),
	cmocka_unit_test(nd2_row_130_private_data_of_connect_has_a_limit),
	cmocka_unit_test(nd2_row_131_private_data_of_accept_has_a_limit),
	cmocka_unit_test(nd2_row_132_connect_to_no_address),
	cmocka_unit_test(nd2_row_133_connect_to_nobody_then_to_somebody),
	cmocka_unit_test(nd2_row_134_a_rejection_brings_its_data),
	cmocka_unit_test(nd2_row_135_connect_while_a_reply_is_at_hand),
	cmocka_unit_test(nd2_row_136_the_same_ends_twice),
	cmocka_unit_test(nd2_row_137_private_data_size_by_a_probe),
	cmocka_unit_test(nd2_row_138_private_data_into_a_short_buffer),
	cmocka_unit_test(nd2_row_139_limits_that_the_server_sees),
	cmocka_unit_test(nd2_row_140_limits_that_the_client_gets),
	cmocka_unit_test(nd2_row_141_complete_before_the_reply),
	cmocka_unit_test(nd2_row_142_the_active_side_rejects_the_reply),
	cmocka_unit_test(nd2_row_143_the_active_side_goes_away_after_the_reply),
	cmocka_unit_test(nd2_row_144_the_active_side_cancels_its_connect),
	cmocka_unit_test(nd2_row_145_accept_with_a_busy_queue_pair),
	cmocka_unit_test(nd2_row_146_send_before_the_end_of_accept),
	cmocka_unit_test(nd2_row_147_the_server_may_send_first),
};

nd2_main(tests)
