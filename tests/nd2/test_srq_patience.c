/* Row 159 of docs/spec/nd2.md: a Send to an empty shared receive queue waits without limit. Both
 * directions are tested at once, for 30 s, or for ND2_PATIENCE_S seconds if that is less. */
#include "fixture.h"

static unsigned patience_ms(void)
{
	const char *text = getenv("ND2_PATIENCE_S");
	unsigned s = text != NULL ? (unsigned)atoi(text) : 30;

	return (s < 30 ? s : 30) * 1000;
}

static IND2SharedReceiveQueue *put_on_queue(struct end *e)
{
	IND2SharedReceiveQueue *srq;

	HR(CALL(adapters[e->which], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, e->file,
		8, 1, 0, 0, 0, (void **)&srq),
	   ND_SUCCESS);
	RELEASE(e->qp);
	HR(CALL(adapters[e->which], CreateQueuePairWithSrq, &IID_IND2QueuePair, (IUnknown *)e->cq,
		(IUnknown *)e->cq, (IUnknown *)srq, e, 8, 1, 0, (void **)&e->qp),
	   ND_SUCCESS);
	return srq;
}

static void nd2_row_159_a_send_waits_for_a_receive(void **state)
{
	IND2SharedReceiveQueue *srq[2];
	struct pair p;
	struct end *end[2] = {&p.a, &p.b};

	pair_open(&p, NULL);
	for (unsigned i = 0; i < 2; i++)
		srq[i] = put_on_queue(end[i]);
	pair_connect(&p, NULL);
	for (unsigned i = 0; i < 2; i++) {
		fill(end[i], 0, 1000, i);
		HR(post_send(end[i], 0, 1000, 1, 0), ND_SUCCESS);
		HR(post_write(end[i], 0, 100, 2, 0, end[!i], 4096), ND_SUCCESS);
	}
	sleep_ms(patience_ms());
	for (unsigned i = 0; i < 2; i++)
		reap_none(end[i]->cq, 1);
	for (unsigned i = 0; i < 2; i++) {
		ND2_SGE sge = {end[!i]->buf + 8192, 1000, end[!i]->local};

		HR(CALL(srq[!i], Receive, (void *)3, &sge, 1), ND_SUCCESS);
		reap_is(end[!i]->cq, 3, ND_SUCCESS);
		reap_is(end[i]->cq, 1, ND_SUCCESS);
		reap_is(end[i]->cq, 2, ND_SUCCESS);
		assert_true(filled(end[!i], 8192, 1000, i));
	}
	pair_close(&p);
	RELEASE(srq[0]);
	RELEASE(srq[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_159_a_send_waits_for_a_receive),
};

nd2_main(tests)
