/* What a client announces to a switch: the peers of QPs, by state, by command and in a walk, and
 * what the connection manager of shard 0 has. */
#include "rig.h"
#include "shard/claims.h"

/* ---- one QP ---- */

static void expect_pair(const struct rig *r, const struct rn_cm_track *t)
{
	assert_int_equal(t->state, RN_TRACK_PAIR);
	assert_int_equal(t->local_qpn, r->s[0].qpn);
	assert_int_equal(t->remote_qpn, r->s[1].qpn);
	assert_int_equal(t->local_id, 0);
	assert_int_equal(t->remote_id, 0);
	assert_memory_equal(&t->way.src, &r->s[0].port.gids[0], sizeof(t->way.src));
	assert_memory_equal(&t->way.dst, &r->s[1].port.gids[0], sizeof(t->way.dst));
	assert_memory_equal(t->way.dmac, r->s[1].port.mac, 6);
}

/* Is the QP of side 0 announced, alone and in a walk? */
static bool announced(const struct rig *r)
{
	struct rn_cm_track alone, walked[2];
	uint32_t cursor = 0;
	bool is = rn_shard_pair(r->s[0].sh, r->s[0].qpn, &alone);

	assert_int_equal(rn_shard_pairs(r->s[0].sh, &cursor, walked, 2), is);
	if (is) {
		expect_pair(r, &alone);
		expect_pair(r, &walked[0]);
	}
	return is;
}

static void qps_with_a_peer_are_announced(void **state)
{
	static const uint8_t types[] = {RN_QPT_RC, RN_QPT_UC, RN_QPT_UD};

	for (unsigned i = 0; i < 3; i++) {
		const struct rig_opt o = {.type = types[i], .unconnected = true};
		struct rn_qp_attr a = {.state = RN_QPS_SQD};
		struct rig r;

		rig_init(&r, &o);
		assert_false(announced(&r)); /* RESET */
		rig_connect(&r, &o, RN_QPS_INIT);
		assert_false(announced(&r));
		a.state = RN_QPS_RESET;
		for (int side = 0; side < 2; side++)
			assert_int_equal(rig_modify(&r, side, RN_QP_STATE, &a), 0);
		rig_connect(&r, &o, RN_QPS_RTR);
		assert_int_equal(announced(&r), types[i] != RN_QPT_UD);
		for (int side = 0; side < 2; side++)
			assert_int_equal(rig_modify(&r, side, RN_QP_STATE, &a), 0);
		assert_false(announced(&r));
		rig_connect(&r, &o, RN_QPS_RTS);
		assert_int_equal(announced(&r), types[i] != RN_QPT_UD);
		a.state = RN_QPS_SQD;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
		assert_int_equal(announced(&r), types[i] != RN_QPT_UD);
		a.state = RN_QPS_ERR;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
		assert_false(announced(&r));
		rig_fini(&r);
	}
}

static void a_qp_that_does_not_exist_has_no_peer(void **state)
{
	struct rn_cm_track t;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	assert_false(rn_shard_pair(r.s[0].sh, r.s[0].qpn ^ 1, &t));
	assert_false(rn_shard_pair(r.s[0].sh, 0, &t));
	rig_fini(&r);
}

/* ---- the command ---- */

static void the_command_to_rtr_names_the_peer(void **state)
{
	const uint32_t mask = RN_QP_STATE | RN_QP_AV | RN_QP_DEST_QPN;
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_cm_track t;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	cmd.modify_qp.qpn = r.s[0].qpn;
	cmd.modify_qp.mask = mask | RN_QP_RQ_PSN;
	cmd.modify_qp.attr.state = RN_QPS_RTR;
	cmd.modify_qp.attr.dest_qpn = r.s[1].qpn;
	cmd.modify_qp.attr.av.sgid = r.s[0].port.gids[0];
	cmd.modify_qp.attr.av.dgid = r.s[1].port.gids[0];
	memcpy(cmd.modify_qp.attr.av.dmac, r.s[1].port.mac, 6);
	assert_true(rn_cmd_pair(&cmd, &t));
	expect_pair(&r, &t);
	for (unsigned bit = 0; bit < 32; bit++) {
		cmd.modify_qp.mask = mask & ~(1u << bit);
		assert_int_equal(rn_cmd_pair(&cmd, &t), !(mask >> bit & 1));
	}
	cmd.modify_qp.mask = mask;
	cmd.modify_qp.attr.state = RN_QPS_RTS;
	assert_false(rn_cmd_pair(&cmd, &t));
	cmd.modify_qp.attr.state = RN_QPS_RTR;
	cmd.op = RN_CMD_QUERY_QP;
	assert_false(rn_cmd_pair(&cmd, &t));
	rig_fini(&r);
}

/* ---- walks ---- */

#define MANY 9u

static struct rn_rsp command(struct rig *r, const struct rn_cmd *cmd)
{
	size_t bytes = rn_exec_bytes(cmd, &r->s[0].sh->lane.cfg);
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = cmd, .rsp = &rsp};

	if (bytes) {
		x.mem = aligned_alloc(64, RN_ALIGN_UP(bytes, 64));
		memset(x.mem, 0, bytes);
	}
	rn_shard_exec(r->s[0].sh, &x, r->now);
	assert_int_equal(rsp.err, 0);
	free(x.freed);
	return rsp;
}

/* Another RC QP on side 0, connected with QP `dest` of side 1 up to RTR. */
static struct rn_rsp another(struct rig *r, uint32_t dest)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP,
			     .create_qp = {.type = RN_QPT_RC,
					   .pd = 1,
					   .send_cq = 3,
					   .recv_cq = 3,
					   .sq_depth = 1,
					   .rq_depth = 1}};
	struct rn_rsp qp = command(r, &cmd);

	cmd = (struct rn_cmd){.op = RN_CMD_MODIFY_QP};
	cmd.modify_qp.qpn = qp.id;
	cmd.modify_qp.gen = qp.gen;
	cmd.modify_qp.attr = r->s[0].qp->attr;
	cmd.modify_qp.attr.dest_qpn = dest;
	for (uint8_t to = RN_QPS_INIT; to <= RN_QPS_RTR; to++) {
		cmd.modify_qp.mask = RN_QP_STATE | rn_qp_move(RN_QPT_RC, to - 1, to)->mandatory;
		cmd.modify_qp.attr.state = to;
		command(r, &cmd);
	}
	return qp;
}

/* A walk finds each QP once, whatever the size of its portions. */
static void a_walk_finds_each_qp_once(void **state)
{
	struct rn_rsp qp[MANY];
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned k = 1; k < MANY; k++)
		qp[k] = another(&r, r.s[1].qpn + k);
	for (unsigned portion = 1; portion <= MANY + 1; portion++) {
		struct rn_cm_track t[MANY + 1];
		unsigned found[MANY] = {0}, n, calls = 0;
		uint32_t cursor = 0;

		while ((n = rn_shard_pairs(r.s[0].sh, &cursor, t, portion))) {
			assert_in_range(n, 1, portion);
			calls++;
			while (n--) {
				uint32_t k = t[n].remote_qpn - r.s[1].qpn;

				assert_in_range(k, 0, MANY - 1);
				assert_int_equal(t[n].local_qpn, k ? qp[k].id : r.s[0].qpn);
				found[k]++;
			}
		}
		assert_int_equal(calls, (MANY + portion - 1) / portion);
		for (unsigned k = 0; k < MANY; k++)
			assert_int_equal(found[k], 1);
	}
	for (unsigned k = 1; k < MANY; k++)
		command(&r, &(struct rn_cmd){.op = RN_CMD_DESTROY_QP,
					     .qp = {.qpn = qp[k].id, .gen = qp[k].gen}});
	rig_fini(&r);
}

/* Shard 0 tells what its connection manager has; the other shards have none. */
static void shard_0_has_connections_and_listeners(void **state)
{
	struct rn_cm_listener_id listener;
	struct rn_cm_track t;
	uint32_t id, connection;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	id = command(&r,
		     &(struct rn_cmd){.op = RN_CMD_CM_LISTEN, .cm = {.port = 4000, .backlog = 1}})
		     .id;
	struct rn_cmd connect = {.op = RN_CMD_CM_CONNECT,
				 .cm = {.peer = r.s[1].port.gids[0],
					.peer_port = 5000,
					.param = {.qpn = r.s[0].qpn}}};
	connection = command(&r, &connect).id;
	for (unsigned shard = 0; shard < 2; shard++) {
		struct rn_core_cfg cfg = r.s[0].sh->lane.cfg;
		uint32_t cursor = 0;
		struct rn_shard *sh;

		cfg.nshards = 2;
		cfg.index = 1;
		sh = shard ? rn_shard_create(&cfg, &r.s[0].port, r.s[0].mrs, &rn_mem_plain, r.now)
			   : r.s[0].sh;
		assert_int_equal(rn_shard_listeners(sh, &cursor, &listener, 1), !shard);
		cursor = 0;
		assert_int_equal(rn_shard_tracks(sh, &cursor, &t, 1), 0); /* no REQ is out yet */
		assert_int_equal(rn_shard_track(sh, connection, &t), !shard);
		if (shard)
			rn_shard_destroy(sh);
	}
	assert_int_equal(listener.service_id & 0xFFFF, 4000);
	command(&r, &(struct rn_cmd){.op = RN_CMD_CM_DESTROY, .cm = {.id = connection}});
	command(&r, &(struct rn_cmd){.op = RN_CMD_CM_DESTROY, .cm = {.id = id}});
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qps_with_a_peer_are_announced),
		cmocka_unit_test(a_qp_that_does_not_exist_has_no_peer),
		cmocka_unit_test(the_command_to_rtr_names_the_peer),
		cmocka_unit_test(a_walk_finds_each_qp_once),
		cmocka_unit_test(shard_0_has_connections_and_listeners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
