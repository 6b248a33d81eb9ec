/* Threads are cancelled (pthread_cancel) at any moment. Checks:
 * - No method of an ND2 object is a cancellation point.
 * - The waiting calls of the Windows API are cancellation points.
 * - A cancelled wait loses no signal of an event, no completion packet and no request.
 * - The adapter serves other threads as before.
 *
 * usage: nd2_cancel POLICY */
#include "fixture.h"

#include "ndtypes.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LEN	  512u
#define PATIENCE  30 /* seconds that one round may take */
#define OF_QUEUES 32u

struct victim {
	struct end *e, *peer;
	HANDLE event, port;
	OVERLAPPED ov; /* for a Notify that ends only when it is cancelled */
	/* True while the thread is in a call that must not be a cancellation point. */
	volatile bool inside;
	const char *volatile doing;
	unsigned kind; /* selects the call that waits() makes */
};

/* True under the idle policy poll, on a small machine. The shards then leave little CPU time to the
 * tested thread, so the tests run a tenth of the rounds. */
static bool few;

static unsigned rounds(unsigned quick)
{
	const char *tier = getenv("SOFTRNIC_TIER");
	unsigned n = few ? quick / 10 : quick;

	return tier == NULL || strcmp(tier, "quick") == 0 ? n
	       : strcmp(tier, "default") == 0		  ? 2 * n
							  : 10 * n;
}

/* One library call, followed by a cancellation point. */
#define DO(v, call)                   \
	do {                          \
		(v)->doing = #call;   \
		(v)->inside = true;   \
		(void)(call);         \
		(v)->inside = false;  \
		pthread_testcancel(); \
	} while (0)

/* Busy-waits, because sleeping would be a cancellation point. If the wait is long enough, a shard
 * goes to sleep meanwhile. */
static void spin(unsigned us)
{
	struct timespec t;
	int64_t end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 + us;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while ((int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 < end);
}

static void *streams(void *arg)
{
	struct victim *v = arg;
	ND2_RESULT r[8];

	for (unsigned i = 0;; i++) {
		if (i % 8 == 0)
			spin(i % 3 * 60);
		DO(v, post_recv(v->peer, 0, LEN, 1));
		DO(v, post_send(v->e, LEN, LEN, 2, 0));
		DO(v, CALL(v->e->cq, GetResults, r, 8));
		DO(v, CALL(v->peer->cq, GetResults, r, 8));
	}
	return NULL;
}

/* v->inside covers creation and release together, as if they were one call of the library. A thread
 * that is cancelled between them would leak the objects. */
static void *makes_queues(void *arg)
{
	struct victim *v = arg;

	for (;;) {
		IND2CompletionQueue *cq = NULL;
		IND2QueuePair *qp = NULL;

		v->doing = "CreateQueuePair and Release";
		v->inside = true;
		cq = new_cq(v->e, OF_QUEUES);
		qp = new_qp(v->e, cq, NULL, NULL);
		RELEASE(qp);
		RELEASE(cq);
		v->inside = false;
		pthread_testcancel();
	}
	return NULL;
}

static void *registers(void *arg)
{
	struct victim *v = arg;
	static uint8_t buf[1 << 17];

	for (;;) {
		IND2MemoryRegion *mr = NULL;
		OVERLAPPED ov = {0};

		v->doing = "Register, Deregister and Release";
		v->inside = true;
		mr = new_mr(v->e);
		CALL(mr, Register, buf, sizeof(buf), ND_MR_FLAG_ALLOW_LOCAL_WRITE, &ov);
		while (__atomic_load_n(&ov.Internal, __ATOMIC_ACQUIRE) == (ULONG_PTR)ND_PENDING)
			;
		CALL(mr, Deregister, &ov);
		RELEASE(mr);
		v->inside = false;
		pthread_testcancel();
	}
	return NULL;
}

static void *arms_and_rings(void *arg)
{
	struct victim *v = arg;
	NDS_PORT_ENTRY entry;
	ULONG n;

	for (;;) {
		DO(v, NdsEventSet(v->event));
		DO(v, NdsEventReset(v->event));
		DO(v, NdsPortPost(v->port, 0, 0, NULL));
		DO(v, NdsPortGet(v->port, &entry, 1, 0, &n));
		DO(v, CALL(v->e->cq, Notify, ND_CQ_NOTIFY_ERRORS, &v->ov));
		DO(v, CALL(v->e->cq, CancelOverlappedRequests));
	}
	return NULL;
}

static void *waits(void *arg)
{
	struct victim *v = arg;
	NDS_PORT_ENTRY entry;
	ULONG n;

	for (;;) {
		if (v->kind == 0)
			NdsEventWait(v->event, NDS_INFINITE);
		else if (v->kind == 1)
			NdsEventWaitAny(&v->event, 1, NDS_INFINITE, &n);
		else if (v->kind == 2)
			NdsPortGet(v->port, &entry, 1, NDS_INFINITE, &n);
		else
			CALL(v->e->cq, GetOverlappedResult, &v->ov, 1);
		pthread_testcancel();
	}
	return NULL;
}

/* ---- one round: a thread works and is cancelled ---- */

static const char *at_work = "";
static struct victim *watched;

static void hangs(int sig)
{
	fprintf(stderr, "hangs: %s; the victim was last in %s\n", at_work, watched->doing);
	_exit(1);
}

static void cancel_after(struct victim *v, void *(*run)(void *), unsigned us)
{
	struct timespec until;
	pthread_t thread;
	void *result;

	watched = v;
	alarm(2 * PATIENCE);
	at_work = "the victim's life";
	v->inside = false;
	pthread_create(&thread, NULL, run, v);
	usleep(us);
	pthread_cancel(thread);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	at_work = "the victim's end";
	assert_int_equal(pthread_timedjoin_np(thread, &result, &until), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	if (v->inside)
		fail_msg("cancelled inside %s", v->doing);
}

/* Checks that commands, requests and completions of another thread still work. */
static void adapter_works(struct pair *other)
{
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;

	at_work = "CreateQueuePair of another thread";
	cq = new_cq(&other->a, OF_QUEUES);
	qp = new_qp(&other->a, cq, NULL, NULL);
	RELEASE(qp);
	RELEASE(cq);
	at_work = "an exchange of other queue pairs";
	exchange(&other->a, &other->b);
	exchange(&other->b, &other->a);
}

static void empty(struct end *e)
{
	ND2_RESULT r[16];

	at_work = "GetResults of the victim's queue by another thread";
	while (CALL(e->cq, GetResults, r, 16) != 0)
		;
}

struct stand {
	struct pair mine, other;
	struct victim v;
};

static void open_stand(struct stand *s)
{
	memset(s, 0, sizeof(*s));
	pair_open_connected(&s->mine, NULL);
	pair_open_connected(&s->other, NULL);
	s->v.e = &s->mine.a;
	s->v.peer = &s->mine.b;
	HR(NdsEventCreate(1, 0, &s->v.event), ND_SUCCESS);
	HR(NdsPortCreate(&s->v.port), ND_SUCCESS);
	/* Give the event and the completion port a file descriptor. Their functions then make
	 * system calls that are cancellation points. */
	assert_true(NdsEventGetFd(s->v.event) >= 0);
	assert_true(NdsPortGetFd(s->v.port) >= 0);
}

static void close_stand(struct stand *s)
{
	alarm(4 * PATIENCE);
	NdsHandleClose(s->v.event);
	NdsHandleClose(s->v.port);
	pair_close(&s->mine);
	pair_close(&s->other);
	alarm(0);
}

static void run_victims(void *(*run)(void *), unsigned n)
{
	struct stand s;

	open_stand(&s);
	for (unsigned i = 0; i < n; i++) {
		cancel_after(&s.v, run, 20 + i * 7919 % 2000);
		empty(&s.mine.a);
		empty(&s.mine.b);
		adapter_works(&s.other);
	}
	close_stand(&s);
}

static void cancelled_while_sending_and_polling(void **state)
{
	run_victims(streams, rounds(60));
}

static void cancelled_while_creating_queues(void **state)
{
	run_victims(makes_queues, rounds(60));
}

static void cancelled_while_registering(void **state)
{
	run_victims(registers, rounds(60));
}

static void cancelled_while_arming(void **state)
{
	run_victims(arms_and_rings, rounds(60));
}

/* A thread is cancelled while it waits for an event, a completion port or a request. Afterwards
 * another thread can use the event, completion port or request. */
static void cancelled_while_waiting(void **state)
{
	struct stand s;
	NDS_PORT_ENTRY entry;
	ULONG n;

	open_stand(&s);
	HR(CALL(s.mine.a.cq, Notify, ND_CQ_NOTIFY_ERRORS, &s.v.ov), ND_PENDING);
	for (unsigned i = 0; i < rounds(40); i++) {
		s.v.kind = i % 4;
		cancel_after(&s.v, waits, i * 7919 % 1000);
		at_work = "the event and the port after it";
		HR(NdsEventSet(s.v.event), ND_SUCCESS);
		HR(NdsEventWait(s.v.event, 0), ND_SUCCESS);
		HR(NdsEventReset(s.v.event), ND_SUCCESS);
		HR(NdsPortPost(s.v.port, i, 0, NULL), ND_SUCCESS);
		HR(NdsPortGet(s.v.port, &entry, 1, 1000, &n), ND_SUCCESS);
		assert_int_equal(n, 1);
		assert_int_equal(entry.dwNumberOfBytesTransferred, i);
	}
	HR(CALL(s.mine.a.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&s.v.ov, 1000), ND_CANCELED);
	close_stand(&s);
}

/* A thread is cancelled while it waits at a completion port and a packet arrives. Either that
 * thread takes the packet, or the packet is left for the next thread. */
static void packets_of_cancelled_waiters(void **state)
{
	struct stand s;
	NDS_PORT_ENTRY entry;
	ULONG n;

	open_stand(&s);
	for (unsigned i = 0; i < rounds(200); i++) {
		struct timespec until;
		pthread_t thread;
		void *result;

		watched = &s.v;
		alarm(2 * PATIENCE);
		s.v.kind = 2;
		at_work = "a packet for a waiter that is cancelled";
		pthread_create(&thread, NULL, waits, &s.v);
		usleep(i % 2 ? 200 : 0);
		HR(NdsPortPost(s.v.port, i, 0, NULL), ND_SUCCESS);
		pthread_cancel(thread);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += PATIENCE;
		assert_int_equal(pthread_timedjoin_np(thread, &result, &until), 0);
		/* The thread took the packet before it was cancelled, or the packet is still at the
		 * completion port. */
		if (NdsPortGet(s.v.port, &entry, 1, 0, &n) == (HRESULT)ND_SUCCESS)
			assert_int_equal(entry.dwNumberOfBytesTransferred, i);
	}
	close_stand(&s);
}

/* Teardown. Checks that the cancelled threads have left no object behind. */
static int close_all(void **state)
{
	close_adapters(state);
	nothing_lives();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cancelled_while_sending_and_polling),
	cmocka_unit_test(cancelled_while_creating_queues),
	cmocka_unit_test(cancelled_while_registering),
	cmocka_unit_test(cancelled_while_arming),
	cmocka_unit_test(cancelled_while_waiting),
	cmocka_unit_test(packets_of_cancelled_waiters),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		use_policy(argv[1]);
	few = argc > 1 && strcmp(argv[1], "poll") == 0;
	signal(SIGALRM, hangs);
	return cmocka_run_group_tests(tests, open_adapters, close_all);
}
