/* Tests of memory regions: rows 53 to 67 of docs/spec/nd2.md. The rows about memory windows are in
 * test_window.c. */
#include "fixture.h"

#include <arpa/inet.h>

static void nd2_row_053_register_null(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.mr, Register, NULL, 0, 0, &ov), ND_INVALID_PARAMETER);
	HR(CALL(e.mr, Register, NULL, 10, 0, &ov), ND_INVALID_PARAMETER);
	end_close(&e);
}

static void nd2_row_054_register_nothing(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.mr, Register, e.buf, 0, 0, &ov), ND_INVALID_BUFFER_SIZE);
	end_close(&e);
}

static void nd2_row_055_register_more_than_the_limit(void **state)
{
	IND2MemoryRegion *mr;
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	mr = new_mr(&e);
	HR(CALL(mr, Register, e.buf, limits.MaxRegistrationSize + 1, 0, &ov), ND_INVALID_PARAMETER);
	RELEASE(mr);
	end_close(&e);
}

static void nd2_row_056_register_twice(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.mr, Register, e.buf, 10, 0, &ov), ND_INVALID_DEVICE_STATE);
	end_close(&e);
}

static void nd2_row_057_ten_thousand_rounds(void **state)
{
	IND2MemoryRegion *mr;
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	mr = new_mr(&e);
	for (int i = 0; i < 10000; i++) {
		HR(CALL(mr, Register, e.buf, 4096, ND_MR_FLAG_ALLOW_LOCAL_WRITE, &ov), ND_PENDING);
		HR(CALL(mr, GetOverlappedResult, &ov, 1), ND_SUCCESS);
		HR(CALL(mr, Deregister, &ov), ND_PENDING);
		HR(CALL(mr, GetOverlappedResult, &ov, 1), ND_SUCCESS);
	}
	RELEASE(mr);
	end_close(&e);
}

static void nd2_row_058_one_buffer_many_rights(void **state)
{
	IND2MemoryRegion *read_only, *none;
	UINT32 token;
	struct pair p;

	pair_open_connected(&p, NULL);
	read_only = new_mr(&p.b);
	none = new_mr(&p.b);
	register_mr(read_only, p.b.buf, BUF_BYTES, ND_MR_FLAG_ALLOW_REMOTE_READ);
	register_mr(none, p.b.buf, BUF_BYTES, 0);
	token = p.b.remote;
	HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	p.b.remote = CALL(read_only, GetRemoteToken);
	assert_int_not_equal(p.b.remote, token);
	HR(post_read(&p.a, 0, 10, 2, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_SUCCESS);
	HR(post_write(&p.a, 0, 10, 3, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 3, ND_ACCESS_VIOLATION);
	RELEASE(read_only);
	RELEASE(none);
	pair_close(&p);
}

static void nd2_row_059_deregister_what_never_was(void **state)
{
	IND2MemoryRegion *mr;
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	mr = new_mr(&e);
	HR(CALL(mr, Deregister, &ov), ND_INVALID_DEVICE_STATE);
	assert_int_equal(CALL(mr, GetLocalToken), 0);
	assert_int_equal(CALL(mr, GetRemoteToken), 0);
	RELEASE(mr);
	end_close(&e);
}

static void nd2_row_063_release_of_a_registered_region(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	assert_int_equal(CALL(p.b.mr, Release), 0);
	p.b.mr = NULL;
	HR(post_write(&p.a, 0, 10, 2, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_ACCESS_VIOLATION);
	pair_close(&p);
}

/* The client sends the token as the 4 bytes that GetRemoteToken returned. The peer uses the bytes
 * unchanged. */
static void nd2_row_064_remote_token_is_passed_on_unchanged(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	memcpy(p.b.buf, &p.b.remote, 4);
	HR(post_recv(&p.a, 0, 100, 1), ND_SUCCESS);
	HR(post_send(&p.b, 0, 4, 2, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	p.b.remote = 0;
	memcpy(&p.b.remote, p.a.buf, 4);
	fill(&p.b, 1000, 1000, 4);
	HR(post_read(&p.a, 0, 1000, 3, 0, &p.b, 1000), ND_SUCCESS);
	reap_is(p.a.cq, 3, ND_SUCCESS);
	assert_true(filled(&p.a, 0, 1000, 4));
	pair_close(&p);
}

static void nd2_row_065_local_write_is_not_remote_write(void **state)
{
	const struct how how = {.mr_flags = ND_MR_FLAG_ALLOW_LOCAL_WRITE};
	struct pair p;

	pair_open_connected(&p, &how);
	HR(post_recv(&p.b, 0, 10, 9), ND_SUCCESS);
	HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	reap_is(p.b.cq, 9, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_066_remote_write_includes_local_write(void **state)
{
	const struct how how = {.mr_flags = ND_MR_FLAG_ALLOW_REMOTE_WRITE};
	struct pair p;

	pair_open_connected(&p, &how);
	exchange(&p.a, &p.b);
	pair_close(&p);
}

static void nd2_row_067_read_sink_needs_local_write_alone(void **state)
{
	IND2MemoryRegion *mr;
	struct pair p;
	ND2_SGE sge;

	pair_open_connected(&p, NULL);
	mr = new_mr(&p.a);
	register_mr(mr, p.a.buf, 5000, ND_MR_FLAG_ALLOW_LOCAL_WRITE);
	fill(&p.b, 0, 5000, 8);
	sge = (ND2_SGE){p.a.buf, 5000, CALL(mr, GetLocalToken)};
	HR(CALL(p.a.qp, Read, (void *)1, &sge, 1, (UINT64)(uintptr_t)p.b.buf, p.b.remote, 0),
	   ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	assert_true(filled(&p.a, 0, 5000, 8));
	RELEASE(mr);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_053_register_null),
	cmocka_unit_test(nd2_row_054_register_nothing),
	cmocka_unit_test(nd2_row_055_register_more_than_the_limit),
	cmocka_unit_test(nd2_row_056_register_twice),
	cmocka_unit_test(nd2_row_057_ten_thousand_rounds),
	cmocka_unit_test(nd2_row_058_one_buffer_many_rights),
	cmocka_unit_test(nd2_row_059_deregister_what_never_was),
	cmocka_unit_test(nd2_row_063_release_of_a_registered_region),
	cmocka_unit_test(nd2_row_064_remote_token_is_passed_on_unchanged),
	cmocka_unit_test(nd2_row_065_local_write_is_not_remote_write),
	cmocka_unit_test(nd2_row_066_remote_write_includes_local_write),
	cmocka_unit_test(nd2_row_067_read_sink_needs_local_write_alone),
};

nd2_main(tests)
