/* Tests of memory windows: rows 60 to 62, 68 to 76, 92 and 93 of docs/spec/nd2.md. */
#include "window.h"

static void nd2_row_060_deregister_while_a_window_is_bound(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	HR(post_bind(&p.b, mw, 0, 4096, 1, RO), ND_SUCCESS);
	/* The region is in use as soon as Bind has returned, even if the Bind has not completed. */
	is_busy(&p.b);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	is_busy(&p.b);
	p.b.remote = CALL(mw, GetRemoteToken);
	read_works(&p, 0, 4096);
	exchange(&p.a, &p.b);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_row_061_deregister_after_the_invalidation(void **state)
{
	IND2MemoryWindow *mw, *other;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	other = new_window(&p.b);
	bind_now(&p.b, mw, 0, 4096, RO);
	bind_now(&p.b, other, 0, 4096, RO);
	unbind_now(&p.b, mw);
	is_busy(&p.b); /* the region's other window is still bound */
	/* When a later request has completed, the silent Invalidate has completed as well. */
	HR(post_invalidate(&p.b, other, 0, ND_OP_FLAG_SILENT_SUCCESS), ND_SUCCESS);
	HR(post_recv(&p.a, 0, 10, 2), ND_SUCCESS);
	HR(post_send(&p.b, 0, 10, 3, 0), ND_SUCCESS);
	reap_is(p.b.cq, 3, ND_SUCCESS);
	HR(deregister(&p.b), ND_SUCCESS);
	assert_int_equal(CALL(p.b.mr, GetLocalToken), 0);
	RELEASE(mw);
	RELEASE(other);
	pair_close(&p);
}

static void nd2_row_062_deregister_after_the_window_is_released(void **state)
{
	for (int at_once = 0; at_once < 2; at_once++) {
		IND2MemoryWindow *mw;
		struct pair p;

		pair_open_connected(&p, &local_only);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, 4096, RO | WO);
		read_works(&p, 0, 100);
		assert_int_equal(CALL(mw, Release), 0);
		if (at_once) {
			HR(deregister(&p.b), ND_SUCCESS);
			register_mr(p.b.mr, p.b.buf, BUF_BYTES, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
		}
		/* The window was released, so its token is invalid. Registering the region again
		 * does not change this. */
		is_refused(&p, true, 0, 100);
		HR(deregister(&p.b), ND_SUCCESS);
		pair_close(&p);
	}
}

static void nd2_row_068_a_window_lends_what_the_region_does_not_have(void **state)
{
	static const ULONG regions[] = {0, ND_MR_FLAG_ALLOW_LOCAL_WRITE,
					ND_MR_FLAG_ALLOW_REMOTE_WRITE};

	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		IND2MemoryRegion *mr, *all;
		IND2MemoryWindow *mw;
		struct pair p;

		pair_open_connected(&p, NULL);
		mw = new_window(&p.b);
		mr = new_mr(&p.b);
		register_mr(mr, p.b.buf, BUF_BYTES, regions[i]);
		all = p.b.mr;
		p.b.mr = mr;
		bind_now(&p.b, mw, 1000, 70000, RO);
		read_works(&p, 1000, 70000);
		read_works(&p, 1001, 69999);
		/* The window gives the region's own token no further rights. */
		p.b.remote = CALL(mr, GetRemoteToken);
		is_refused(&p, true, 1000, 10);
		p.b.mr = all;
		RELEASE(mr);
		RELEASE(mw);
		pair_close(&p);
	}
}

static void nd2_row_069_writing_needs_local_write(void **state)
{
	IND2MemoryRegion *mr, *all;
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, NULL);
	mw = new_window(&p.b);
	mr = new_mr(&p.b);
	register_mr(mr, p.b.buf, BUF_BYTES, ND_MR_FLAG_ALLOW_REMOTE_READ);
	all = p.b.mr;
	p.b.mr = mr;
	HR(post_bind(&p.b, mw, 0, 4096, 1, WO), ND_ACCESS_VIOLATION);
	HR(post_bind(&p.b, mw, 0, 4096, 1, WO | RO), ND_ACCESS_VIOLATION);
	reap_none(p.b.cq, 30);
	assert_int_equal(CALL(mw, GetRemoteToken), 0);
	p.b.mr = all;
	bind_now(&p.b, mw, 0, 4096, WO); /* the refused Binds left the window unbound */
	write_works(&p, 0, 4096);
	RELEASE(mr);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_row_070_a_window_without_rights(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, NULL);
	mw = new_window(&p.b);
	bind_now(&p.b, mw, 0, 4096, 0);
	is_busy(&p.b);
	is_refused(&p, true, 0, 1);
	RELEASE(mw);
	pair_close(&p);
}

/* The token is sent after the Bind on the same queue pair. So the token is valid when it
 * arrives. */
static void nd2_row_071_the_token_is_good_when_it_arrives(void **state)
{
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	for (uintptr_t i = 0; i < 300; i++) {
		UINT32 token;

		HR(post_recv(&p.a, 8000, 4, 1), ND_SUCCESS);
		HR(post_bind(&p.b, mw, 100, 200, 2, RO | (i % 2 ? ND_OP_FLAG_SILENT_SUCCESS : 0)),
		   ND_SUCCESS);
		token = CALL(mw, GetRemoteToken);
		assert_int_not_equal(token, p.b.remote);
		memcpy(p.b.buf, &token, 4);
		HR(post_send(&p.b, 0, 4, 3, 0), ND_SUCCESS);
		reap_is(p.a.cq, 1, ND_SUCCESS);
		memcpy(&p.b.remote, p.a.buf + 8000, 4);
		read_works(&p, 100, 200);
		if (i % 2 == 0)
			reap_is(p.b.cq, 2, ND_SUCCESS);
		reap_is(p.b.cq, 3, ND_SUCCESS);
		unbind_now(&p.b, mw);
	}
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_row_072_outside_the_region(void **state)
{
	static const struct {
		intptr_t off;
		size_t len;
	} bad[] = {
		{-1, 10},	{BUF_BYTES, 1},	    {0, BUF_BYTES + 1}, {BUF_BYTES - 10, 11},
		{10, SIZE_MAX}, {10, SIZE_MAX - 9}, {-4096, 4096},
	};
	IND2MemoryWindow *mw;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		HR(post_bind(&p.b, mw, (size_t)bad[i].off, bad[i].len, 1, RO), ND_ACCESS_VIOLATION);
	HR(CALL(p.b.qp, Bind, NULL, (IUnknown *)p.b.mr, (IUnknown *)mw, NULL, 10, RO),
	   ND_ACCESS_VIOLATION);
	reap_none(p.b.cq, 30);
	bind_now(&p.b, mw, 0, BUF_BYTES, RO); /* bind the whole region */
	read_works(&p, BUF_BYTES - 10, 10);
	unbind_now(&p.b, mw);
	HR(deregister(&p.b), ND_SUCCESS);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_row_073_bound_already(void **state)
{
	IND2MemoryWindow *mw;
	UINT32 token;
	struct pair p;

	pair_open_connected(&p, &local_only);
	mw = new_window(&p.b);
	HR(post_bind(&p.b, mw, 0, 4096, 1, RO), ND_SUCCESS);
	token = CALL(mw, GetRemoteToken);
	HR(post_bind(&p.b, mw, 0, 4096, 2, RO), ND_INVALID_DEVICE_STATE);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	HR(post_bind(&p.b, mw, 100, 200, 2, RO), ND_INVALID_DEVICE_STATE);
	assert_int_equal(CALL(mw, GetRemoteToken), token);
	reap_none(p.b.cq, 30);
	p.b.remote = token;
	read_works(&p, 0, 4096);
	RELEASE(mw);
	pair_close(&p);
}

static void nd2_row_074_invalidate_then_read_or_write(void **state)
{
	for (int read = 0; read < 2; read++) {
		IND2MemoryWindow *mw;
		struct pair p;

		pair_open_connected(&p, &local_only);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, 4096, RO | WO);
		write_works(&p, 0, 4096);
		read_works(&p, 0, 4096);
		unbind_now(&p.b, mw);
		memset(p.b.buf, 0x11, 4096);
		is_refused(&p, read, 0, 4096);
		for (size_t i = 0; i < 4096; i++)
			assert_int_equal(p.b.buf[i], 0x11);
		RELEASE(mw);
		pair_close(&p);
	}
}

static void nd2_row_075_invalidate_what_is_not_bound(void **state)
{
	for (int again = 0; again < 2; again++) {
		IND2MemoryWindow *mw;
		ND2_RESULT r;
		struct pair p;

		pair_open_connected(&p, &local_only);
		mw = new_window(&p.b);
		/* In the first round, the window has never been bound before. In the second round,
		 * the window was bound and unbound before. */
		if (again) {
			bind_now(&p.b, mw, 0, 4096, RO);
			unbind_now(&p.b, mw);
		}
		HR(post_recv(&p.b, 0, 10, 1), ND_SUCCESS);
		HR(post_invalidate(&p.b, mw, 2, ND_OP_FLAG_SILENT_SUCCESS), ND_SUCCESS);
		HR(post_send(&p.b, 0, 10, 3, 0), ND_SUCCESS);
		r = reap(p.b.cq);
		HR(r.Status, ND_INVALID_DEVICE_REQUEST);
		assert_int_equal((uintptr_t)r.RequestContext, 2);
		assert_int_equal(r.RequestType, Nd2RequestTypeInvalidate);
		assert_int_equal(r.BytesTransferred, 0);
		/* A receive and a Send are flushed. Either of these two may complete first. */
		for (int i = 0; i < 2; i++)
			HR(reap(p.b.cq).Status, ND_CANCELED);
		RELEASE(mw);
		pair_close(&p);
	}
}

static void nd2_row_076_over_another_connection(void **state)
{
	for (int read = 0; read < 2; read++) {
		IND2MemoryWindow *mw;
		struct pair p, q;

		pair_open_connected(&p, &local_only);
		pair_open_connected(&q, &local_only);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, 4096, RO | WO);
		/* The peer of q uses the window's address and token. But the window is bound on p's
		 * queue pair and not on q's queue pair. */
		HR(post_recv(&q.b, 0, 10, 9), ND_SUCCESS);
		if (read)
			HR(post_read(&q.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
		else
			HR(post_write(&q.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
		reap_is(q.a.cq, 1, ND_ACCESS_VIOLATION);
		reap_is(q.b.cq, 9, ND_CANCELED);
		write_works(&p, 0, 4096); /* the window still works over its own connection */
		RELEASE(mw);
		pair_close(&q);
		pair_close(&p);
	}
}

static void nd2_row_092_beyond_the_remote_window(void **state)
{
	static const struct {
		size_t off, len;
	} beyond[] = {{1000, 101}, {1099, 2}, {999, 2}, {1100, 1}, {999, 1}, {0, 1000}};

	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
		for (int read = 0; read < 2; read++) {
			IND2MemoryWindow *mw;
			struct pair p;

			pair_open_connected(&p, NULL);
			mw = new_window(&p.b);
			bind_now(&p.b, mw, 1000, 100, RO | WO);
			read_works(&p, 1000, 100);
			is_refused(&p, read, beyond[i].off, beyond[i].len);
			RELEASE(mw);
			pair_close(&p);
		}
}

static void nd2_row_093_the_window_forbids_it(void **state)
{
	for (int read = 0; read < 2; read++) {
		IND2MemoryWindow *mw;
		struct pair p;

		pair_open_connected(&p, NULL);
		mw = new_window(&p.b);
		bind_now(&p.b, mw, 0, 100, read ? WO : RO);
		is_refused(&p, read, 0, 100);
		RELEASE(mw);
		pair_close(&p);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_060_deregister_while_a_window_is_bound),
	cmocka_unit_test(nd2_row_061_deregister_after_the_invalidation),
	cmocka_unit_test(nd2_row_062_deregister_after_the_window_is_released),
	cmocka_unit_test(nd2_row_068_a_window_lends_what_the_region_does_not_have),
	cmocka_unit_test(nd2_row_069_writing_needs_local_write),
	cmocka_unit_test(nd2_row_070_a_window_without_rights),
	cmocka_unit_test(nd2_row_071_the_token_is_good_when_it_arrives),
	cmocka_unit_test(nd2_row_072_outside_the_region),
	cmocka_unit_test(nd2_row_073_bound_already),
	cmocka_unit_test(nd2_row_074_invalidate_then_read_or_write),
	cmocka_unit_test(nd2_row_075_invalidate_what_is_not_bound),
	cmocka_unit_test(nd2_row_076_over_another_connection),
	cmocka_unit_test(nd2_row_092_beyond_the_remote_window),
	cmocka_unit_test(nd2_row_093_the_window_forbids_it),
};

nd2_main(tests)
