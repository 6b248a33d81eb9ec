/* Tests of shared receive queues: rows 31, 32 and 158 to 164 of docs/spec/nd2.md. Row 159 is in
 * test_srq_patience.c. The shared receive queue is on the passive side unless a test says
 * otherwise. */
#include "fixture.h"

#include "ndtypes.h"

#define AREA 4096u /* bytes of buf per receive */

static IND2SharedReceiveQueue *new_srq(struct end *e, ULONG depth, ULONG sge, ULONG threshold)
{
	IND2SharedReceiveQueue *srq;

	HR(CALL(adapters[e->which], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, e->file,
		depth, sge, threshold, 0, 0, (void **)&srq),
	   ND_SUCCESS);
	return srq;
}

static HRESULT create_qp(struct end *e, void *recv_cq, void *send_cq, void *srq, ULONG depth,
			 ULONG sge, ULONG inl, IND2QueuePair **qp)
{
	return CALL(adapters[e->which], CreateQueuePairWithSrq, &IID_IND2QueuePair,
		    (IUnknown *)recv_cq, (IUnknown *)send_cq, (IUnknown *)srq, e, depth, sge, inl,
		    (void **)qp);
}

/* Replaces the end's queue pair by a queue pair that uses this shared receive queue. */
static void put_on(struct end *e, IND2SharedReceiveQueue *srq)
{
	RELEASE(e->qp);
	HR(create_qp(e, e->cq, e->cq, srq, 64, 4, 128, &e->qp), ND_SUCCESS);
}

/* Opens a connected pair whose end b uses a new shared receive queue. */
static void open_on(struct pair *p, IND2SharedReceiveQueue **srq, ULONG depth, ULONG threshold)
{
	pair_open(p, NULL);
	*srq = new_srq(&p->b, depth, 2, threshold);
	put_on(&p->b, *srq);
	pair_connect(p, NULL);
}

/* Posts a receive into area i of the end's buffer, with request context i. */
static HRESULT receive(struct end *e, IND2SharedReceiveQueue *srq, unsigned i, ULONG len)
{
	ND2_SGE sge = {e->buf + i * AREA, len, e->local};

	return CALL(srq, Receive, (void *)(uintptr_t)i, &sge, 1);
}

static void receives(struct end *e, IND2SharedReceiveQueue *srq, unsigned from, unsigned to)
{
	for (unsigned i = from; i <= to; i++)
		HR(receive(e, srq, i, AREA), ND_SUCCESS);
}

/* Sends one message, which must arrive in receive i. */
static void deliver(struct pair *p, unsigned i)
{
	fill(&p->a, 0, 1000, i);
	HR(post_send(&p->a, 0, 1000, 0xa0, 0), ND_SUCCESS);
	reap_is(p->a.cq, 0xa0, ND_SUCCESS);
	reap_is(p->b.cq, i, ND_SUCCESS);
	assert_true(filled(&p->b, i * AREA, 1000, i));
}

static void nd2_row_031_what_a_queue_pair_on_a_queue_wants(void **state)
{
	IND2SharedReceiveQueue *srq, *strange;
	IND2Adapter *mine = adapters[0], *again = open_adapter(0);
	IND2QueuePair *qp = (IND2QueuePair *)&srq;
	struct end e, other;
	ULONG depth = limits.MaxInitiatorQueueDepth, sge = limits.MaxInitiatorSge,
	      inl = limits.MaxInlineDataSize;

	end_open(&e, 0, NULL);
	srq = new_srq(&e, 8, 1, 0);
	HR(create_qp(&e, NULL, e.cq, srq, 4, 1, 0, &qp), ND_INVALID_PARAMETER_2);
	assert_null(qp);
	HR(create_qp(&e, e.mr, e.cq, srq, 4, 1, 0, &qp), ND_INVALID_PARAMETER_2);
	HR(create_qp(&e, e.cq, srq, srq, 4, 1, 0, &qp), ND_INVALID_PARAMETER_3);
	HR(create_qp(&e, e.cq, e.cq, NULL, 4, 1, 0, &qp), ND_INVALID_PARAMETER_4);
	HR(create_qp(&e, e.cq, e.cq, e.cq, 4, 1, 0, &qp), ND_INVALID_PARAMETER_4);
	HR(create_qp(&e, e.cq, e.cq, srq, depth + 1, 1, 0, &qp), ND_INVALID_PARAMETER_6);
	HR(create_qp(&e, e.cq, e.cq, srq, 4, sge + 1, 0, &qp), ND_INVALID_PARAMETER_7);
	HR(create_qp(&e, e.cq, e.cq, srq, 4, 1, inl + 1, &qp), ND_INVALID_PARAMETER_8);
	assert_null(qp);
	/* A shared receive queue that another IND2Adapter object has created is refused, because
	 * the local tokens in its receives would be invalid here. */
	adapters[0] = again;
	end_open(&other, 0, NULL);
	strange = new_srq(&other, 8, 1, 0);
	adapters[0] = mine;
	HR(create_qp(&e, e.cq, e.cq, strange, 4, 1, 0, &qp), ND_INVALID_PARAMETER_4);
	HR(create_qp(&e, e.cq, e.cq, srq, depth, sge, inl, &qp), ND_SUCCESS);
	RELEASE(qp);
	RELEASE(strange);
	RELEASE(srq);
	end_close(&other);
	end_close(&e);
	RELEASE(again);
}

static void nd2_row_032_depth_and_sges_within_the_limits(void **state)
{
	IND2SharedReceiveQueue *srq = (IND2SharedReceiveQueue *)&limits;
	ULONG depth = limits.MaxSharedReceiveQueueDepth, sge = limits.MaxReceiveSge;
	struct end e;
	IND2Adapter *a = adapters[0];

	end_open(&e, 0, NULL);
#define CREATE(iid, file, depth, sge) \
	CALL(a, CreateSharedReceiveQueue, &iid, file, depth, sge, 0, 0, 0, (void **)&srq)
	assert_true(depth >= 1024);
	HR(CREATE(IID_IND2SharedReceiveQueue, e.file, 0, 1), ND_INVALID_PARAMETER_3);
	assert_null(srq);
	HR(CREATE(IID_IND2SharedReceiveQueue, e.file, depth + 1, 1), ND_INVALID_PARAMETER_3);
	HR(CREATE(IID_IND2SharedReceiveQueue, e.file, 1, sge + 1), ND_INVALID_PARAMETER_4);
	HR(CREATE(IID_IND2QueuePair, e.file, 1, 1), E_NOINTERFACE);
	HR(CREATE(IID_IND2SharedReceiveQueue, NULL, 1, 1), ND_INVALID_HANDLE);
	assert_null(srq);
	HR(CREATE(IID_IND2SharedReceiveQueue, e.file, depth, sge), ND_SUCCESS);
	RELEASE(srq);
	/* A shared receive queue with 0 SGEs per receive takes receives without a buffer. */
	HR(CREATE(IID_IND2SharedReceiveQueue, e.file, 1, 0), ND_SUCCESS);
	HR(CALL(srq, Receive, NULL, NULL, 0), ND_SUCCESS);
	RELEASE(srq);
#undef CREATE
	end_close(&e);
}

static void nd2_row_158_receives_up_to_the_depth(void **state)
{
	IND2SharedReceiveQueue *srq;
	ND2_SGE sge[3];
	struct pair p;

	open_on(&p, &srq, 5, 0);
	receives(&p.b, srq, 1, 5);
	HR(receive(&p.b, srq, 6, AREA), ND_NO_MORE_ENTRIES);
	for (unsigned i = 0; i < 3; i++)
		sge[i] = (ND2_SGE){p.b.buf, 10, p.b.local};
	HR(CALL(srq, Receive, NULL, sge, 3), ND_DATA_OVERRUN);
	HR(CALL(srq, Receive, NULL, NULL, 1), ND_INVALID_PARAMETER_2);
	sge[0].BufferLength = limits.MaxTransferLength;
	HR(CALL(srq, Receive, NULL, sge, 2), ND_BUFFER_OVERFLOW);
	/* Each message uses up the oldest receive, so there is room for another receive. */
	for (unsigned i = 1; i <= 20; i++) {
		deliver(&p, i);
		HR(receive(&p.b, srq, i + 5, AREA), ND_SUCCESS);
		HR(receive(&p.b, srq, 63, AREA), ND_NO_MORE_ENTRIES);
	}
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_own_two_sges_of_a_shared_receive(void **state)
{
	IND2SharedReceiveQueue *srq;
	ND2_SGE sge[2];
	struct pair p;

	open_on(&p, &srq, 5, 0);
	sge[0] = (ND2_SGE){p.b.buf + AREA, 400, p.b.local};
	sge[1] = (ND2_SGE){p.b.buf + AREA + 400, 600, p.b.local};
	HR(CALL(srq, Receive, (void *)1, sge, 2), ND_SUCCESS);
	deliver(&p, 1);
	HR(CALL(srq, Receive, (void *)2, NULL, 0), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)3, NULL, 0, 0), ND_SUCCESS);
	reap_is(p.a.cq, 3, ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_SUCCESS);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_row_160_notified_once_when_low(void **state)
{
	OVERLAPPED ov[3] = {{0}};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 10, 3);
	HR(NdsEventCreate(1, 0, &ov[1].hEvent), ND_SUCCESS);
	receives(&p.b, srq, 1, 4);
	HR(CALL(srq, Notify, &ov[0]), ND_PENDING);
	HR(CALL(srq, Notify, &ov[1]), ND_PENDING);
	/* Three receives are left, which is not below the threshold. */
	deliver(&p, 1);
	HR(status_after(&ov[0], 30), ND_PENDING);
	/* Two receives are left, which is below the threshold: all pending Notify requests end. */
	deliver(&p, 2);
	HR(finish(srq, &ov[0]), ND_SUCCESS);
	HR(finish(srq, &ov[1]), ND_SUCCESS);
	HR(NdsEventWait(ov[1].hEvent, 20000), ND_SUCCESS);
	/* No Notify is pending, so the next message ends none. After a refill, a new Notify is
	 * pending until fewer receives than the threshold are left. */
	deliver(&p, 3);
	receives(&p.b, srq, 5, 7);
	HR(CALL(srq, Notify, &ov[2]), ND_PENDING);
	HR(status_after(&ov[2], 30), ND_PENDING);
	deliver(&p, 4);
	HR(status_after(&ov[2], 30), ND_PENDING);
	deliver(&p, 5);
	HR(finish(srq, &ov[2]), ND_SUCCESS);
	NdsHandleClose(ov[1].hEvent);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_row_161_notified_at_once_when_low_already(void **state)
{
	OVERLAPPED ov = {0};
	IND2SharedReceiveQueue *srq;
	struct end e;

	end_open(&e, 0, NULL);
	srq = new_srq(&e, 10, 1, 3);
	ENDS(srq, CALL(srq, Notify, &ov), &ov, ND_SUCCESS);
	receives(&e, srq, 1, 2);
	ENDS(srq, CALL(srq, Notify, &ov), &ov, ND_SUCCESS);
	receives(&e, srq, 3, 3);
	HR(CALL(srq, Notify, &ov), ND_PENDING);
	HR(status_after(&ov, 30), ND_PENDING);
	RELEASE(srq);
	HR(status_after(&ov, 0), ND_CANCELED);
	end_close(&e);
}

static void nd2_own_threshold_0_is_never_reached(void **state)
{
	OVERLAPPED ov = {0};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 10, 0);
	HR(CALL(srq, Notify, &ov), ND_PENDING);
	receives(&p.b, srq, 1, 2);
	deliver(&p, 1);
	deliver(&p, 2);
	HR(status_after(&ov, 30), ND_PENDING);
	HR(CALL(srq, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&ov, 0), ND_CANCELED);
	/* The cancelled Notify has no effect later on. */
	receives(&p.b, srq, 3, 3);
	deliver(&p, 3);
	HR(CALL(srq, CancelOverlappedRequests), ND_SUCCESS);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_row_162_modify_nothing(void **state)
{
	OVERLAPPED ov = {0};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 4, 3);
	HR(CALL(srq, Modify, 0, 0), ND_SUCCESS);
	receives(&p.b, srq, 1, 4);
	HR(receive(&p.b, srq, 5, AREA), ND_NO_MORE_ENTRIES);
	HR(CALL(srq, Modify, 0, 0), ND_SUCCESS);
	HR(CALL(srq, Notify, &ov), ND_PENDING);
	deliver(&p, 1);
	HR(status_after(&ov, 30), ND_PENDING);
	HR(CALL(srq, Modify, 0, 0), ND_SUCCESS);
	deliver(&p, 2);
	HR(finish(srq, &ov), ND_SUCCESS);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_row_163_modify_below_what_is_posted(void **state)
{
	OVERLAPPED ov = {0};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 8, 1);
	receives(&p.b, srq, 1, 6);
	HR(CALL(srq, Modify, 5, 6), ND_BUFFER_OVERFLOW);
	HR(CALL(srq, Modify, limits.MaxSharedReceiveQueueDepth + 1, 6), ND_INVALID_PARAMETER);
	/* A refused Modify changes neither depth nor threshold. */
	HR(CALL(srq, Notify, &ov), ND_PENDING);
	deliver(&p, 1);
	receives(&p.b, srq, 7, 9);
	HR(receive(&p.b, srq, 10, AREA), ND_NO_MORE_ENTRIES);
	HR(status_after(&ov, 30), ND_PENDING);
	/* A depth equal to the number of posted receives is accepted. */
	HR(CALL(srq, Modify, 8, 0), ND_SUCCESS);
	HR(CALL(srq, Modify, 7, 0), ND_BUFFER_OVERFLOW);
	deliver(&p, 2);
	HR(CALL(srq, Modify, 7, 0), ND_SUCCESS);
	HR(receive(&p.b, srq, 10, AREA), ND_NO_MORE_ENTRIES);
	for (unsigned i = 3; i <= 9; i++)
		deliver(&p, i);
	HR(finish(srq, &ov), ND_SUCCESS);
	pair_close(&p);
	RELEASE(srq);
}

/* Modify with a new threshold also affects a Notify that is already pending. */
static void nd2_own_modify_the_threshold_meanwhile(void **state)
{
	OVERLAPPED ov[2] = {{0}};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 10, 0);
	receives(&p.b, srq, 1, 5);
	HR(CALL(srq, Notify, &ov[0]), ND_PENDING);
	HR(CALL(srq, Modify, 0, 2), ND_SUCCESS);
	HR(CALL(srq, Notify, &ov[1]), ND_PENDING);
	deliver(&p, 1);
	HR(status_after(&ov[0], 30), ND_PENDING);
	/* Four receives are left, which is below the new threshold. */
	HR(CALL(srq, Modify, 0, 5), ND_SUCCESS);
	HR(finish(srq, &ov[0]), ND_SUCCESS);
	HR(finish(srq, &ov[1]), ND_SUCCESS);
	HR(CALL(srq, Notify, &ov[0]), ND_PENDING);
	HR(finish(srq, &ov[0]), ND_SUCCESS);
	HR(CALL(srq, Modify, 0, 4), ND_SUCCESS);
	HR(CALL(srq, Notify, &ov[0]), ND_PENDING);
	HR(status_after(&ov[0], 30), ND_PENDING);
	deliver(&p, 2);
	HR(finish(srq, &ov[0]), ND_SUCCESS);
	pair_close(&p);
	RELEASE(srq);
}

/* The depth changes between messages. No posted receive is lost, and messages take the receives in
 * the order of posting. */
static void nd2_own_modify_the_depth_under_traffic(void **state)
{
	IND2SharedReceiveQueue *srq;
	unsigned posted = 0, taken = 0;
	struct pair p;

	open_on(&p, &srq, 2, 0);
	for (unsigned round = 0; round < 5; round++) {
		for (ULONG depth = 2; depth <= 40; depth = depth * 2 + 1) {
			HR(CALL(srq, Modify, depth, 0), ND_SUCCESS);
			while (posted - taken < depth)
				HR(receive(&p.b, srq, posted++ % 50, AREA), ND_SUCCESS);
			HR(receive(&p.b, srq, 0, AREA), ND_NO_MORE_ENTRIES);
			for (unsigned i = 0; i < depth; i += 2)
				deliver(&p, taken++ % 50);
		}
		while (posted - taken > 2)
			deliver(&p, taken++ % 50);
		HR(CALL(srq, Modify, 2, 0), ND_SUCCESS);
	}
	HR(CALL(srq, Modify, limits.MaxSharedReceiveQueueDepth, 0), ND_SUCCESS);
	deliver(&p, taken % 50);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_row_164_two_queue_pairs_on_one_queue(void **state)
{
	IND2SharedReceiveQueue *srq;
	struct pair p, q;

	open_on(&p, &srq, 16, 0);
	pair_open(&q, NULL);
	put_on(&q.b, srq);
	pair_connect(&q, NULL);
	receives(&p.b, srq, 1, 10);
	for (unsigned i = 1; i <= 10; i++) {
		struct pair *by = i % 3 == 0 ? &p : &q;
		ND2_RESULT r;

		fill(&by->a, 0, 500 + i, i);
		HR(post_send(&by->a, 0, 500 + i, 1, 0), ND_SUCCESS);
		reap_is(by->a.cq, 1, ND_SUCCESS);
		r = reap(by->b.cq);
		HR(r.Status, ND_SUCCESS);
		assert_ptr_equal(r.QueuePairContext, &by->b);
		assert_int_equal((uintptr_t)r.RequestContext, i);
		assert_int_equal(r.RequestType, Nd2RequestTypeReceive);
		assert_int_equal(r.BytesTransferred, 500 + i);
		/* The message is in the receive's buffer, whichever queue pair received the
		 * message. */
		assert_true(filled(&p.b, i * AREA, 500 + i, i));
	}
	reap_none(p.b.cq, 10);
	reap_none(q.b.cq, 10);
	pair_close(&q);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_own_no_receives_of_its_own(void **state)
{
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 4, 0);
	HR(post_recv(&p.b, 0, 100, 1), ND_INVALID_DEVICE_REQUEST);
	HR(CALL(p.b.qp, Receive, NULL, NULL, 0), ND_INVALID_DEVICE_REQUEST);
	receives(&p.b, srq, 1, 1);
	deliver(&p, 1);
	pair_close(&p);
	RELEASE(srq);
}

/* A Send waits until a receive is posted to the peer's shared receive queue. The Send waits longer
 * than the RNR retries of an ordinary queue pair last. Both directions are tested. */
static void nd2_own_a_message_waits_for_a_receive(void **state)
{
	IND2SharedReceiveQueue *passive, *active;
	struct pair p;

	pair_open(&p, NULL);
	passive = new_srq(&p.b, 4, 1, 0);
	active = new_srq(&p.a, 4, 1, 0);
	put_on(&p.b, passive);
	put_on(&p.a, active);
	pair_connect(&p, NULL);
	HR(post_send(&p.a, 0, 100, 1, 0), ND_SUCCESS);
	HR(post_send(&p.b, 0, 100, 2, 0), ND_SUCCESS);
	sleep_ms(1500);
	reap_none(p.a.cq, 1);
	reap_none(p.b.cq, 1);
	receives(&p.b, passive, 1, 1);
	receives(&p.a, active, 1, 1);
	for (unsigned i = 0; i < 2; i++) {
		HR(reap(p.a.cq).Status, ND_SUCCESS);
		HR(reap(p.b.cq).Status, ND_SUCCESS);
	}
	pair_close(&p);
	RELEASE(active);
	RELEASE(passive);
}

/* Flush may cancel the one receive that a message has begun to fill. All other receives stay in the
 * shared receive queue. */
static void nd2_own_flush_leaves_the_queue_alone(void **state)
{
	enum { N = 8 };
	IND2SharedReceiveQueue *srq;
	unsigned left = N;
	struct pair p, q;

	open_on(&p, &srq, N, 0);
	pair_open(&q, NULL);
	put_on(&q.b, srq);
	pair_connect(&q, NULL);
	receives(&p.b, srq, 1, N);
	HR(post_send(&q.a, 0, AREA, 1, 0), ND_SUCCESS);
	HR(CALL(q.b.qp, Flush), ND_SUCCESS);
	/* The message may have filled a receive before Flush, or begun to fill a receive that Flush
	 * then cancelled. So there may be one result, successful or cancelled. */
	for (ND2_RESULT r; left == N && CALL(q.b.cq, GetResults, &r, 1) == 1; left--)
		assert_true(r.Status == ND_SUCCESS || r.Status == ND_CANCELED);
	for (unsigned i = N - left + 1; i <= N; i++)
		deliver(&p, i);
	reap_none(q.b.cq, 10);
	/* No receive is left now. This Send waits until a receive is posted. */
	HR(post_send(&p.a, 0, 10, 5, 0), ND_SUCCESS);
	reap_none(p.a.cq, 50);
	receives(&p.b, srq, 1, 1);
	reap_is(p.a.cq, 5, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	pair_close(&q);
	pair_close(&p);
	RELEASE(srq);
}

/* A receive has a buffer that is too short. The queue pair that takes this receive loses its
 * connection. The other queue pair on the shared receive queue works on. */
static void nd2_own_a_short_receive_ends_one_queue_pair(void **state)
{
	IND2SharedReceiveQueue *srq;
	struct pair p, q;

	open_on(&p, &srq, 8, 0);
	pair_open(&q, NULL);
	put_on(&q.b, srq);
	pair_connect(&q, NULL);
	HR(receive(&p.b, srq, 1, 10), ND_SUCCESS);
	receives(&p.b, srq, 2, 3);
	HR(post_send(&q.a, 0, 11, 1, 0), ND_SUCCESS);
	reap_is(q.b.cq, 1, ND_DATA_OVERRUN);
	reap_is(q.a.cq, 1, STATUS_DATA_ERROR);
	reap_none(q.b.cq, 10);
	deliver(&p, 2);
	deliver(&p, 3);
	pair_close(&q);
	pair_close(&p);
	RELEASE(srq);
}

/* A receive has an invalid token. The queue pair that takes this receive loses its connection. The
 * other queue pair on the shared receive queue works on. */
static void nd2_own_a_bad_token_ends_one_queue_pair(void **state)
{
	IND2SharedReceiveQueue *srq;
	ND2_SGE bad;
	struct pair p, q;

	open_on(&p, &srq, 8, 0);
	pair_open(&q, NULL);
	put_on(&q.b, srq);
	pair_connect(&q, NULL);
	bad = (ND2_SGE){p.b.buf, AREA, p.b.local ^ 0x55};
	HR(CALL(srq, Receive, (void *)1, &bad, 1), ND_SUCCESS);
	receives(&p.b, srq, 2, 2);
	HR(post_send(&q.a, 0, 11, 1, 0), ND_SUCCESS);
	reap_is(q.b.cq, 1, ND_ACCESS_VIOLATION);
	assert_true(FAILED(reap(q.a.cq).Status));
	deliver(&p, 2);
	pair_close(&q);
	pair_close(&p);
	RELEASE(srq);
}

static void nd2_own_the_queue_released_before_its_queue_pairs(void **state)
{
	OVERLAPPED ov[2] = {{0}};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 8, 1);
	receives(&p.b, srq, 1, 4);
	HR(CALL(srq, Notify, &ov[0]), ND_PENDING);
	HR(CALL(srq, Notify, &ov[1]), ND_PENDING);
	assert_int_equal(CALL(srq, Release), 0);
	HR(status_after(&ov[0], 0), ND_CANCELED);
	HR(status_after(&ov[1], 0), ND_CANCELED);
	for (unsigned i = 1; i <= 4; i++)
		deliver(&p, i);
	pair_close(&p);
}

/* A queue pair is released before a message has taken a posted receive. This receive stays posted
 * for the next queue pair on the shared receive queue. */
static void nd2_own_queue_pairs_come_and_go(void **state)
{
	IND2SharedReceiveQueue *srq;
	struct pair p;
	struct end e;

	end_open(&e, 1, NULL);
	srq = new_srq(&e, 8, 1, 0);
	for (unsigned i = 1; i <= 6; i++) {
		receives(&e, srq, i, i);
		pair_open(&p, NULL);
		put_on(&p.b, srq);
		pair_connect(&p, NULL);
		fill(&p.a, 0, 1000, i);
		HR(post_send(&p.a, 0, 1000, 1, 0), ND_SUCCESS);
		reap_is(p.b.cq, i, ND_SUCCESS);
		assert_true(filled(&e, i * AREA, 1000, i));
		pair_close(&p);
	}
	RELEASE(srq);
	end_close(&e);
}

static void nd2_own_interfaces_and_affinity(void **state)
{
	IND2SharedReceiveQueue *srq;
	KAFFINITY mask = 0, all;
	USHORT group = 7;
	void *as;
	struct end e;

	end_open(&e, 0, NULL);
	srq = new_srq(&e, 8, 1, 0);
	HR(CALL(srq, QueryInterface, &IID_IND2Overlapped, &as), S_OK);
	assert_ptr_equal(as, srq);
	HR(CALL(srq, QueryInterface, &IID_IUnknown, &as), S_OK);
	HR(CALL(srq, QueryInterface, &IID_IND2QueuePair, &as), E_NOINTERFACE);
	assert_int_equal(CALL(srq, Release), 2);
	assert_int_equal(CALL(srq, Release), 1);
	HR(CALL(srq, GetNotifyAffinity, NULL, &mask), ND_INVALID_PARAMETER);
	HR(CALL(srq, GetNotifyAffinity, &group, NULL), ND_INVALID_PARAMETER);
	HR(CALL(srq, GetNotifyAffinity, &group, &all), ND_SUCCESS);
	assert_int_equal(group, 0);
	assert_int_not_equal(all, 0);
	assert_int_equal(CALL(srq, Release), 0);
	/* An affinity for CPUs that do not exist is ignored. */
	HR(CALL(adapters[0], CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, e.file, 8, 1, 0,
		3, 1ull << 63, (void **)&srq),
	   ND_SUCCESS);
	HR(CALL(srq, GetNotifyAffinity, &group, &mask), ND_SUCCESS);
	assert_int_equal(mask, all);
	RELEASE(srq);
	end_close(&e);
}

/* The client releases the adapters, then the shared receive queue. The queue pair holds references
 * to these objects, so they live until the queue pair is released. */
static void nd2_own_queue_pairs_keep_their_queue(void **state)
{
	OVERLAPPED ov = {0};
	IND2SharedReceiveQueue *srq;
	struct pair p;

	open_on(&p, &srq, 8, 1);
	receives(&p.b, srq, 1, 4);
	HR(CALL(srq, Notify, &ov), ND_PENDING);
	close_adapters(state);
	RELEASE(p.b.cq);
	RELEASE(p.b.mr);
	RELEASE(srq);
	HR(status_after(&ov, 0), ND_CANCELED);
	assert_int_equal(live_objects("shared receive queue"), 1);
	RELEASE(p.b.qp);
	pair_close(&p);
	nothing_lives();
	open_adapters(state);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_031_what_a_queue_pair_on_a_queue_wants),
	cmocka_unit_test(nd2_row_032_depth_and_sges_within_the_limits),
	cmocka_unit_test(nd2_row_158_receives_up_to_the_depth),
	cmocka_unit_test(nd2_own_two_sges_of_a_shared_receive),
	cmocka_unit_test(nd2_row_160_notified_once_when_low),
	cmocka_unit_test(nd2_row_161_notified_at_once_when_low_already),
	cmocka_unit_test(nd2_own_threshold_0_is_never_reached),
	cmocka_unit_test(nd2_row_162_modify_nothing),
	cmocka_unit_test(nd2_row_163_modify_below_what_is_posted),
	cmocka_unit_test(nd2_own_modify_the_threshold_meanwhile),
	cmocka_unit_test(nd2_own_modify_the_depth_under_traffic),
	cmocka_unit_test(nd2_row_164_two_queue_pairs_on_one_queue),
	cmocka_unit_test(nd2_own_no_receives_of_its_own),
	cmocka_unit_test(nd2_own_a_message_waits_for_a_receive),
	cmocka_unit_test(nd2_own_flush_leaves_the_queue_alone),
	cmocka_unit_test(nd2_own_a_short_receive_ends_one_queue_pair),
	cmocka_unit_test(nd2_own_a_bad_token_ends_one_queue_pair),
	cmocka_unit_test(nd2_own_the_queue_released_before_its_queue_pairs),
	cmocka_unit_test(nd2_own_queue_pairs_come_and_go),
	cmocka_unit_test(nd2_own_interfaces_and_affinity),
	cmocka_unit_test(nd2_own_queue_pairs_keep_their_queue),
};

nd2_main(tests)
