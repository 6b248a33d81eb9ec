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

/* Packets that the QP has accepted from its peer count, and no others. */
static void test_detours(void **state)
{
	static const uint8_t types[] = {RN_QPT_RC, RN_QPT_UC, RN_QPT_UD};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(types); i++) {
		struct rig r;
		rig_init(&r, &(struct rig_opt){.type = types[i]});
		struct rn_shard *sh = r.s[1].sh;
		struct rn_pkt pkt = {
			.kind = RN_PKT_IB,
			.dest_qpn = r.s[1].qpn,
			.src = r.s[1].qp->peer,
			.dst = r.s[1].qp->own,
		};
		const bool counts = types[i] != RN_QPT_UD;
		struct rn_pkt other = pkt;

		assert_int_equal(rn_shard_detour(sh, &pkt, RN_V_OK), counts ? 1 : 0);
		assert_int_equal(rn_shard_detour(sh, &pkt, RN_V_REQ_GAP), 0);
		other.src.b[15] ^= 1;
		assert_int_equal(rn_shard_detour(sh, &other, RN_V_OK), 0);
		other = pkt;
		other.dst.b[15] ^= 1;
		assert_int_equal(rn_shard_detour(sh, &other, RN_V_OK), 0);
		other = pkt;
		other.dest_qpn++;
		assert_int_equal(rn_shard_detour(sh, &other, RN_V_OK), 0);
		other = pkt;
		other.kind = RN_PKT_ARP;
		assert_int_equal(rn_shard_detour(sh, &other, RN_V_OK), 0);
		assert_int_equal(rn_shard_detour(sh, &pkt, RN_V_OK), counts ? 2 : 0);
		/* The count begins anew with each connection. */
		for (int side = 0; side < 2; side++)
			assert_int_equal(rig_modify(&r, side, RN_QP_STATE,
						    &(struct rn_qp_attr){.state = RN_QPS_RESET}),
					 0);
		assert_int_equal(rn_shard_detour(sh, &pkt, RN_V_OK), 0);
		rig_connect(&r, &(struct rig_opt){.type = types[i]}, RN_QPS_RTS);
		assert_int_equal(rn_shard_detour(sh, &pkt, RN_V_OK), counts ? 1 : 0);
		rig_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaving_the_active_list),
		cmocka_unit_test(test_lone_ack),
		cmocka_unit_test(test_detours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
