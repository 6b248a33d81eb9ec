/* Tests an adapter whose tables are small, so that they are soon full. If a table has no room, the
 * creation of an object fails with the documented status and changes nothing. After another object
 * of the kind has been released, the creation succeeds. */
#include "fixture.h"

#include <stdio.h>

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

#define SHORT ND_INSUFFICIENT_RESOURCES

/* Limits in the adapter's configuration. The fixture's connected pair uses some of the table
 * entries, such as one queue pair on each adapter. */
enum { QPS = 5, CQS = 6, MRS = 9, PDS = 3, CMS = 7, SRQS = 3 };

static void use_small_tables(void)
{
	char text[1024];

	snprintf(
		text, sizeof(text),
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\"; ipv4 = [ \"192.0.2.1/24\" ]; mtu = 4200; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\"; ipv4 = [ \"192.0.2.2/24\" ]; mtu = 4200; });\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { max_qp = %d; max_cq = %d; max_mr = %d; max_pd = %d; max_cm = %d; max_srq = %d; max_timewait = 2;\n"
		"  submit_slots = 64; mbufs = 512; };\n",
		QPS, CQS, MRS, PDS, CMS, SRQS);
	use_config(text);
}

struct table {
	const char *name;
	unsigned room; /* entries that are free when one connected pair exists */
	HRESULT (*make)(struct end *, IUnknown **);
	HRESULT full;
};

static HRESULT make_qp(struct end *e, IUnknown **out)
{
	return CALL(adapters[0], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)e->cq,
		    (IUnknown *)e->cq, NULL, 8, 8, 1, 1, 0, (void **)out);
}

static HRESULT make_cq(struct end *e, IUnknown **out)
{
	return CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, 8, 0, 0,
		    (void **)out);
}

static HRESULT make_registered(struct end *e, IUnknown **out)
{
	IND2MemoryRegion *mr = new_mr(e);
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(mr, Register, e->buf, 100, 0, &ov);

	if (hr == ND_PENDING)
		hr = finish(mr, &ov);
	if (FAILED(hr))
		RELEASE(mr);
	*out = (IUnknown *)mr;
	return hr;
}

static HRESULT make_window(struct end *e, IUnknown **out)
{
	return CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)out);
}

static HRESULT make_srq(struct end *e, IUnknown **out)
{
	return CALL(adapters[0], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, e->file, 8,
		    1, 0, 0, 0, (void **)out);
}

static HRESULT make_adapter(struct end *e, IUnknown **out)
{
	struct sockaddr_in sin = address_of(0, 0);
	IND2Provider *provider;
	static const GUID any;
	UINT64 id;
	HRESULT hr;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&provider), S_OK);
	HR(CALL(provider, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	hr = CALL(provider, OpenAdapter, &IID_IND2Adapter, id, (void **)out);
	CALL(provider, Release);
	return hr;
}

static HRESULT make_connector(struct end *e, IUnknown **out)
{
	return CALL(adapters[0], CreateConnector, &IID_IND2Connector, e->file, (void **)out);
}

static HRESULT make_bound_connector(struct end *e, IUnknown **out)
{
	struct sockaddr_in sin = address_of(0, 0);
	HRESULT hr = make_connector(e, out);

	if (FAILED(hr))
		return hr;
	hr = CALL((IND2Connector *)*out, Bind, SA(&sin), sizeof(sin));
	if (FAILED(hr))
		RELEASE(*out);
	return hr;
}

static HRESULT make_bound_listener(struct end *e, IUnknown **out)
{
	struct sockaddr_in sin = address_of(0, 0);
	IND2Listener *l = new_listener(e);
	HRESULT hr = CALL(l, Bind, SA(&sin), sizeof(sin));

	if (FAILED(hr))
		RELEASE(l);
	*out = (IUnknown *)l;
	return hr;
}

static const struct table tables[] = {
	{"queue pairs", QPS - 1, make_qp, SHORT},
	{"completion queues", CQS - 1, make_cq, SHORT},
	{"regions", MRS - 1, make_registered, SHORT},
	{"windows", MRS - 1, make_window, SHORT},
	{"shared receive queues", SRQS, make_srq, SHORT},
	{"adapter instances", PDS - 1, make_adapter, ND_NO_MEMORY},
	{"connectors", CMS - 1, make_connector, SHORT},
	{"bound connectors", CMS - 1, make_bound_connector, SHORT},
	{"bound listeners", CMS - 1, make_bound_listener, SHORT},
};

static void fill_up(struct pair *p, const struct table *t)
{
	IUnknown *made[16] = {NULL}, *more = NULL;

	print_message("%s\n", t->name);
	for (unsigned i = 0; i < t->room; i++)
		HR(t->make(&p->a, &made[i]), ND_SUCCESS);
	for (unsigned round = 0; round < 2; round++) {
		uint64_t before = live_objects("memory region") + live_objects("connector");

		HR(t->make(&p->a, &more), t->full);
		assert_null(more);
		assert_int_equal(live_objects("memory region") + live_objects("connector"), before);
		exchange(&p->a, &p->b);
		RELEASE(made[round]);
		HR(t->make(&p->a, &made[round]), ND_SUCCESS);
	}
	for (unsigned i = 0; i < t->room; i++)
		RELEASE(made[i]);
}

static void nd2_own_exhausted_tables(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		fill_up(&p, &tables[i]);
	exchange(&p.b, &p.a);
	pair_close(&p);
}

/* The passive adapter has no connection id left, so it rejects the connection request. The next
 * attempt succeeds when ids are free again. */
static void nd2_own_exhausted_peer(void **state)
{
	IUnknown *bound[CMS] = {NULL};
	OVERLAPPED connect = {0};
	struct pair p;

	pair_open(&p, NULL);
	/* The listener uses the last entry of the table. */
	for (unsigned i = 0; i < CMS - 1; i++) {
		struct sockaddr_in sin = address_of(1, 0);
		IND2Connector *c = new_connector(&p.b);

		HR(CALL(c, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
		bound[i] = (IUnknown *)c;
	}
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_CONNECTION_REFUSED);
	for (unsigned i = 0; i < CMS - 1; i++)
		RELEASE(bound[i]);
	pair_connect(&p, NULL);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

/* More connections end than there are timewait records (max_timewait = 2). */
static void nd2_own_exhausted_timewait(void **state)
{
	for (unsigned i = 0; i < 12; i++) {
		OVERLAPPED ov = {0};
		struct pair p;

		pair_open_connected(&p, NULL);
		exchange(&p.a, &p.b);
		ENDS(p.a.connector, CALL(p.a.connector, Disconnect, &ov), &ov, ND_SUCCESS);
		pair_close(&p);
	}
}

/* The number of posted requests exceeds the slots of the submission ring and the packet buffers of
 * the NIC. The transfer is slower, but complete. */
static void nd2_own_exhausted_rings(void **state)
{
	const struct how how = {.depth = 64, .cq_depth = 512};
	struct pair p;

	pair_open_connected(&p, &how);
	fill(&p.a, 0, 64 * 2048, 3);
	for (unsigned round = 0; round < 3; round++) {
		unsigned taken = 0, done = 0;

		for (unsigned i = 0; i < 64; i++)
			HR(post_recv(&p.a, 131072, 8, i), ND_SUCCESS);
		for (unsigned i = 0; i < 64; i++)
			taken += post_write(&p.a, i * 2048, 2048, 100 + i, 0, &p.b, i * 2048) ==
				 ND_SUCCESS;
		assert_int_equal(taken, 64);
		for (; done < 64; done++)
			reap_is(p.a.cq, 100 + done, ND_SUCCESS);
		assert_true(filled(&p.b, 0, 64 * 2048, 3));
		for (unsigned i = 0; i < 64; i++)
			HR(post_send(&p.b, 0, 8, i, ND_OP_FLAG_SILENT_SUCCESS), ND_SUCCESS);
		for (unsigned i = 0; i < 64; i++)
			reap_is(p.a.cq, i, ND_SUCCESS);
	}
	pair_close(&p);
}

static int nothing_is_left(void **state)
{
	close_adapters(state);
	nothing_lives();
	return open_adapters(state);
}

#define row(f) cmocka_unit_test_teardown(f, nothing_is_left)

static const struct CMUnitTest tests[] = {
	row(nd2_own_exhausted_tables),
	row(nd2_own_exhausted_peer),
	row(nd2_own_exhausted_timewait),
	row(nd2_own_exhausted_rings),
};

int main(void)
{
	use_small_tables();
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
