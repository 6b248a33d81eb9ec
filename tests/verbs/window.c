/* Tests memory windows of types 1 and 2B. Side b binds a window to a part of its memory; side a
 * then accesses this memory with the R_Key of the binding, until the binding ends. Each test runs
 * between two adapters, and between two QPs of one adapter. */
#include "side.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define WRITE IBV_ACCESS_REMOTE_WRITE

static unsigned other; /* the device of side a: 0 or 1 */

struct pair {
	struct side a, b;
	struct ibv_mr *mr; /* the buffer of b as a region to bind */
	struct ibv_mw *mw; /* of b */
};

static void open_pair(struct pair *p, enum ibv_mw_type type)
{
	side_connect(&p->a, &p->b, other, 0, 16);
	p->mr = ibv_reg_mr(p->b.pd, p->b.buf, SIDE_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	assert_non_null(p->mr);
	p->mw = ibv_alloc_mw(p->b.pd, type);
	assert_non_null(p->mw);
	assert_int_equal(p->mw->type, type);
	assert_ptr_equal(p->mw->pd, p->b.pd);
}

static void close_pair(struct pair *p)
{
	if (p->mw != NULL)
		assert_int_equal(ibv_dealloc_mw(p->mw), 0);
	assert_int_equal(ibv_dereg_mr(p->mr), 0);
	side_close(&p->a);
	side_close(&p->b);
}

static struct ibv_mw_bind_info info(const struct pair *p, uint32_t at, uint32_t len,
				    unsigned access)
{
	return (struct ibv_mw_bind_info){p->mr, (uintptr_t)p->b.buf + at, len, access};
}

static int post(struct side *s, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(s->qp, wr, &bad);
}

static void expect(struct side *s, uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = side_wait(s);

	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.opcode, opcode);
}

/* Returns the status with which a WRITE of `len` bytes to offset `at` of b's buffer completes. */
static enum ibv_wc_status reach(struct pair *p, uint32_t rkey, uint32_t at, uint32_t len)
{
	struct ibv_sge sge = {(uintptr_t)p->a.buf, len, p->a.mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 77,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)p->b.buf + at, rkey}};
	struct ibv_wc wc;

	assert_int_equal(post(&p->a, &wr), 0);
	wc = side_wait(&p->a);
	assert_int_equal(wc.wr_id, 77);
	return wc.status;
}

/* ---- type 1 ---- */

static int bind1(struct pair *p, uint64_t wr_id, struct ibv_mw_bind_info what)
{
	struct ibv_mw_bind bind = {wr_id, IBV_SEND_SIGNALED, what};

	return ibv_bind_mw(p->b.qp, p->mw, &bind);
}

static void type_1_gets_a_new_key_with_each_bind(void **state)
{
	struct pair p;
	uint32_t keys[3];

	open_pair(&p, IBV_MW_TYPE_1);
	keys[0] = p.mw->rkey;
	assert_int_equal(bind1(&p, 1, info(&p, 100, 50, WRITE)), 0);
	expect(&p.b, 1, IBV_WC_BIND_MW);
	keys[1] = p.mw->rkey;
	assert_int_not_equal(keys[1], keys[0]);
	assert_int_equal(reach(&p, keys[1], 100, 50), IBV_WC_SUCCESS);
	/* Bound again, without an invalidation: the former key ends. */
	assert_int_equal(bind1(&p, 2, info(&p, 200, 50, WRITE | IBV_ACCESS_LOCAL_WRITE)), 0);
	expect(&p.b, 2, IBV_WC_BIND_MW);
	keys[2] = p.mw->rkey;
	assert_int_not_equal(keys[2], keys[1]);
	assert_int_equal(reach(&p, keys[2], 200, 50), IBV_WC_SUCCESS);
	assert_int_equal(reach(&p, keys[1], 100, 50), IBV_WC_REM_ACCESS_ERR);
	close_pair(&p);
}

static void a_bind_of_no_bytes_ends_type_1(void **state)
{
	for (int with_region = 0; with_region < 2; with_region++) {
		struct pair p;
		uint32_t key;

		open_pair(&p, IBV_MW_TYPE_1);
		assert_int_equal(bind1(&p, 1, (struct ibv_mw_bind_info){0}), 0); /* not bound */
		expect(&p.b, 1, IBV_WC_BIND_MW);
		assert_int_equal(bind1(&p, 2, info(&p, 0, 64, WRITE)), 0);
		expect(&p.b, 2, IBV_WC_BIND_MW);
		key = p.mw->rkey;
		assert_int_equal(reach(&p, key, 0, 64), IBV_WC_SUCCESS);
		assert_int_equal(
			bind1(&p, 3,
			      with_region ? info(&p, 0, 0, 0) : (struct ibv_mw_bind_info){0}),
			0);
		expect(&p.b, 3, IBV_WC_BIND_MW);
		assert_int_equal(reach(&p, key, 0, 64), IBV_WC_REM_ACCESS_ERR);
		close_pair(&p);
	}
}

/* The low byte of the key takes all 256 values. */
static void type_1_can_be_bound_without_end(void **state)
{
	struct pair p;
	unsigned waiting = 0;

	open_pair(&p, IBV_MW_TYPE_1);
	for (unsigned i = 0; i < 264; i++) {
		uint32_t key = p.mw->rkey;

		assert_int_equal(bind1(&p, i, info(&p, i, 8, WRITE)), 0);
		assert_int_equal(p.mw->rkey, ibv_inc_rkey(key));
		if (i % 8 != 7 && (p.mw->rkey & 0xff) != 0)
			continue;
		while (waiting <= i)
			expect(&p.b, waiting++, IBV_WC_BIND_MW);
		if (i % 64 == 63 || (p.mw->rkey & 0xff) == 0)
			assert_int_equal(reach(&p, p.mw->rkey, i, 8), IBV_WC_SUCCESS);
	}
	close_pair(&p);
}

static void type_1_binds_are_refused_with_the_right_errno(void **state)
{
	struct ibv_mw_bind bind = {1, IBV_SEND_INLINE, {0}};
	struct pair p;
	struct side s;
	uint32_t key;

	open_pair(&p, IBV_MW_TYPE_1);
	key = p.mw->rkey;
	assert_int_equal(bind1(&p, 1, info(&p, 0, 8, IBV_ACCESS_ON_DEMAND)), EINVAL);
	assert_int_equal(bind1(&p, 1, info(&p, 0, 8, IBV_ACCESS_ZERO_BASED)), EOPNOTSUPP);
	assert_int_equal(bind1(&p, 1, (struct ibv_mw_bind_info){NULL, 0, 8, 0}), EINVAL);
	assert_int_equal(ibv_bind_mw(p.b.qp, p.mw, &bind), EINVAL);
	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_RC, 2);
	bind.send_flags = 0;
	assert_int_equal(ibv_bind_mw(s.qp, p.mw, &bind), EINVAL); /* not in RTS */
	side_close(&s);
	assert_int_equal(p.mw->rkey, key);
	errno = 0;
	assert_null(ibv_alloc_mw(p.b.pd, (enum ibv_mw_type)3));
	assert_int_equal(errno, EINVAL);
	close_pair(&p);
}

/* A limit of this NIC: only the QP of the last bind can bind the window again, until that QP has
 * bound 0 bytes. */
static void type_1_stays_with_its_qp(void **state)
{
	struct ibv_mw_bind bind;
	struct pair p, q;

	open_pair(&p, IBV_MW_TYPE_1);
	q = p;
	side_make_qp(&q.a, IBV_QPT_RC, 4);
	side_make_qp(&q.b, IBV_QPT_RC, 4);
	side_join(&q.a, &q.b);
	assert_int_equal(bind1(&p, 1, info(&p, 0, 64, WRITE)), 0);
	expect(&p.b, 1, IBV_WC_BIND_MW);
	assert_int_equal(bind1(&p, 2, (struct ibv_mw_bind_info){0}), 0);
	expect(&p.b, 2, IBV_WC_BIND_MW);
	assert_int_equal(bind1(&q, 3, info(&p, 0, 64, WRITE)), 0);
	expect(&p.b, 3, IBV_WC_BIND_MW);
	assert_int_equal(reach(&q, p.mw->rkey, 0, 64), IBV_WC_SUCCESS);
	bind = (struct ibv_mw_bind){4, 0, info(&p, 0, 64, WRITE)};
	assert_int_equal(ibv_bind_mw(p.b.qp, p.mw, &bind), 0);
	assert_int_equal(side_wait(&p.b).status, IBV_WC_MW_BIND_ERR);
	assert_int_equal(ibv_destroy_qp(q.a.qp), 0);
	assert_int_equal(ibv_destroy_qp(q.b.qp), 0);
	close_pair(&p);
}

/* ---- type 2 ---- */

static struct ibv_send_wr bind2(const struct pair *p, uint64_t wr_id, uint32_t rkey,
				struct ibv_mw_bind_info what)
{
	return (struct ibv_send_wr){.wr_id = wr_id,
				    .opcode = IBV_WR_BIND_MW,
				    .send_flags = IBV_SEND_SIGNALED,
				    .bind_mw = {p->mw, rkey, what}};
}

static struct ibv_send_wr local_inv(uint64_t wr_id, uint32_t rkey)
{
	return (struct ibv_send_wr){.wr_id = wr_id,
				    .opcode = IBV_WR_LOCAL_INV,
				    .send_flags = IBV_SEND_SIGNALED,
				    .invalidate_rkey = rkey};
}

static uint32_t bind_and_wait(struct pair *p, uint64_t wr_id, uint32_t rkey)
{
	struct ibv_send_wr wr = bind2(p, wr_id, rkey, info(p, 100, 50, WRITE));

	assert_int_equal(post(&p->b, &wr), 0);
	expect(&p->b, wr_id, IBV_WC_BIND_MW);
	return rkey;
}

static void type_2_has_the_key_of_the_program(void **state)
{
	struct pair p;
	struct ibv_send_wr inv, bind;
	uint32_t key;

	open_pair(&p, IBV_MW_TYPE_2);
	key = bind_and_wait(&p, 1, (p.mw->rkey & ~0xffu) | 1);
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
	inv = local_inv(2, key);
	assert_int_equal(post(&p.b, &inv), 0);
	expect(&p.b, 2, IBV_WC_LOCAL_INV);
	/* any low byte, the former one and 0 included */
	key = bind_and_wait(&p, 3, key);
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
	inv = local_inv(4, key);
	bind = bind2(&p, 5, key & ~0xffu, info(&p, 100, 50, WRITE));
	inv.next = &bind;
	assert_int_equal(post(&p.b, &inv), 0);
	expect(&p.b, 4, IBV_WC_LOCAL_INV);
	expect(&p.b, 5, IBV_WC_BIND_MW);
	assert_int_equal(reach(&p, key & ~0xffu, 100, 50), IBV_WC_SUCCESS);
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_REM_ACCESS_ERR);
	close_pair(&p);
}

/* Over UC nobody answers: the data are there, or they are not. */
static void windows_work_over_uc(void **state)
{
	struct pair p;
	struct ibv_send_wr wr;
	uint32_t key;

	open_pair(&p, IBV_MW_TYPE_2);
	assert_int_equal(ibv_destroy_qp(p.a.qp) | ibv_destroy_qp(p.b.qp), 0);
	side_make_qp(&p.a, IBV_QPT_UC, 16);
	side_make_qp(&p.b, IBV_QPT_UC, 16);
	side_join(&p.a, &p.b);
	key = bind_and_wait(&p, 1, ibv_inc_rkey(p.mw->rkey));
	memset(p.a.buf, 5, 50);
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
	side_recv(&p.b, 2, 0, 64);
	side_send(&p.a, 3, 0, 1); /* comes after the WRITE */
	expect(&p.b, 2, IBV_WC_RECV);
	assert_memory_equal(p.b.buf + 100, p.a.buf, 50);
	wr = local_inv(4, key);
	assert_int_equal(post(&p.b, &wr), 0);
	expect(&p.b, 4, IBV_WC_LOCAL_INV);
	close_pair(&p);
}

static void a_peer_reaches_no_more_than_was_bound(void **state)
{
	static const struct {
		uint32_t at, len;
		unsigned access;
	} rows[] = {{99, 50, WRITE}, {101, 50, WRITE}, {100, 50, IBV_ACCESS_REMOTE_READ}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ibv_send_wr wr;
		struct pair p;

		open_pair(&p, IBV_MW_TYPE_2);
		wr = bind2(&p, 1, ibv_inc_rkey(p.mw->rkey), info(&p, 100, 50, rows[i].access));
		assert_int_equal(post(&p.b, &wr), 0);
		expect(&p.b, 1, IBV_WC_BIND_MW);
		assert_int_equal(reach(&p, ibv_inc_rkey(p.mw->rkey), rows[i].at, rows[i].len),
				 IBV_WC_REM_ACCESS_ERR);
		close_pair(&p);
	}
}

/* The SEND with invalidation names the key in the receive; then the window can be bound again. */
static void the_peer_invalidates(void **state)
{
	struct pair p;
	struct ibv_send_wr wr = {
		.wr_id = 5, .opcode = IBV_WR_SEND_WITH_INV, .send_flags = IBV_SEND_SIGNALED};
	struct ibv_wc wc;
	uint32_t key;

	open_pair(&p, IBV_MW_TYPE_2);
	key = bind_and_wait(&p, 1, ibv_inc_rkey(p.mw->rkey));
	side_recv(&p.b, 9, 0, 64);
	wr.invalidate_rkey = key;
	assert_int_equal(post(&p.a, &wr), 0);
	expect(&p.a, 5, IBV_WC_SEND);
	wc = side_wait(&p.b);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, 9);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.wc_flags & IBV_WC_WITH_INV, IBV_WC_WITH_INV);
	assert_int_equal(wc.invalidated_rkey, key);
	key = bind_and_wait(&p, 2, ibv_inc_rkey(key));
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
	assert_int_equal(reach(&p, p.mw->rkey, 100, 50), IBV_WC_REM_ACCESS_ERR);
	close_pair(&p);
}

/* A list: bind, send the key, later invalidate. The key is valid when the peer gets it. */
static void lists_bind_in_order(void **state)
{
	struct pair p;
	struct ibv_send_wr bind, send = {.wr_id = 2,
					 .opcode = IBV_WR_SEND,
					 .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED};
	struct ibv_sge sge;
	uint32_t key;

	open_pair(&p, IBV_MW_TYPE_2);
	key = ibv_inc_rkey(p.mw->rkey);
	bind = bind2(&p, 1, key, info(&p, 100, 50, WRITE));
	bind.send_flags = 0;
	bind.next = &send;
	sge = (struct ibv_sge){(uintptr_t)&key, sizeof(key), 0};
	send.sg_list = &sge;
	send.num_sge = 1;
	side_recv(&p.a, 9, 1000, 64);
	assert_int_equal(post(&p.b, &bind), 0);
	expect(&p.a, 9, IBV_WC_RECV);
	memcpy(&key, p.a.buf + 1000, sizeof(key));
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
	expect(&p.b, 2, IBV_WC_SEND); /* the bind is silent */
	close_pair(&p);
}

/* What only the NIC finds: the request completes with an error, and the QP fails. */
enum fault { BOUND, NO_BIND_RIGHT, OTHER_PD, TOO_LONG, NOT_BOUND, OF_REGION, OF_TYPE_1, FAULTS };

static struct ibv_send_wr faulty(struct pair *p, enum fault fault, struct ibv_pd *pd,
				 struct ibv_mr **mr)
{
	uint32_t key = ibv_inc_rkey(p->mw->rkey);
	struct ibv_mw_bind_info what = info(p, 100, 50, WRITE);

	if (fault == NOT_BOUND || fault == OF_REGION)
		return local_inv(8, fault == NOT_BOUND ? key : p->b.mr->rkey);
	if (fault == OF_TYPE_1) {
		assert_int_equal(bind1(p, 1, what), 0);
		expect(&p->b, 1, IBV_WC_BIND_MW);
		return local_inv(8, p->mw->rkey);
	}
	if (fault == BOUND)
		bind_and_wait(p, 1, key);
	if (fault == NO_BIND_RIGHT)
		what.mr = p->b.mr;
	if (fault == TOO_LONG)
		what.length = SIDE_BYTES;
	if (fault == OTHER_PD)
		what.mr = *mr = ibv_reg_mr(pd, p->b.buf, SIDE_BYTES,
					   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	return bind2(p, 8, ibv_inc_rkey(key), what);
}

static void errors_of_the_nic_have_a_status(void **state)
{
	for (enum fault fault = 0; fault < FAULTS; fault++) {
		struct ibv_mr *mr = NULL;
		struct ibv_send_wr wr;
		struct ibv_wc wc;
		struct ibv_pd *pd;
		struct pair p;

		open_pair(&p, fault == OF_TYPE_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
		pd = ibv_alloc_pd(p.b.context);
		assert_non_null(pd);
		wr = faulty(&p, fault, pd, &mr);
		assert_int_equal(post(&p.b, &wr), 0);
		wc = side_wait(&p.b);
		assert_int_equal(wc.wr_id, 8);
		assert_int_equal(wc.status, IBV_WC_MW_BIND_ERR);
		if (mr != NULL)
			assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_int_equal(ibv_dealloc_pd(pd), 0);
		close_pair(&p);
	}
}

static void requests_are_refused_with_the_right_errno(void **state)
{
	struct ibv_mw_bind bind = {0};
	struct ibv_send_wr wr;
	struct ibv_mw *one;
	struct pair p;
	uint32_t key;

	open_pair(&p, IBV_MW_TYPE_2);
	key = ibv_inc_rkey(p.mw->rkey);
	assert_int_equal(ibv_bind_mw(p.b.qp, p.mw, &bind), EINVAL); /* not of type 1 */
	wr = bind2(&p, 1, key ^ 0x100, info(&p, 0, 8, WRITE));
	assert_int_equal(post(&p.b, &wr), EINVAL); /* not a key of this window */
	wr = bind2(&p, 1, key, info(&p, 0, 8, IBV_ACCESS_ZERO_BASED));
	assert_int_equal(post(&p.b, &wr), EOPNOTSUPP);
	wr = bind2(&p, 1, key, (struct ibv_mw_bind_info){0});
	assert_int_equal(post(&p.b, &wr), EINVAL); /* no region */
	wr = bind2(&p, 1, key, info(&p, 0, 0, WRITE));
	assert_int_equal(post(&p.b, &wr), EINVAL); /* no bytes */
	wr = bind2(&p, 1, key, info(&p, 0, 8, WRITE));
	wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(post(&p.b, &wr), EINVAL);
	one = ibv_alloc_mw(p.b.pd, IBV_MW_TYPE_1);
	wr = bind2(&p, 1, ibv_inc_rkey(one->rkey), info(&p, 0, 8, WRITE));
	wr.bind_mw.mw = one;
	assert_int_equal(post(&p.b, &wr), EINVAL);
	assert_int_equal(ibv_dealloc_mw(one), 0);
	key = bind_and_wait(&p, 2, key); /* nothing has changed */
	assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
	close_pair(&p);
}

/* ---- both types ---- */

static void a_freed_window_is_not_reached(void **state)
{
	struct pair p;
	uint32_t key;

	for (int type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		open_pair(&p, (enum ibv_mw_type)type);
		if (type == IBV_MW_TYPE_1) {
			assert_int_equal(bind1(&p, 1, info(&p, 100, 50, WRITE)), 0);
			expect(&p.b, 1, IBV_WC_BIND_MW);
			key = p.mw->rkey;
		} else {
			key = bind_and_wait(&p, 1, ibv_inc_rkey(p.mw->rkey));
		}
		assert_int_equal(reach(&p, key, 100, 50), IBV_WC_SUCCESS);
		assert_int_equal(ibv_dealloc_mw(p.mw), 0);
		p.mw = NULL;
		assert_int_equal(reach(&p, key, 100, 50), IBV_WC_REM_ACCESS_ERR);
		close_pair(&p);
	}
}

static void the_device_reports_windows(void **state)
{
	const unsigned flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
			       IBV_DEVICE_MEM_MGT_EXTENSIONS;
	struct ibv_device_attr attr;
	struct side s;

	side_open(&s, other);
	assert_int_equal(ibv_query_device(s.context, &attr), 0);
	assert_int_equal(attr.device_cap_flags & flags, flags);
	assert_true(attr.max_mw > 0);
	side_close(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(type_1_gets_a_new_key_with_each_bind),
		cmocka_unit_test(a_bind_of_no_bytes_ends_type_1),
		cmocka_unit_test(type_1_can_be_bound_without_end),
		cmocka_unit_test(type_1_binds_are_refused_with_the_right_errno),
		cmocka_unit_test(type_1_stays_with_its_qp),
		cmocka_unit_test(type_2_has_the_key_of_the_program),
		cmocka_unit_test(windows_work_over_uc),
		cmocka_unit_test(a_peer_reaches_no_more_than_was_bound),
		cmocka_unit_test(the_peer_invalidates),
		cmocka_unit_test(lists_bind_in_order),
		cmocka_unit_test(errors_of_the_nic_have_a_status),
		cmocka_unit_test(requests_are_refused_with_the_right_errno),
		cmocka_unit_test(a_freed_window_is_not_reached),
		cmocka_unit_test(the_device_reports_windows),
	};
	int failed = 0;

	for (other = 0; other < 2; other++)
		failed += cmocka_run_group_tests_name(other ? "two adapters" : "one adapter", tests,
						      NULL, NULL);
	return failed != 0;
}
