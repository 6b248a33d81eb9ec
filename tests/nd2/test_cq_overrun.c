/* A completion queue overruns because the client posts requests and fetches no results. The
 * completion queue and its queue pairs must fail; everything else must go on working.
 *
 * Any client can cause an overrun. A queue pair accepts new requests when old ones complete, even
 * if nobody has fetched their results. */
#include "fixture.h"

enum { DEPTH = 32 };

/* Posts 64 Writes for each entry of the completion queue and fetches no result. Stops early when a
 * Write is refused because the queue pair has failed. */
static void post_without_reading(struct end *e)
{
	unsigned waits = 0;

	for (unsigned posted = 0; posted < 64 * DEPTH && waits < 5000;) {
		ND2_RESULT none;

		switch (CALL(e->qp, Write, NULL, NULL, 0, 0, 0, 0)) {
		case ND_SUCCESS:
			posted++;
			continue;
		case ND_NO_MORE_ENTRIES:
			/* The call fetches nothing: its purpose is to poll the NIC under the idle
			 * policy inline. */
			CALL(e->cq, GetResults, &none, 0);
			sleep_ms(1);
			waits++;
			continue;
		default:
			return;
		}
	}
}

/* Fetches all results that are left and returns their number. Each result must be a success. */
static unsigned drain(IND2CompletionQueue *cq)
{
	ND2_RESULT r[16];
	unsigned n = 0;
	ULONG got;

	while ((got = CALL(cq, GetResults, r, 16)) != 0)
		for (ULONG i = 0; i < got; i++, n++)
			HR(r[i].Status, ND_SUCCESS);
	return n;
}

static void overrun(int which)
{
	const struct how how = {.cq_depth = DEPTH, .depth = DEPTH};
	OVERLAPPED errors = {0}, solicited = {0}, later = {0}, gone[2] = {{0}}, part = {0};
	struct pair p;
	struct end *e = which ? &p.b : &p.a, *other = which ? &p.a : &p.b;

	pair_open_connected(&p, &how);
	HR(CALL(e->connector, NotifyDisconnect, &gone[0]), ND_PENDING);
	HR(CALL(other->connector, NotifyDisconnect, &gone[1]), ND_PENDING);
	HR(post_recv(other, 0, 100, 7), ND_SUCCESS);
	HR(CALL(e->cq, Notify, ND_CQ_NOTIFY_ERRORS, &errors), ND_PENDING);
	HR(CALL(e->cq, Notify, ND_CQ_NOTIFY_SOLICITED, &solicited), ND_PENDING);
	post_without_reading(e);
	HR(finish(e->cq, &errors), ND_BUFFER_OVERFLOW);
	HR(finish(e->cq, &solicited), ND_BUFFER_OVERFLOW);
	HR(CALL(e->cq, Notify, ND_CQ_NOTIFY_ANY, &later), ND_BUFFER_OVERFLOW);
	/* The method Resize() does not repair the failed completion queue, even with a larger
	 * depth. */
	HR(CALL(e->cq, Resize, 64 * DEPTH), ND_BUFFER_OVERFLOW);
	/* Both connectors report the end of the connection. */
	HR(finish(e->connector, &gone[0]), ND_SUCCESS);
	HR(finish(other->connector, &gone[1]), ND_SUCCESS);
	reap_is(other->cq, 7, ND_CANCELED);
	assert_true(drain(e->cq) >= DEPTH);
	assert_int_equal(drain(e->cq), 0);
	/* The method Receive() still accepts a request. The request is flushed, but the failed
	 * completion queue gets no result for it. */
	HR(post_recv(e, 0, 100, 8), ND_SUCCESS);
	ENDS(e->connector, CALL(e->connector, Disconnect, &part), &part, ND_SUCCESS);
	pair_close(&p);
}

static void an_unread_queue_dies_with_its_queue_pairs(void **state)
{
	struct pair untouched;

	pair_open_connected(&untouched, NULL);
	for (int round = 0; round < 3; round++) {
		overrun(0);
		overrun(1);
	}
	exchange(&untouched.a, &untouched.b);
	exchange(&untouched.b, &untouched.a);
	pair_close(&untouched);
}

/* Two queue pairs share a completion queue, and may be on different shards. One queue pair makes
 * the completion queue overrun. The other queue pair fails with its next completion at the
 * latest. */
static void both_queue_pairs_of_a_queue_die(void **state)
{
	const struct how how = {.cq_depth = DEPTH, .depth = DEPTH};
	OVERLAPPED errors = {0}, gone = {0};
	struct pair p, q;

	pair_open_connected(&p, &how);
	pair_open(&q, &how);
	RELEASE(q.a.qp);
	q.a.qp = new_qp(&q.a, p.a.cq, &q.a, &how);
	pair_connect(&q, &how);
	HR(CALL(q.b.connector, NotifyDisconnect, &gone), ND_PENDING);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ERRORS, &errors), ND_PENDING);
	post_without_reading(&p.a);
	HR(finish(p.a.cq, &errors), ND_BUFFER_OVERFLOW);
	CALL(q.a.qp, Write, NULL, NULL, 0, 0, 0, 0);
	HR(finish(q.b.connector, &gone), ND_SUCCESS);
	pair_close(&q);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(both_queue_pairs_of_a_queue_die),
	cmocka_unit_test(an_unread_queue_dies_with_its_queue_pairs),
};

int main(int argc, char **argv)
{
	if (argc > 1) /* the argument is an idle policy; adapter 0 then has two shards */
		use_policy(argv[1]);
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
