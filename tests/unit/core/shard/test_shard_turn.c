/* One poll iteration of a shard: which QP stays on the active list, and how a lone ACK is sent. */
#include "qp/responder.h"
#include "rig.h"

/* A QP leaves the active list with its last packet, and not before. A QP with a rate limit leaves
 * the list one visit later. */
static void test_leaving_the_active_list(void **state)
{
	struct rn_qp *qp;
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){0});
	qp = r.s[0].qp;
	rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 64, 0);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 2000, 0);
	qp->own_turn = true;
	assert_false(rn_list_empty(&qp->active));
	assert_true(rig_take(&r, 0, &p));
	assert_false(rn_list_empty(&qp->active));
	assert_true(rig_take(&r, 0, &p));
	assert_false(rn_list_empty(&qp->active));
	assert_true(rig_take(&r, 0, &p));
	assert_true(rn_list_empty(&qp->active));
	assert_false(qp->own_turn);
	qp->cc.limited = true;
	qp->cc.rate = qp->cc.target = 1000000000;
	rig_request(&r, 0, RN_WQE_WRITE, 0, 3, 0, 64, 0);
	assert_true(rig_take(&r, 0, &p));
	assert_false(rn_list_empty(&qp->active));
	assert_false(rig_take(&r, 0, &p));
	assert_true(rn_list_empty(&qp->active));
	rig_fini(&r);
}

/* A lone ACK is sent as rn_qp_tx() sends it, and a request of the same QP follows. */
static void test_lone_ack(void **state)
{
	struct rn_qp *qp;
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){0});
	qp = r.s[1].qp;
	rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 64, 0);
	rig_move(&r, 0, 1);
	rig_request(&r, 1, RN_WQE_WRITE, 0, 2, 0, 64, 0);
	assert_true(rn_responder_owes_only_ack(qp));
	qp->own_turn = true;
	assert_true(rig_take(&r, 1, &p));
	assert_int_equal(p.opcode, RN_OP_ACK);
	assert_int_equal(p.psn, rn_psn_add(qp->rx.epsn, RN_PSN_MASK));
	assert_false(qp->own_turn);
	assert_int_equal(qp->rx.nowed, 0);
	assert_int_equal(qp->lane->stats.tx_acks, 1);
	assert_true(rig_take(&r, 1, &p));
	assert_int_equal(p.opcode, RN_OP_WRITE_ONLY);
	qp->cc.limited = true;
	qp->rx.nowed = 1;
	assert_false(rn_responder_owes_only_ack(qp));
	qp->cc.limited = false;
	qp->rx.owed[0].kind = RN_OWE_NAK;
	assert_false(rn_responder_owes_only_ack(qp));
	qp->rx.nowed = 0;
	rig_run(&r, RN_S(1));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaving_the_active_list),
		cmocka_unit_test(test_lone_ack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
