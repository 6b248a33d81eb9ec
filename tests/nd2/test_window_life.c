/* Tests of memory windows in addition to the rows of docs/spec/nd2.md:
 * - keys that wrap around
 * - windows that overlap, or move to another queue pair
 * - requests that race with Invalidate or with Release of a window
 * - objects released in any order
 * - invalid arguments */
#include "window.h"

#include <arpa/inet.h>
#include <pthread.h>

static void nd2_own_window_rebound_has_a_new_token(void **state)
{
	for (int read = 0; read < 2; read++) {
		IND2MemoryWindow *mw;
		UINT32 old;
		struct pair p;

		pair_open_connected(&p, &local_only);
		mw = new_window(&p.b);
		assert_int_equal(CALL(mw, GetRemoteToken), 0);
		bind_now(&p.b, mw, 0, 4096, RO | WO);
		old = p.b.remote;
		assert_int_not_equal(old, 0);
		unbind_now(&p.b, mw);
		bind_now(&p.b, mw, 0, 4096, RO | WO);
		assert_int_not_equal(p.b.remote, old);
		read_works(&p, 0, 4096);
		p.b.remote = old;
		is_refused(&p, read, 0, 4096);
		RELEASE(mw);
		pair_close(&p);
	}
}

/* Each binding has a token with a new 8-bit key. 600 bindings use each key more than twice, and no
 * token repeats within 254 bindings. */
static void nd2_own_window_tokens_go_round(void **state)
{
	UINT32 last[254] = {0};
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	for (unsigned i = 0; i < 600; i++) {
		bind_now(&p.b, mw, i, 100, RO);
		for (unsigned k = 0; k < 254; k++)
			assert_int_not_equal(p.b.remote, last[k]);
		last[i % 254] = p.b.remote;
		if (i % 100 == 99)
			read_works(&p, i, 100);
		unbind_now(&p.b, mw);
	}
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_own_windows_over_one_region(void **state)
{
	IND2MemoryWindow *first, *second;
	UINT32 tokens[2];
	struct pair p;

	pair_open_connected(&p, &local_only);
	first = new_window(&p.b);
	second = new_window(&p.b);
	bind_now(&p.b, first, 0, 2000, RO);
	tokens[0] = p.b.remote;
	bind_now(&p.b, second, 1000, 2000, WO);
	tokens[1] = p.b.remote;
	write_works(&p, 1000, 2000);
	p.b.remote = tokens[0];
	read_works(&p, 0, 2000);
	unbind_now(&p.b, first); /* the other window on the region stays bound */
	p.b.remote = tokens[1];
	write_works(&p, 1500, 100);
	is_busy(&p.b);
	is_refused(&p, true, 1500, 100);
	RELEASE(first);
	RELEASE(second);
	pair_close(&p);
}

/* A window is unbound and then bound on another queue pair. The peer of the first queue pair then
 * has no access any more. */
static void nd2_own_window_moves_to_another_queue_pair(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p, q;

	pair_open_connected(&p, &local_only);
	pair_open_connected(&q, &local_only);
	mw = new_window(&p.b);
	for (int i = 0; i < 4; i++) {
		bind_now(&p.b, mw, 0, 4096, RO | WO);
		HR(post_bind(&q.b, mw, 0, 4096, 1, RO), ND_INVALID_DEVICE_STATE);
		write_works(&p, 0, 4096);
		unbind_now(&p.b, mw);
		bind_now(&q.b, mw, 4096, 4096, RO | WO);
		HR(post_bind(&p.b, mw, 0, 4096, 1, RO), ND_INVALID_DEVICE_STATE);
		write_works(&q, 4096, 4096);
		if (i < 3)
			unbind_now(&q.b, mw);
	}
	/* The peer of p uses the address and token of the window that is now bound on q. */
	p.b.remote = q.b.remote;
	HR(post_recv(&p.b, 0, 10, 0xb9), ND_SUCCESS);
	HR(CALL(p.a.qp, Write, (void *)1, &(ND2_SGE){p.a.buf, 8, p.a.local}, 1,
		(UINT64)(uintptr_t)q.b.buf + 4096, q.b.remote, 0),
	   ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	reap_is(p.b.cq, 0xb9, ND_CANCELED);
	write_works(&q, 4096, 4096);
	/* Invalidate on a queue pair of another adapter is refused. */
	HR(post_invalidate(&q.a, mw, 2, 0), ND_INVALID_PARAMETER_2);
	RELEASE(mw);
	pair_close(&q);
	pair_close(&p);
}

static void nd2_own_invalidate_on_another_queue_pair(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p, q;

	pair_open_connected(&p, &local_only);
	pair_open_connected(&q, &local_only);
	mw = new_window(&p.b);
	bind_now(&p.b, mw, 0, 4096, RO | WO);
	HR(post_invalidate(&q.b, mw, 2, 0), ND_SUCCESS);
	reap_is(q.b.cq, 2, ND_INVALID_DEVICE_REQUEST);
	write_works(&p, 0, 4096);
	is_busy(&p.b);
	RELEASE(mw);
	pair_close(&q);
	pair_close(&p);
}

/* However a queue pair ends, its windows are unbound, and their regions can be deregistered. */
static void nd2_own_window_outlives_its_queue_pair(void **state)
{
	for (int how = 0; how < 4; how++) {
		IND2MemoryWindow *mw;
		OVERLAPPED ov = {0};
		struct pair p, q;

		pair_open_connected(&p, &local_only);
		pair_open_connected(&q, &local_only);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, 4096, RO);
		is_busy(&p.b);
		switch (how) {
		case 0:
			HR(CALL(p.b.qp, Flush), ND_SUCCESS);
			/* The flushed queue pair accepts a Bind and flushes it, so nothing is
			 * bound. */
			HR(post_bind(&p.b, mw, 0, 4096, 1, RO), ND_SUCCESS);
			reap_is(p.b.cq, 1, ND_CANCELED);
			break;
		case 1:
			ENDS(p.b.connector, CALL(p.b.connector, Disconnect, &ov), &ov, ND_SUCCESS);
			break;
		case 2:
			RELEASE(p.b.qp);
			break;
		case 3:
			is_refused(&p, false, 0, 10);
			break;
		}
		bind_now(&q.b, mw, 0, 4096, RO);
		read_works(&q, 0, 4096);
		HR(deregister(&p.b), ND_SUCCESS);
		RELEASE(mw);
		pair_close(&q);
		pair_close(&p);
	}
}

/* A Bind and an Invalidate wait behind a Send. The window is released before these two requests are
 * executed. */
static void nd2_own_window_released_with_requests_queued(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, &local_only);
	for (unsigned i = 0; i < 20; i++) {
		mw = new_window(&p.b);
		/* The peer has not posted a receive. So the Send waits, and the requests behind the
		 * Send wait too. */
		HR(post_send(&p.b, 0, 10, 1, ND_OP_FLAG_INLINE), ND_SUCCESS);
		if (i & 1)
			sleep_ms(2); /* time for the peer's RNR NAK to arrive */
		HR(post_bind(&p.b, mw, 0, 4096, 2, RO), ND_SUCCESS);
		if (i & 2)
			HR(post_invalidate(&p.b, mw, 3, 0), ND_SUCCESS);
		is_busy(&p.b);
		assert_int_equal(CALL(mw, Release), 0);
		HR(deregister(&p.b), ND_SUCCESS);
		register_mr(p.b.mr, p.b.buf, BUF_BYTES, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
		p.b.local = CALL(p.b.mr, GetLocalToken);
		HR(post_recv(&p.a, 0, 100, 9), ND_SUCCESS);
		reap_is(p.a.cq, 9, ND_SUCCESS);
		reap_is(p.b.cq, 1, ND_SUCCESS);
		reap_is(p.b.cq, 2, ND_SUCCESS);
		if (i & 2)
			reap_is(p.b.cq, 3, ND_SUCCESS);
	}
	pair_close(&p);
}

static void nd2_own_region_released_under_a_window(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	bind_now(&p.b, mw, 0, 4096, RO | WO);
	write_works(&p, 0, 4096);
	assert_int_equal(CALL(p.b.mr, Release), 0);
	p.b.mr = NULL;
	memset(p.b.buf, 0x22, 4096);
	HR(post_write(&p.a, 0, 4096, 1, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	for (size_t i = 0; i < 4096; i++)
		assert_int_equal(p.b.buf[i], 0x22);
	RELEASE(mw);
	pair_close(&p);
}

static void let_go(struct end *e, IND2MemoryWindow **mw, unsigned which)
{
	switch (which) {
	case 0:
		RELEASE(*mw);
		break;
	case 1:
		RELEASE(e->mr);
		break;
	case 2:
		RELEASE(e->qp);
		break;
	case 3:
		RELEASE(e->cq);
		break;
	}
}

static void nd2_own_window_objects_released_in_any_order(void **state)
{
	for (unsigned order = 0; order < 24; order++) {
		unsigned left[4] = {0, 1, 2, 3}, code = order;
		IND2MemoryWindow *mw;
		struct pair p;

		pair_open_connected(&p, &local_only);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, 4096, RO);
		if (order % 2)
			HR(post_invalidate(&p.b, mw, 1, 0), ND_SUCCESS);
		for (unsigned n = 4; n > 0; n--) {
			unsigned pick = code % n;

			code /= n;
			let_go(&p.b, &mw, left[pick]);
			left[pick] = left[n - 1];
		}
		pair_close(&p);
	}
	assert_int_equal(live_objects("memory window"), 0);
}

/* Reads, Writes, Binds and Invalidates have their results in the order of posting, with and without
 * fence. Silent requests leave no result. */
static void nd2_own_window_requests_in_order(void **state)
{
	static const ND2_REQUEST_TYPE expected[] = {
		Nd2RequestTypeRead,	  Nd2RequestTypeBind,  Nd2RequestTypeRead,
		Nd2RequestTypeInvalidate, Nd2RequestTypeWrite,
	};
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, NULL);
	mw = new_window(&p.b);
	for (unsigned round = 0; round < 50; round++) {
		const ULONG fence = round % 2 ? ND_OP_FLAG_READ_FENCE : 0;

		HR(post_read(&p.b, 0, 9000, 0, 0, &p.a, 20000), ND_SUCCESS);
		HR(post_bind(&p.b, mw, 0, 100, 1, RO | fence), ND_SUCCESS);
		HR(post_read(&p.b, 0, 9000, 2, 0, &p.a, 20000), ND_SUCCESS);
		HR(post_invalidate(&p.b, mw, 3, fence), ND_SUCCESS);
		HR(post_write(&p.b, 0, 9000, 4, 0, &p.a, 40000), ND_SUCCESS);
		for (uintptr_t i = 0; i < 5; i++) {
			ND2_RESULT r = reap(p.b.cq);

			HR(r.Status, ND_SUCCESS);
			assert_int_equal((uintptr_t)r.RequestContext, i);
			assert_int_equal(r.RequestType, expected[i]);
			assert_ptr_equal(r.QueuePairContext, &p.b);
		}
		HR(post_bind(&p.b, mw, 0, 100, 1, RO | fence | ND_OP_FLAG_SILENT_SUCCESS),
		   ND_SUCCESS);
		HR(post_invalidate(&p.b, mw, 3, fence | ND_OP_FLAG_SILENT_SUCCESS), ND_SUCCESS);
		HR(post_write(&p.b, 0, 10, 4, 0, &p.a, 40000), ND_SUCCESS);
		reap_is(p.b.cq, 4, ND_SUCCESS);
	}
	reap_none(p.b.cq, 20);
	RELEASE(mw);
	pair_close(&p);
}

/* The peer posts Writes without a pause. Once the Invalidate has completed, no Write changes the
 * memory of the window. */
static void nd2_own_invalidate_under_fire(void **state)
{
	for (unsigned round = 0; round < 10; round++) {
		const ULONG chunk = 60000;
		IND2MemoryWindow *mw;
		uint8_t *was;
		ND2_RESULT r;
		struct pair p;

		pair_open_connected(&p, &local_only);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, chunk, WO);
		HR(post_recv(&p.b, BUF_BYTES - 10, 10, 0xb9), ND_SUCCESS);
		for (uintptr_t i = 0; i < 60; i++) {
			memset(p.a.buf + i, (int)i, 1);
			HR(post_write(&p.a, i, chunk, i, 0, &p.b, 0), ND_SUCCESS);
		}
		if (round % 2)
			sleep_ms(1);
		HR(post_invalidate(&p.b, mw, 1, 0), ND_SUCCESS);
		r = reap(p.b.cq);
		if (r.Status == (HRESULT)ND_SUCCESS) {
			assert_int_equal((uintptr_t)r.RequestContext, 1);
			was = malloc(chunk);
			memcpy(was, p.b.buf, chunk);
			HR(deregister(&p.b), ND_SUCCESS);
			sleep_ms(2);
			assert_memory_equal(was, p.b.buf, chunk);
			free(was);
		}
		/* Take the results up to the first refused Write, or up to the last Write if none
		 * is refused. The Writes after a refused one are flushed. */
		do
			r = reap(p.a.cq);
		while (r.Status == (HRESULT)ND_SUCCESS && (uintptr_t)r.RequestContext < 59);
		if (r.Status != (HRESULT)ND_SUCCESS)
			HR(r.Status, ND_ACCESS_VIOLATION);
		RELEASE(mw);
		pair_close(&p);
	}
}

/* One thread binds and invalidates; another thread deregisters and registers. Either the Bind
 * succeeds and Deregister is refused as busy, or Deregister succeeds and the Bind is refused. */
struct contest {
	struct pair *p;
	_Atomic int stop;
	_Atomic unsigned gone;
	unsigned busy;
};

static void *register_again(void *arg)
{
	struct contest *c = arg;
	struct end *e = &c->p->b;

	while (!c->stop) {
		switch ((uint32_t)deregister(e)) {
		case (uint32_t)ND_SUCCESS:
			c->gone++;
			register_mr(e->mr, e->buf, BUF_BYTES, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
			break;
		case (uint32_t)ND_DEVICE_BUSY:
			c->busy++;
			break;
		default:
			abort();
		}
	}
	return NULL;
}

static void nd2_own_bind_against_deregister(void **state)
{
	IND2MemoryWindow *mw;
	unsigned bound = 0, refused = 0;
	struct contest c = {0};
	pthread_t other;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	c.p = &p;
	assert_int_equal(pthread_create(&other, NULL, register_again, &c), 0);
	for (unsigned i = 0; i < 40000 && (i < 500 || bound < 20 || refused < 20 || !c.gone); i++) {
		/* Gives CPU time to the other thread. */
		if (i % 500 == 499)
			sleep_ms(1);
		HRESULT hr = post_bind(&p.b, mw, 0, 4096, 1, RO);

		if (hr != (HRESULT)ND_SUCCESS) {
			HR(hr, ND_ACCESS_VIOLATION);
			refused++;
			/* The other thread may have been preempted between Deregister and Register.
			 * Sleep, so that it can run. */
			if (refused % 32 == 0)
				sleep_ms(1);
			continue;
		}
		bound++;
		/* An accepted Bind keeps the region from being deregistered, so the Bind
		 * succeeds. */
		reap_is(p.b.cq, 1, ND_SUCCESS);
		HR(post_invalidate(&p.b, mw, 2, 0), ND_SUCCESS);
		reap_is(p.b.cq, 2, ND_SUCCESS);
	}
	c.stop = 1;
	pthread_join(other, NULL);
	assert_true(bound > 0 && c.gone > 0);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_own_window_token_is_no_local_token(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;
	ND2_SGE sge;

	pair_open_connected(&p, NULL);
	mw = new_window(&p.b);
	bind_now(&p.b, mw, 0, 4096, RO | WO);
	HR(post_recv(&p.a, 0, 100, 1), ND_SUCCESS);
	sge = (ND2_SGE){p.b.buf, 10, ntohl(p.b.remote)};
	HR(CALL(p.b.qp, Send, (void *)2, &sge, 1, 0), ND_SUCCESS);
	reap_is(p.b.cq, 2, ND_ACCESS_VIOLATION);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_own_window_of_no_bytes(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, NULL);
	mw = new_window(&p.b);
	bind_now(&p.b, mw, BUF_BYTES, 0, RO | WO);
	is_busy(&p.b);
	is_refused(&p, true, BUF_BYTES, 1);
	RELEASE(mw);
	pair_close(&p);
}

/* A full send queue refuses a Bind or Invalidate. The refused call changes nothing. */
static void nd2_own_window_requests_up_to_the_depth(void **state)
{
	const struct how how = {.depth = 4};
	IND2MemoryWindow *mw, *bound;
	UINT32 token;
	struct pair p;

	pair_open_connected(&p, &how);
	mw = new_window(&p.b);
	bound = new_window(&p.b);
	bind_now(&p.b, bound, 0, 4096, RO);
	token = CALL(bound, GetRemoteToken);
	for (uintptr_t i = 1; i <= 4; i++) /* the peer has no receives yet: the Sends wait */
		HR(post_send(&p.b, 0, 10, i, 0), ND_SUCCESS);
	HR(post_bind(&p.b, mw, 0, 4096, 5, RO), ND_NO_MORE_ENTRIES);
	assert_int_equal(CALL(mw, GetRemoteToken), 0);
	HR(post_invalidate(&p.b, bound, 5, 0), ND_NO_MORE_ENTRIES);
	assert_int_equal(CALL(bound, GetRemoteToken), token);
	for (uintptr_t i = 1; i <= 4; i++)
		HR(post_recv(&p.a, 0, 100, i), ND_SUCCESS);
	for (uintptr_t i = 1; i <= 4; i++)
		reap_is(p.b.cq, i, ND_SUCCESS);
	bind_now(&p.b, mw, 0, 4096, RO);
	unbind_now(&p.b, bound);
	RELEASE(bound);
	is_busy(&p.b);
	RELEASE(mw);
	HR(deregister(&p.b), ND_SUCCESS);
	pair_close(&p);
}

static void nd2_own_window_arguments(void **state)
{
	IND2MemoryRegion *unregistered, *foreign_mr;
	IND2MemoryWindow *mw, *foreign;
	IND2Adapter *again, *mine;
	struct end e;
	struct pair p;

	pair_open_connected(&p, NULL);
	mw = new_window(&p.b);
	/* Unknown flags are refused. */
	for (ULONG bit = 1; bit != 0; bit <<= 1) {
		if (!(bit & 0x1b))
			HR(post_bind(&p.b, mw, 0, 10, 1, RO | bit), ND_INVALID_PARAMETER_6);
		if (!(bit & 0x03))
			HR(post_invalidate(&p.b, mw, 1, bit), ND_INVALID_PARAMETER_3);
	}
	/* Bind and Invalidate refuse NULL, objects of another kind, and a region that is not
	 * registered. */
	unregistered = new_mr(&p.b);
	HR(CALL(p.b.qp, Bind, NULL, NULL, (IUnknown *)mw, p.b.buf, 10, RO), ND_INVALID_PARAMETER_2);
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)mw, (IUnknown *)mw, p.b.buf, 10, RO),
	   ND_INVALID_PARAMETER_2);
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)p.b.mr, NULL, p.b.buf, 10, RO),
	   ND_INVALID_PARAMETER_3);
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)p.b.mr, (IUnknown *)p.b.mr, p.b.buf, 10, RO),
	   ND_INVALID_PARAMETER_3);
	HR(CALL(p.b.qp, Invalidate, NULL, NULL, 0), ND_INVALID_PARAMETER_2);
	HR(CALL(p.b.qp, Invalidate, NULL, (IUnknown *)p.b.mr, 0), ND_INVALID_PARAMETER_2);
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)unregistered, (IUnknown *)mw, p.b.buf, 10, RO),
	   ND_ACCESS_VIOLATION);
	/* A second OpenAdapter call opens the same adapter again. A queue pair of the first
	 * IND2Adapter refuses regions and windows of the second IND2Adapter. */
	again = open_adapter(1);
	mine = adapters[1];
	adapters[1] = again;
	end_open(&e, 1, NULL);
	foreign = new_window(&e);
	foreign_mr = e.mr;
	adapters[1] = mine;
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)foreign_mr, (IUnknown *)mw, e.buf, 10, RO),
	   ND_INVALID_PARAMETER_2);
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)p.b.mr, (IUnknown *)foreign, p.b.buf, 10, RO),
	   ND_INVALID_PARAMETER_3);
	HR(CALL(p.b.qp, Invalidate, NULL, (IUnknown *)foreign, 0), ND_INVALID_PARAMETER_2);
	reap_none(p.b.cq, 20);
	assert_int_equal(CALL(mw, GetRemoteToken), 0);
	bind_now(&p.b, mw, 0, 10, RO); /* the refused calls changed nothing */
	read_works(&p, 0, 10);
	RELEASE(foreign);
	end_close(&e);
	RELEASE(again);
	RELEASE(unregistered);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_own_window_interfaces(void **state)
{
	IND2MemoryWindow *mw;
	void *p = &p;
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryRegion, &p), E_NOINTERFACE);
	assert_null(p);
	mw = new_window(&e);
	HR(CALL(mw, QueryInterface, &IID_IND2MemoryWindow, &p), S_OK);
	assert_ptr_equal(p, mw);
	HR(CALL(mw, QueryInterface, &IID_IUnknown, &p), S_OK);
	assert_ptr_equal(p, mw);
	HR(CALL(mw, QueryInterface, &IID_IND2Overlapped, &p), E_NOINTERFACE);
	assert_null(p);
	assert_int_equal(CALL(mw, Release), 2);
	assert_int_equal(CALL(mw, Release), 1);
	assert_int_equal(CALL(mw, Release), 0);
	end_close(&e);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_window_rebound_has_a_new_token),
	cmocka_unit_test(nd2_own_window_tokens_go_round),
	cmocka_unit_test(nd2_own_windows_over_one_region),
	cmocka_unit_test(nd2_own_window_moves_to_another_queue_pair),
	cmocka_unit_test(nd2_own_invalidate_on_another_queue_pair),
	cmocka_unit_test(nd2_own_window_outlives_its_queue_pair),
	cmocka_unit_test(nd2_own_window_released_with_requests_queued),
	cmocka_unit_test(nd2_own_region_released_under_a_window),
	cmocka_unit_test(nd2_own_window_objects_released_in_any_order),
	cmocka_unit_test(nd2_own_window_requests_in_order),
	cmocka_unit_test(nd2_own_invalidate_under_fire),
	cmocka_unit_test(nd2_own_bind_against_deregister),
	cmocka_unit_test(nd2_own_window_token_is_no_local_token),
	cmocka_unit_test(nd2_own_window_of_no_bytes),
	cmocka_unit_test(nd2_own_window_requests_up_to_the_depth),
	cmocka_unit_test(nd2_own_window_arguments),
	cmocka_unit_test(nd2_own_window_interfaces),
};

nd2_main(tests)
