/* Unreliable connections (UC): whole messages between two QPs, messages over a link that loses
 * packets, and local errors. */
#include <errno.h>

#include "rig.h"

static const struct rig_opt uc = {.type = RN_QPT_UC};

static void fill(struct rig *r, int side, uint32_t off, uint32_t len, uint8_t seed)
{
	for (uint32_t i = 0; i < len; i++)
		r->s[side].mem[off + i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

static void expect_same(struct rig *r, uint32_t from, uint32_t to, uint32_t len)
{
	assert_memory_equal(r->s[0].mem + from, r->s[1].mem + to, len);
}

static uint64_t given_up(struct rig *r)
{
	return rn_shard_stats(r->s[1].sh)->uc_given_up;
}

/* Sends every kind of request in every size around the path MTU, at every path MTU. A request
 * completes without an answer of the peer. */
static void test_sizes(void **state)
{
	for (uint8_t mtu = 1; mtu <= 5; mtu++) {
		const uint32_t unit = 128u << mtu;
		const uint32_t sizes[] = {0, 1, unit - 1, unit, unit + 1, 3 * unit + 7};
		struct rig r;

		rig_init(&r, &(struct rig_opt){.type = RN_QPT_UC, .mtu = mtu});
		for (unsigned i = 0; i < RN_ARRAY_SIZE(sizes); i++) {
			uint32_t n = sizes[i];
			struct rn_cqe c;

			fill(&r, 0, 0, 2 * n, (uint8_t)(mtu + i));
			memset(r.s[1].mem, 0xEE, RIG_MEM);
			rig_recv(&r, 1, 10, 0x8000, n);
			rig_recv(&r, 1, 11, 0x8000, 0);
			rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, n, 0);
			rig_request(&r, 0, RN_WQE_WRITE, 0, 2, n, n, 0x18000);
			rig_request(&r, 0, RN_WQE_WRITE_IMM, RN_WQE_SIGNALED, 3, 0, n, 0x20000);
			while (rig_move(&r, 0, 1))
				assert_int_equal(rig_move(&r, 1, 1), 0);
			rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
			rig_expect(&r, 0, 3, RN_STATUS_SUCCESS);
			rig_expect_none(&r, 0);
			assert_true(rig_poll(&r, 1, &c));
			assert_int_equal(c.wr_id, 10);
			assert_int_equal(c.byte_len, n);
			assert_true(rig_poll(&r, 1, &c));
			assert_int_equal(c.wr_id, 11);
			assert_int_equal(c.byte_len, n);
			assert_int_equal(c.flags, RN_CQE_RECV | RN_CQE_IMM | RN_CQE_WRITE);
			expect_same(&r, 0, 0x8000, n);
			expect_same(&r, n, 0x18000, n);
			expect_same(&r, 0, 0x20000, n);
			assert_int_equal(r.s[1].mem[0x8000 + n], 0xEE);
			assert_int_equal(r.s[1].mem[0x20000 + n], 0xEE);
		}
		assert_int_equal(r.s[0].qp->shared.sq_retired, 3 * RN_ARRAY_SIZE(sizes));
		rig_fini(&r);
	}
}

static bool lose_one(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt)
{
	return from == 0 && number == r->lose_number;
}

/* Three messages of four packets; each packet of the second message is lost in turn. The second
 * message is not delivered. Its unused receive is taken by the third message. */
static void wire_row_U1_U2_a_broken_message_is_dropped_whole(void **state)
{
	for (unsigned lost = 4; lost < 8; lost++) {
		struct rig r;

		rig_init(&r, &uc);
		r.lose = lose_one;
		r.lose_number = lost;
		fill(&r, 0, 0, 12288, 3);
		for (unsigned i = 0; i < 3; i++) {
			rig_recv(&r, 1, 10 + i, 0x8000 + i * 4096, 4096);
			rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, i, i * 4096, 4096, 0);
		}
		rig_run(&r, RN_S(10));
		for (unsigned i = 0; i < 3; i++)
			rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
		rig_expect(&r, 1, 10, RN_STATUS_SUCCESS);
		rig_expect(&r, 1, 11, RN_STATUS_SUCCESS);
		rig_expect_none(&r, 1);
		expect_same(&r, 0, 0x8000, 4096);
		expect_same(&r, 8192, 0x9000, 4096);
		/* a message whose first packet is lost has never begun, so it is not counted as
		 * given up */
		assert_int_equal(given_up(&r), lost == 4 ? 0 : 1);
		assert_int_equal(r.s[1].frames, 0);
		assert_int_equal(r.s[1].qp->state, RN_QPS_RTS);
		rig_fini(&r);
	}
}

/* A SEND from unregistered memory moves the QP to SQE. When the QP is back in RTS, the peer
 * receives later messages. */
static void test_send_error(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_RTS};
	struct rn_wqe w = {.kind = RN_WQE_SEND, .slots = 1, .num_sge = 1, .wr_id = 2, .length = 8};
	struct rig r;

	rig_init(&r, &uc);
	rig_recv(&r, 1, 10, 0x8000, 64);
	rig_recv(&r, 1, 11, 0x8000, 64);
	rig_request(&r, 0, RN_WQE_SEND, 0, 1, 0, 8, 0);
	w.sge[0] = (struct rn_sge){(uintptr_t)r.s[0].mem, 8, r.s[0].key ^ 0x100};
	rig_post(&r, 0, &w);
	rig_request(&r, 0, RN_WQE_SEND, 0, 3, 0, 8, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 2, RN_STATUS_LOC_PROT_ERR);
	rig_expect(&r, 0, 3, RN_STATUS_WR_FLUSH_ERR);
	rig_expect(&r, 1, 10, RN_STATUS_SUCCESS);
	assert_int_equal(r.s[0].qp->state, RN_QPS_SQE);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 4, 0, 8, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 4, RN_STATUS_SUCCESS);
	rig_expect(&r, 1, 11, RN_STATUS_SUCCESS);
	assert_int_equal(r.s[1].sh->lane.stats.verdict[RN_V_OK], 2);
	assert_int_equal(given_up(&r), 0);
	rig_fini(&r);
}

/* A SEND fails after its first packet, so the peer has part of a message. The peer still accepts
 * the next message. */
static void test_send_error_midway(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_RTS};
	struct rn_wqe w[2] = {
		{.kind = RN_WQE_SEND, .slots = 2, .num_sge = 2, .wr_id = 1, .length = 3000}};
	struct rn_sge second;
	struct rig r;

	rig_init(&r, &uc);
	rig_recv(&r, 1, 10, 0x8000, 4096);
	w->sge[0] = (struct rn_sge){(uintptr_t)r.s[0].mem, 2000, r.s[0].key};
	second = (struct rn_sge){(uintptr_t)r.s[0].mem, 1000, r.s[0].key ^ 0x100};
	memcpy((uint8_t *)w + sizeof(*w), &second, sizeof(second));
	rig_post(&r, 0, w);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_LOC_PROT_ERR);
	rig_expect_none(&r, 1);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 2, 0, 2500, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 2, RN_STATUS_SUCCESS);
	rig_expect(&r, 1, 10, RN_STATUS_SUCCESS);
	assert_int_equal(given_up(&r), 1);
	rig_fini(&r);
}

/* In SQD a message that has begun is sent to its end. The message's request completes with the last
 * packet. */
static void test_drain(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_SQD, .sqd_notify = 1};
	struct rn_event ev;
	struct rig r;

	rig_init(&r, &uc);
	rig_recv(&r, 1, 10, 0x8000, 4096);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 4096, 0);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 2, 0, 8, 0);
	rig_move(&r, 0, 1);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QP_SQD_NOTIFY, &a), 0);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 0);
	rig_run(&r, RN_S(1));
	assert_int_equal(r.s[0].frames, 4);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 1);
	assert_int_equal(ev.kind, RN_EVENT_SQ_DRAINED);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect_none(&r, 0);
	rig_expect(&r, 1, 10, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* A receive in inaccessible memory is a local error. The QP reports the error and enters the error
 * state, without a packet to the peer. */
static void test_bad_receive(void **state)
{
	struct rn_wqe w = {
		.kind = RN_WQE_RECV, .slots = 1, .num_sge = 1, .wr_id = 10, .length = 64};
	struct rn_event ev;
	struct rig r;

	rig_init(&r, &uc);
	w.sge[0] = (struct rn_sge){(uintptr_t)r.s[1].mem, 64, r.s[1].key ^ 0x100};
	rig_post(&r, 1, &w);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 8, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect(&r, 1, 10, RN_STATUS_LOC_PROT_ERR);
	assert_int_equal(r.s[1].qp->state, RN_QPS_ERR);
	assert_int_equal(rn_shard_events(r.s[1].sh, &ev, 1), 1);
	assert_int_equal(ev.kind, RN_EVENT_QP_REQ_ERR);
	assert_int_equal(r.s[1].frames, 0);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(wire_row_U1_U2_a_broken_message_is_dropped_whole),
		cmocka_unit_test(test_send_error),
		cmocka_unit_test(test_send_error_midway),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_bad_receive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
