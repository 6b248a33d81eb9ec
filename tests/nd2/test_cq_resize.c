/* Tests of Resize of completion queues: rows 110 and 112 of docs/spec/nd2.md, and further tests of
 * room, notifications and memory. The optional argument is an idle policy. With an argument,
 * adapter 0 has two shards that write to one completion queue. */
#include "fixture.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static void messages(struct pair *p, uintptr_t first, unsigned n)
{
	for (uintptr_t i = first; i < first + n; i++)
		HR(post_recv(&p->a, 0, 100, i), ND_SUCCESS);
	for (uintptr_t i = first; i < first + n; i++) {
		HR(post_send(&p->b, 0, 10, i, 0), ND_SUCCESS);
		reap_is(p->b.cq, i, ND_SUCCESS);
	}
}

static void reap_all(IND2CompletionQueue *cq, uintptr_t first, unsigned n)
{
	for (uintptr_t i = first; i < first + n; i++)
		reap_is(cq, i, ND_SUCCESS);
}

static void nd2_row_110_resize_below_what_is_held(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	messages(&p, 1, 20);
	/* The last result may arrive late on a busy machine. Until then, 19 entries are enough. */
	for (int ms = 0; ms < 20000 && CALL(p.a.cq, Resize, 19) == ND_SUCCESS; ms++)
		sleep_ms(1);
	HR(CALL(p.a.cq, Resize, 19), ND_BUFFER_OVERFLOW);
	HR(CALL(p.a.cq, Resize, 1), ND_BUFFER_OVERFLOW);
	HR(CALL(p.a.cq, Resize, 20), ND_SUCCESS);
	messages(&p, 21, 20);
	reap_all(p.a.cq, 1, 40);
	HR(CALL(p.a.cq, Resize, 1), ND_SUCCESS);
	messages(&p, 41, 1);
	reap_all(p.a.cq, 41, 1);
	pair_close(&p);
}

static void nd2_own_resize_out_of_range(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	assert_true(limits.AdapterFlags & ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED);
	HR(CALL(p.a.cq, Resize, 0), ND_INVALID_PARAMETER);
	HR(CALL(p.a.cq, Resize, limits.MaxCompletionQueueDepth + 1), ND_INVALID_PARAMETER);
	HR(CALL(p.a.cq, Resize, limits.MaxCompletionQueueDepth), ND_SUCCESS);
	messages(&p, 1, 3);
	reap_all(p.a.cq, 1, 3);
	pair_close(&p);
}

/* Resize sets how many results the client wants to keep. The provider adds the entries that the
 * queue pairs of the completion queue need. Queue pairs may connect before or after the Resize. */
static void nd2_own_shrinking_leaves_queue_pairs_their_room(void **state)
{
	const struct how how = {.cq_depth = 512, .depth = 64};
	struct pair p;

	pair_open(&p, &how);
	HR(CALL(p.a.cq, Resize, 1), ND_SUCCESS);
	pair_connect(&p, &how);
	for (int round = 0; round < 3; round++) {
		messages(&p, 1, 64);
		sleep_ms(50);
		reap_all(p.a.cq, 1, 64);
		HR(CALL(p.a.cq, Resize, round == 0 ? 256 : 1), ND_SUCCESS);
	}
	pair_close(&p);
}

static void nd2_own_a_deeper_queue_holds_more(void **state)
{
	enum { N = 1000 };
	const struct how how = {.cq_depth = 8, .depth = 8};
	struct pair p;

	pair_open_connected(&p, &how);
	HR(CALL(p.a.cq, Resize, N), ND_SUCCESS);
	/* No result is fetched in this loop. The receive queue's entry is free again when its
	 * receive completes, so 8 entries suffice for N receives. */
	for (uintptr_t i = 0; i < N; i += 8) {
		messages(&p, i, 8);
		sleep_ms(2);
	}
	reap_all(p.a.cq, 0, N);
	pair_close(&p);
}

static void nd2_own_a_notification_survives_a_resize(void **state)
{
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	for (uintptr_t i = 1; i <= 4; i++) {
		HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
		HR(CALL(p.a.cq, Resize, i & 1 ? 4096 : 16), ND_SUCCESS);
		HR(status_after(&ov, 20), ND_PENDING);
		messages(&p, i, 1);
		HR(finish(p.a.cq, &ov), ND_SUCCESS);
		/* The unread result has already completed one Notify. Resize moves this result to a
		 * new ring. This move must not complete the next Notify. */
		HR(CALL(p.a.cq, Resize, i & 1 ? 16 : 4096), ND_SUCCESS);
		HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
		HR(status_after(&ov, 20), ND_PENDING);
		HR(CALL(p.a.cq, CancelOverlappedRequests), ND_SUCCESS);
		HR(finish(p.a.cq, &ov), ND_CANCELED);
		reap_is(p.a.cq, i, ND_SUCCESS);
	}
	pair_close(&p);
}

/* Returns the number of bytes that malloc has given out. Returns 0 under a sanitizer, which finds
 * leaks itself. */
static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void resize_often(struct pair *p, unsigned rounds, unsigned unread)
{
	size_t before = 0, grown;

	for (unsigned i = 0; i < rounds + 10; i++) {
		static const ULONG depths[] = {4096, 16, 512, 65536, 64};

		HR(CALL(p->a.cq, Resize, depths[i % 5]), ND_SUCCESS);
		if (unread == 0 && i % 64 == 0) {
			messages(p, 1, 1);
			reap_all(p->a.cq, 1, 1);
		}
		if (i == 9) /* by now the chain of old rings has its full length */
			before = allocated();
	}
	grown = allocated() > before ? allocated() - before : 0;
	/* The ring may be deeper now than at the first measurement. The limit is two rings of the
	 * largest depth (65536 entries of 64 bytes) and 64 KiB more. */
	if (grown > 65536 * 64 * 2 + (64u << 10))
		fail_msg("%zu bytes more after %u changes", grown, rounds);
}

static void nd2_own_memory_is_flat_over_10000_resizes(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	resize_often(&p, 10000, 0);
	messages(&p, 1, 12); /* these results stay unread during the next resizes */
	sleep_ms(50);
	resize_often(&p, 10000, 12);
	reap_all(p.a.cq, 1, 12);
	messages(&p, 1, 3);
	reap_all(p.a.cq, 1, 3);
	pair_close(&p);
}

/* ---- row 112: one thread changes the depth, one fetches results, two peers send ---- */

enum { CREDITS = 32, WRITES = 16, MESSAGES = 3000, CHANGES = 300, SECONDS = 30 };

struct traffic {
	struct pair *p;
	pthread_t sender;
	_Atomic unsigned *stop;
	/* Number of completed receives. The peer has sent at most CREDITS messages more. */
	_Atomic unsigned received;
	unsigned writes;  /* RDMA Writes posted by the thread that reads the CQ */
	unsigned written; /* Writes completed */
};

static ULONG length_of(unsigned i)
{
	return 1 + i % 97;
}

static void *send_ahead(void *arg)
{
	struct traffic *t = arg;

	for (unsigned sent = 0; !atomic_load(t->stop);) {
		ND2_RESULT none;

		if (sent - atomic_load(&t->received) >= CREDITS ||
		    post_send(&t->p->b, 0, length_of(sent), 0, ND_OP_FLAG_SILENT_SUCCESS) !=
			    ND_SUCCESS) {
			/* These Sends are silent: a successful Send has no result. So any result is
			 * a failure. With the idle policy "inline", this call polls the NIC. */
			assert_int_equal(CALL(t->p->b.cq, GetResults, &none, 1), 0);
			sched_yield();
			continue;
		}
		sent++;
	}
	return NULL;
}

struct changer {
	IND2CompletionQueue *cq;
	_Atomic unsigned *stop;
	_Atomic unsigned done;
};

static void *change_depth(void *arg)
{
	struct changer *c = arg;
	uint32_t x = 12345;

	while (!atomic_load(c->stop)) {
		HRESULT hr;

		x = x * 1664525 + 1013904223;
		hr = CALL(c->cq, Resize, 1u << (x >> 28)); /* a depth from 1 to 32768 */
		assert_true(hr == ND_SUCCESS || hr == ND_BUFFER_OVERFLOW);
		if (hr == ND_SUCCESS)
			atomic_fetch_add(&c->done, 1);
		if ((x >> 20) % 4 == 0)
			sleep_ms(1);
		else
			sched_yield();
	}
	return NULL;
}

static void write_more(struct traffic *t)
{
	for (; t->writes - t->written < WRITES; t->writes++)
		HR(post_write(&t->p->a, 0, 200, t->writes, 0, &t->p->b, 8192), ND_SUCCESS);
}

/* Checks that each result comes exactly once. The receives of a queue pair complete in the order of
 * posting. So do the Writes of a queue pair. */
static void check(struct traffic *t, const ND2_RESULT *r)
{
	unsigned n = atomic_load(&t->received);

	HR(r->Status, ND_SUCCESS);
	if (r->RequestType == Nd2RequestTypeWrite) {
		assert_int_equal((uintptr_t)r->RequestContext, t->written++);
		return;
	}
	assert_int_equal(r->RequestType, Nd2RequestTypeReceive);
	assert_int_equal((uintptr_t)r->RequestContext, n);
	assert_int_equal(r->BytesTransferred, length_of(n));
	HR(post_recv(&t->p->a, 4096, 100, n + CREDITS), ND_SUCCESS);
	atomic_store(&t->received, n + 1);
}

static void read_all(struct traffic t[2], struct changer *c)
{
	ND2_RESULT r[7];
	unsigned idle = 0;

	while (t[0].received < MESSAGES || t[1].received < MESSAGES || c->done < CHANGES) {
		ULONG n = CALL(c->cq, GetResults, r, 7);

		for (ULONG i = 0; i < n; i++)
			check(&t[r[i].QueuePairContext == &t[1].p->a], &r[i]);
		write_more(&t[0]);
		write_more(&t[1]);
		idle = n != 0 ? 0 : idle + 1;
		if (idle > 100)
			sleep_ms(1);
		if (idle > SECONDS * 1000)
			fail_msg("stuck after %u and %u messages", t[0].received, t[1].received);
	}
}

static void nd2_row_112_resize_under_traffic(void **state)
{
	const struct how how = {.cq_depth = 256, .depth = CREDITS};
	_Atomic unsigned stop = 0;
	struct traffic t[2];
	struct changer c;
	pthread_t changer;
	struct pair p, q;

	pair_open(&p, &how);
	pair_open(&q, &how);
	RELEASE(q.a.qp);
	q.a.qp = new_qp(&q.a, p.a.cq, &q.a, &how);
	t[0] = (struct traffic){.p = &p, .stop = &stop};
	t[1] = (struct traffic){.p = &q, .stop = &stop};
	for (uintptr_t i = 0; i < CREDITS; i++) {
		HR(post_recv(&p.a, 4096, 100, i), ND_SUCCESS);
		HR(post_recv(&q.a, 4096, 100, i), ND_SUCCESS);
	}
	pair_connect(&p, &how);
	pair_connect(&q, &how);
	c = (struct changer){.cq = p.a.cq, .stop = &stop};
	pthread_create(&changer, NULL, change_depth, &c);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i].sender, NULL, send_ahead, &t[i]);
	read_all(t, &c);
	atomic_store(&stop, 1);
	pthread_join(changer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i].sender, NULL);
	print_message("%u and %u messages, %u changes\n", t[0].received, t[1].received, c.done);
	pair_close(&q);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_110_resize_below_what_is_held),
	cmocka_unit_test(nd2_row_112_resize_under_traffic),
	cmocka_unit_test(nd2_own_resize_out_of_range),
	cmocka_unit_test(nd2_own_shrinking_leaves_queue_pairs_their_room),
	cmocka_unit_test(nd2_own_a_deeper_queue_holds_more),
	cmocka_unit_test(nd2_own_a_notification_survives_a_resize),
	cmocka_unit_test(nd2_own_memory_is_flat_over_10000_resizes),
};

int main(int argc, char **argv)
{
	/* If M_PERTURB were set, malloc would fill megabytes of unused rings, which takes a
	 * minute. */
	mallopt(M_PERTURB, 0);
	if (argc > 1)
		use_policy(argv[1]);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
