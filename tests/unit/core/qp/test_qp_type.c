/* Types of QPs: the attributes that each transition needs and allows, the requests that can be
 * posted and the packets that are accepted. Also: what a failed send does. */
#include <errno.h>

#include "rig.h"

/* The attributes that ibv_modify_qp requires (must) and allows (may) for each transition, as masks
 * without the state bit. The masks are plain numbers here, so that the test does not depend on the
 * table under test. */
static const struct move {
	uint8_t type, from, to;
	uint32_t must, may;
} moves[] = {
	{RN_QPT_RC, RN_QPS_RESET, RN_QPS_INIT, 0x38, 0},
	{RN_QPT_UC, RN_QPS_RESET, RN_QPS_INIT, 0x38, 0},
	{RN_QPT_UD, RN_QPS_RESET, RN_QPS_INIT, 0x70, 0},
	{RN_QPT_RC, RN_QPS_INIT, RN_QPS_INIT, 0, 0x38},
	{RN_QPT_UC, RN_QPS_INIT, RN_QPS_INIT, 0, 0x38},
	{RN_QPT_UD, RN_QPS_INIT, RN_QPS_INIT, 0, 0x70},
	{RN_QPT_RC, RN_QPS_INIT, RN_QPS_RTR, 0x129180, 0x18},
	{RN_QPT_UC, RN_QPS_INIT, RN_QPS_RTR, 0x101180, 0x18},
	{RN_QPT_UD, RN_QPS_INIT, RN_QPS_RTR, 0, 0x50},
	{RN_QPT_RC, RN_QPS_RTR, RN_QPS_RTS, 0x12e00, 0x800a},
	{RN_QPT_UC, RN_QPS_RTR, RN_QPS_RTS, 0x10000, 0xa},
	{RN_QPT_UD, RN_QPS_RTR, RN_QPS_RTS, 0x10000, 0x42},
	{RN_QPT_RC, RN_QPS_RTS, RN_QPS_RTS, 0, 0x800a},
	{RN_QPT_UC, RN_QPS_RTS, RN_QPS_RTS, 0, 0xa},
	{RN_QPT_UD, RN_QPS_RTS, RN_QPS_RTS, 0, 0x42},
	{RN_QPT_RC, RN_QPS_RTS, RN_QPS_SQD, 0, 4},
	{RN_QPT_UC, RN_QPS_RTS, RN_QPS_SQD, 0, 4},
	{RN_QPT_UD, RN_QPS_RTS, RN_QPS_SQD, 0, 4},
	{RN_QPT_RC, RN_QPS_SQD, RN_QPS_SQD, 0, 0x2aeb8},
	{RN_QPT_UC, RN_QPS_SQD, RN_QPS_SQD, 0, 0x98},
	{RN_QPT_UD, RN_QPS_SQD, RN_QPS_SQD, 0, 0x50},
	{RN_QPT_RC, RN_QPS_SQD, RN_QPS_RTS, 0, 0x800a},
	{RN_QPT_UC, RN_QPS_SQD, RN_QPS_RTS, 0, 0xa},
	{RN_QPT_UD, RN_QPS_SQD, RN_QPS_RTS, 0, 0x42},
	{RN_QPT_UC, RN_QPS_SQE, RN_QPS_RTS, 0, 0xa},
	{RN_QPT_UD, RN_QPS_SQE, RN_QPS_RTS, 0, 0x42},
};

static const struct move *move_of(uint8_t type, uint8_t from, uint8_t to)
{
	static struct move always;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(moves); i++)
		if (moves[i].type == type && moves[i].from == from && moves[i].to == to)
			return &moves[i];
	always = (struct move){type, from, to, 0, 0};
	return to == RN_QPS_RESET || to == RN_QPS_ERR ? &always : NULL;
}

static struct rn_qp_attr good(struct rig *r, uint8_t from, uint8_t to)
{
	return (struct rn_qp_attr){
		.state = to,
		.cur_state = from,
		.sqd_notify = 1,
		.path_mtu = 3,
		.port = 1,
		.qkey = 0x01234567,
		.access = RN_ACCESS_REMOTE_WRITE,
		.dest_qpn = r->s[1].qpn,
		.sq_psn = 0x123,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.av = {.sgid = r->s[0].port.gids[0], .dgid = r->s[1].port.gids[0]},
	};
}

static int try(struct rig *r, uint8_t from, uint8_t to, uint32_t mask)
{
	struct rn_qp_attr a = good(r, from, to);

	return rig_modify(r, 0, RN_QP_STATE | mask, &a);
}

/* Moves a UC or UD QP to SQE by posting a request of an unknown kind. */
static void fail_a_send(struct rig *r)
{
	struct rn_pkt p;

	rig_request(r, 0, 12, 0, 7, 0, 8, 0);
	assert_false(rig_take(r, 0, &p));
	rig_expect(r, 0, 7, RN_STATUS_LOC_QP_OP_ERR);
}

static void put_in(struct rig *r, uint8_t state)
{
	uint8_t type = r->s[0].qp->type;

	assert_int_equal(try(r, 0, RN_QPS_RESET, 0), 0);
	if (state == RN_QPS_ERR)
		assert_int_equal(try(r, 0, RN_QPS_ERR, 0), 0);
	for (uint8_t s = RN_QPS_INIT; state != RN_QPS_ERR && s <= RN_MIN(state, RN_QPS_RTS); s++)
		assert_int_equal(try(r, s - 1, s, move_of(type, s - 1, s)->must), 0);
	if (state == RN_QPS_SQD)
		assert_int_equal(try(r, RN_QPS_RTS, state, 0), 0);
	if (state == RN_QPS_SQE)
		fail_a_send(r);
	assert_int_equal(r->s[0].qp->state, state);
}

/* Tries one transition. With `fits` the transition must succeed. Otherwise it must fail and leave
 * the QP's state unchanged. */
static void expect_move(struct rig *r, uint8_t from, uint8_t to, uint32_t mask, bool fits)
{
	put_in(r, from);
	if (try(r, from, to, mask) != (fits ? 0 : -EINVAL))
		fail_msg("type %u, %u to %u, mask %x", r->s[0].qp->type, from, to, mask);
	assert_int_equal(r->s[0].qp->state, fits ? to : from);
}

/* Tries every transition of every type, with each attribute bit given and not given. */
static void test_every_move(void **state)
{
	for (uint8_t type = RN_QPT_RC; type <= RN_QPT_UD; type++) {
		struct rig r;

		rig_init(&r, &(struct rig_opt){.unconnected = true, .type = type});
		for (uint8_t from = RN_QPS_RESET; from <= RN_QPS_ERR; from++)
			for (uint8_t to = RN_QPS_RESET; to <= RN_QPS_ERR; to++) {
				const struct move *m = move_of(type, from, to);

				if (type == RN_QPT_RC && from == RN_QPS_SQE)
					continue; /* an RC QP never enters SQE */
				expect_move(&r, from, to, m ? m->must : 0, m != NULL);
				for (unsigned bit = 1; m && bit < 32; bit++) {
					uint32_t b = 1u << bit;

					expect_move(&r, from, to, m->must ^ b, m->may & b);
				}
				if (m)
					expect_move(&r, from, to, m->must | m->may, true);
			}
		rig_fini(&r);
	}
}

static void test_values(void **state)
{
	struct rig r;
	struct rn_qp_attr a;

	rig_init(&r, &(struct rig_opt){.unconnected = true, .type = RN_QPT_UC});
	put_in(&r, RN_QPS_INIT);
	a = good(&r, RN_QPS_INIT, RN_QPS_INIT);
	a.port = 2;
	assert_int_equal(rig_modify(&r, 0, RN_QP_PORT, &a), -EINVAL);
	a.access = 1u << 5;
	assert_int_equal(rig_modify(&r, 0, RN_QP_ACCESS, &a), -EINVAL);
	a.pkey_index = 1;
	assert_int_equal(rig_modify(&r, 0, RN_QP_PKEY_INDEX, &a), -EINVAL);
	put_in(&r, RN_QPS_RTS);
	a = good(&r, RN_QPS_RTS, RN_QPS_SQD);
	a.cur_state = RN_QPS_RTR;
	assert_int_equal(rig_modify(&r, 0, RN_QP_CUR_STATE, &a), -EINVAL);
	a.sqd_notify = 2;
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QP_SQD_NOTIFY, &a), -EINVAL);
	assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
	rig_fini(&r);
}

static void test_query(void **state)
{
	struct rig r;
	struct rn_cmd cmd = {.op = RN_CMD_QUERY_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	rig_init(&r, &(struct rig_opt){.unconnected = true, .type = RN_QPT_UD});
	put_in(&r, RN_QPS_RTS);
	cmd.qp.qpn = r.s[0].qpn;
	cmd.qp.gen = r.s[0].gen;
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.query.attr.qkey, 0x01234567);
	assert_int_equal(rsp.query.attr.sq_psn, 0x123);
	assert_int_equal(rsp.query.attr.port, 1);
	assert_int_equal(rsp.query.attr.state, RN_QPS_RTS);
	fail_a_send(&r); /* the request is unsignaled, but its error is reported all the same */
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.query.attr.state, RN_QPS_SQE);
	assert_int_equal(rsp.query.attr.cur_state, RN_QPS_SQE);
	assert_int_equal(rsp.query.attr.sq_draining, 0);
	rig_fini(&r);
}

static void test_kinds(void **state)
{
	assert_int_equal(rn_sq_kinds(RN_QPT_RC), 0x7FF);
	assert_int_equal(rn_sq_kinds(RN_QPT_UC) &
				 (1u << RN_WQE_READ | 1u << RN_WQE_CMP_SWAP |
				  1u << RN_WQE_FETCH_ADD | 1u << RN_WQE_SEND_INVAL),
			 0);
	assert_int_equal(rn_sq_kinds(RN_QPT_UD) &
				 ~(1u << RN_WQE_NOP | 1u << RN_WQE_SEND | 1u << RN_WQE_SEND_IMM),
			 0);
}

/* After a request fails, all requests behind the failed one are flushed in order, even those posted
 * later. Receives stay posted. */
static void test_send_error(void **state)
{
	struct rn_cqe c;
	struct rn_pkt p;
	struct rig r;

	rig_init(&r, &(struct rig_opt){.type = RN_QPT_UC});
	rig_recv(&r, 0, 1, 0, 8);
	rig_request(&r, 0, RN_WQE_READ, 0, 2, 0, 8, 0);
	rig_request(&r, 0, RN_WQE_NOP, 0, 3, 0, 0, 0);
	rig_request(&r, 0, RN_WQE_NOP, 0, 4, 0, 0, 0);
	assert_false(rig_take(&r, 0, &p));
	rig_request(&r, 0, RN_WQE_NOP, 0, 5, 0, 0, 0);
	rig_expect(&r, 0, 2, RN_STATUS_LOC_QP_OP_ERR);
	for (unsigned i = 3; i <= 5; i++)
		rig_expect(&r, 0, i, RN_STATUS_WR_FLUSH_ERR);
	rig_expect_none(&r, 0);
	assert_int_equal(r.s[0].qp->state, RN_QPS_SQE);
	assert_int_equal(try(&r, RN_QPS_SQE, RN_QPS_RTS, 0), 0);
	rig_request(&r, 0, RN_WQE_NOP, RN_WQE_SIGNALED, 6, 0, 0, 0);
	assert_false(rig_take(&r, 0, &p));
	rig_expect(&r, 0, 6, RN_STATUS_SUCCESS);
	assert_int_equal(try(&r, RN_QPS_RTS, RN_QPS_ERR, 0), 0);
	rig_expect(&r, 0, 1, RN_STATUS_WR_FLUSH_ERR);
	assert_false(rig_poll(&r, 0, &c));
	rig_fini(&r);
}

/* Each QP type accepts only the packets of its own transport. */
static void wire_row_F20_packets_of_another_service(void **state)
{
	static const uint8_t ops[] = {RN_T_RC | RN_OP_SEND_ONLY, RN_T_UC | RN_OP_SEND_ONLY,
				      RN_T_UD | RN_OP_SEND_ONLY};

	for (unsigned own = 0; own < 3; own++) {
		uint8_t type = RN_QPT_RC + own;
		struct rig r;

		rig_init(&r, &(struct rig_opt){.type = type});
		rig_recv(&r, 0, 1, 0, 256);
		for (unsigned i = 0; i < 3; i++) {
			struct rn_pkt p = rig_pkt(&r, 0, ops[i], 0, "abcd", 4);

			if (i == own)
				continue;
			assert_int_equal(rig_rx(&r, 0, &p), RN_V_QP_TRANSPORT);
			assert_int_equal(rn_shard_stats(r.s[0].sh)->verdict[RN_V_QP_TRANSPORT],
					 i + 1 - (own < i));
		}
		rig_expect_none(&r, 0);
		rig_expect_silence(&r, 0);
		assert_int_equal(r.s[0].qp->state, RN_QPS_RTS);
		rig_fini(&r);
	}
}

static struct rn_pkt read_request(struct rig *r, int delta)
{
	struct rn_pkt p = rig_pkt(r, 1, RN_OP_READ_REQUEST, delta, NULL, 0);

	p.dma_len = 8;
	return p;
}

/* Delivers n READ requests to side 1. */
static void take_reads(struct rig *r, unsigned n)
{
	struct rn_pkt p;

	for (unsigned i = 0; i < n; i++) {
		p = read_request(r, 0);
		assert_int_equal(rig_rx(r, 1, &p), RN_V_OK);
	}
}

/* Takes n READ responses of side 1 and checks that no further response follows. */
static void answer(struct rig *r, unsigned n)
{
	struct rn_pkt p;

	for (unsigned i = 0; i < n; i++)
		assert_true(rig_take(r, 1, &p));
	assert_false(rig_take(r, 1, &p));
}

/* Sets how many READs side 1 serves at a time. */
static void serve(struct rig *r, uint8_t reads)
{
	struct rn_qp_attr a = {.max_dest_rd_atomic = reads};

	assert_int_equal(rig_modify(r, 1, RN_QP_MAX_DEST_RD_ATOMIC, &a), 0);
}

/* A change of max_dest_rd_atomic in SQD keeps the records of the newest READs, up to the new limit.
 * The records of older READs are dropped, even if those READs are not answered yet. */
static void test_reads_served(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_SQD};
	struct rn_pkt p;
	struct rig r;

	rig_init(&r, &(struct rig_opt){.reads = 4});
	assert_int_equal(rig_modify(&r, 1, RN_QP_STATE, &a), 0);
	/* more READs than there are records, so that the ring of records wraps */
	for (unsigned i = 0; i < 6; i++) {
		take_reads(&r, 1);
		answer(&r, 1);
	}
	serve(&r, 2);
	p = read_request(&r, -3);
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_REQ_DUP_STALE);
	serve(&r, 3);
	for (int back = 2; back; back--) {
		p = read_request(&r, -back);
		assert_int_equal(rig_rx(&r, 1, &p), RN_V_REQ_DUP_READ);
		answer(&r, 1);
	}
	take_reads(&r, 3); /* side 1 gets READs 7 to 9 */
	serve(&r, 5);
	take_reads(&r, 2); /* READs 10 and 11: READs 7 to 11 are now unanswered */
	serve(&r, 2);
	for (unsigned i = 10; i <= 11; i++) {
		assert_true(rig_take(&r, 1, &p));
		assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, i - 1));
		assert_int_equal(p.opcode, RN_OP_READ_RESP_ONLY);
	}
	answer(&r, 0);
	take_reads(&r, 2);
	p = read_request(&r, 0);
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_REQ_READ_LIMIT);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_move),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_send_error),
		cmocka_unit_test(test_reads_served),
		cmocka_unit_test(wire_row_F20_packets_of_another_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
