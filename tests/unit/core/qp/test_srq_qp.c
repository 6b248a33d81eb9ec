/* QPs that take receives from a shared receive queue (SRQ): when a receive is taken, and what then
 * happens to the receive and the SRQ. Side 1 of the bench receives. */
#include <errno.h>

#include "rig.h"

#define MTU 1024u

struct bench {
	struct rig r;
	struct rn_srq *srq;
	struct rn_srq_ring *ring;
};

static uint8_t data[4096];

static void start_with(struct bench *b, struct rig_opt opt)
{
	b->srq = aligned_alloc(64, RN_ALIGN_UP(sizeof(*b->srq), 64));
	memset(b->srq, 0, sizeof(*b->srq));
	b->ring = calloc(1, rn_srq_ring_bytes(16, 4));
	rn_srq_init(b->srq, b->ring, 16, 4, 1);
	opt.srq = b->srq;
	rig_init(&b->r, &opt);
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + 3);
}

static void start(struct bench *b)
{
	start_with(b, (struct rig_opt){0});
}

static void stop(struct bench *b)
{
	rig_fini(&b->r);
	free(b->ring);
	free(b->srq);
}

/* Posts a receive of len bytes at offset off to the shared receive queue. */
static void receive(struct bench *b, uint64_t id, uint32_t off, uint32_t len)
{
	struct rig_side *s = &b->r.s[1];
	_Alignas(64) struct rn_wqe w = {.kind = RN_WQE_RECV, .slots = 1, .wr_id = id, .num_sge = 1};

	w.sge[0] = (struct rn_sge){(uintptr_t)s->mem + off, len, s->key};
	assert_true(rn_srq_post(b->srq, &w));
}

/* Returns how many receives are in the shared receive queue. */
static uint64_t level(struct bench *b)
{
	return atomic_load(&b->srq->shared.posted) - atomic_load(&b->srq->shared.taken);
}

static enum rn_verdict rx(struct bench *b, uint8_t opcode, uint32_t len)
{
	struct rn_pkt p = rig_pkt(&b->r, 1, opcode, 0, data, len);

	return rig_rx(&b->r, 1, &p);
}

/* Returns the next completion of side 1. */
static struct rn_cqe done(struct bench *b)
{
	struct rn_cqe c;

	rn_shard_done(b->r.s[1].sh, b->r.now);
	assert_true(rig_poll(&b->r, 1, &c));
	assert_true(c.flags & RN_CQE_RECV);
	assert_int_equal(c.qp_ctx, 55);
	return c;
}

static bool has_event(struct bench *b, unsigned kind, struct rn_event *ev)
{
	while (rn_shard_events(b->r.s[1].sh, ev, 1))
		if (ev->kind == kind)
			return true;
	return false;
}

static void test_one_for_each_message(void **state)
{
	struct bench b;
	struct rn_cqe c;

	start(&b);
	receive(&b, 1, 0, 3000);
	receive(&b, 2, 4000, 3000);
	assert_int_equal(rx(&b, RN_OP_SEND_FIRST, MTU), RN_V_OK);
	assert_int_equal(level(&b), 1);
	assert_int_equal(rx(&b, RN_OP_SEND_MIDDLE, MTU), RN_V_OK);
	assert_int_equal(rx(&b, RN_OP_SEND_LAST, 10), RN_V_OK);
	assert_int_equal(level(&b), 1);
	c = done(&b);
	assert_int_equal(c.wr_id, 1);
	assert_int_equal(c.byte_len, 2 * MTU + 10);
	assert_memory_equal(b.r.s[1].mem + MTU, data, MTU);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 0), RN_V_OK);
	assert_int_equal(done(&b).wr_id, 2);
	assert_int_equal(level(&b), 0);
	assert_int_equal(rn_shard_stats(b.r.s[1].sh)->srq_taken, 2);
	/* receives of the shared receive queue do not count in the QP's own receive queue */
	assert_int_equal(atomic_load(&b.r.s[1].qp->shared.rq_retired), 0);
	stop(&b);
}

static void test_writes_take_none(void **state)
{
	struct bench b;

	start(&b);
	receive(&b, 1, 0, 100);
	rig_request(&b.r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 3000, 0);
	rig_request(&b.r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 2, 0, 3000, 0);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&b.r, 0, 2, RN_STATUS_SUCCESS);
	assert_int_equal(level(&b), 1);
	stop(&b);
}

/* Receives of a shared receive queue give a QP no credits. So every ACK has the credit code 0x1F
 * ("credits are not reported"). */
static void wire_row_D17_no_credits(void **state)
{
	struct bench b;
	struct rn_pkt p, ack;

	start(&b);
	for (uint64_t id = 1; id <= 3; id++) {
		receive(&b, id, 0, 100);
		p = rig_pkt(&b.r, 1, RN_OP_SEND_ONLY, 0, data, 5);
		p.ack_req = true;
		assert_int_equal(rig_rx(&b.r, 1, &p), RN_V_OK);
		assert_true(rig_take(&b.r, 1, &ack));
		assert_int_equal(ack.opcode, RN_OP_ACK);
		assert_int_equal(ack.syndrome, 0x1F);
	}
	stop(&b);
}

/* While the shared receive queue is empty, the peer gets RNR NAKs. The peer resends until a receive
 * is posted. */
static void wire_row_D18_empty_queue(void **state)
{
	struct bench b;

	start(&b);
	rig_request(&b.r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 2000, 0);
	while (rn_shard_stats(b.r.s[1].sh)->tx_rnr_naks < 1000)
		rig_run(&b.r, RN_S(1));
	rig_expect_none(&b.r, 0);
	receive(&b, 9, 0, 2000);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&b.r, 1, 9, RN_STATUS_SUCCESS);
	stop(&b);
}

/* A packet that is refused for its length or its order takes no receive. */
static void test_refused_packets_take_none(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t len;
		enum rn_verdict v;
	} rows[] = {
		{RN_OP_SEND_FIRST, MTU - 1, RN_V_REQ_LENGTH},
		{RN_OP_SEND_MIDDLE, MTU, RN_V_REQ_SEQUENCE},
		{RN_OP_SEND_LAST, 5, RN_V_REQ_SEQUENCE},
		{RN_OP_SEND_LAST_IMM, 5, RN_V_REQ_SEQUENCE},
		{RN_OP_SEND_ONLY, MTU + 1, RN_V_REQ_LENGTH},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct bench b;

		start(&b);
		receive(&b, 1, 0, 3000);
		assert_int_equal(rx(&b, rows[i].opcode, rows[i].len), rows[i].v);
		assert_int_equal(b.r.s[1].qp->state, RN_QPS_ERR);
		assert_int_equal(level(&b), 1);
		rn_shard_done(b.r.s[1].sh, b.r.now);
		rig_expect_none(&b.r, 1);
		stop(&b);
	}
}

static enum rn_verdict rx_write_imm(struct bench *b, uint32_t len)
{
	struct rn_pkt p = rig_pkt(&b->r, 1, RN_OP_WRITE_ONLY_IMM, 0, data, len);

	p.va = (uintptr_t)b->r.s[1].mem;
	p.rkey = b->r.s[1].key;
	p.dma_len = len;
	memcpy(&p.imm, "imm.", 4);
	return rig_rx(&b->r, 1, &p);
}

/* A WRITE with immediate data takes a receive too, but writes no data into the receive's buffer. */
static void test_write_with_immediate(void **state)
{
	struct bench b;
	struct rn_cqe c;

	start(&b);
	assert_int_equal(rx_write_imm(&b, 8), RN_V_REQ_RNR);
	assert_memory_not_equal(b.r.s[1].mem, data, 8);
	receive(&b, 1, 100, 4);
	receive(&b, 2, 200, 4);
	assert_int_equal(rx_write_imm(&b, 8), RN_V_OK);
	c = done(&b);
	assert_int_equal(c.wr_id, 1);
	assert_int_equal(c.byte_len, 8);
	assert_int_equal(c.kind, RN_WQE_RECV);
	assert_int_equal(c.flags, RN_CQE_RECV | RN_CQE_IMM | RN_CQE_WRITE);
	assert_memory_equal(&c.imm, "imm.", 4);
	assert_memory_equal(b.r.s[1].mem, data, 8);
	assert_int_equal(level(&b), 1);
	stop(&b);
}

/* A receive that is too short, or reaches beyond its region, is consumed, and the QP fails. */
static void test_bad_receives(void **state)
{
	struct bench b;
	struct rn_cqe c;

	start(&b);
	receive(&b, 1, 0, 10);
	receive(&b, 2, 0, 10);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 11), RN_V_REQ_TOO_LONG);
	c = done(&b);
	assert_int_equal(c.wr_id, 1);
	assert_int_equal(c.status, RN_STATUS_LOC_LEN_ERR);
	rig_expect_none(&b.r, 1);
	assert_int_equal(level(&b), 1);
	stop(&b);

	start(&b);
	receive(&b, 1, RIG_MEM - 5, 10);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 10), RN_V_REQ_LOCAL);
	assert_int_equal(done(&b).status, RN_STATUS_LOC_PROT_ERR);
	stop(&b);
}

/* The keys of a receive are checked in the PD of the shared receive queue, not in the QP's PD. */
static void test_domain_of_the_queue(void **state)
{
	struct bench b;

	start(&b);
	b.r.s[1].qp->recv_pd = 7;
	receive(&b, 1, 0, 10);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 10), RN_V_REQ_LOCAL);
	stop(&b);
	start_with(&b, (struct rig_opt){.unconnected = true});
	assert_int_equal(b.r.s[1].qp->recv_pd, 1);
	stop(&b);
}

/* When a QP ends, the receive of a message in progress is flushed. The other receives stay in the
 * shared receive queue. */
static void test_flush(void **state)
{
	const struct rn_qp_attr err = {.state = RN_QPS_ERR}, reset = {.state = RN_QPS_RESET};
	struct bench b;
	struct rn_cqe c;

	start(&b);
	receive(&b, 1, 0, 3000);
	receive(&b, 2, 0, 3000);
	assert_int_equal(rx(&b, RN_OP_SEND_FIRST, MTU), RN_V_OK);
	assert_int_equal(rig_modify(&b.r, 1, RN_QP_STATE, &err), 0);
	c = done(&b);
	assert_int_equal(c.wr_id, 1);
	assert_int_equal(c.status, RN_STATUS_WR_FLUSH_ERR);
	rig_expect_none(&b.r, 1);
	assert_int_equal(level(&b), 1);
	stop(&b);

	/* without a message in progress no receive is flushed */
	start(&b);
	receive(&b, 1, 0, 3000);
	assert_int_equal(rig_modify(&b.r, 1, RN_QP_STATE, &err), 0);
	rn_shard_done(b.r.s[1].sh, b.r.now);
	rig_expect_none(&b.r, 1);
	assert_int_equal(level(&b), 1);
	stop(&b);

	/* RESET drops the message and its receive without a completion */
	start(&b);
	receive(&b, 1, 0, 3000);
	assert_int_equal(rx(&b, RN_OP_SEND_FIRST, MTU), RN_V_OK);
	assert_int_equal(rig_modify(&b.r, 1, RN_QP_STATE, &reset), 0);
	rn_shard_done(b.r.s[1].sh, b.r.now);
	rig_expect_none(&b.r, 1);
	assert_int_equal(atomic_load(&b.r.s[1].qp->shared.rq_retired), 0);
	assert_int_equal(level(&b), 0);
	stop(&b);
}

/* The first packet of another message breaks off the message in progress. The receive of the broken
 * message completes with an error. */
static void test_broken_off(void **state)
{
	struct bench b;
	struct rn_cqe c;

	start(&b);
	receive(&b, 1, 0, 3000);
	receive(&b, 2, 0, 3000);
	assert_int_equal(rx(&b, RN_OP_SEND_FIRST, MTU), RN_V_OK);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 5), RN_V_REQ_SEQUENCE);
	c = done(&b);
	assert_int_equal(c.wr_id, 1);
	assert_int_equal(c.status, RN_STATUS_LOC_QP_OP_ERR);
	assert_int_equal(level(&b), 1);
	stop(&b);
}

static void wire_row_D19_limit_is_told(void **state)
{
	struct rn_event ev;
	struct bench b;

	start(&b);
	for (uint64_t id = 1; id <= 4; id++)
		receive(&b, id, 0, 100);
	atomic_store(&b.srq->shared.limit, 3);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 5), RN_V_OK);
	assert_false(has_event(&b, RN_EVENT_SRQ_LIMIT, &ev));
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 5), RN_V_OK);
	assert_true(has_event(&b, RN_EVENT_SRQ_LIMIT, &ev));
	assert_int_equal(ev.id, 5);
	assert_int_equal(ev.user, 88);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 5), RN_V_OK);
	assert_false(has_event(&b, RN_EVENT_SRQ_LIMIT, &ev));
	/* rn_shard_srq_unlink() drops a limit event that is not yet reported */
	atomic_store(&b.srq->shared.limit, 3);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 5), RN_V_OK);
	b.r.s[1].qp->events = 0;
	rn_shard_srq_unlink(b.r.s[1].sh, 5);
	assert_false(has_event(&b, RN_EVENT_SRQ_LIMIT, &ev));
	rn_shard_srq_unlink(b.r.s[1].sh, 5);
	stop(&b);
}

static int create(struct bench *b, uint32_t srq, uint32_t rq_depth)
{
	struct rn_shard *sh = b->r.s[1].sh;
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	cmd.create_qp.type = RN_QPT_RC;
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = 3;
	cmd.create_qp.sq_depth = cmd.create_qp.sq_sge = 1;
	cmd.create_qp.srq = srq;
	cmd.create_qp.rq_depth = rq_depth;
	x.mem = aligned_alloc(64, 1 << 16);
	memset(x.mem, 0, 1 << 16);
	assert_true(rn_exec_bytes(&cmd, &sh->lane.cfg) <= 1 << 16);
	rn_shard_exec(sh, &x, b->r.now);
	free(x.mem);
	return rsp.err;
}

static void test_creation(void **state)
{
	struct bench b;

	start(&b);
	assert_int_equal(create(&b, 6, 0), -EINVAL);
	assert_int_equal(create(&b, 100000, 0), -EINVAL);
	assert_int_equal(create(&b, 5, 1), -EINVAL);
	stop(&b);
}

/* A QP with a shared receive queue has no receives of its own: a receive posted to the QP is
 * dropped. */
static void test_no_receives_of_its_own(void **state)
{
	struct bench b;

	start(&b);
	rig_recv(&b.r, 1, 4, 0, 100);
	assert_int_equal(rn_shard_stats(b.r.s[1].sh)->posts_dropped, 1);
	assert_int_equal(rx(&b, RN_OP_SEND_ONLY, 5), RN_V_REQ_RNR);
	stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_for_each_message),
		cmocka_unit_test(test_writes_take_none),
		cmocka_unit_test(wire_row_D17_no_credits),
		cmocka_unit_test(wire_row_D18_empty_queue),
		cmocka_unit_test(test_refused_packets_take_none),
		cmocka_unit_test(test_write_with_immediate),
		cmocka_unit_test(test_bad_receives),
		cmocka_unit_test(test_domain_of_the_queue),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_broken_off),
		cmocka_unit_test(wire_row_D19_limit_is_told),
		cmocka_unit_test(test_creation),
		cmocka_unit_test(test_no_receives_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
