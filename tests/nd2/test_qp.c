/* Tests of posting on queue pairs: rows 77 to 90 of docs/spec/nd2.md. */
#include "fixture.h"

static void nd2_row_077_receive_on_an_unconnected_queue_pair(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(post_recv(&e, 0, 1000, 1), ND_SUCCESS);
	reap_none(e.cq, 30);
	end_close(&e);
}

static void nd2_row_078_the_rest_wants_a_connection(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(post_send(&e, 0, 10, 1, 0), ND_CONNECTION_INVALID);
	HR(post_write(&e, 0, 10, 1, 0, &e, 0), ND_CONNECTION_INVALID);
	HR(post_read(&e, 0, 10, 1, 0, &e, 0), ND_CONNECTION_INVALID);
	HR(CALL(e.qp, Bind, NULL, (IUnknown *)e.mr, NULL, e.buf, 10, ND_OP_FLAG_ALLOW_READ),
	   ND_CONNECTION_INVALID);
	HR(CALL(e.qp, Invalidate, NULL, NULL, 0), ND_CONNECTION_INVALID);
	end_close(&e);
}

static void nd2_row_079_receives_up_to_the_depth(void **state)
{
	const struct how how = {.depth = 5};
	struct pair p;

	pair_open(&p, &how);
	for (uintptr_t i = 1; i <= 5; i++)
		HR(post_recv(&p.a, 0, 100, i), ND_SUCCESS);
	HR(post_recv(&p.a, 0, 100, 6), ND_NO_MORE_ENTRIES);
	pair_connect(&p, &how);
	HR(post_send(&p.b, 0, 10, 1, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	HR(post_recv(&p.a, 0, 100, 6), ND_SUCCESS);
	HR(post_recv(&p.a, 0, 100, 7), ND_NO_MORE_ENTRIES);
	pair_close(&p);
}

static void nd2_row_080_sends_up_to_the_depth(void **state)
{
	const struct how how = {.depth = 4};
	struct pair p;

	pair_open_connected(&p, &how);
	for (uintptr_t i = 1; i <= 4; i++) /* the peer has posted no receive, so these Sends wait */
		HR(post_send(&p.a, 0, 10, i, 0), ND_SUCCESS);
	HR(post_send(&p.a, 0, 10, 5, 0), ND_NO_MORE_ENTRIES);
	for (uintptr_t i = 1; i <= 4; i++)
		HR(post_recv(&p.b, 0, 100, i), ND_SUCCESS);
	for (uintptr_t i = 1; i <= 4; i++)
		reap_is(p.a.cq, i, ND_SUCCESS);
	for (uintptr_t i = 1; i <= 4; i++)
		reap_is(p.b.cq, i, ND_SUCCESS);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_081_too_many_sges(void **state)
{
	const struct how how = {.sge = 3};
	ND2_SGE sge[5];
	struct pair p;

	pair_open_connected(&p, &how);
	for (int i = 0; i < 5; i++)
		sge[i] = (ND2_SGE){p.a.buf + 100 * i, 10, p.a.local};
	HR(CALL(p.a.qp, Send, NULL, sge, 4, 0), ND_DATA_OVERRUN);
	HR(CALL(p.a.qp, Receive, NULL, sge, 4), ND_DATA_OVERRUN);
	HR(CALL(p.a.qp, Write, NULL, sge, 5, (UINT64)(uintptr_t)p.b.buf, p.b.remote, 0),
	   ND_DATA_OVERRUN);
	HR(CALL(p.a.qp, Read, NULL, sge, 5, (UINT64)(uintptr_t)p.b.buf, p.b.remote, 0),
	   ND_DATA_OVERRUN);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_082_two_sges_are_always_granted(void **state)
{
	const struct how how = {.sge = 1};
	ND2_SGE sge[2];
	struct pair p;

	pair_open_connected(&p, &how);
	sge[0] = (ND2_SGE){p.a.buf, 500, p.a.local};
	sge[1] = (ND2_SGE){p.a.buf + 500, 500, p.a.local};
	fill(&p.a, 0, 1000, 3);
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)2, sge, 2, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	assert_true(filled(&p.b, 0, 1000, 3));
	pair_close(&p);
}

static void nd2_row_083_inline_data_is_taken_at_once(void **state)
{
	uint8_t piece[10][10];
	const struct how how = {.sge = 2, .inl = 100};
	ND2_SGE sge[10];
	struct pair p;

	pair_open_connected(&p, &how);
	for (int i = 0; i < 10; i++) {
		memset(piece[i], i + 1, sizeof(piece[i]));
		sge[i] = (ND2_SGE){piece[i], 10, 0xdeadbeef};
	}
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)2, sge, 10, ND_OP_FLAG_INLINE), ND_SUCCESS);
	memset(piece, 0xff, sizeof(piece));
	reap_is(p.a.cq, 2, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	for (int i = 0; i < 100; i++)
		assert_int_equal(p.b.buf[i], i / 10 + 1);
	/* A Write with inline data works. One byte more than the queue pair's inline limit is
	 * refused. */
	HR(CALL(p.a.qp, Write, (void *)3, sge, 10, (UINT64)(uintptr_t)p.b.buf + 200, p.b.remote,
		ND_OP_FLAG_INLINE),
	   ND_SUCCESS);
	reap_is(p.a.cq, 3, ND_SUCCESS);
	assert_int_equal(p.b.buf[299], 0xff);
	sge[0].Buffer = p.a.buf;
	sge[0].BufferLength = 101;
	HR(CALL(p.a.qp, Send, (void *)4, sge, 1, ND_OP_FLAG_INLINE), ND_BUFFER_OVERFLOW);
	pair_close(&p);
}

static void nd2_row_084_unknown_flag_of_send(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_send(&p.a, 0, 10, 1, 0x40), ND_INVALID_PARAMETER_4);
	HR(post_send(&p.a, 0, 10, 1, ND_OP_FLAG_ALLOW_READ), ND_INVALID_PARAMETER_4);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_085_unknown_flag_of_write(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_write(&p.a, 0, 10, 1, 0x40, &p.b, 0), ND_INVALID_PARAMETER_6);
	HR(post_write(&p.a, 0, 10, 1, ND_OP_FLAG_SEND_AND_SOLICIT_EVENT, &p.b, 0),
	   ND_INVALID_PARAMETER_6);
	HR(post_read(&p.a, 0, 10, 1, 0x40, &p.b, 0), ND_INVALID_PARAMETER_6);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_086_longer_than_the_adapter_sends(void **state)
{
	ND2_SGE sge[2];
	struct pair p;

	pair_open_connected(&p, NULL);
	sge[0] = (ND2_SGE){p.a.buf, limits.MaxTransferLength, p.a.local};
	sge[1] = (ND2_SGE){p.a.buf, 1, p.a.local};
	HR(CALL(p.a.qp, Send, NULL, sge, 2, 0), ND_BUFFER_OVERFLOW);
	HR(CALL(p.a.qp, Write, NULL, sge, 2, 0, 0, 0), ND_BUFFER_OVERFLOW);
	HR(CALL(p.a.qp, Read, NULL, sge, 2, 0, 0, 0), ND_BUFFER_OVERFLOW);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_086a_read_ignores_the_inline_flag(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	fill(&p.b, 0, 5000, 9);
	HR(post_read(&p.a, 0, 5000, 1, ND_OP_FLAG_INLINE, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	assert_true(filled(&p.a, 0, 5000, 9));
	pair_close(&p);
}

static void nd2_row_087_empty_message(void **state)
{
	ND2_RESULT r;
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(CALL(p.b.qp, Receive, (void *)2, NULL, 0), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)3, NULL, 0, 0), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)4, NULL, 0, 0), ND_SUCCESS);
	for (uintptr_t i = 1; i <= 2; i++) {
		r = reap(p.b.cq);
		HR(r.Status, ND_SUCCESS);
		assert_int_equal((uintptr_t)r.RequestContext, i);
		assert_int_equal(r.BytesTransferred, 0);
	}
	reap_is(p.a.cq, 3, ND_SUCCESS);
	reap_is(p.a.cq, 4, ND_SUCCESS);
	pair_close(&p);
}

static void nd2_row_088_empty_read_and_write(void **state)
{
	ND2_SGE nothing = {NULL, 0, 0x12345678};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.a.qp, Read, (void *)1, NULL, 0, 0, 0, 0), ND_SUCCESS);
	HR(CALL(p.a.qp, Write, (void *)2, NULL, 0, 0, 0, 0), ND_SUCCESS);
	HR(CALL(p.a.qp, Read, (void *)3, &nothing, 1, 0, 0, 0), ND_SUCCESS);
	HR(CALL(p.a.qp, Write, (void *)4, &nothing, 1, 0, 0, 0), ND_SUCCESS);
	for (uintptr_t i = 1; i <= 4; i++)
		reap_is(p.a.cq, i, ND_SUCCESS);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_089_silent_success(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_write(&p.a, 0, 100, 1, ND_OP_FLAG_SILENT_SUCCESS, &p.b, 0), ND_SUCCESS);
	HR(post_read(&p.a, 0, 100, 2, ND_OP_FLAG_SILENT_SUCCESS, &p.b, 0), ND_SUCCESS);
	HR(post_write(&p.a, 0, 100, 3, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 3, ND_SUCCESS);
	/* With ND_OP_FLAG_SILENT_SUCCESS, a request that fails has a result. A later request with
	 * this flag is flushed and has a result too. */
	HR(CALL(p.a.qp, Write, (void *)4, &(ND2_SGE){p.a.buf, 8, p.a.local}, 1, 0, 0x1234,
		ND_OP_FLAG_SILENT_SUCCESS),
	   ND_SUCCESS);
	HR(post_write(&p.a, 0, 100, 5, ND_OP_FLAG_SILENT_SUCCESS, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 4, ND_ACCESS_VIOLATION);
	reap_is(p.a.cq, 5, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_090_fence_behind_a_read(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	for (unsigned round = 0; round < 20; round++) {
		/* The Send has a fence, so it waits until the Read before it has ended. The Send
		 * then carries the data that the Read fetched. */
		memset(p.a.buf, 0, 100000);
		fill(&p.b, 0, 100000, round);
		HR(post_recv(&p.b, 128 * 1024, 100000, 1), ND_SUCCESS);
		HR(post_read(&p.a, 0, 100000, 2, 0, &p.b, 0), ND_SUCCESS);
		HR(post_send(&p.a, 0, 100000, 3, ND_OP_FLAG_READ_FENCE), ND_SUCCESS);
		reap_is(p.a.cq, 2, ND_SUCCESS);
		reap_is(p.a.cq, 3, ND_SUCCESS);
		reap_is(p.b.cq, 1, ND_SUCCESS);
		assert_true(filled(&p.b, 128 * 1024, 100000, round));
	}
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_077_receive_on_an_unconnected_queue_pair),
	cmocka_unit_test(nd2_row_078_the_rest_wants_a_connection),
	cmocka_unit_test(nd2_row_079_receives_up_to_the_depth),
	cmocka_unit_test(nd2_row_080_sends_up_to_the_depth),
	cmocka_unit_test(nd2_row_081_too_many_sges),
	cmocka_unit_test(nd2_row_082_two_sges_are_always_granted),
	cmocka_unit_test(nd2_row_083_inline_data_is_taken_at_once),
	cmocka_unit_test(nd2_row_084_unknown_flag_of_send),
	cmocka_unit_test(nd2_row_085_unknown_flag_of_write),
	cmocka_unit_test(nd2_row_086_longer_than_the_adapter_sends),
	cmocka_unit_test(nd2_row_086a_read_ignores_the_inline_flag),
	cmocka_unit_test(nd2_row_087_empty_message),
	cmocka_unit_test(nd2_row_088_empty_read_and_write),
	cmocka_unit_test(nd2_row_089_silent_success),
	cmocka_unit_test(nd2_row_090_fence_behind_a_read),
};

nd2_main(tests)
