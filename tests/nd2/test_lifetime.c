/* Objects are released in every order, by any thread, while requests are pending. Each request ends
 * once. A request ends before the Release of its object returns. No object is left at the end. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	return *x ^= *x << 5;
}

static unsigned times(unsigned n)
{
	const char *tier = getenv("SOFTRNIC_TIER");

	return tier != NULL && strcmp(tier, "full") == 0 ? 20 * n : n;
}

static void nd2_own_objects_are_counted(void **state)
{
	struct pair p;

	assert_int_equal(live_objects("queue pair"), 0);
	pair_open_connected(&p, NULL);
	assert_int_equal(live_objects("queue pair"), 2);
	assert_int_equal(live_objects("completion queue"), 2);
	assert_int_equal(live_objects("memory region"), 2);
	assert_int_equal(live_objects("listener"), 1);
	assert_int_equal(live_objects("adapter"), 2);
	pair_close(&p);
}

/* ---- reference counts ---- */

/* A new object has one reference. Release returns how many references the client still has.
 * References that other objects hold are not counted. */
static void nd2_own_release_counts_the_clients_references(void **state)
{
	OVERLAPPED connect = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	assert_int_equal(CALL(p.a.connector, AddRef), 2);
	assert_int_equal(CALL(p.a.connector, Release), 1);
	assert_int_equal(CALL(p.a.connector, Release), 0); /* released while connecting */
	assert_int_equal(CALL(p.a.qp, Release), 0);
	assert_int_equal(CALL(p.a.mr, Release), 0); /* released while registered */
	assert_int_equal(CALL(p.listener, Release), 0);
	assert_int_equal(CALL(p.b.cq, Release), 0); /* released while a queue pair uses the
						     * completion queue */
	assert_int_equal(CALL(p.b.qp, Release), 0);
	p.a.connector = NULL;
	p.a.qp = p.b.qp = NULL;
	p.a.mr = NULL;
	p.listener = NULL;
	p.b.cq = NULL;
	pair_close(&p);
}

static void nd2_own_children_keep_the_adapter(void **state)
{
	struct pair p;

	pair_open(&p, NULL);
	assert_int_equal(CALL(adapters[0], Release), 0);
	assert_int_equal(CALL(adapters[1], Release), 0);
	adapters[0] = adapters[1] = NULL;
	pair_connect(&p, NULL);
	exchange(&p.a, &p.b);
	exchange(&p.b, &p.a);
	pair_close(&p);
	open_adapters(state);
}

/* After the queue pair's Release its results can still be fetched, even results that the Release
 * cancelled. */
static void nd2_own_release_of_a_queue_pair_keeps_its_results(void **state)
{
	OVERLAPPED sent = {0}, received = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	/* Each Notify ends when its completion queue has a result, and leaves the result there. */
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &sent), ND_PENDING);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &received), ND_PENDING);
	HR(post_recv(&p.b, 0, 100, 1), ND_SUCCESS);
	HR(post_send(&p.a, 0, 100, 2, 0), ND_SUCCESS);
	HR(finish(p.a.cq, &sent), ND_SUCCESS);
	HR(finish(p.b.cq, &received), ND_SUCCESS);
	HR(post_recv(&p.b, 0, 100, 3), ND_SUCCESS);
	RELEASE(p.a.qp);
	RELEASE(p.b.qp);
	RELEASE(p.a.connector);
	RELEASE(p.b.connector);
	reap_is(p.a.cq, 2, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	reap_is(p.b.cq, 3, ND_CANCELED);
	pair_close(&p);
}

/* ---- release in every order ---- */

enum item { ADAPTER, CQ, QP, MR, CONNECTOR, LISTENER, FILE_HANDLE, PORT, ITEMS };
enum scene { CONNECTING, CONNECTED, SCENES };
enum block { NOTIFY_ANY, NOTIFY_ERRORS, REQUEST, STEP, STEP_2, BLOCKS };

static const enum item owner[BLOCKS] = {CQ, CQ, LISTENER, CONNECTOR, CONNECTOR};

struct stage {
	IND2Adapter *adapter;
	struct end e; /* owns queue pair, completion queue, region, connector, file */
	IND2Listener *listener;
	IND2Connector *spare; /* waits for a connection request */
	HANDLE port;
	OVERLAPPED ov[BLOCKS];
	_Atomic bool begun[BLOCKS], gone[ITEMS];
	unsigned packets[BLOCKS];
};

static void begin(struct stage *s, enum block b, HRESULT hr)
{
	HR(hr, ND_PENDING);
	s->begun[b] = true;
}

/* Creates the objects of *s and starts requests on them. In the scene CONNECTED the connector is
 * connected to `with`; in the scene CONNECTING its Connect is still pending. */
static void set_stage(struct stage *s, enum scene scene, struct pair *with)
{
	IND2Adapter *usual = adapters[0];
	uint16_t port;

	memset(s, 0, sizeof(*s));
	s->adapter = adapters[0] = open_adapter(0);
	end_open(&s->e, 0, NULL);
	HR(NdsPortCreate(&s->port), ND_SUCCESS);
	for (uintptr_t i = 0; i < 3; i++)
		HR(post_recv(&s->e, 0, 100, i), ND_SUCCESS);
	bind_any(&s->e, s->e.connector);
	listen_on(&s->e, &s->listener, &port, 0);
	s->spare = new_connector(&s->e);
	adapters[0] = usual;
	if (scene == CONNECTED) {
		with->a = s->e;
		pair_connect(with, NULL);
	}
	HR(NdsPortBind(s->port, s->e.file, 1), ND_SUCCESS);
	if (scene == CONNECTED) {
		begin(s, STEP, CALL(s->e.connector, NotifyDisconnect, &s->ov[STEP]));
		begin(s, STEP_2, CALL(s->e.connector, NotifyDisconnect, &s->ov[STEP_2]));
	} else {
		with->a = s->e;
		begin(s, STEP, start_connect(with, NULL, NULL, 0, &s->ov[STEP]));
	}
	begin(s, NOTIFY_ANY, CALL(s->e.cq, Notify, ND_CQ_NOTIFY_ANY, &s->ov[NOTIFY_ANY]));
	begin(s, NOTIFY_ERRORS, CALL(s->e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &s->ov[NOTIFY_ERRORS]));
	begin(s, REQUEST,
	      CALL(s->listener, GetConnectionRequest, (IUnknown *)s->spare, &s->ov[REQUEST]));
}

static void take_packets(struct stage *s)
{
	NDS_PORT_ENTRY e;
	ULONG n;

	while (NdsPortGet(s->port, &e, 1, 0, &n) == ND_SUCCESS) {
		assert_true(e.lpOverlapped >= s->ov && e.lpOverlapped < s->ov + BLOCKS);
		s->packets[e.lpOverlapped - s->ov]++;
	}
}

static void let_go(struct stage *s, enum item item)
{
	s->gone[item] = true;
	switch (item) {
	case ADAPTER:
		assert_int_equal(CALL(s->adapter, Release), 0);
		break;
	case CQ:
		assert_int_equal(CALL(s->e.cq, Release), 0);
		break;
	case QP:
		assert_int_equal(CALL(s->e.qp, Release), 0);
		break;
	case MR:
		assert_int_equal(CALL(s->e.mr, Release), 0);
		break;
	case CONNECTOR:
		assert_int_equal(CALL(s->e.connector, Release), 0);
		break;
	case LISTENER:
		assert_int_equal(CALL(s->listener, Release), 0);
		break;
	case FILE_HANDLE:
		HR(NdsHandleClose(s->e.file), ND_SUCCESS);
		break;
	case PORT:
		take_packets(s);
		HR(NdsHandleClose(s->port), ND_SUCCESS);
		break;
	default:
		break;
	}
	/* `item` was released, so none of its requests may be pending. The client may free the
	 * OVERLAPPEDs of these requests now. */
	for (enum block b = 0; b < BLOCKS; b++)
		if (s->begun[b] && owner[b] == item)
			assert_int_not_equal((uint32_t)status_after(&s->ov[b], 0),
					     (uint32_t)ND_PENDING);
}

/* Checks the status of each request and the number of its packets at the completion port.
 * before_port[item] is true if the item was released before the port was closed. before_port is
 * NULL if the order of release is unknown. */
static void check_ends(struct stage *s, const bool before_port[ITEMS])
{
	for (enum block b = 0; b < BLOCKS; b++) {
		HRESULT hr = status_after(&s->ov[b], 0);

		if (!s->begun[b])
			continue;
		/* These requests may also succeed: the flush of the queue pair may complete
		 * NOTIFY_ANY, and a connector's request may end before the Release. */
		if (b == NOTIFY_ANY || owner[b] == CONNECTOR)
			assert_true(hr == ND_CANCELED || hr == ND_SUCCESS);
		else
			HR(hr, ND_CANCELED);
		assert_true(s->packets[b] <= 1);
		if (before_port != NULL && before_port[owner[b]])
			assert_int_equal(s->packets[b], 1);
	}
	RELEASE(s->spare);
	free(s->e.buf);
}

static void permutation(unsigned number, enum item order[ITEMS])
{
	enum item left[ITEMS];

	for (int i = 0; i < ITEMS; i++)
		left[i] = (enum item)i;
	for (unsigned n = ITEMS; n > 0; n--) {
		unsigned at = number % n;

		number /= n;
		order[ITEMS - n] = left[at];
		for (unsigned i = at; i + 1 < n; i++)
			left[i] = left[i + 1];
	}
}

static void open_peer(struct pair *p)
{
	memset(p, 0, sizeof(*p));
	end_open(&p->b, 1, NULL);
	listen_on(&p->b, &p->listener, &p->port, 0);
}

static void close_peer(struct pair *p)
{
	memset(&p->a, 0, sizeof(p->a)); /* a copy; struct stage owns these objects */
	RELEASE(p->listener);
	end_close(&p->b);
}

static void in_order(unsigned number, enum scene scene)
{
	bool before_port[ITEMS] = {false};
	enum item order[ITEMS];
	static struct stage s;
	struct pair peer;

	open_peer(&peer);
	set_stage(&s, scene, &peer);
	permutation(number, order);
	for (int i = 0; i < ITEMS; i++) {
		if (!s.gone[PORT] && order[i] != PORT)
			before_port[order[i]] = true;
		let_go(&s, order[i]);
	}
	check_ends(&s, before_port);
	close_peer(&peer);
}

/* The orders of release are numbered 0 to 8! - 1. Each run adds 17389 to the order's number, modulo
 * 8!. 17389 and 8! have no common factor, so all orders are used before one is repeated. */
static void nd2_own_every_order_of_release(void **state)
{
	unsigned n = times(200), number = 0;

	for (unsigned i = 0; i < n; i++) {
		number = (number + 17389) % 40320;
		in_order(number, i % SCENES);
	}
}

struct hand {
	struct stage *s;
	enum item items[ITEMS];
	int n;
	pthread_barrier_t *start;
};

static void *let_go_of_some(void *arg)
{
	struct hand *h = arg;

	pthread_barrier_wait(h->start);
	for (int i = 0; i < h->n; i++)
		let_go(h->s, h->items[i]);
	return NULL;
}

static void nd2_own_release_from_several_threads(void **state)
{
	enum { THREADS = 3 };
	unsigned n = times(100);
	uint32_t x = 99;

	for (unsigned round = 0; round < n; round++) {
		struct hand hand[THREADS] = {{0}};
		pthread_t thread[THREADS];
		pthread_barrier_t start;
		enum item order[ITEMS];
		static struct stage s;
		struct pair peer;

		open_peer(&peer);
		set_stage(&s, round % SCENES, &peer);
		permutation(next_random(&x) % 40320, order);
		pthread_barrier_init(&start, NULL, THREADS);
		for (int i = 0; i < ITEMS; i++) {
			struct hand *h = &hand[next_random(&x) % THREADS];

			h->items[h->n++] = order[i];
		}
		for (int i = 0; i < THREADS; i++) {
			hand[i].s = &s;
			hand[i].start = &start;
			assert_int_equal(pthread_create(&thread[i], NULL, let_go_of_some, &hand[i]),
					 0);
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		pthread_barrier_destroy(&start);
		check_ends(&s, NULL);
		close_peer(&peer);
	}
}

/* ---- release in a completion routine ---- */

static struct stage *of_routine;
static _Atomic bool routine_done;

static void let_go_of_all(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	static _Atomic bool once;

	if (overlapped != &of_routine->ov[NOTIFY_ERRORS] || atomic_exchange(&once, true))
		return;
	for (enum item i = ADAPTER; i < FILE_HANDLE; i++)
		if (i != CQ)
			let_go(of_routine, i);
	routine_done = true;
}

static void nd2_own_released_by_a_routine(void **state)
{
	static struct stage s;
	IND2Adapter *usual = adapters[0];
	struct pair peer;
	uint16_t port;

	open_peer(&peer);
	of_routine = &s;
	memset(&s, 0, sizeof(s));
	s.adapter = adapters[0] = open_adapter(0);
	end_open(&s.e, 0, NULL);
	bind_any(&s.e, s.e.connector);
	listen_on(&s.e, &s.listener, &port, 0);
	adapters[0] = usual;
	HR(NdsFileBindCallback(s.e.file, let_go_of_all), ND_SUCCESS);
	peer.a = s.e;
	begin(&s, STEP, start_connect(&peer, NULL, NULL, 0, &s.ov[STEP]));
	begin(&s, NOTIFY_ERRORS, CALL(s.e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &s.ov[NOTIFY_ERRORS]));
	let_go(&s, FILE_HANDLE);
	let_go(&s, CQ); /* cancels the Notify; then routine() is called */
	for (int i = 0; i < 5000 && !routine_done; i++)
		sleep_ms(1);
	assert_true(routine_done);
	check_ends(&s, NULL);
	close_peer(&peer);
}

/* ---- teardown and main ---- */

static int nothing_is_left(void **state)
{
	close_adapters(state);
	nothing_lives();
	return 0;
}

#define life(f) cmocka_unit_test_setup_teardown(f, open_adapters, nothing_is_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		life(nd2_own_objects_are_counted),
		life(nd2_own_release_counts_the_clients_references),
		life(nd2_own_children_keep_the_adapter),
		life(nd2_own_release_of_a_queue_pair_keeps_its_results),
		life(nd2_own_every_order_of_release),
		life(nd2_own_release_from_several_threads),
		life(nd2_own_released_by_a_routine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
