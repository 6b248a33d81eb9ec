/* Lifetime of the NIC's objects, which the provider creates for a client's interfaces. The client
 * releases all interfaces in various orders. No NIC object may be left afterwards. */
#include "../../nd2/fixture.h"
#include "fake_link.h"

static int nothing_at_first(void **state)
{
	assert_int_equal(fake_link_objects(), 0);
	return 0;
}

static void released_in_order(void **state)
{
	struct pair p;

	open_adapters(state);
	pair_open_connected(&p, NULL);
	assert_int_not_equal(fake_link_objects(), 0);
	pair_close(&p);
	close_adapters(state);
}

/* The client releases its adapters first. The objects created on an adapter keep that adapter
 * alive. */
static void released_from_the_root(void **state)
{
	struct pair p;

	open_adapters(state);
	pair_open_connected(&p, NULL);
	close_adapters(state);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void released_half_way(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, request = {0};
	IND2Connector *waiting;
	struct pair p;

	/* The pair is closed while two things are unfinished:
	 * - b's connector has received a connection request and has not answered.
	 * - GetConnectionRequest is pending for the connector `waiting`, which the client has
	 *   already released. */
	open_adapters(state);
	pair_open(&p, NULL);
	reach_request(&p, NULL, &connect);
	waiting = new_connector(&p.b);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)waiting, &request), ND_PENDING);
	RELEASE(waiting);
	pair_close(&p);
	HR(status_after(&request, 0), ND_CANCELED);
	/* The active side has received the REP and has not called CompleteConnect. Everything is
	 * released all the same. */
	pair_open(&p, NULL);
	reach_reply(&p, NULL, &accept);
	RELEASE(p.b.qp);
	HR(finish(p.listener, &accept), ND_CANCELED);
	RELEASE(p.a.qp);
	pair_close(&p);
	close_adapters(state);
}

/* GetConnectionRequest is pending for two connectors, and the client releases the first connector.
 * The connection request goes to the second connector. */
static void forgotten_connector_is_passed_over(void **state)
{
	OVERLAPPED request[2] = {{0}}, connect = {0};
	IND2Connector *forgotten;
	struct pair p;

	open_adapters(state);
	pair_open(&p, NULL);
	forgotten = new_connector(&p.b);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)forgotten, &request[0]), ND_PENDING);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &request[1]),
	   ND_PENDING);
	RELEASE(forgotten);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	HR(finish(p.listener, &request[0]), ND_CANCELED);
	HR(finish(p.listener, &request[1]), ND_SUCCESS);
	pair_close(&p);
	close_adapters(state);
}

/* The fake NIC has 4095 keys for regions and windows. One region leaves 4094 keys for windows. Each
 * released window makes room for another window. */
static void as_many_windows_as_there_are(void **state)
{
	static IND2MemoryWindow *mw[5000];
	void *none = mw;
	struct end e;
	unsigned n;

	open_adapters(state);
	end_open(&e, 0, NULL);
	for (n = 0; n < 5000; n++)
		if (CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)&mw[n]) !=
		    ND_SUCCESS)
			break;
	assert_int_equal(n, 4094); /* one of the 4095 keys is the region's */
	HR(CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryWindow, &none),
	   ND_INSUFFICIENT_RESOURCES);
	assert_null(none);
	RELEASE(mw[100]);
	HR(CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)&mw[100]),
	   ND_SUCCESS);
	for (unsigned i = 0; i < n; i++)
		RELEASE(mw[i]);
	end_close(&e);
	close_adapters(state);
}

/* Waits up to 20 s until no object is left. The event thread may hold the last reference for a
 * moment. */
static int nothing_is_left(void **state)
{
	for (int i = 0; fake_link_objects() != 0 && i < 10000; i++)
		sleep_ms(2);
	assert_int_equal(fake_link_objects(), 0);
	return 0;
}

#define life(f) cmocka_unit_test_setup_teardown(f, nothing_at_first, nothing_is_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		life(released_in_order),
		life(released_from_the_root),
		life(released_half_way),
		life(forgotten_connector_is_passed_over),
		life(as_many_windows_as_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
