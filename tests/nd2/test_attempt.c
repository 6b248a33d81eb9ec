/* Attempts to connect: repeated after a failure, many from one port number, from both sides at
 * once, and by slow clients. The tests that wait for the end of a timeout run with short timeouts.
 * The neighbour 192.0.2.9 never answers. */
#include "fixture.h"

#include <arpa/inet.h>
#include <stdio.h>

#define SILENT 8 /* address_of(SILENT, 0) is 192.0.2.9 */

static void bind_to(IND2Connector *c, int which, uint16_t port)
{
	struct sockaddr_in sin = address_of(which, port);

	HR(CALL(c, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
}

static HRESULT try_to_reach(struct end *e, int which, uint16_t port)
{
	struct sockaddr_in to = address_of(which, port);
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(e->connector, Connect, (IUnknown *)e->qp, SA(&to), sizeof(to), 1, 1, NULL,
			  0, &ov);

	return hr == ND_PENDING ? finish(e->connector, &ov) : hr;
}

/* All failed attempts use one connector and one queue pair. A receive that was posted before the
 * first attempt stays posted. */
static void nd2_own_connect_again_after_each_failure(void **state)
{
	static const struct {
		int which;
		uint16_t port;
		HRESULT status;
	} rows[] = {
		{1, 4000, ND_CONNECTION_REFUSED}, {76, 4000, ND_HOST_UNREACHABLE},
		{SILENT, 4000, ND_IO_TIMEOUT},	  {0, 4000, ND_CONNECTION_REFUSED},
		{1, 0, STATUS_BAD_NETWORK_NAME},
	};
	OVERLAPPED connect = {0};
	struct sockaddr_in before, after;
	ULONG cb = sizeof(before);
	struct pair p;

	pair_open(&p, NULL);
	HR(post_recv(&p.a, 0, 64, 1), ND_SUCCESS);
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)&before, &cb), ND_SUCCESS);
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			HR(try_to_reach(&p.a, rows[i].which, rows[i].port), rows[i].status);
	/* The peer rejects the connection request. Its connector cannot be used again after Reject,
	 * so the peer makes a new connector. */
	reach_request(&p, NULL, &connect);
	HR(CALL(p.b.connector, Reject, NULL, 0), ND_SUCCESS);
	HR(finish(p.a.connector, &connect), ND_CONNECTION_REFUSED);
	RELEASE(p.b.connector);
	p.b.connector = new_connector(&p.b);
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)&after, &cb), ND_SUCCESS);
	assert_memory_equal(&before, &after, sizeof(before));
	pair_connect(&p, NULL);
	HR(post_send(&p.b, 0, 8, 2, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	pair_close(&p);
}

/* After a failed attempt the queue pair can connect with another connector, and the connector with
 * another queue pair. */
static void nd2_own_other_connector_or_queue_pair_after_a_failure(void **state)
{
	IND2Connector *other;
	IND2QueuePair *qp;
	struct pair p;

	pair_open(&p, NULL);
	HR(try_to_reach(&p.a, 1, 4000), ND_CONNECTION_REFUSED);
	qp = p.a.qp;
	p.a.qp = new_qp(&p.a, p.a.cq, NULL, NULL);
	HR(try_to_reach(&p.a, 1, 4000), ND_CONNECTION_REFUSED);
	RELEASE(p.a.qp);
	p.a.qp = qp;
	other = p.a.connector;
	p.a.connector = new_connector(&p.a);
	bind_any(&p.a, p.a.connector);
	pair_connect(&p, NULL);
	exchange(&p.a, &p.b);
	RELEASE(other);
	pair_close(&p);
}

static void nd2_own_addresses_that_cannot_be_connected_to(void **state)
{
	struct sockaddr_in group = address_of(0, 4000), own = address_of(0, 0);
	struct sockaddr_in6 six = address6_of(1, 4000);
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open(&p, NULL);
	group.sin_addr.s_addr = htonl(0xe0000001);
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, SA(&group), sizeof(group), 0, 0, NULL,
		0, &ov),
	   ND_INVALID_ADDRESS);
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, (struct sockaddr *)&six, sizeof(six), 0,
		0, NULL, 0, &ov),
	   ND_INVALID_ADDRESS); /* IPv6 peer, but the connector is bound to IPv4 */
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, SA(&own), 15, 0, 0, NULL, 0, &ov),
	   ND_INVALID_ADDRESS);
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, NULL, 0, 0, 0, NULL, 0, &ov),
	   ND_INVALID_ADDRESS);
	HR(status_after(&ov, 0), ND_INVALID_ADDRESS);
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.cq, SA(&own), sizeof(own), 0, 0, NULL, 0,
		&ov),
	   ND_INVALID_PARAMETER_1);
	HR(CALL(p.a.connector, Connect, (IUnknown *)p.b.qp, SA(&own), sizeof(own), 0, 0, NULL, 0,
		&ov),
	   ND_INVALID_PARAMETER_1);
	pair_connect(&p, NULL);
	pair_close(&p);
}

/* Four values identify a connection: local address, local port, remote address, remote port. A
 * second Connect with the same four values is refused until the first connector is released. */
static void nd2_own_one_connection_per_address_pair(void **state)
{
	struct sockaddr_in from, to;
	ULONG cb = sizeof(from);
	OVERLAPPED connect = {0}, ov = {0};
	struct pair p;
	struct end e;

	pair_open(&p, NULL);
	end_open(&e, 0, NULL);
	HR(CALL(p.a.connector, GetLocalAddress, (struct sockaddr *)&from, &cb), ND_SUCCESS);
	HR(CALL(e.connector, Bind, SA(&from), sizeof(from)), ND_SUCCESS);
	to = address_of(1, p.port);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	HR(CALL(e.connector, Connect, (IUnknown *)e.qp, SA(&to), sizeof(to), 0, 0, NULL, 0, &ov),
	   ND_ADDRESS_ALREADY_EXISTS);
	RELEASE(p.a.connector);
	HR(CALL(e.connector, Connect, (IUnknown *)e.qp, SA(&to), sizeof(to), 0, 0, NULL, 0, &ov),
	   ND_PENDING);
	end_close(&e);
	pair_close(&p);
}

/* Many connectors of adapter 0 are bound to one local port and connect to different peers. A
 * listener of adapter 0 listens on that port too. */
static void nd2_own_many_connections_from_one_port(void **state)
{
	enum { MANY = 12 };
	struct sockaddr_in to;
	OVERLAPPED connect[MANY] = {{0}}, request = {0}, accept[MANY] = {{0}}, complete = {0},
		   ov = {0};
	struct end a[MANY], b[MANY];
	IND2Listener *own, *listener[MANY];
	uint16_t port, theirs[MANY];

	for (int i = 0; i < MANY; i++) {
		end_open(&a[i], 0, NULL);
		end_open(&b[i], 1, NULL);
		listen_on(&b[i], &listener[i], &theirs[i], 0);
	}
	listen_on(&a[0], &own, &port, 0);
	for (int i = 0; i < MANY; i++) {
		bind_to(a[i].connector, 0, port);
		to = address_of(1, theirs[i]);
		HR(CALL(a[i].connector, Connect, (IUnknown *)a[i].qp, SA(&to), sizeof(to), 1, 1,
			NULL, 0, &connect[i]),
		   ND_PENDING);
	}
	for (int i = 0; i < MANY; i++) {
		ENDS(listener[i],
		     CALL(listener[i], GetConnectionRequest, (IUnknown *)b[i].connector, &request),
		     &request, ND_SUCCESS);
		HR(CALL(b[i].connector, Accept, (IUnknown *)b[i].qp, 1, 1, NULL, 0, &accept[i]),
		   ND_PENDING);
	}
	for (int i = 0; i < MANY; i++) {
		HR(finish(a[i].connector, &connect[i]), ND_SUCCESS);
		ENDS(a[i].connector, CALL(a[i].connector, CompleteConnect, &complete), &complete,
		     ND_SUCCESS);
		HR(finish(b[i].connector, &accept[i]), ND_SUCCESS);
		exchange(&a[i], &b[i]);
		exchange(&b[i], &a[i]);
	}
	/* Now b[0] connects to `port` from port number theirs[1]. A connection between these two
	 * ports already exists: a[1] has connected from `port` to theirs[1]. */
	RELEASE(a[0].connector);
	RELEASE(a[0].qp);
	RELEASE(b[0].connector);
	RELEASE(b[0].qp);
	a[0].connector = new_connector(&a[0]);
	a[0].qp = new_qp(&a[0], a[0].cq, NULL, NULL);
	b[0].connector = new_connector(&b[0]);
	b[0].qp = new_qp(&b[0], b[0].cq, NULL, NULL);
	bind_to(b[0].connector, 1, theirs[1]);
	to = address_of(0, port);
	HR(CALL(b[0].connector, Connect, (IUnknown *)b[0].qp, SA(&to), sizeof(to), 1, 1, NULL, 0,
		&ov),
	   ND_PENDING);
	ENDS(own, CALL(own, GetConnectionRequest, (IUnknown *)a[0].connector, &request), &request,
	     ND_SUCCESS);
	HR(CALL(a[0].connector, Accept, (IUnknown *)a[0].qp, 1, 1, NULL, 0, &accept[0]),
	   ND_PENDING);
	HR(finish(b[0].connector, &ov), ND_SUCCESS);
	ENDS(b[0].connector, CALL(b[0].connector, CompleteConnect, &complete), &complete,
	     ND_SUCCESS);
	HR(finish(a[0].connector, &accept[0]), ND_SUCCESS);
	RELEASE(own);
	for (int i = 0; i < MANY; i++) {
		RELEASE(listener[i]);
		end_close(&a[i]);
		end_close(&b[i]);
	}
}

/* One of two sides that connect to each other at the same moment. Each side connects from the port
 * number on which its listener listens. */
struct caller {
	struct end out, in;
	IND2Listener *listener;
	uint16_t port;
	OVERLAPPED connect, request, accept, complete;
};

static void caller_open(struct caller *c, int which)
{
	memset(c, 0, sizeof(*c));
	end_open(&c->out, which, NULL);
	end_open(&c->in, which, NULL);
	listen_on(&c->in, &c->listener, &c->port, 0);
	bind_to(c->out.connector, which, c->port);
	HR(CALL(c->listener, GetConnectionRequest, (IUnknown *)c->in.connector, &c->request),
	   ND_PENDING);
}

static void nd2_own_both_sides_connect_at_once(void **state)
{
	for (int round = 0; round < 30; round++) {
		struct caller c[2];

		caller_open(&c[0], 0);
		caller_open(&c[1], 1);
		for (int i = 0; i < 2; i++) {
			struct sockaddr_in to = address_of(!i, c[!i].port);

			HR(CALL(c[i].out.connector, Connect, (IUnknown *)c[i].out.qp, SA(&to),
				sizeof(to), 1, 1, NULL, 0, &c[i].connect),
			   ND_PENDING);
		}
		for (int i = 0; i < 2; i++) {
			HR(finish(c[i].listener, &c[i].request), ND_SUCCESS);
			HR(CALL(c[i].in.connector, Accept, (IUnknown *)c[i].in.qp, 1, 1, NULL, 0,
				&c[i].accept),
			   ND_PENDING);
		}
		for (int i = 0; i < 2; i++) {
			HR(finish(c[i].out.connector, &c[i].connect), ND_SUCCESS);
			ENDS(c[i].out.connector,
			     CALL(c[i].out.connector, CompleteConnect, &c[i].complete),
			     &c[i].complete, ND_SUCCESS);
			HR(finish(c[!i].in.connector, &c[!i].accept), ND_SUCCESS);
		}
		for (int i = 0; i < 2; i++)
			exchange(&c[i].out, &c[!i].in);
		for (int i = 0; i < 2; i++) {
			RELEASE(c[i].listener);
			end_close(&c[i].out);
			end_close(&c[i].in);
		}
	}
}

/* Each client waits 1 s before it calls Accept or CompleteConnect. All repetitions of a REQ or
 * REP take 0.7 s, since cm_response_ms and cm_retries are small. The attempt succeeds because the
 * connection manager sends an MRA, which extends the peer's timeout. */
static void nd2_own_slow_clients_outlast_the_repeats(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, complete = {0};
	struct pair p;

	pair_open(&p, NULL);
	reach_request(&p, NULL, &connect);
	HR(status_after(&connect, 1000), ND_PENDING);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, NULL, 0, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	HR(status_after(&accept, 1000), ND_PENDING);
	ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_SUCCESS);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

/* A queue pair that was flushed cannot be connected any more. Accept refuses the flushed queue
 * pair. The connection request can still be accepted with another queue pair. */
static void nd2_own_a_flushed_queue_pair_is_no_good(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, complete = {0};
	struct sockaddr_in to;
	IND2QueuePair *spent;
	struct pair p;

	pair_open(&p, NULL);
	to = address_of(1, p.port);
	spent = new_qp(&p.a, p.a.cq, NULL, NULL);
	HR(CALL(spent, Flush), ND_SUCCESS);
	HR(CALL(p.a.connector, Connect, (IUnknown *)spent, SA(&to), sizeof(to), 1, 1, NULL, 0,
		&connect),
	   ND_CONNECTION_ACTIVE);
	RELEASE(spent);
	reach_request(&p, NULL, &connect);
	spent = new_qp(&p.b, p.b.cq, NULL, NULL);
	HR(CALL(spent, Flush), ND_SUCCESS);
	HR(CALL(p.b.connector, Accept, (IUnknown *)spent, 1, 1, NULL, 0, &accept),
	   ND_CONNECTION_ACTIVE);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.a.qp, 1, 1, NULL, 0, &accept),
	   ND_INVALID_PARAMETER_1);
	HR(CALL(p.b.connector, Accept, NULL, 1, 1, NULL, 0, &accept), ND_INVALID_PARAMETER_1);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, NULL, 0, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_SUCCESS);
	exchange(&p.a, &p.b);
	RELEASE(spent);
	pair_close(&p);
}

/* The active side flushes its queue pair after the REP has arrived, and then calls CompleteConnect.
 * The attempt fails, and the peer's Accept ends with ND_CONNECTION_REFUSED. */
static void nd2_own_a_queue_pair_flushed_on_the_way(void **state)
{
	OVERLAPPED accept = {0}, complete = {0};
	struct pair p;
	HRESULT hr;

	pair_open(&p, NULL);
	reach_reply(&p, NULL, &accept);
	HR(CALL(p.a.qp, Flush), ND_SUCCESS);
	hr = CALL(p.a.connector, CompleteConnect, &complete);
	HR(hr == ND_PENDING ? finish(p.a.connector, &complete) : hr, ND_CONNECTION_ABORTED);
	HR(finish(p.b.connector, &accept), ND_CONNECTION_REFUSED);
	pair_close(&p);
}

/* Tests read limits: the limits that each side requests, and the limits negotiated from them. A
 * queue pair whose limit is not 0 accepts more Reads than the limit. */
static void nd2_own_read_limits_are_negotiated(void **state)
{
	static const struct {
		/* Requested limits. The active side requests `in` and `out`, the passive side
		 * `peer_in` and `peer_out`. */
		ULONG in, out, peer_in, peer_out;
		/* Negotiated limits of the active side. The passive side has the same limits with
		 * inbound and outbound swapped. */
		ULONG got_in, got_out;
	} rows[] = {
		{0, 0, 0, 0, 0, 0}, {4, 4, 0, 0, 0, 0},	      {0, 0, 4, 4, 0, 0},
		{1, 2, 3, 4, 1, 2}, {4, 3, 2, 1, 1, 2},	      {6, 0, 6, 6, 6, 0},
		{0, 5, 6, 6, 0, 5}, {16, 16, 16, 16, 16, 16}, {300, 300, 300, 300, 16, 16},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sockaddr_in to;
		OVERLAPPED request = {0}, connect = {0}, accept = {0}, complete = {0};
		ULONG in, out;
		struct pair p;

		pair_open(&p, NULL);
		to = address_of(1, p.port);
		HR(CALL(p.a.connector, Connect, (IUnknown *)p.a.qp, SA(&to), sizeof(to), rows[i].in,
			rows[i].out, NULL, 0, &connect),
		   ND_PENDING);
		ENDS(p.listener,
		     CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request),
		     &request, ND_SUCCESS);
		HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, rows[i].peer_in,
			rows[i].peer_out, NULL, 0, &accept),
		   ND_PENDING);
		HR(finish(p.a.connector, &connect), ND_SUCCESS);
		ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete,
		     ND_SUCCESS);
		HR(finish(p.b.connector, &accept), ND_SUCCESS);
		HR(CALL(p.a.connector, GetReadLimits, &in, &out), ND_SUCCESS);
		assert_int_equal(in, rows[i].got_in);
		assert_int_equal(out, rows[i].got_out);
		HR(CALL(p.b.connector, GetReadLimits, &in, NULL), ND_SUCCESS);
		HR(CALL(p.b.connector, GetReadLimits, NULL, &out), ND_SUCCESS);
		assert_int_equal(in, rows[i].got_out);
		assert_int_equal(out, rows[i].got_in);
		for (uintptr_t k = 0; k < 20 && rows[i].got_out != 0; k++)
			HR(post_read(&p.a, 0, 64, k, 0, &p.b, 0), ND_SUCCESS);
		for (uintptr_t k = 0; k < 20 && rows[i].got_out != 0; k++)
			reap_is(p.a.cq, k, ND_SUCCESS);
		HR(post_read(&p.b, 0, 64, 1, 0, &p.a, 0),
		   rows[i].got_in ? ND_SUCCESS : ND_INVALID_DEVICE_REQUEST);
		if (rows[i].got_in != 0)
			reap_is(p.b.cq, 1, ND_SUCCESS);
		pair_close(&p);
	}
}

/* Tests that wait until an attempt times out, or longer. */
static const struct CMUnitTest slow_tests[] = {
	cmocka_unit_test(nd2_own_connect_again_after_each_failure),
	cmocka_unit_test(nd2_own_slow_clients_outlast_the_repeats),
};

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_other_connector_or_queue_pair_after_a_failure),
	cmocka_unit_test(nd2_own_addresses_that_cannot_be_connected_to),
	cmocka_unit_test(nd2_own_one_connection_per_address_pair),
	cmocka_unit_test(nd2_own_many_connections_from_one_port),
	cmocka_unit_test(nd2_own_both_sides_connect_at_once),
	cmocka_unit_test(nd2_own_a_flushed_queue_pair_is_no_good),
	cmocka_unit_test(nd2_own_a_queue_pair_flushed_on_the_way),
	cmocka_unit_test(nd2_own_read_limits_are_negotiated),
};

static void use_timers(const char *timers)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "adapters = (\n"
		 "{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
		 "  ipv4 = [ \"192.0.2.1/24\" ]; ipv6 = [ \"2001:db8::1/64\" ];\n"
		 "  neighbours = ( { ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; } ); },\n"
		 "{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
		 "  ipv4 = [ \"192.0.2.2/24\" ]; ipv6 = [ \"2001:db8::2/64\" ]; });\n"
		 "eal = { hugepages = \"no\"; };\n"
		 "timers = { %s };\n",
		 timers);
	use_config(text);
}

int main(void)
{
	int failed;

	/* An attempt times out after 0.7 s. */
	use_timers("cm_response_ms = 100; cm_retries = 6; neigh_retry_ms = 50; neigh_probes = 14;");
	failed = cmocka_run_group_tests(slow_tests, open_adapters, close_adapters);
	/* With these timers an attempt survives a peer that gets no CPU time for seconds. */
	use_timers("neigh_probes = 60;");
	return failed + cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
