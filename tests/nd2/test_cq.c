/* Tests of completion queues: rows 102 to 115 of docs/spec/nd2.md. The tests of Resize are in
 * test_cq_resize.c. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>

static void message(struct end *from, struct end *to, uintptr_t ctx, ULONG flags)
{
	HR(post_recv(to, 0, 1000, ctx), ND_SUCCESS);
	HR(post_send(from, 0, 10, ctx, flags), ND_SUCCESS);
	reap_is(from->cq, ctx, ND_SUCCESS);
}

/* Gives the results time to arrive without fetching any of them. */
static void let_arrive(void)
{
	sleep_ms(50);
}

static void nd2_row_102_an_entry_since_the_last_look(void **state)
{
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	message(&p.a, &p.b, 1, 0);
	let_arrive();
	ENDS(p.b.cq, CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), &ov, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_103_entries_that_have_fired_do_not_fire_again(void **state)
{
	OVERLAPPED ov[2] = {{0}};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[0]), ND_PENDING);
	message(&p.a, &p.b, 1, 0);
	HR(finish(p.b.cq, &ov[0]), ND_SUCCESS);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[1]), ND_PENDING);
	HR(status_after(&ov[1], 100), ND_PENDING);
	message(&p.a, &p.b, 2, 0);
	HR(finish(p.b.cq, &ov[1]), ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_104_one_event_ends_all_waiting(void **state)
{
	OVERLAPPED ov[3] = {{0}};
	struct pair p;

	pair_open_connected(&p, NULL);
	for (int i = 0; i < 3; i++)
		HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[i]), ND_PENDING);
	message(&p.a, &p.b, 1, 0);
	for (int i = 0; i < 3; i++)
		HR(finish(p.b.cq, &ov[i]), ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_105_solicited_waits_for_a_solicited_one(void **state)
{
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &ov), ND_PENDING);
	message(&p.a, &p.b, 1, 0);
	HR(status_after(&ov, 100), ND_PENDING);
	message(&p.a, &p.b, 2, ND_OP_FLAG_SEND_AND_SOLICIT_EVENT);
	HR(finish(p.b.cq, &ov), ND_SUCCESS);
	/* The first message did not complete the Notify, but that message's result can be fetched
	 * now. */
	reap_is(p.b.cq, 1, ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_106_solicited_includes_errors(void **state)
{
	OVERLAPPED ov = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &ov), ND_PENDING);
	HR(CALL(p.b.qp, Flush), ND_SUCCESS);
	HR(finish(p.b.cq, &ov), ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_107_any_absorbs_solicited(void **state)
{
	OVERLAPPED ov[2] = {{0}};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &ov[0]), ND_PENDING);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[1]), ND_PENDING);
	message(&p.a, &p.b, 1, 0);
	HR(finish(p.b.cq, &ov[0]), ND_SUCCESS);
	HR(finish(p.b.cq, &ov[1]), ND_SUCCESS);
	pair_close(&p);
}

/* Three Notify requests are pending at once: for ANY, ERRORS and SOLICITED. An unsolicited message
 * ends the Notify for ANY and the Notify for SOLICITED. The Notify for ERRORS stays pending. */
static void nd2_own_solicited_joins_any(void **state)
{
	OVERLAPPED ov[4] = {{0}};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[0]), ND_PENDING);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov[1]), ND_PENDING);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &ov[2]), ND_PENDING);
	message(&p.a, &p.b, 1, 0);
	HR(finish(p.b.cq, &ov[0]), ND_SUCCESS);
	HR(finish(p.b.cq, &ov[2]), ND_SUCCESS);
	/* When no Notify for ANY is pending, a Notify for SOLICITED again waits for a solicited
	 * message. */
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &ov[3]), ND_PENDING);
	message(&p.a, &p.b, 2, 0);
	HR(status_after(&ov[3], 100), ND_PENDING);
	HR(status_after(&ov[1], 0), ND_PENDING);
	RELEASE(p.b.qp);
	RELEASE(p.b.cq);
	HR(status_after(&ov[1], 0), ND_CANCELED);
	HR(status_after(&ov[3], 0), ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_108_errors_of_the_queue_alone(void **state)
{
	OVERLAPPED ov = {0}, any = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_PENDING);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &any), ND_PENDING);
	message(&p.a, &p.b, 1, 0);
	HR(finish(p.b.cq, &any), ND_SUCCESS);
	HR(status_after(&ov, 100), ND_PENDING);
	HR(CALL(p.b.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&ov, 0), ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_109_unknown_type(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.cq, Notify, 3, &ov), ND_INVALID_PARAMETER_1);
	end_close(&e);
}

static void nd2_row_113_results_of_several_queue_pairs(void **state)
{
	enum { N = 40 };
	uintptr_t next_send[2] = {0}, next_recv[2] = {0};
	struct pair p, q;
	ND2_RESULT r[7];

	/* Opens two connected pairs, p and q. The active sides of both pairs use the same
	 * completion queue, p.a.cq. */
	pair_open_connected(&p, NULL);
	pair_open(&q, NULL);
	RELEASE(q.a.qp);
	q.a.qp = new_qp(&q.a, p.a.cq, &q.a, NULL);
	pair_connect(&q, NULL);
	for (uintptr_t i = 0; i < N; i++) {
		HR(post_recv(&p.a, 8192, 100, i), ND_SUCCESS);
		HR(post_recv(&q.a, 8192, 100, i), ND_SUCCESS);
		HR(post_recv(&p.b, 8192, 100, i), ND_SUCCESS);
		HR(post_recv(&q.b, 8192, 100, i), ND_SUCCESS);
	}
	for (uintptr_t i = 0; i < N; i++) {
		HR(post_send(&p.a, 0, 50, i, 0), ND_SUCCESS);
		HR(post_send(&q.a, 0, 60, i, 0), ND_SUCCESS);
		HR(post_send(&p.b, 0, 70, i, 0), ND_SUCCESS);
		HR(post_send(&q.b, 0, 80, i, 0), ND_SUCCESS);
	}
	for (int got = 0, idle = 0; got < 4 * N && idle < 2000;) {
		ULONG n = CALL(p.a.cq, GetResults, r, 7);

		idle = n != 0 ? 0 : idle + 1;
		if (n == 0)
			sleep_ms(5);
		for (ULONG i = 0; i < n; i++, got++) {
			int which = r[i].QueuePairContext == &q.a;

			assert_true(which || r[i].QueuePairContext == &p.a);
			HR(r[i].Status, ND_SUCCESS);
			if (r[i].RequestType == Nd2RequestTypeSend) {
				assert_int_equal((uintptr_t)r[i].RequestContext,
						 next_send[which]++);
			} else {
				assert_int_equal(r[i].RequestType, Nd2RequestTypeReceive);
				assert_int_equal((uintptr_t)r[i].RequestContext,
						 next_recv[which]++);
				assert_int_equal(r[i].BytesTransferred, which ? 80 : 70);
			}
		}
	}
	for (int which = 0; which < 2; which++) {
		assert_int_equal(next_send[which], N);
		assert_int_equal(next_recv[which], N);
	}
	pair_close(&q);
	pair_close(&p);
}

/* ---- several readers ---- */

enum { READERS = 3, MESSAGES = 3000, AHEAD = 32 };

struct readers {
	struct pair p;
	_Atomic unsigned next; /* number of the next receive to be posted */
	_Atomic unsigned taken;
	_Atomic unsigned char seen[MESSAGES + AHEAD];
};

static void *take_some(void *arg)
{
	struct readers *r = arg;
	unsigned idle = 0;

	while (atomic_load(&r->taken) < MESSAGES && idle < 20000) {
		ND2_RESULT result[3];
		ULONG n = CALL(r->p.b.cq, GetResults, result, 3);

		for (ULONG i = 0; i < n; i++) {
			uintptr_t ctx = (uintptr_t)result[i].RequestContext;

			HR(result[i].Status, ND_SUCCESS);
			assert_in_range(ctx, 0, MESSAGES + AHEAD - 1);
			assert_int_equal(atomic_fetch_add(&r->seen[ctx], 1), 0);
			HR(post_recv(&r->p.b, 0, 10, atomic_fetch_add(&r->next, 1)), ND_SUCCESS);
			atomic_fetch_add(&r->taken, 1);
		}
		idle = n != 0 ? 0 : idle + 1;
		if (n == 0)
			sleep_ms(1);
	}
	return NULL;
}

static void nd2_own_several_threads_take_results(void **state)
{
	static struct readers r;
	pthread_t thread[READERS];

	memset(&r, 0, sizeof(r));
	pair_open_connected(&r.p, NULL);
	while (r.next < AHEAD)
		HR(post_recv(&r.p.b, 0, 10, r.next++), ND_SUCCESS);
	for (int i = 0; i < READERS; i++)
		pthread_create(&thread[i], NULL, take_some, &r);
	for (unsigned i = 0; i < MESSAGES; i++) {
		HR(post_send(&r.p.a, 0, 10, i, 0), ND_SUCCESS);
		if (i % 16 == 15)
			for (unsigned k = i - 15; k <= i; k++)
				reap_is(r.p.a.cq, k, ND_SUCCESS);
	}
	for (int i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(r.taken, MESSAGES);
	pair_close(&r.p);
}

static void nd2_row_114_results_outlive_their_queue_pair(void **state)
{
	OVERLAPPED ov = {0};
	ND2_RESULT r;
	struct pair p;

	pair_open_connected(&p, NULL);
	message(&p.a, &p.b, 1, 0);
	HR(post_recv(&p.b, 0, 10, 2), ND_SUCCESS);
	/* The Notify ends when the first result has arrived, and leaves the result there. */
	ENDS(p.b.cq, CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), &ov, ND_SUCCESS);
	RELEASE(p.b.qp);
	r = reap(p.b.cq);
	HR(r.Status, ND_SUCCESS);
	assert_ptr_equal(r.QueuePairContext, &p.b);
	assert_int_equal(r.BytesTransferred, 10);
	reap_is(p.b.cq, 2, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_115_affinity_is_reported(void **state)
{
	KAFFINITY mask = 0;
	USHORT group = 7;
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.cq, GetNotifyAffinity, &group, &mask), ND_SUCCESS);
	assert_int_equal(group, 0);
	assert_int_not_equal(mask, 0);
	HR(CALL(e.cq, GetNotifyAffinity, NULL, &mask), ND_INVALID_PARAMETER);
	end_close(&e);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_102_an_entry_since_the_last_look),
	cmocka_unit_test(nd2_row_103_entries_that_have_fired_do_not_fire_again),
	cmocka_unit_test(nd2_row_104_one_event_ends_all_waiting),
	cmocka_unit_test(nd2_row_105_solicited_waits_for_a_solicited_one),
	cmocka_unit_test(nd2_row_106_solicited_includes_errors),
	cmocka_unit_test(nd2_row_107_any_absorbs_solicited),
	cmocka_unit_test(nd2_own_solicited_joins_any),
	cmocka_unit_test(nd2_row_108_errors_of_the_queue_alone),
	cmocka_unit_test(nd2_row_109_unknown_type),
	cmocka_unit_test(nd2_row_113_results_of_several_queue_pairs),
	cmocka_unit_test(nd2_own_several_threads_take_results),
	cmocka_unit_test(nd2_row_114_results_outlive_their_queue_pair),
	cmocka_unit_test(nd2_row_115_affinity_is_reported),
};

nd2_main(tests)
