/* Addresses and port numbers: IPv4 and IPv6, wildcards, loopback addresses, and the end of the
 * range of ephemeral ports. The adapters have room for more connectors than there are ephemeral
 * ports. */
#include "fixture.h"

#include <arpa/inet.h>
#include <stdio.h>

#define FIRST  49152u
#define LAST   65535u
#define PORTS  (LAST - FIRST + 1)
#define MAX_CM 17000u

union any_address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static union any_address any4(uint16_t port)
{
	return (union any_address){.in = {.sin_family = AF_INET, .sin_port = htons(port)}};
}

static union any_address any6(uint16_t port)
{
	return (union any_address){.in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)}};
}

static union any_address v4(int which, uint16_t port)
{
	return (union any_address){.in = address_of(which, port)};
}

static union any_address v6(int which, uint16_t port)
{
	return (union any_address){.in6 = address6_of(which, port)};
}

static union any_address self4(uint16_t port)
{
	union any_address a = any4(port);

	a.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static union any_address self6(uint16_t port)
{
	union any_address a = any6(port);

	a.in6.sin6_addr = in6addr_loopback;
	return a;
}

static ULONG bytes_of(const union any_address *a)
{
	return a->sa.sa_family == AF_INET ? sizeof(a->in) : sizeof(a->in6);
}

static uint16_t port_of(const union any_address *a)
{
	return ntohs(a->sa.sa_family == AF_INET ? a->in.sin_port : a->in6.sin6_port);
}

static bool same(const union any_address *a, const union any_address *b)
{
	return a->sa.sa_family == b->sa.sa_family && memcmp(a, b, bytes_of(a)) == 0;
}

static union any_address local_of(IND2Connector *c)
{
	union any_address a = {0};
	ULONG cb = sizeof(a);

	HR(CALL(c, GetLocalAddress, &a.sa, &cb), ND_SUCCESS);
	assert_int_equal(cb, bytes_of(&a));
	return a;
}

static union any_address peer_of(IND2Connector *c)
{
	union any_address a = {0};
	ULONG cb = sizeof(a);

	HR(CALL(c, GetPeerAddress, &a.sa, &cb), ND_SUCCESS);
	assert_int_equal(cb, bytes_of(&a));
	return a;
}

/* Makes a listener at this address and returns the listener's port number. */
static uint16_t listen_at(struct end *e, union any_address at, IND2Listener **l)
{
	union any_address got = {0};
	ULONG cb = sizeof(got);

	*l = new_listener(e);
	HR(CALL(*l, Bind, &at.sa, bytes_of(&at)), ND_SUCCESS);
	HR(CALL(*l, Listen, 0), ND_SUCCESS);
	HR(CALL(*l, GetLocalAddress, &got.sa, &cb), ND_SUCCESS);
	assert_int_equal(cb, bytes_of(&at));
	assert_int_equal(got.sa.sa_family, at.sa.sa_family);
	return port_of(&got);
}

/* Binds a's connector to the address `from` and connects it to the address `to`. b accepts the
 * connection through the listener l. */
static void connect_by(struct end *a, struct end *b, IND2Listener *l, union any_address from,
		       union any_address to)
{
	OVERLAPPED connect = {0}, request = {0}, accept = {0}, complete = {0};

	HR(CALL(a->connector, Bind, &from.sa, bytes_of(&from)), ND_SUCCESS);
	HR(CALL(a->connector, Connect, (IUnknown *)a->qp, &to.sa, bytes_of(&to), 1, 1, "hello", 5,
		&connect),
	   ND_PENDING);
	ENDS(l, CALL(l, GetConnectionRequest, (IUnknown *)b->connector, &request), &request,
	     ND_SUCCESS);
	HR(CALL(b->connector, Accept, (IUnknown *)b->qp, 1, 1, NULL, 0, &accept), ND_PENDING);
	HR(finish(a->connector, &connect), ND_SUCCESS);
	ENDS(a->connector, CALL(a->connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(finish(b->connector, &accept), ND_SUCCESS);
}

static void check_route(int peer, union any_address listen, union any_address from,
			union any_address to, union any_address local, union any_address remote)
{
	union any_address seen;
	IND2Listener *l;
	struct end a, b;
	uint16_t port;

	end_open(&a, 0, NULL);
	end_open(&b, peer, NULL);
	port = listen_at(&b, listen, &l);
	if (to.sa.sa_family == AF_INET)
		to.in.sin_port = remote.in.sin_port = htons(port);
	else
		to.in6.sin6_port = remote.in6.sin6_port = htons(port);
	connect_by(&a, &b, l, from, to);
	/* Each side's own address must be the peer address that the other side reports. */
	seen = local_of(a.connector);
	if (local.sa.sa_family == AF_INET)
		local.in.sin_port = htons(port_of(&seen));
	else
		local.in6.sin6_port = htons(port_of(&seen));
	assert_true(same(&seen, &local));
	seen = peer_of(b.connector);
	assert_true(same(&seen, &local));
	seen = peer_of(a.connector);
	assert_true(same(&seen, &remote));
	seen = local_of(b.connector);
	assert_true(same(&seen, &remote));
	exchange(&a, &b);
	exchange(&b, &a);
	RELEASE(l);
	end_close(&a);
	end_close(&b);
}

static void nd2_own_every_way_to_name_an_address(void **state)
{
	/* The six arguments: the accepting adapter, the listener's address, the connector's
	 * address, the destination, and the addresses that both sides must report for the active
	 * side and for the passive side. Here adapter 0 connects to adapter 1. */
	check_route(1, v4(1, 0), v4(0, 0), v4(1, 0), v4(0, 0), v4(1, 0));
	check_route(1, v6(1, 0), v6(0, 0), v6(1, 0), v6(0, 0), v6(1, 0));
	check_route(1, any4(0), any4(0), v4(1, 0), v4(0, 0), v4(1, 0));
	check_route(1, any6(0), any6(0), v6(1, 0), v6(0, 0), v6(1, 0));
	/* A listener or connector that is bound to the wildcard :: works over IPv4 too. */
	check_route(1, any6(0), any6(0), v4(1, 0), v4(0, 0), v4(1, 0));
	check_route(1, any6(0), any4(0), v4(1, 0), v4(0, 0), v4(1, 0));
	check_route(1, v4(1, 6000), v4(0, 6001), v4(1, 0), v4(0, 0), v4(1, 0));
	/* Adapter 0 connects to itself. */
	check_route(0, v4(0, 0), v4(0, 0), v4(0, 0), v4(0, 0), v4(0, 0));
	check_route(0, v6(0, 0), v6(0, 0), v6(0, 0), v6(0, 0), v6(0, 0));
	check_route(0, any4(0), v4(0, 0), self4(0), v4(0, 0), v4(0, 0));
	check_route(0, any4(0), any4(0), self4(0), v4(0, 0), v4(0, 0));
	check_route(0, any6(0), v6(0, 0), self6(0), v6(0, 0), v6(0, 0));
	check_route(0, any6(0), any6(0), self6(0), v6(0, 0), v6(0, 0));
	check_route(0, any6(0), any6(0), self4(0), v4(0, 0), v4(0, 0));
}

static HRESULT connect_to(struct end *e, union any_address from, union any_address to)
{
	OVERLAPPED ov = {0};
	HRESULT hr;

	RELEASE(e->connector);
	e->connector = new_connector(e);
	HR(CALL(e->connector, Bind, &from.sa, bytes_of(&from)), ND_SUCCESS);
	hr = CALL(e->connector, Connect, (IUnknown *)e->qp, &to.sa, bytes_of(&to), 1, 1, NULL, 0,
		  &ov);
	return hr == ND_PENDING ? finish(e->connector, &ov) : hr;
}

static void nd2_own_addresses_that_do_not_match(void **state)
{
	const union any_address foreign[] = {v4(1, 0), v6(1, 0), self4(0), self6(0)};
	IND2Listener *l;
	struct end e;

	end_open(&e, 0, NULL);
	l = new_listener(&e);
	for (int i = 0; i < 4; i++) {
		HR(CALL(e.connector, Bind, &foreign[i].sa, bytes_of(&foreign[i])),
		   ND_INVALID_ADDRESS);
		HR(CALL(l, Bind, &foreign[i].sa, bytes_of(&foreign[i])), ND_INVALID_ADDRESS);
	}
	HR(CALL(e.connector, Bind, NULL, 0), ND_INVALID_ADDRESS);
	HR(CALL(e.connector, Bind, &foreign[0].sa, 15), ND_INVALID_ADDRESS);
	HR(CALL(l, Bind, NULL, 0), ND_INVALID_ADDRESS);
	HR(connect_to(&e, v4(0, 0), v6(1, 4000)), ND_INVALID_ADDRESS);
	HR(connect_to(&e, v6(0, 0), v4(1, 4000)), ND_INVALID_ADDRESS);
	HR(connect_to(&e, any4(0), v6(1, 4000)), ND_INVALID_ADDRESS);
	HR(connect_to(&e, v4(0, 0), any4(4000)), STATUS_BAD_NETWORK_NAME);
	HR(connect_to(&e, v6(0, 0), any6(4000)), STATUS_BAD_NETWORK_NAME);
	HR(connect_to(&e, v6(0, 0), v6(1, 4000)), ND_CONNECTION_REFUSED);
	HR(connect_to(&e, v6(0, 0), v6(76, 4000)), ND_HOST_UNREACHABLE);
	HR(connect_to(&e, any6(0), v6(0, 4000)), ND_CONNECTION_REFUSED);
	RELEASE(l);
	end_close(&e);
}

/* Listeners on one port number at different addresses. At most one listener can be bound to a pair
 * of address and port number. The wildcards 0.0.0.0 and :: each count as an address.
 *
 * A connection request goes to the listener at exactly the destination address. If there is none,
 * the request goes to a listener at a wildcard. */
static void nd2_own_listeners_side_by_side(void **state)
{
	const union any_address at[] = {v4(1, 700), any4(700), any6(700), v6(1, 700)};
	IND2Listener *l[4], *again;
	struct end a, b;

	end_open(&a, 0, NULL);
	end_open(&b, 1, NULL);
	again = new_listener(&b);
	for (int i = 0; i < 4; i++)
		listen_at(&b, at[i], &l[i]);
	for (int i = 0; i < 4; i++)
		HR(CALL(again, Bind, &at[i].sa, bytes_of(&at[i])), ND_SHARING_VIOLATION);
	/* A connection request over IPv4 goes to the listener at the exact address. After the
	 * release of that listener, it goes to the listener at 0.0.0.0, and then to the listener at
	 * ::. */
	for (int i = 0; i < 3; i++) {
		OVERLAPPED request = {0}, connect = {0};
		union any_address to = v4(1, 700), from = v4(0, 0);
		IND2Connector *c = new_connector(&a);

		HR(CALL(l[i], GetConnectionRequest, (IUnknown *)b.connector, &request), ND_PENDING);
		HR(CALL(c, Bind, &from.sa, sizeof(from.in)), ND_SUCCESS);
		HR(CALL(c, Connect, (IUnknown *)a.qp, &to.sa, sizeof(to.in), 0, 0, NULL, 0,
			&connect),
		   ND_PENDING);
		HR(finish(l[i], &request), ND_SUCCESS);
		RELEASE(b.connector);
		b.connector = new_connector(&b);
		HR(finish(c, &connect), ND_CONNECTION_REFUSED);
		RELEASE(c);
		RELEASE(l[i]);
	}
	/* The only listener left is the listener at the IPv6 address. */
	HR(connect_to(&a, v4(0, 0), v4(1, 700)), ND_CONNECTION_REFUSED);
	HR(CALL(again, Bind, &at[3].sa, bytes_of(&at[3])), ND_SHARING_VIOLATION);
	RELEASE(l[3]);
	HR(CALL(again, Bind, &at[3].sa, bytes_of(&at[3])), ND_SUCCESS);
	RELEASE(again);
	end_close(&a);
	end_close(&b);
}

/* All ephemeral ports are in use, so Bind to port 0 is refused. A port outside of the range can
 * still be bound. An ephemeral port can be bound again after it was released. */
static void nd2_own_ephemeral_ports_run_out(void **state)
{
	static IND2Connector *c[MAX_CM + 1];
	static uint8_t taken[PORTS];
	union any_address at = v4(0, 0), six = v6(0, 0), exact = v4(0, 4000), again;
	IND2Listener *l;
	unsigned n = 0;
	uint16_t freed;
	struct end e;
	HRESULT hr;

	end_open(&e, 0, NULL);
	l = new_listener(&e);
	for (; n < PORTS; n++) {
		c[n] = new_connector(&e);
		HR(CALL(c[n], Bind, n % 2 ? &at.sa : &six.sa,
			n % 2 ? sizeof(at.in) : sizeof(at.in6)),
		   ND_SUCCESS);
		again = local_of(c[n]);
		assert_in_range(port_of(&again), FIRST, LAST);
		assert_int_equal(taken[port_of(&again) - FIRST]++, 0);
	}
	c[n] = new_connector(&e);
	HR(CALL(c[n], Bind, &at.sa, sizeof(at.in)), ND_TOO_MANY_ADDRESSES);
	HR(CALL(l, Bind, &at.sa, sizeof(at.in)), ND_TOO_MANY_ADDRESSES);
	/* The refused Bind has left the connector unbound. */
	HR(CALL(c[n], Bind, &exact.sa, sizeof(exact.in)), ND_SUCCESS);
	n++;
	again = local_of(c[77]);
	freed = port_of(&again);
	RELEASE(c[77]);
	HR(CALL(l, Bind, &at.sa, sizeof(at.in)), ND_SUCCESS);
	{
		ULONG cb = sizeof(again);

		HR(CALL(l, GetLocalAddress, &again.sa, &cb), ND_SUCCESS);
	}
	assert_int_equal(port_of(&again), freed);
	/* More connectors can be bound to the explicit port 4000, until the connection manager's
	 * table (limits.max_cm) is full. */
	for (; n < MAX_CM + 1; n++) {
		hr = CALL(adapters[0], CreateConnector, &IID_IND2Connector, e.file, (void **)&c[n]);
		if (hr != ND_SUCCESS)
			break;
		hr = CALL(c[n], Bind, &exact.sa, sizeof(exact.in));
		/* The listener also uses an entry of the connection manager's table, so the last
		 * connector gets none. */
		if (hr != ND_SUCCESS) {
			RELEASE(c[n]);
			break;
		}
	}
	HR(hr, ND_INSUFFICIENT_RESOURCES);
	RELEASE(l);
	for (unsigned i = 0; i < n; i++)
		RELEASE(c[i]);
	HR(connect_to(&e, v4(0, 0), v4(1, 4000)), ND_CONNECTION_REFUSED);
	end_close(&e);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_every_way_to_name_an_address),
	cmocka_unit_test(nd2_own_addresses_that_do_not_match),
	cmocka_unit_test(nd2_own_listeners_side_by_side),
	cmocka_unit_test(nd2_own_ephemeral_ports_run_out),
};

int main(void)
{
	use_config("adapters = (\n"
		   "{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
		   "  ipv4 = [ \"192.0.2.1/24\" ]; ipv6 = [ \"2001:db8::1/64\" ]; },\n"
		   "{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
		   "  ipv4 = [ \"192.0.2.2/24\" ]; ipv6 = [ \"2001:db8::2/64\" ]; });\n"
		   "eal = { hugepages = \"no\"; };\n"
		   "limits = { max_cm = 17000; };\n"
		   "timers = { neigh_retry_ms = 50; neigh_probes = 20; };\n");
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
