/* Several threads make calls at random moments. They connect, post, flush, disconnect, deregister
 * under traffic, cancel, release in any order, close the adapters and open them again.
 *
 * Checks that nothing hangs, that every posted request has exactly one completion, and that every
 * OVERLAPPED ends. usage: nd2_chaos POLICY [SEED [SECONDS]] */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WORKERS	 3
#define LEN	 2048u
#define PATIENCE 10 /* seconds after which a request counts as hanging */

static uint64_t end_of_test;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static unsigned pick(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % n;
}

/* ---- the traffic of one end: one thread posts, and two threads take completions ---- */

struct traffic {
	struct end *e;
	const struct end *peer;
	uint64_t seed;
	pthread_t poster, poller;
	_Atomic bool stop;
	_Atomic unsigned posted, completed, receives;
};

static unsigned take(struct traffic *t)
{
	ND2_RESULT r[8];
	ULONG n = CALL(t->e->cq, GetResults, r, 8);

	for (ULONG i = 0; i < n; i++)
		if (r[i].RequestType == Nd2RequestTypeReceive)
			atomic_fetch_sub(&t->receives, 1);
	atomic_fetch_add(&t->completed, n);
	return n;
}

static void post_one(struct traffic *t)
{
	size_t off = pick(&t->seed, BUF_BYTES - LEN), there = pick(&t->seed, BUF_BYTES - LEN);
	unsigned what = pick(&t->seed, 8);
	HRESULT hr = ND_NO_MORE_ENTRIES;

	/* Count the request before the call: another thread may take its completion before the call
	 * returns. */
	atomic_fetch_add(&t->posted, 1);
	if (atomic_load(&t->receives) < 40) {
		atomic_fetch_add(&t->receives, 1);
		hr = post_recv(t->e, off, LEN, 1);
		if (FAILED(hr))
			atomic_fetch_sub(&t->receives, 1);
	} else if (what < 4) {
		hr = post_send(t->e, off, 1 + pick(&t->seed, LEN), 2, 0);
	} else if (what < 6) {
		hr = post_write(t->e, off, 1 + pick(&t->seed, LEN), 3, 0, t->peer, there);
	} else if (what < 7) {
		hr = post_read(t->e, off, 1 + pick(&t->seed, LEN), 4, 0, t->peer, there);
	} else {
		hr = post_send(t->e, off, 1 + pick(&t->seed, 100), 5, ND_OP_FLAG_INLINE);
	}
	if (FAILED(hr))
		atomic_fetch_sub(&t->posted, 1);
}

static void *post_all(void *arg)
{
	struct traffic *t = arg;

	while (!atomic_load(&t->stop)) {
		if (atomic_load(&t->posted) - atomic_load(&t->completed) < 60)
			post_one(t);
		take(t);
	}
	return NULL;
}

/* Takes completions, and waits with Notify. Another thread may cancel the Notify at any moment. */
static void *poll_all(void *arg)
{
	struct traffic *t = arg;
	OVERLAPPED ov = {0};
	HRESULT hr = ND_SUCCESS;

	while (!atomic_load(&t->stop)) {
		while (take(t) != 0)
			;
		if (hr != ND_PENDING)
			HR(CALL(t->e->cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
		hr = status_after(&ov, 5);
		assert_true(hr == ND_SUCCESS || hr == ND_CANCELED || hr == ND_PENDING);
	}
	CALL(t->e->cq, CancelOverlappedRequests);
	assert_true(status_after(&ov, 1) != ND_PENDING);
	return NULL;
}

static void start_traffic(struct traffic *t, struct end *e, const struct end *peer, uint64_t seed)
{
	*t = (struct traffic){.e = e, .peer = peer, .seed = seed};
	pthread_create(&t->poster, NULL, post_all, t);
	pthread_create(&t->poller, NULL, poll_all, t);
}

static void stop_traffic(struct traffic *t)
{
	atomic_store(&t->stop, true);
	pthread_join(t->poster, NULL);
	pthread_join(t->poller, NULL);
}

static void all_complete(struct traffic *t)
{
	uint64_t end = now_ms() + PATIENCE * 1000;

	while (atomic_load(&t->completed) != atomic_load(&t->posted) && now_ms() < end)
		if (take(t) == 0)
			usleep(50);
	assert_int_equal(atomic_load(&t->completed), atomic_load(&t->posted));
}

/* ---- a worker: a thread that makes and ends connections ---- */

struct worker {
	pthread_t thread;
	uint64_t seed;
	unsigned rounds;
};

static void ends_somehow(void *obj, OVERLAPPED *ov, HRESULT hr)
{
	if (hr == ND_PENDING)
		assert_true(finish(obj, ov) != ND_PENDING);
}

static void re_register(struct end *e)
{
	OVERLAPPED ov[2] = {{0}};

	ends_somehow(e->mr, &ov[0], CALL(e->mr, Deregister, &ov[0]));
	ends_somehow(e->mr, &ov[1],
		     CALL(e->mr, Register, e->buf, BUF_BYTES,
			  ND_MR_FLAG_ALLOW_REMOTE_READ | ND_MR_FLAG_ALLOW_REMOTE_WRITE, &ov[1]));
}

static void act(struct worker *w, struct pair *p)
{
	struct end *e = pick(&w->seed, 2) ? &p->a : &p->b;
	OVERLAPPED ov = {0};
	HRESULT hr;

	switch (pick(&w->seed, 16)) {
	case 0:
		HR(CALL(e->qp, Flush), ND_SUCCESS);
		break;
	case 1:
		re_register(e);
		break;
	case 2:
		CALL(e->cq, CancelOverlappedRequests);
		break;
	case 3:
		hr = CALL(e->connector, NotifyDisconnect, &ov);
		CALL(e->connector, CancelOverlappedRequests);
		ends_somehow(e->connector, &ov, hr);
		break;
	case 4:
		ends_somehow(e->connector, &ov, CALL(e->connector, Disconnect, &ov));
		break;
	case 5:
		CALL(e->qp, AddRef);
		CALL(e->qp, Release);
		break;
	default:
		usleep(pick(&w->seed, 2000));
		break;
	}
}

static void release_in_any_order(struct worker *w, struct pair *p)
{
	IUnknown **all[] = {
		(IUnknown **)&p->a.qp, (IUnknown **)&p->b.qp,	     (IUnknown **)&p->a.cq,
		(IUnknown **)&p->b.cq, (IUnknown **)&p->a.connector, (IUnknown **)&p->b.connector,
		(IUnknown **)&p->a.mr, (IUnknown **)&p->b.mr,	     (IUnknown **)&p->listener,
	};

	for (unsigned i = sizeof(all) / sizeof(all[0]); i > 0; i--) {
		unsigned k = pick(&w->seed, i);

		RELEASE(*all[k]);
		all[k] = all[i - 1];
	}
	pair_close(p); /* closes the files and frees the memory */
}

/* Connects and exchanges traffic. Each posted request must have its completion, whatever call ends
 * the connection. */
static void talk(struct worker *w, struct pair *p)
{
	struct traffic a, b;

	pair_connect(p, NULL);
	start_traffic(&a, &p->a, &p->b, w->seed ^ 1);
	start_traffic(&b, &p->b, &p->a, w->seed ^ 2);
	for (unsigned n = pick(&w->seed, 10); n > 0; n--)
		act(w, p);
	stop_traffic(&a);
	stop_traffic(&b);
	if (pick(&w->seed, 2)) {
		HR(CALL(p->a.qp, Flush), ND_SUCCESS);
		HR(CALL(p->b.qp, Flush), ND_SUCCESS);
	} else { /* Release flushes the queue pair too; the results stay in the CQ */
		RELEASE(p->a.qp);
		RELEASE(p->b.connector);
		RELEASE(p->b.qp);
	}
	all_complete(&a);
	all_complete(&b);
}

/* Releases everything in the middle of a handshake. */
static void break_off(struct worker *w, struct pair *p)
{
	OVERLAPPED ask = {0}, connect = {0}, accept = {0};
	unsigned steps = pick(&w->seed, 4);
	HRESULT asked = ND_SUCCESS, accepted = ND_SUCCESS, connected;

	if (pick(&w->seed, 3))
		asked = CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, &ask);
	connected = start_connect(p, NULL, NULL, 0, &connect);
	HR(connected, ND_PENDING);
	usleep(pick(&w->seed, 1000));
	if (steps == 1 && asked == ND_PENDING && status_after(&ask, 1000) == ND_SUCCESS)
		accepted =
			CALL(p->b.connector, Accept, (IUnknown *)p->b.qp, 1, 1, NULL, 0, &accept);
	if (steps == 2)
		CALL(p->a.connector, CancelOverlappedRequests);
	if (steps == 3)
		RELEASE(p->listener);
	usleep(pick(&w->seed, 500));
	RELEASE(p->a.connector);
	assert_true(status_after(&connect, 0) != ND_PENDING);
	RELEASE(p->listener);
	if (asked == ND_PENDING)
		assert_true(status_after(&ask, 0) != ND_PENDING);
	RELEASE(p->b.connector);
	if (accepted == ND_PENDING)
		assert_true(status_after(&accept, 0) != ND_PENDING);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pair p;

	for (uint64_t end = now_ms() + 700; now_ms() < end; w->rounds++) {
		pair_open(&p, NULL);
		if (pick(&w->seed, 3))
			talk(w, &p);
		else
			break_off(w, &p);
		release_in_any_order(w, &p);
	}
	return NULL;
}

static void chaos(uint64_t seed)
{
	struct worker w[WORKERS] = {{0}};
	unsigned phases = 0, rounds = 0;

	while (now_ms() < end_of_test) {
		open_adapters(NULL);
		for (unsigned i = 0; i < WORKERS; i++) {
			w[i].seed = seed + phases * 1000003u + i * 7919u;
			pthread_create(&w[i].thread, NULL, work, &w[i]);
		}
		for (unsigned i = 0; i < WORKERS; i++)
			pthread_join(w[i].thread, NULL);
		close_adapters(NULL);
		phases++;
	}
	for (unsigned i = 0; i < WORKERS; i++)
		rounds += w[i].rounds;
	print_message("%u phases, %u rounds\n", phases, rounds);
	assert_true(rounds > 0);
}

static uint64_t seed_of_test;

static void anything_goes(void **state)
{
	chaos(seed_of_test);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(anything_goes)};
	unsigned seconds = argc > 3 ? (unsigned)atoi(argv[3]) : 3;

	use_policy(argc > 1 ? argv[1] : "adaptive");
	seed_of_test = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)now_ms();
	end_of_test = now_ms() + seconds * 1000u;
	print_message("seed %llu\n", (unsigned long long)seed_of_test);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
