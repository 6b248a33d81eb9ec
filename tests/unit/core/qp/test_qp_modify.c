/* Changes of a QP's state and attributes. Which transitions are allowed, and with which attributes?
 * What do RESET and SQD do? */
#include <errno.h>

#include "states.h"

static const struct {
	uint8_t from, to;
	uint32_t mask;
	int err;
} moves[] = {
	{RN_QPS_RESET, RN_QPS_INIT, ST | INIT, 0},
	{RN_QPS_RESET, RN_QPS_INIT, ST | RN_QP_PKEY_INDEX | RN_QP_PORT, -EINVAL},
	{RN_QPS_RESET, RN_QPS_INIT, ST | INIT | RN_QP_AV, -EINVAL},
	{RN_QPS_RESET, RN_QPS_RTR, ST | RN_QPM_RTR, -EINVAL},
	{RN_QPS_RESET, RN_QPS_RTS, ST | RN_QPM_RTS, -EINVAL},
	{RN_QPS_RESET, RN_QPS_ERR, ST, 0},
	{RN_QPS_INIT, RN_QPS_INIT, ST | RN_QP_ACCESS, 0},
	{RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, 0},
	{RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR | RN_QP_ACCESS, 0},
	{RN_QPS_INIT, RN_QPS_RTR, ST | (RN_QPM_RTR & ~RN_QP_AV), -EINVAL},
	{RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR | RN_QP_SQ_PSN, -EINVAL},
	{RN_QPS_INIT, RN_QPS_RTS, ST | RN_QPM_RTS, -EINVAL},
	{RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS, 0},
	{RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS | RN_QP_MIN_RNR_TIMER, 0},
	{RN_QPS_RTR, RN_QPS_RTS, ST | (RN_QPM_RTS & ~RN_QP_TIMEOUT), -EINVAL},
	{RN_QPS_RTR, RN_QPS_INIT, ST | INIT, -EINVAL},
	{RN_QPS_RTS, RN_QPS_RTS, RN_QP_MIN_RNR_TIMER | RN_QP_ACCESS, 0},
	{RN_QPS_RTS, RN_QPS_RTS, RN_QP_PATH_MTU, -EINVAL},
	{RN_QPS_RTS, RN_QPS_SQD, ST, 0},
	{RN_QPS_RTS, RN_QPS_RTR, ST | RN_QPM_RTR, -EINVAL},
	{RN_QPS_RTS, RN_QPS_SQE, ST, -EINVAL},
	{RN_QPS_SQD, RN_QPS_RTS, ST, 0},
	{RN_QPS_SQD, RN_QPS_SQD, RN_QP_TIMEOUT, 0},
	{RN_QPS_ERR, RN_QPS_RTS, ST, -EINVAL},
	{RN_QPS_ERR, RN_QPS_INIT, ST | INIT, -EINVAL},
	{RN_QPS_ERR, RN_QPS_ERR, ST, 0},
	{RN_QPS_ERR, RN_QPS_RESET, ST, 0},
	{RN_QPS_RTS, RN_QPS_ERR, ST | RN_QP_ACCESS, -EINVAL},
	{RN_QPS_RTS, RN_QPS_RESET, ST | RN_QPM_RTR, -EINVAL},
	{RN_QPS_ERR, RN_QPS_ERR, RN_QP_MIN_RNR_TIMER, -EINVAL},
	{RN_QPS_RESET, RN_QPS_RESET, RN_QP_ACCESS, -EINVAL},
	{RN_QPS_RTS, 9, ST, -EINVAL},
};

static void test_moves(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.unconnected = true});
	for (unsigned i = 0; i < RN_ARRAY_SIZE(moves); i++) {
		struct rn_qp_attr a = good(&r, moves[i].to);

		put_in(&r, moves[i].from);
		if (rig_modify(&r, 0, moves[i].mask, &a) != moves[i].err)
			fail_msg("row %u", i);
		assert_int_equal(r.s[0].qp->state, moves[i].err ? moves[i].from : moves[i].to);
		assert_int_equal(atomic_load(&r.s[0].qp->shared.state), r.s[0].qp->state);
	}
	rig_fini(&r);
}

#define BAD(field, value, bit)                                                             \
	{                                                                                  \
		struct rn_qp_attr a = good(&r, RN_QPS_RTR);                                \
		a.field = value;                                                           \
		if (bit & RN_QPM_RTS) {                                                    \
			a.state = RN_QPS_RTS;                                              \
			put_in(&r, RN_QPS_RTR);                                            \
			assert_int_equal(rig_modify(&r, 0, ST | RN_QPM_RTS, &a), -EINVAL); \
		} else {                                                                   \
			put_in(&r, RN_QPS_INIT);                                           \
			assert_int_equal(rig_modify(&r, 0, ST | RN_QPM_RTR, &a), -EINVAL); \
		}                                                                          \
	}

static void test_values(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.unconnected = true});
	BAD(path_mtu, 0, RN_QP_PATH_MTU)
	BAD(path_mtu, 6, RN_QP_PATH_MTU)
	BAD(dest_qpn, 1u << 24, RN_QP_DEST_QPN)
	BAD(rq_psn, 1u << 24, RN_QP_RQ_PSN)
	BAD(min_rnr_timer, 32, RN_QP_MIN_RNR_TIMER)
	BAD(max_dest_rd_atomic, RN_MAX_RD_ATOMIC + 1, RN_QP_MAX_DEST_RD_ATOMIC)
	BAD(av.sgid.b[15], 99, RN_QP_AV)
	BAD(av.dgid.b[10], 0, RN_QP_AV)
	BAD(timeout, 32, RN_QP_TIMEOUT)
	BAD(retry_cnt, 8, RN_QP_RETRY_CNT)
	BAD(rnr_retry, 8, RN_QP_RNR_RETRY)
	BAD(sq_psn, 1u << 24, RN_QP_SQ_PSN)
	BAD(max_rd_atomic, RN_MAX_RD_ATOMIC + 1, RN_QP_MAX_RD_ATOMIC)
	rig_fini(&r);
}

/* The largest value of an attribute is accepted; the next larger value is refused. */
#define MOST(from, to, mask, field, value)                                         \
	for (unsigned more = 0; more < 2; more++) {                                \
		struct rn_qp_attr a = good(&r, to);                                \
		put_in(&r, from);                                                  \
		a.field = (value) + more;                                          \
		assert_int_equal(rig_modify(&r, 0, mask, &a), more ? -EINVAL : 0); \
	}

static void test_largest_values(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){.unconnected = true});
	MOST(RN_QPS_RESET, RN_QPS_INIT, ST | INIT, port, 1)
	MOST(RN_QPS_RESET, RN_QPS_INIT, ST | INIT, pkey_index, 0)
	MOST(RN_QPS_RESET, RN_QPS_INIT, ST | INIT, access, RN_ACCESS_ALL)
	MOST(RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, path_mtu, 5)
	MOST(RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, dest_qpn, 0xFFFFFF)
	MOST(RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, rq_psn, 0xFFFFFF)
	MOST(RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, min_rnr_timer, 31)
	MOST(RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, rnr_step, 31)
	MOST(RN_QPS_INIT, RN_QPS_RTR, ST | RN_QPM_RTR, max_dest_rd_atomic, RN_MAX_RD_ATOMIC)
	MOST(RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS, sq_psn, 0xFFFFFF)
	MOST(RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS, timeout, 31)
	MOST(RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS, retry_cnt, 7)
	MOST(RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS, rnr_retry, 7)
	MOST(RN_QPS_RTR, RN_QPS_RTS, ST | RN_QPM_RTS, max_rd_atomic, RN_MAX_RD_ATOMIC)
	MOST(RN_QPS_RTS, RN_QPS_SQD, ST | RN_QP_SQD_NOTIFY, sqd_notify, 1)
	MOST(RN_QPS_RTS, RN_QPS_RTS, RN_QP_CUR_STATE, cur_state, RN_QPS_RTS)
	rig_fini(&r);
}

/* Attributes that the mask does not name are ignored. */
static void test_unnamed_values(void **state)
{
	struct rn_qp_attr a;
	struct rig r;

	rig_init(&r, &(struct rig_opt){.unconnected = true});
	memset(&a, 0xFF, sizeof(a));
	put_in(&r, RN_QPS_RTS);
	a.min_rnr_timer = a.rnr_step = 3;
	r.s[0].qp->retry.left = 1;
	assert_int_equal(rig_modify(&r, 0, RN_QP_MIN_RNR_TIMER, &a), 0);
	/* a change of other attributes does not restore spent retries */
	assert_int_equal(r.s[0].qp->retry.left, 1);
	a.access = RN_ACCESS_REMOTE_READ;
	assert_int_equal(rig_modify(&r, 0, RN_QP_ACCESS, &a), 0);
	assert_int_equal(r.s[0].qp->attr.access, RN_ACCESS_REMOTE_READ);
	assert_int_equal(r.s[0].qp->attr.min_rnr_timer, 3);
	assert_int_equal(r.s[0].qp->attr.path_mtu, good(&r, RN_QPS_RTS).path_mtu);
	rig_fini(&r);
}

/* RESET drops requests and receives without a completion, and counts them as retired. */
static void test_reset_forgets(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_RESET};
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 8, 0);
	rig_recv(&r, 0, 2, 0, 8);
	rig_move(&r, 0, 1);
	assert_int_equal(rig_modify(&r, 0, ST, &a), 0);
	rig_expect_none(&r, 0);
	assert_int_equal(atomic_load(&r.s[0].qp->shared.sq_retired), 1);
	assert_int_equal(atomic_load(&r.s[0].qp->shared.rq_retired), 1);
	rig_fini(&r);
}

/* After RESET a QP that had failed works like a new QP. */
static void test_second_life(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_RESET};
	struct rig r;
	struct rn_event ev;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 3000, 0);
	rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 2, 0, 3000, 0);
	rig_run(&r, RN_S(1)); /* without a receive the SEND is resent after RNR NAKs */
	{
		struct rn_pkt p = rig_pkt(&r, 0, RN_OP_ACK, 0, NULL, 0);

		p.psn = r.s[0].qp->win.una;
		p.syndrome = 0x61;
		rig_rx(&r, 0, &p);
	}
	rig_expect(&r, 0, 1, RN_STATUS_REM_INV_REQ_ERR);
	rig_expect(&r, 0, 2, RN_STATUS_WR_FLUSH_ERR);
	for (int side = 0; side < 2; side++)
		assert_int_equal(rig_modify(&r, side, ST, &a), 0);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 0);
	rig_connect(&r, &(struct rig_opt){0}, RN_QPS_RTS);
	rig_recv(&r, 1, 3, 0x8000, 3000);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 4, 0, 3000, 0);
	rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 5, 0x4000, 3000, 0);
	rig_run(&r, RN_S(1));
	rig_expect(&r, 0, 4, RN_STATUS_SUCCESS);
	rig_expect(&r, 0, 5, RN_STATUS_SUCCESS);
	rig_expect(&r, 1, 3, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* Row Q47: in SQD a message that has begun is finished, then SQ_DRAINED is reported. */
static void test_drain(void **state)
{
	struct rn_qp_attr a = {.state = RN_QPS_SQD}, now;
	struct rig r;
	struct rn_pkt p;
	struct rn_event ev;

	rig_init(&r, &(struct rig_opt){0});
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 1, 0, 2000, 0);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 2, 0, 8, 0);
	assert_true(rig_take(&r, 0, &p));
	rn_qp_query(r.s[0].qp, &now);
	assert_int_equal(now.sq_draining, 0);
	a.sqd_notify = 1;
	assert_int_equal(rig_modify(&r, 0, ST | RN_QP_SQD_NOTIFY, &a), 0);
	rn_qp_query(r.s[0].qp, &now);
	assert_int_equal(now.sq_draining, 1);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.opcode, RN_OP_SEND_LAST);
	rig_expect_silence(&r, 0);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 0);
	p = rig_pkt(&r, 0, RN_OP_ACK, 0, NULL, 0);
	p.psn = rn_psn_add(RIG_PSN_A, 1);
	assert_int_equal(rig_rx(&r, 0, &p), RN_V_OK);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 1);
	assert_int_equal(ev.kind, RN_EVENT_SQ_DRAINED);
	rn_qp_query(r.s[0].qp, &now);
	assert_int_equal(now.sq_draining, 0);
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_expect_silence(&r, 0);
	a.state = RN_QPS_RTS;
	assert_int_equal(rig_modify(&r, 0, ST, &a), 0);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.opcode, RN_OP_SEND_ONLY);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),	       cmocka_unit_test(test_values),
		cmocka_unit_test(test_largest_values), cmocka_unit_test(test_unnamed_values),
		cmocka_unit_test(test_reset_forgets),  cmocka_unit_test(test_second_life),
		cmocka_unit_test(test_drain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
