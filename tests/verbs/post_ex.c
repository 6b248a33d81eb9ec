/* The extended post calls: requests between ibv_wr_start() and ibv_wr_complete() are posted in
 * their order, all or none. */
#include "side.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OPS_RC                                                                            \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE | \
	 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |                  \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |        \
	 IBV_QP_EX_WITH_SEND_WITH_INV)

/* Two ends of one device, whose QPs have the extended calls for `ops`. */
static struct ibv_qp_ex *connect_ends(struct side *a, struct side *b, uint32_t depth, uint64_t ops)
{
	side_open(a, 0);
	side_open(b, 0);
	side_make_qp_ex(a, IBV_QPT_RC, depth, ops);
	side_make_qp_ex(b, IBV_QPT_RC, depth, ops);
	side_join(a, b);
	return ibv_qp_to_qp_ex(a->qp);
}

static void close_ends(struct side *a, struct side *b)
{
	side_close(a);
	side_close(b);
}

static void send_of(struct ibv_qp_ex *qp, const struct side *s, uint64_t wr_id, uint32_t at,
		    uint32_t len)
{
	qp->wr_id = wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, s->mr->lkey, (uintptr_t)s->buf + at, len);
}

static void assert_done(struct side *s, uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = side_wait(s);

	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.opcode, opcode);
}

static void assert_nothing_done(struct side *s)
{
	struct ibv_wc wc;

	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(ibv_poll_cq(s->cq, 1, &wc), 0);
}

static void sends_arrive_in_order(void **state)
{
	struct side a, b;
	struct ibv_qp_ex *qp = connect_ends(&a, &b, 8, OPS_RC);
	char text[64] = "inline data";
	struct ibv_data_buf parts[2] = {{text, 7}, {text + 7, 5}};
	struct ibv_sge sges[2] = {{(uintptr_t)a.buf, 300, a.mr->lkey},
				  {(uintptr_t)a.buf + 1000, 700, a.mr->lkey}};
	struct ibv_wc wc;

	for (unsigned i = 0; i < 2000; i++)
		a.buf[i] = (uint8_t)(i * 7);
	for (unsigned i = 0; i < 5; i++)
		side_recv(&b, 100 + i, i * 2048, 2048);
	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE; /* the setter decides */
	ibv_wr_send(qp);
	ibv_wr_set_sge_list(qp, 2, sges);
	qp->wr_id = 2;
	qp->wr_flags = 0;
	ibv_wr_send_imm(qp, 0x01020304);
	ibv_wr_set_inline_data_list(qp, 2, parts);
	qp->wr_id = 3;
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, text, 12);
	qp->wr_id = 4;
	ibv_wr_send_inv(qp, 0x1234);
	qp->wr_id = 5;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp); /* without data */
	memset(text, 0, sizeof(text));
	memset(sges, 0, sizeof(sges));
	assert_nothing_done(&b);
	assert_int_equal(ibv_wr_complete(qp), 0);
	wc = side_wait(&b);
	assert_int_equal(wc.wr_id, 100);
	assert_int_equal(wc.byte_len, 1000);
	assert_memory_equal(b.buf, a.buf, 300);
	assert_memory_equal(b.buf + 300, a.buf + 1000, 700);
	wc = side_wait(&b);
	assert_int_equal(wc.wr_id, 101);
	assert_int_equal(wc.byte_len, 12);
	assert_int_equal(wc.imm_data, 0x01020304);
	assert_string_equal((char *)b.buf + 2048, "inline data");
	assert_done(&b, 102, IBV_WC_RECV);
	assert_string_equal((char *)b.buf + 4096, "inline data");
	/* The key names nothing, so the peer refuses the fourth. */
	assert_done(&a, 1, IBV_WC_SEND);
	wc = side_wait(&a);
	assert_int_equal(wc.wr_id, 4);
	assert_int_not_equal(wc.status, IBV_WC_SUCCESS);
	wc = side_wait(&a);
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	close_ends(&a, &b);
}

static void memory_of_the_peer_is_written_read_and_changed(void **state)
{
	struct side a, b;
	struct ibv_qp_ex *qp = connect_ends(&a, &b, 8, OPS_RC);
	uint64_t far = (uintptr_t)b.buf, near = (uintptr_t)a.buf, number = 40;

	memcpy(b.buf + 512, &number, 8);
	memcpy(a.buf, "written", 8);
	side_recv(&b, 7, 0, 0);
	ibv_wr_start(qp);
	qp->wr_flags = IBV_SEND_SIGNALED;
	qp->wr_id = 1;
	ibv_wr_rdma_write(qp, b.mr->rkey, far);
	ibv_wr_set_sge(qp, a.mr->lkey, near, 8);
	qp->wr_id = 2;
	ibv_wr_atomic_fetch_add(qp, b.mr->rkey, far + 512, 2);
	ibv_wr_set_sge(qp, a.mr->lkey, near + 16, 8);
	qp->wr_id = 3;
	ibv_wr_atomic_cmp_swp(qp, b.mr->rkey, far + 512, 42, 5);
	ibv_wr_set_sge(qp, a.mr->lkey, near + 24, 8);
	qp->wr_id = 4;
	qp->wr_flags |= IBV_SEND_FENCE;
	ibv_wr_rdma_read(qp, b.mr->rkey, far + 512);
	ibv_wr_set_sge(qp, a.mr->lkey, near + 32, 8);
	qp->wr_id = 5;
	ibv_wr_rdma_write_imm(qp, b.mr->rkey, far + 8, 77);
	ibv_wr_set_inline_data(qp, "at once", 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_done(&a, 1, IBV_WC_RDMA_WRITE);
	assert_done(&a, 2, IBV_WC_FETCH_ADD);
	assert_done(&a, 3, IBV_WC_COMP_SWAP);
	assert_done(&a, 4, IBV_WC_RDMA_READ);
	assert_done(&a, 5, IBV_WC_RDMA_WRITE);
	struct ibv_wc wc = side_wait(&b);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.imm_data, 77);
	assert_string_equal((char *)b.buf, "written");
	assert_string_equal((char *)b.buf + 8, "at once");
	assert_int_equal(*(uint64_t *)(a.buf + 16), 40);
	assert_int_equal(*(uint64_t *)(a.buf + 24), 42);
	assert_int_equal(*(uint64_t *)(a.buf + 32), 5);
	close_ends(&a, &b);
}

/* Each row drafts a good SEND, then something wrong, then another good SEND. */
static void an_error_posts_nothing(void **state)
{
	static const struct {
		int error;
		enum { OP, FLAG, SGES, LONG, PARTS, KIND, TSO, XRC } what;
	} rows[] = {{EOPNOTSUPP, OP}, {EOPNOTSUPP, FLAG}, {EINVAL, SGES},    {EINVAL, LONG},
		    {EINVAL, PARTS},  {EINVAL, KIND},	  {EOPNOTSUPP, TSO}, {EOPNOTSUPP, XRC}};
	static char data[128];
	struct side a, b;
	struct ibv_qp_ex *qp =
		connect_ends(&a, &b, 8, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ);
	struct ibv_sge many[5] = {{0}};
	struct ibv_data_buf parts[3] = {{data, 40}, {data, 24}, {data, SIZE_MAX}};

	for (unsigned i = 0; i < 8; i++)
		side_recv(&b, i, 0, 64);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ibv_wr_start(qp);
		send_of(qp, &a, 1, 0, 8);
		qp->wr_flags = rows[i].what == FLAG ? IBV_SEND_IP_CSUM : 0;
		if (rows[i].what == OP)
			ibv_wr_rdma_write(qp, b.mr->rkey, (uintptr_t)b.buf);
		else if (rows[i].what == KIND)
			ibv_wr_rdma_read(qp, b.mr->rkey, (uintptr_t)b.buf);
		else
			ibv_wr_send(qp);
		if (rows[i].what == SGES)
			ibv_wr_set_sge_list(qp, 5, many);
		else if (rows[i].what == LONG || rows[i].what == KIND)
			ibv_wr_set_inline_data(qp, data, rows[i].what == LONG ? 65 : 8);
		else if (rows[i].what == PARTS)
			ibv_wr_set_inline_data_list(qp, 3, parts);
		else if (rows[i].what == TSO)
			ibv_wr_send_tso(qp, data, 10, 10);
		else if (rows[i].what == XRC)
			ibv_wr_set_xrc_srqn(qp, 1);
		send_of(qp, &a, 2, 0, 8);
		assert_int_equal(ibv_wr_complete(qp), rows[i].error);
	}
	ibv_wr_start(qp);
	ibv_wr_set_sge(qp, a.mr->lkey, 0, 8); /* of no request */
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	ibv_wr_start(qp);
	send_of(qp, &a, 3, 0, 8);
	ibv_wr_abort(qp);
	ibv_wr_start(qp);
	assert_int_equal(ibv_wr_complete(qp), 0); /* nothing was drafted */
	assert_nothing_done(&a);
	ibv_wr_start(qp);
	send_of(qp, &a, 4, 0, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_done(&a, 4, IBV_WC_SEND);
	assert_done(&b, 0, IBV_WC_RECV);
	assert_nothing_done(&b);
	close_ends(&a, &b);
}

#define QKEY 0x11111111u
#define GRH  40u

static void to_rts_ud(struct side *s)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY};

	assert_int_equal(
		ibv_modify_qp(s->qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
		0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(s->qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
}

static void datagrams_have_a_destination(void **state)
{
	struct side a, b;
	struct ibv_wc wc;

	side_open(&a, 0);
	side_open(&b, 0);
	side_make_qp_ex(&a, IBV_QPT_UD, 8, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
	side_make_qp_ex(&b, IBV_QPT_UD, 8, 0);
	to_rts_ud(&a);
	to_rts_ud(&b);
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a.qp);
	struct ibv_ah_attr attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = b.gid}};
	struct ibv_ah *ah = ibv_create_ah(a.pd, &attr), *foreign = ibv_create_ah(b.pd, &attr);
	assert_non_null(ah);
	assert_non_null(foreign);
	side_recv(&b, 1, 0, 100);
	side_recv(&b, 2, 100, 100);
	strcpy((char *)a.buf, "from a buffer");
	ibv_wr_start(qp);
	send_of(qp, &a, 1, 0, 14);
	ibv_wr_set_ud_addr(qp, ah, b.qp->qp_num, QKEY);
	qp->wr_id = 2;
	qp->wr_flags = 0;
	ibv_wr_send_imm(qp, 0x01020304);
	ibv_wr_set_ud_addr(qp, ah, b.qp->qp_num, QKEY);
	ibv_wr_set_inline_data(qp, "inline", 7);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_done(&a, 1, IBV_WC_SEND);
	wc = side_wait(&b);
	assert_int_equal(wc.byte_len, GRH + 14);
	assert_int_equal(wc.src_qp, a.qp->qp_num);
	assert_string_equal((char *)b.buf + GRH, "from a buffer");
	wc = side_wait(&b);
	assert_int_equal(wc.imm_data, 0x01020304);
	assert_string_equal((char *)b.buf + 100 + GRH, "inline");
	for (unsigned i = 0; i < 4; i++) { /* no destination, none, of another PD, wrong kind */
		ibv_wr_start(qp);
		send_of(qp, &a, 3, 0, 14);
		if (i == 1 || i == 2)
			ibv_wr_set_ud_addr(qp, i == 1 ? NULL : foreign, b.qp->qp_num, QKEY);
		else if (i == 3)
			ibv_wr_rdma_read(qp, 1, 1);
		assert_int_equal(ibv_wr_complete(qp), i == 3 ? EOPNOTSUPP : EINVAL);
	}
	assert_nothing_done(&a);
	assert_int_equal(ibv_destroy_ah(ah) | ibv_destroy_ah(foreign), 0);
	close_ends(&a, &b);
}

/* One draft binds a window and tells the peer; a later one ends the binding. */
static void windows_are_bound_and_invalidated(void **state)
{
	struct side a, b;
	struct ibv_qp_ex *qp =
		connect_ends(&a, &b, 8, OPS_RC | IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV);
	struct ibv_qp_ex *peer = ibv_qp_to_qp_ex(b.qp);
	struct ibv_mr *mr =
		ibv_reg_mr(a.pd, a.buf, 4096,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(a.pd, IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = {.mr = mr,
					.addr = (uintptr_t)a.buf + 64,
					.length = 64,
					.mw_access_flags = IBV_ACCESS_REMOTE_WRITE};
	uint32_t rkey = ibv_inc_rkey(mw->rkey);

	side_recv(&b, 9, 0, 64);
	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(qp, mw, rkey, &info);
	memset(&info, 0, sizeof(info));
	qp->wr_id = 2;
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, &rkey, sizeof(rkey));
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_done(&a, 1, IBV_WC_BIND_MW);
	assert_done(&a, 2, IBV_WC_SEND);
	assert_done(&b, 9, IBV_WC_RECV);
	for (unsigned i = 0; i < 2; i++) {
		struct ibv_wc wc;

		ibv_wr_start(peer);
		peer->wr_id = 3;
		peer->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(peer, *(uint32_t *)b.buf, (uintptr_t)a.buf + 64);
		ibv_wr_set_inline_data(peer, "inside", 7);
		assert_int_equal(ibv_wr_complete(peer), 0);
		wc = side_wait(&b);
		assert_int_equal(wc.status, i == 0 ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR);
		if (i > 0)
			break;
		assert_string_equal((char *)a.buf + 64, "inside");
		ibv_wr_start(qp);
		ibv_wr_local_inv(qp, rkey);
		assert_int_equal(ibv_wr_complete(qp), 0);
		assert_done(&a, 2, IBV_WC_LOCAL_INV);
	}
	info.mr = NULL;
	ibv_wr_start(qp);
	ibv_wr_bind_mw(qp, mw, rkey, &info);
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	assert_int_equal(ibv_dealloc_mw(mw) | ibv_dereg_mr(mr), 0);
	close_ends(&a, &b);
}

/* A draft for which the send queue has not room posts nothing, even if a part would fit. */
static void a_nearly_full_queue_takes_all_or_nothing(void **state)
{
	struct side a, b;
	struct ibv_qp_ex *qp = connect_ends(&a, &b, 4, IBV_QP_EX_WITH_SEND);

	ibv_wr_start(qp);
	for (unsigned i = 0; i < 5; i++) /* more than the queue has at all */
		send_of(qp, &a, i, 0, 8);
	assert_int_equal(ibv_wr_complete(qp), ENOMEM);
	ibv_wr_start(qp);
	for (unsigned i = 0; i < 3; i++)
		send_of(qp, &a, 10 + i, 0, 8);
	assert_int_equal(ibv_wr_complete(qp), 0); /* they wait: the peer has no receive */
	ibv_wr_start(qp);
	send_of(qp, &a, 20, 0, 8);
	send_of(qp, &a, 21, 0, 8);
	assert_int_equal(ibv_wr_complete(qp), ENOMEM);
	ibv_wr_start(qp);
	send_of(qp, &a, 30, 0, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	for (unsigned i = 0; i < 4; i++)
		side_recv(&b, i, 0, 64);
	for (unsigned i = 0; i < 3; i++)
		assert_done(&a, 10 + i, IBV_WC_SEND);
	assert_done(&a, 30, IBV_WC_SEND);
	assert_nothing_done(&a);
	close_ends(&a, &b);
}

/* More than the NIC takes at a time. */
static void long_drafts_are_posted_whole(void **state)
{
	enum { N = 200 };
	struct side a, b;
	struct ibv_qp_ex *qp = connect_ends(&a, &b, N, IBV_QP_EX_WITH_SEND);
	char text[64] = {0};

	for (unsigned i = 0; i < N; i++)
		side_recv(&b, i, i * 64, 64);
	ibv_wr_start(qp);
	for (unsigned i = 0; i < N; i++) {
		memset(text, (int)i, sizeof(text));
		qp->wr_id = i;
		qp->wr_flags = i == N - 1 ? IBV_SEND_SIGNALED : 0;
		ibv_wr_send(qp);
		ibv_wr_set_inline_data(qp, text, sizeof(text));
	}
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_done(&a, N - 1, IBV_WC_SEND);
	for (unsigned i = 0; i < N; i++) {
		assert_done(&b, i, IBV_WC_RECV);
		memset(text, (int)i, sizeof(text));
		assert_memory_equal(b.buf + i * 64, text, sizeof(text));
	}
	close_ends(&a, &b);
}

static void only_qps_made_for_it_have_the_calls(void **state)
{
	static const struct {
		uint32_t mask;
		enum ibv_qp_type type;
		uint64_t ops;
		uint32_t flags;
		int error;
	} rows[] = {
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QPT_RC, OPS_RC, 0, 0},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QPT_UC,
		 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, 0, 0},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS, IBV_QPT_RC, 0, 0, 0},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS, IBV_QPT_RC, 0,
		 IBV_QP_CREATE_SCATTER_FCS, EOPNOTSUPP},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QPT_UC,
		 IBV_QP_EX_WITH_RDMA_READ, 0, EOPNOTSUPP},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QPT_RC,
		 IBV_QP_EX_WITH_TSO, 0, EOPNOTSUPP},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QPT_RC,
		 UINT64_C(1) << 40, 0, EOPNOTSUPP},
		{IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER, IBV_QPT_RC, 0, 0,
		 EOPNOTSUPP},
		{IBV_QP_INIT_ATTR_PD | 1u << 30, IBV_QPT_RC, 0, 0, EINVAL},
		{IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QPT_RC, IBV_QP_EX_WITH_SEND, 0, EINVAL},
	};
	struct side a;

	side_open(&a, 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ibv_qp_init_attr_ex init = {.send_cq = a.cq,
						   .recv_cq = a.cq,
						   .qp_type = rows[i].type,
						   .comp_mask = rows[i].mask,
						   .pd = a.pd,
						   .create_flags = rows[i].flags,
						   .send_ops_flags = rows[i].ops};
		struct ibv_qp *qp = ibv_create_qp_ex(a.context, &init);

		if (rows[i].error != 0) {
			assert_int_equal(errno, rows[i].error);
			assert_null(qp);
			continue;
		}
		assert_non_null(qp);
		assert_int_equal(init.cap.max_send_wr, 1);
		if (rows[i].mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
			assert_ptr_equal(ibv_qp_to_qp_ex(qp), qp);
		else
			assert_null(ibv_qp_to_qp_ex(qp));
		assert_int_equal(ibv_destroy_qp(qp), 0);
	}
	side_make_qp(&a, IBV_QPT_RC, 2);
	assert_null(ibv_qp_to_qp_ex(a.qp));
	assert_int_equal(ibv_destroy_qp(a.qp), 0);
	side_make_qp_ex(&a, IBV_QPT_RC, 2, IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a.qp);
	ibv_wr_start(qp);
	send_of(qp, &a, 1, 0, 8);
	assert_int_equal(ibv_wr_complete(qp), EINVAL); /* not in RTS */
	side_close(&a);
}

#define ROUNDS 500
#define GROUP  3

struct author {
	struct side *a;
	uint8_t name;
	unsigned errors;
};

static void *draft_many(void *arg)
{
	struct author *me = arg;
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(me->a->qp);

	for (unsigned i = 0; i < ROUNDS;) {
		int rc;

		ibv_wr_start(qp);
		for (unsigned k = 0; k < GROUP; k++) {
			qp->wr_id = k;
			qp->wr_flags = 0;
			ibv_wr_send(qp);
			ibv_wr_set_inline_data(qp, &me->name, 1);
		}
		rc = ibv_wr_complete(qp);
		if (rc == 0)
			i++;
		else if (rc != ENOMEM)
			me->errors++;
		if (me->errors > 0)
			break;
	}
	return NULL;
}

/* The drafts of two threads do not mix. */
static void threads_draft_one_after_another(void **state)
{
	struct side a, b;
	struct author author[2] = {{&a, 'x'}, {&a, 'y'}};
	unsigned count[2] = {0};
	pthread_t thread[2];

	connect_ends(&a, &b, 64, IBV_QP_EX_WITH_SEND);
	for (unsigned i = 0; i < 64; i++)
		side_recv(&b, i, i, 1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, draft_many, &author[i]), 0);
	for (unsigned got = 0; got < 2 * ROUNDS * GROUP; got++) {
		static uint8_t name;
		struct ibv_wc wc = side_wait(&b);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		if (got % GROUP == 0)
			name = b.buf[wc.wr_id];
		assert_int_equal(b.buf[wc.wr_id], name);
		count[name == 'y']++;
		side_recv(&b, wc.wr_id, (uint32_t)wc.wr_id, 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(author[i].errors, 0);
		assert_int_equal(count[i], ROUNDS * GROUP);
	}
	close_ends(&a, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_arrive_in_order),
		cmocka_unit_test(memory_of_the_peer_is_written_read_and_changed),
		cmocka_unit_test(an_error_posts_nothing),
		cmocka_unit_test(datagrams_have_a_destination),
		cmocka_unit_test(windows_are_bound_and_invalidated),
		cmocka_unit_test(a_nearly_full_queue_takes_all_or_nothing),
		cmocka_unit_test(long_drafts_are_posted_whole),
		cmocka_unit_test(only_qps_made_for_it_have_the_calls),
		cmocka_unit_test(threads_draft_one_after_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
