/* Memory windows and QPs. Each BIND and INVALIDATE takes effect once and completes in the order of
 * the send queue. After an INVALIDATE an access of the peer is refused at once. When a QP ends, its
 * windows end. Side 1 owns the window, side 0 accesses the window. */
#include "rig.h"

#define RD (RN_ACCESS_REMOTE_READ)
#define RW (RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_WRITE)

struct bench {
	struct rig r;
	struct rn_mw_shared shared;
	uint32_t id;
};

static void open_bench(struct bench *b, const struct rig_opt *o)
{
	rig_init(&b->r, o);
	assert_int_equal(rn_mw_add(b->r.s[1].mrs, 1, &b->shared, &b->id), 0);
}

/* Returns the i-th key of the window. All keys of the window differ in the low byte only. */
static uint32_t key(const struct bench *b, unsigned i)
{
	return (b->id & ~0xFFu) | (uint8_t)(1 + ((uint8_t)b->id + i) % 255);
}

static void bind(struct bench *b, unsigned flags, uint64_t id, unsigned i, uint32_t off,
		 uint32_t len, uint32_t access)
{
	struct rn_wqe w = {
		.kind = RN_WQE_BIND,
		.slots = 1,
		.flags = flags,
		.wr_id = id,
		.remote_va = (uintptr_t)b->r.s[1].mem + off,
		.rkey = key(b, i),
		.bind = {.length = len, .lkey = b->r.s[1].key, .access = access},
	};

	rig_post(&b->r, 1, &w);
}

static void invalidate(struct bench *b, unsigned flags, uint64_t id, unsigned i)
{
	struct rn_wqe w = {.kind = RN_WQE_INVALIDATE,
			   .slots = 1,
			   .flags = flags,
			   .wr_id = id,
			   .imm = key(b, i)};

	rig_post(&b->r, 1, &w);
}

/* Returns the verdict that a READ from side 0 with the i-th key would get now. */
static enum rn_verdict asked(struct bench *b, unsigned i, uint32_t off)
{
	void *ptr;

	return rn_mr_check_remote(b->r.s[1].mrs, key(b, i), rn_qp_via(b->r.s[1].qp),
				  (uintptr_t)b->r.s[1].mem + off, 1, RD, &ptr);
}

/* Returns whether the client has been told that the window's binding under the i-th key ended. */
static bool ended(const struct bench *b, unsigned i)
{
	return b->shared.ended == key(b, i);
}

#define SIGNALED RN_WQE_SIGNALED

/* A SEND posted behind a BIND is sent only when the BIND has made the key valid. A SEND posted
 * before the BIND may be sent earlier. */
static void test_order(void **state)
{
	struct bench b;

	open_bench(&b, &(struct rig_opt){0});
	rig_recv(&b.r, 0, 90, 0, 100);
	rig_recv(&b.r, 0, 91, 0, 100);
	rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 1, 0, 10, 0);
	bind(&b, SIGNALED, 2, 1, 1000, 100, RD);
	rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 3, 0, 10, 0);
	assert_int_equal(asked(&b, 1, 1000), RN_V_REQ_RKEY); /* posting alone binds no window */
	assert_int_equal(rig_move(&b.r, 1, 1), 1);
	assert_int_equal(asked(&b, 1, 1000), RN_V_REQ_RKEY);
	assert_int_equal(rig_move(&b.r, 1, 1), 1);
	assert_int_equal(asked(&b, 1, 1000), RN_V_OK);
	assert_int_equal(asked(&b, 1, 999), RN_V_REQ_BOUNDS);
	/* requests complete in order, and the first SEND is not acknowledged yet */
	rig_expect_none(&b.r, 1);
	rig_run(&b.r, RN_S(1));
	for (uint64_t id = 1; id <= 3; id++)
		rig_expect(&b.r, 1, id, RN_STATUS_SUCCESS);
	assert_int_equal(b.shared.ended, b.id);
	assert_int_equal(b.r.s[1].sh->lane.stats.done_bind, 1);
	rig_fini(&b.r);
}

/* A signaled BIND or INVALIDATE makes a completion of its own kind. BIND and INVALIDATE send no
 * packet. */
static void test_silent_and_kinds(void **state)
{
	struct bench b;
	struct rn_cqe c;

	open_bench(&b, &(struct rig_opt){0});
	bind(&b, 0, 1, 1, 0, 100, RW);
	invalidate(&b, 0, 2, 1);
	bind(&b, SIGNALED, 3, 2, 0, 100, RW);
	invalidate(&b, SIGNALED, 4, 2);
	rig_run(&b.r, RN_S(1));
	assert_true(rig_poll(&b.r, 1, &c));
	assert_int_equal(c.wr_id, 3);
	assert_int_equal(c.kind, RN_WQE_BIND);
	assert_int_equal(c.byte_len, 0);
	assert_true(rig_poll(&b.r, 1, &c));
	assert_int_equal(c.wr_id, 4);
	assert_int_equal(c.kind, RN_WQE_INVALIDATE);
	rig_expect_none(&b.r, 1);
	assert_true(ended(&b, 2));
	assert_int_equal(atomic_load(&b.r.s[1].qp->shared.sq_retired), 4);
	assert_int_equal(b.r.s[1].frames, 0);
	assert_int_equal(b.r.s[1].sh->lane.stats.done_bind, 2);
	assert_int_equal(b.r.s[1].sh->lane.stats.done_invalidate, 2);
	rig_fini(&b.r);
}

/* The peer's SEND with invalidate makes the window's key invalid. The window can be bound again at
 * once. */
static void test_peer_invalidates(void **state)
{
	struct bench b;
	struct rn_pkt p;
	struct rn_cqe c;

	open_bench(&b, &(struct rig_opt){0});
	rig_recv(&b.r, 1, 90, 0, 100);
	bind(&b, SIGNALED, 1, 1, 0, 100, RW);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 1, 1, RN_STATUS_SUCCESS);
	assert_int_equal(asked(&b, 1, 0), RN_V_OK);
	p = rig_pkt(&b.r, 1, RN_OP_SEND_ONLY_INV, 0, NULL, 0);
	p.inv_rkey = key(&b, 1);
	assert_int_equal(rig_rx(&b.r, 1, &p), RN_V_OK);
	assert_int_equal(asked(&b, 1, 0), RN_V_REQ_RKEY);
	assert_true(ended(&b, 1));
	rn_shard_done(b.r.s[1].sh, b.r.now);
	assert_true(rig_poll(&b.r, 1, &c));
	assert_int_equal(c.flags, RN_CQE_RECV | RN_CQE_INVAL);
	assert_int_equal(c.imm, key(&b, 1));
	bind(&b, SIGNALED, 2, 2, 0, 100, RW);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 1, 2, RN_STATUS_SUCCESS);
	assert_int_equal(asked(&b, 2, 0), RN_V_OK);
	rig_fini(&b.r);
}

/* A BIND with RN_WQE_REBIND replaces the binding before, and one of length 0 ends it; each
 * completes as a BIND. An INVALIDATE of such a window fails. */
static void test_type_1(void **state)
{
	struct bench b;
	struct rn_cqe c;

	open_bench(&b, &(struct rig_opt){0});
	bind(&b, SIGNALED | RN_WQE_REBIND, 1, 1, 0, 100, RD);
	bind(&b, SIGNALED | RN_WQE_REBIND, 2, 2, 200, 100, RD);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 1, 1, RN_STATUS_SUCCESS);
	rig_expect(&b.r, 1, 2, RN_STATUS_SUCCESS);
	assert_int_equal(asked(&b, 1, 0), RN_V_REQ_RKEY);
	assert_int_equal(asked(&b, 2, 200), RN_V_OK);
	bind(&b, SIGNALED | RN_WQE_REBIND, 3, 3, 0, 0, 0);
	rig_run(&b.r, RN_S(1));
	assert_true(rig_poll(&b.r, 1, &c));
	assert_int_equal(c.wr_id, 3);
	assert_int_equal(c.kind, RN_WQE_BIND);
	assert_int_equal(c.status, RN_STATUS_SUCCESS);
	assert_int_equal(asked(&b, 2, 200), RN_V_REQ_RKEY);
	assert_true(ended(&b, 3));
	bind(&b, 0, 4, 4, 0, 100, RD);
	bind(&b, SIGNALED | RN_WQE_REBIND, 5, 5, 0, 100, RD);
	invalidate(&b, 0, 6, 5);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 1, 5, RN_STATUS_SUCCESS);
	rig_expect(&b.r, 1, 6, RN_STATUS_MW_BIND_ERR);
	assert_int_equal(b.r.s[1].qp->state, RN_QPS_ERR);
	rig_fini(&b.r);
}

/* With a fence, BIND and INVALIDATE wait for the READs posted before. Without a fence, BIND and
 * INVALIDATE do not wait. */
static void test_fence(void **state)
{
	for (unsigned fenced = 0; fenced < 2; fenced++) {
		unsigned flags = SIGNALED | (fenced ? RN_WQE_FENCE : 0);
		struct bench b;

		open_bench(&b, &(struct rig_opt){0});
		rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 1, 0, 100, 0);
		bind(&b, flags, 2, 1, 0, 100, RD);
		rig_move(&b.r, 1, 8);
		assert_int_equal(asked(&b, 1, 0), fenced ? RN_V_REQ_RKEY : RN_V_OK);
		rig_run(&b.r, RN_S(1));
		assert_int_equal(asked(&b, 1, 0), RN_V_OK);
		rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 3, 0, 100, 0);
		invalidate(&b, flags, 4, 1);
		rig_move(&b.r, 1, 8);
		assert_int_equal(asked(&b, 1, 0), fenced ? RN_V_OK : RN_V_REQ_RKEY);
		assert_false(ended(&b, 1)); /* the INVALIDATE is not complete yet */
		rig_run(&b.r, RN_S(1));
		assert_true(ended(&b, 1));
		for (uint64_t id = 1; id <= 4; id++)
			rig_expect(&b.r, 1, id, RN_STATUS_SUCCESS);
		rig_fini(&b.r);
	}
}

/* Loses the first frame of side 1. */
static bool lose_first(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return from == 1 && number == 0;
}

/* When requests are resent after a loss, no BIND or INVALIDATE is executed twice. */
static void test_once(void **state)
{
	struct bench b;

	open_bench(&b, &(struct rig_opt){0});
	b.r.lose = lose_first;
	for (unsigned i = 0; i < 3; i++)
		rig_recv(&b.r, 0, 90 + i, 0, 100);
	rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 1, 0, 10, 0);
	bind(&b, SIGNALED, 2, 1, 0, 100, RD);
	rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 3, 0, 10, 0);
	invalidate(&b, SIGNALED, 4, 1);
	bind(&b, SIGNALED, 5, 2, 200, 100, RD);
	rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 6, 0, 10, 0);
	rig_move(&b.r, 1, 3);
	assert_int_equal(asked(&b, 2, 200), RN_V_OK);
	rig_run(&b.r, RN_S(1));
	assert_true(b.r.s[1].sh->lane.stats.tx_retransmitted > 0);
	for (uint64_t id = 1; id <= 6; id++)
		rig_expect(&b.r, 1, id, RN_STATUS_SUCCESS);
	assert_int_equal(asked(&b, 1, 0), RN_V_REQ_RKEY);
	assert_int_equal(asked(&b, 2, 200), RN_V_OK);
	rig_fini(&b.r);
}

/* A failed BIND or INVALIDATE keeps its place in the send queue, and is not skipped when earlier
 * requests are resent. */
static void test_failure_behind_a_loss(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned kind = i % 2, refused = i / 2;
		struct rn_pkt ack, nak;
		struct bench b;

		open_bench(&b, &(struct rig_opt){.rto_initial = RN_MS(1)});
		rig_recv(&b.r, 0, 90, 0, 100);
		rig_recv(&b.r, 1, 80, 0, 100);
		rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 1, 0, 10, 0);
		if (kind)
			bind(&b, 0, 2, 1, RIG_MEM - 10, 11, RD);
		else
			invalidate(&b, 0, 2, 1);
		rig_request(&b.r, 1, RN_WQE_SEND, SIGNALED, 3, 0, 10, 0);
		assert_int_equal(rig_move(&b.r, 1, 8), 1);
		assert_true(rig_take(&b.r, 0, &ack));
		/* a NAK or a timeout makes the SEND due for a resend; then the SEND's ACK
		 * arrives */
		if (refused) {
			nak = ack;
			nak.syndrome = 0x60;
			assert_int_equal(rig_rx(&b.r, 1, &nak), RN_V_RSP_NAK_SEQ);
		} else {
			rig_wait(&b.r, RN_MS(5));
		}
		rig_expect_none(&b.r, 1);
		assert_int_equal(rig_rx(&b.r, 1, &ack), RN_V_OK);
		rig_run(&b.r, RN_S(1));
		rig_expect(&b.r, 1, 1, RN_STATUS_SUCCESS);
		rig_expect(&b.r, 1, 2, RN_STATUS_MW_BIND_ERR);
		rig_expect(&b.r, 1, 3, RN_STATUS_WR_FLUSH_ERR);
		rig_expect(&b.r, 1, 80, RN_STATUS_WR_FLUSH_ERR);
		assert_int_equal(b.r.s[1].qp->state, RN_QPS_ERR);
		/* the key of a failed BIND (kind 1) counts as ended, the key of a failed INVALIDATE
		 * does not */
		assert_int_equal(ended(&b, 1), kind);
		rig_fini(&b.r);
	}
}

static void test_form(void **state)
{
	const struct rn_wqe bad[] = {
		{.kind = RN_WQE_BIND, .slots = 1, .num_sge = 1, .wr_id = 1},
		{.kind = RN_WQE_BIND, .slots = 1, .length = 4, .wr_id = 1},
		{.kind = RN_WQE_BIND, .slots = 2, .wr_id = 1},
		{.kind = RN_WQE_BIND, .slots = 1, .flags = RN_WQE_INLINE, .wr_id = 1},
		{.kind = RN_WQE_INVALIDATE, .slots = 1, .num_sge = 1, .wr_id = 1},
		{.kind = RN_WQE_INVALIDATE, .slots = 1, .length = 1, .wr_id = 1},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(bad); i++) {
		struct bench b;

		open_bench(&b, &(struct rig_opt){0});
		rig_post(&b.r, 1, (struct rn_wqe[2]){bad[i]});
		rig_run(&b.r, RN_S(1));
		rig_expect(&b.r, 1, 1, RN_STATUS_LOC_QP_OP_ERR);
		rig_fini(&b.r);
	}
}

/* ---- windows end with their QP ---- */

enum end { BY_ERROR, BY_RESET, BY_PEER, BY_DESTRUCTION };

static void end_qp(struct bench *b, enum end how)
{
	struct rn_qp_attr a = {.state = how == BY_RESET ? RN_QPS_RESET : RN_QPS_ERR};
	struct rn_pkt pkt;

	if (how == BY_PEER) {
		pkt = rig_pkt(&b->r, 1, RN_OP_WRITE_ONLY, 0, "x", 1);
		pkt.rkey ^= 0x100;
		assert_int_equal(rig_rx(&b->r, 1, &pkt), RN_V_REQ_RKEY);
	} else if (how == BY_DESTRUCTION) {
		rn_qp_fini(b->r.s[1].qp);
	} else {
		assert_int_equal(rig_modify(&b->r, 1, RN_QP_STATE, &a), 0);
	}
}

/* Windows end with their QP, whether they are bound or their BIND is still queued. */
static void test_end(void **state)
{
	for (enum end how = BY_ERROR; how <= BY_DESTRUCTION; how++) {
		struct rn_mw_shared other;
		struct bench b;
		struct rn_wqe w = {.kind = RN_WQE_BIND, .slots = 1, .flags = RN_WQE_FENCE};
		uint32_t id, qpn;

		open_bench(&b, &(struct rig_opt){0});
		assert_int_equal(rn_mw_add(b.r.s[1].mrs, 1, &other, &id), 0);
		bind(&b, 0, 1, 1, 0, 100, RD);
		rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 2, 0, 100, 0);
		w.rkey = (id & ~0xFFu) | (uint8_t)(id % 255 + 1);
		w.bind = (struct rn_bind){.length = 1, .lkey = b.r.s[1].key, .access = RD};
		w.remote_va = (uintptr_t)b.r.s[1].mem;
		rig_post(&b.r, 1, &w);
		rig_move(&b.r, 1, 8);
		assert_int_equal(asked(&b, 1, 0), RN_V_OK);
		end_qp(&b, how);
		assert_int_equal(asked(&b, 1, 0), RN_V_REQ_RKEY);
		assert_true(ended(&b, 1));
		assert_int_equal(other.ended, w.rkey);
		/* no QP holds the windows any more */
		assert_int_equal(rn_mw_remove(b.r.s[1].mrs, b.id, &qpn), 0);
		assert_int_equal(rn_mw_remove(b.r.s[1].mrs, id, &qpn), 0);
		rig_fini(&b.r);
	}
}

/* A QP ends after an INVALIDATE took effect but before the INVALIDATE completed. The window has
 * ended all the same. */
static void test_end_before_completion(void **state)
{
	struct bench b;

	open_bench(&b, &(struct rig_opt){0});
	bind(&b, 0, 1, 1, 0, 100, RD);
	rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 2, 0, 100, 0);
	invalidate(&b, SIGNALED, 3, 1);
	rig_move(&b.r, 1, 8);
	assert_int_equal(asked(&b, 1, 0), RN_V_REQ_RKEY);
	assert_false(ended(&b, 1));
	end_qp(&b, BY_ERROR);
	assert_true(ended(&b, 1));
	rig_expect(&b.r, 1, 2, RN_STATUS_WR_FLUSH_ERR);
	rig_expect(&b.r, 1, 3, RN_STATUS_WR_FLUSH_ERR);
	rig_fini(&b.r);
}

/* A BIND binds nothing if it is posted in the error state (flushed) or in RESET (refused). */
static void test_posted_too_late(void **state)
{
	struct bench b;

	open_bench(&b, &(struct rig_opt){0});
	end_qp(&b, BY_ERROR);
	bind(&b, 0, 1, 1, 0, 100, RD);
	assert_true(ended(&b, 1));
	rig_expect(&b.r, 1, 1, RN_STATUS_WR_FLUSH_ERR);
	rig_fini(&b.r);
	open_bench(&b, &(struct rig_opt){.unconnected = true});
	bind(&b, 0, 1, 1, 0, 100, RD);
	assert_true(ended(&b, 1));
	rig_expect(&b.r, 1, 1, RN_STATUS_LOC_QP_OP_ERR);
	rig_fini(&b.r);
}

/* ---- windows that are destroyed, and their keys ---- */

static void test_forget(void **state)
{
	struct bench b;
	struct rn_cqe c = {0};
	uint32_t qpn, number;

	open_bench(&b, &(struct rig_opt){0});
	number = b.r.s[1].qpn;
	/* first bind the window; then rn_shard_unbind_window() ends the binding */
	bind(&b, SIGNALED, 1, 1, 0, 100, RD);
	rig_run(&b.r, RN_S(1));
	rig_expect(&b.r, 1, 1, RN_STATUS_SUCCESS);
	rn_shard_unbind_window(b.r.s[1].sh, b.id ^ 0x100, number);  /* another window: no effect */
	rn_shard_unbind_window(b.r.s[1].sh, b.id, number ^ 0x8000); /* no such QP: no effect */
	assert_int_equal(asked(&b, 1, 0), RN_V_OK);
	rn_shard_unbind_window(b.r.s[1].sh, b.id, number);
	assert_int_equal(asked(&b, 1, 0), RN_V_REQ_RKEY);
	assert_true(ended(&b, 1));
	/* Two rounds. With i == 2 another window is destroyed, and the queued BIND of this window
	 * takes effect. With i == 3 this window is destroyed: its queued BIND and INVALIDATE have
	 * no effect, but complete with success. */
	for (unsigned i = 2; i < 4; i++) {
		bool another = i == 2;

		rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 2, 0, 100, 0);
		bind(&b, SIGNALED | RN_WQE_FENCE, 3, i, 0, 100, RD);
		rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 4, 0, 100, 0);
		invalidate(&b, SIGNALED | RN_WQE_FENCE, 5, i);
		rig_move(&b.r, 1, 8);
		rn_shard_unbind_window(b.r.s[1].sh, another ? b.id ^ 0x100 : b.id, number);
		if (!another)
			assert_int_equal(rn_mw_remove(b.r.s[1].mrs, b.id, &qpn), 0);
		for (unsigned turns = 0; turns < 4 && !rig_poll(&b.r, 1, &c); turns++)
			rig_move(&b.r, turns & 1, 1);
		assert_int_equal(c.wr_id, 2);
		rig_move(&b.r, 1, 1);
		assert_int_equal(asked(&b, i, 0), another ? RN_V_OK : RN_V_REQ_RKEY);
		rig_run(&b.r, RN_S(1));
		for (uint64_t id = 3; id <= 5; id++)
			rig_expect(&b.r, 1, id, RN_STATUS_SUCCESS);
	}
	rig_fini(&b.r);
}

/* A BIND is posted but never executed. The client knows the key that the BIND would have made
 * valid. So an object that later uses the same slot of the table must get another key. */
static void test_key_given_in_vain(void **state)
{
	for (int released = 0; released < 2; released++) {
		struct rn_mr_table *t;
		uint32_t qpn, reused;
		struct bench b;

		open_bench(&b, &(struct rig_opt){0});
		t = b.r.s[1].mrs;
		rig_request(&b.r, 1, RN_WQE_READ, SIGNALED, 1, 0, 100, 0);
		bind(&b, SIGNALED | RN_WQE_FENCE, 2, 1, 0, 100, RD);
		rig_move(&b.r, 1, 8);
		if (released)
			rn_shard_unbind_window(b.r.s[1].sh, b.id, b.r.s[1].qpn);
		else
			rn_qp_error(b.r.s[1].qp, 0, false, 0);
		assert_true(ended(&b, 1));
		assert_int_equal(rn_mw_remove(t, b.id, &qpn), 0);
		rn_mr_reclaim(t, b.id);
		/* a freed slot is used again only after all other free slots, so the loop comes to
		 * this slot four times */
		for (uint32_t i = 0; i < 4 * 64; i++) {
			assert_int_equal(rn_mw_add(t, 1, &b.shared, &reused), 0);
			assert_int_not_equal(reused >> 8, b.id >> 8);
			assert_int_equal(rn_mw_remove(t, reused, &qpn), 0);
			rn_mr_reclaim(t, reused);
		}
		rig_fini(&b.r);
	}
}

/* ---- accesses of the peer while the window is invalidated ---- */

/* A WRITE through a window is in progress when the window is invalidated. The WRITE's next packet
 * gets a NAK. */
static void test_write_cut_off(void **state)
{
	uint8_t data[1024];
	struct rn_pkt pkt, nak;
	struct bench b;

	memset(data, 0xAB, sizeof(data));
	open_bench(&b, &(struct rig_opt){0});
	rig_recv(&b.r, 1, 80, 0, 100);
	bind(&b, 0, 1, 1, 4096, 3000, RW);
	rig_run(&b.r, RN_S(1));
	pkt = rig_pkt(&b.r, 1, RN_OP_WRITE_FIRST, 0, data, 1024);
	pkt.va = (uintptr_t)b.r.s[1].mem + 4096;
	pkt.rkey = key(&b, 1);
	pkt.dma_len = 3000;
	pkt.ack_req = false;
	assert_int_equal(rig_rx(&b.r, 1, &pkt), RN_V_OK);
	invalidate(&b, 0, 2, 1);
	rig_run(&b.r, RN_S(1));
	pkt = rig_pkt(&b.r, 1, RN_OP_WRITE_MIDDLE, 0, data, 1024);
	assert_int_equal(rig_rx(&b.r, 1, &pkt), RN_V_REQ_RKEY);
	assert_int_equal(b.r.s[1].qp->state, RN_QPS_ERR);
	assert_int_equal(b.r.s[1].mem[4096 + 1023], 0xAB);
	assert_int_equal(b.r.s[1].mem[4096 + 1024], 0);
	assert_true(rig_take(&b.r, 1, &nak));
	assert_int_equal(nak.syndrome, 0x62);
	rig_expect(&b.r, 1, 80, RN_STATUS_WR_FLUSH_ERR);
	rig_fini(&b.r);
}

/* A READ through a window is in progress when the window is invalidated. The missing READ responses
 * are replaced by a NAK. */
static void test_read_cut_off(void **state)
{
	struct rn_pkt pkt;
	struct bench b;

	open_bench(&b, &(struct rig_opt){0});
	bind(&b, 0, 1, 1, 4096, 3000, RD);
	rig_run(&b.r, RN_S(1));
	pkt = rig_pkt(&b.r, 1, RN_OP_READ_REQUEST, 0, NULL, 0);
	pkt.va = (uintptr_t)b.r.s[1].mem + 4096;
	pkt.rkey = key(&b, 1);
	pkt.dma_len = 3000;
	assert_int_equal(rig_rx(&b.r, 1, &pkt), RN_V_OK);
	assert_true(rig_take(&b.r, 1, &pkt));
	assert_int_equal(pkt.opcode, RN_OP_READ_RESP_FIRST);
	assert_true(rn_mw_invalidate(b.r.s[1].mrs, key(&b, 1), rn_qp_via(b.r.s[1].qp)));
	assert_true(rig_take(&b.r, 1, &pkt));
	assert_int_equal(pkt.opcode, RN_OP_ACK);
	assert_int_equal(pkt.syndrome, 0x62);
	assert_int_equal(b.r.s[1].qp->state, RN_QPS_ERR);
	rig_fini(&b.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_silent_and_kinds),
		cmocka_unit_test(test_peer_invalidates),
		cmocka_unit_test(test_type_1),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_failure_behind_a_loss),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_end_before_completion),
		cmocka_unit_test(test_posted_too_late),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_key_given_in_vain),
		cmocka_unit_test(test_write_cut_off),
		cmocka_unit_test(test_read_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
