/* Two threads make and end connections without a pause. Some connections stay idle, some carry
 * traffic, some are rejected, and some are ended by Release. Nothing may hang or fail, and no
 * memory may be lost. Each posted request has one completion.
 *
 * usage: nd2_storm [CYCLES [POLICY]]. CYCLES counts for both threads together; the default is
 * 2000. */
#include "fixture.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define FLIGHT	8

static unsigned cycles = 2000;
static pthread_barrier_t meeting;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void wait_for(void *obj, OVERLAPPED *ov, HRESULT wanted)
{
	HR(CALL(OV(obj), GetOverlappedResult, ov, 1), wanted);
}

/* Makes new connectors and queue pairs for both ends. The completion queues, regions and listener
 * of the previous connection stay. */
static void renew(struct pair *p)
{
	p->a.qp = new_qp(&p->a, p->a.cq, NULL, NULL);
	p->b.qp = new_qp(&p->b, p->b.cq, NULL, NULL);
	p->a.connector = new_connector(&p->a);
	p->b.connector = new_connector(&p->b);
	bind_any(&p->a, p->a.connector);
}

static void let_go(struct pair *p)
{
	RELEASE(p->a.connector);
	RELEASE(p->b.connector);
	RELEASE(p->a.qp);
	RELEASE(p->b.qp);
}

static void request(struct pair *p, OVERLAPPED *connect)
{
	OVERLAPPED ov = {0};

	HR(CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, &ov), ND_PENDING);
	HR(start_connect(p, NULL, NULL, 0, connect), ND_PENDING);
	wait_for(p->listener, &ov, ND_SUCCESS);
}

static void reply(struct pair *p, OVERLAPPED *connect, OVERLAPPED *accept)
{
	HR(CALL(p->b.connector, Accept, (IUnknown *)p->b.qp, 1, 1, NULL, 0, accept), ND_PENDING);
	wait_for(p->a.connector, connect, ND_SUCCESS);
}

static void establish(struct pair *p, OVERLAPPED *accept)
{
	OVERLAPPED ov = {0};

	HR(CALL(p->a.connector, CompleteConnect, &ov), ND_PENDING);
	wait_for(p->a.connector, &ov, ND_SUCCESS);
	wait_for(p->b.connector, accept, ND_SUCCESS);
}

/* Posts the receives of both ends first: a Send whose receive is posted 0.8 s later ends with
 * ND_IO_TIMEOUT, and a busy machine may delay a thread that long. */
static void post_traffic(struct pair *p)
{
	for (uintptr_t i = 0; i < FLIGHT; i++) {
		HR(post_recv(&p->a, 0, 4096, i), ND_SUCCESS);
		HR(post_recv(&p->b, 0, 4096, i), ND_SUCCESS);
	}
	for (uintptr_t i = 0; i < FLIGHT; i++) {
		HR(post_send(&p->a, 8192, 4096, i, 0), ND_SUCCESS);
		HR(post_send(&p->b, 8192, 4096, i, 0), ND_SUCCESS);
	}
}

/* Takes n results, one for each posted request. There must be no further result. */
static void reap_all(struct end *e, unsigned n)
{
	ND2_RESULT r;

	while (n-- > 0) {
		r = reap(e->cq);
		if (r.Status != (HRESULT)ND_CANCELED)
			HR(r.Status, ND_SUCCESS);
	}
	assert_int_equal(CALL(e->cq, GetResults, &r, 1), 0);
}

static void part(struct end *e, struct end *peer, bool both)
{
	OVERLAPPED ov[2] = {{0}};

	HR(CALL(e->connector, Disconnect, &ov[0]), ND_PENDING);
	if (both)
		HR(CALL(peer->connector, Disconnect, &ov[1]), ND_PENDING);
	wait_for(e->connector, &ov[0], ND_SUCCESS);
	if (both)
		wait_for(peer->connector, &ov[1], ND_SUCCESS);
}

static void one_cycle(struct pair *p, unsigned i)
{
	OVERLAPPED connect = {0}, accept = {0}, notify = {0};
	struct end *first = i % 2 ? &p->a : &p->b, *second = i % 2 ? &p->b : &p->a;

	renew(p);
	request(p, &connect);
	if (i % 16 == 3) {
		HR(CALL(p->b.connector, Reject, NULL, 0), ND_SUCCESS);
		wait_for(p->a.connector, &connect, ND_CONNECTION_REFUSED);
		let_go(p);
		return;
	}
	reply(p, &connect, &accept);
	if (i % 16 == 7) {
		RELEASE(p->a.connector);
		wait_for(p->b.connector, &accept, ND_CONNECTION_REFUSED);
		let_go(p);
		return;
	}
	establish(p, &accept);
	HR(CALL(second->connector, NotifyDisconnect, &notify), ND_PENDING);
	if (i % 4 == 1) { /* disconnect under traffic */
		post_traffic(p);
		part(first, second, i % 8 == 1);
		wait_for(second->connector, &notify, i % 8 == 1 ? notify.Internal : ND_SUCCESS);
		RELEASE(second->qp); /* cancels the requests that have not completed */
		reap_all(&p->a, 2 * FLIGHT);
		reap_all(&p->b, 2 * FLIGHT);
	} else if (i % 4 == 2) { /* release without a Disconnect */
		exchange(first, second);
		RELEASE(first->connector);
		wait_for(second->connector, &notify, ND_SUCCESS);
	} else {
		exchange(first, second);
		part(first, second, false);
		wait_for(second->connector, &notify, ND_SUCCESS);
		part(second, first, false);
	}
	let_go(p);
}

/* Waits until neither thread has a connection, and 20 ms more, so that the library's threads finish
 * their work. Returns the number of allocated bytes. */
static size_t heap(void)
{
	size_t bytes;

	pthread_barrier_wait(&meeting);
	sleep_ms(20);
	bytes = mallinfo2().uordblks;
	pthread_barrier_wait(&meeting);
	return bytes;
}

static void *storm(void *arg)
{
	unsigned n = cycles / THREADS;
	long *grown = arg;
	size_t before = 0;
	struct pair p;

	pair_open(&p, NULL);
	let_go(&p);
	for (unsigned i = 0; i < n; i++) {
		if (i == n / 10)
			before = heap();
		one_cycle(&p, i);
	}
	*grown = (long)(heap() - before);
	pair_close(&p);
	return NULL;
}

static void nd2_own_connections_by_the_thousand(void **state)
{
	long grown[THREADS];
	pthread_t thread;
	double start = now_s(), spent;

	alarm(60 + cycles / 50); /* ends a run that hangs, since wait_for() has no timeout */
	pthread_barrier_init(&meeting, NULL, THREADS);
	pthread_create(&thread, NULL, storm, &grown[1]);
	storm(&grown[0]);
	pthread_join(thread, NULL);
	alarm(0);
	spent = now_s() - start;
	print_message(
		"%u connections in %.1f s, %.0f each second; heap %+ld bytes since the first tenth\n",
		cycles, spent, cycles / spent, grown[0]);
	assert_true(grown[0] < 64 * 1024);
	close_adapters(state);
	nothing_lives();
	open_adapters(state);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_connections_by_the_thousand),
};

int main(int argc, char **argv)
{
	char text[1024];

	if (argc > 1)
		cycles = (unsigned)atoi(argv[1]);
	/* max_cm suffices for all connections that exist at one time. max_timewait is smaller than
	 * the number of connections that end within one timewait. So the oldest timewait records
	 * are displaced. */
	snprintf(text, sizeof(text),
		 "adapters = (\n"
		 "{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
		 "  ipv4 = [ \"192.0.2.1/24\" ]; shards = 2; },\n"
		 "{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
		 "  ipv4 = [ \"192.0.2.2/24\" ]; });\n"
		 "eal = { hugepages = \"no\"; };\n"
		 "limits = { max_cm = 64; max_timewait = 64; max_cq = 8; max_mr = 8; };\n"
		 "idle = { policy = \"%s\"; };\n",
		 argc > 2 ? argv[2] : "adaptive");
	use_config(text);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
