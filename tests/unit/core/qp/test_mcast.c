/* Multicast: addresses of groups, membership, and one copy of a datagram for each member. The
 * members are QPs of side 1 of the bench. */
#include <errno.h>

#include "datagram.h"
#include "net/group.h"
#include "qp/mcast.h"
#include "qp/qp_dispatch.h"
#include "qp/qp_modify.h"

static const struct rn_gid v4_group = {{[10] = 0xff, 0xff, 239, 1, 2, 3}};
static const struct rn_gid v6_group = {{0xff, 0x15, [12] = 0xaa, 0xbb, 0xcc, 0xdd}};

/* Group addresses map to MACs as in docs/spec/rocev2.md 1.8. */
static void test_macs_of_groups(void **state)
{
	static const struct {
		struct rn_gid gid;
		bool group;
		uint8_t mac[6];
	} rows[] = {
		{{{[10] = 0xff, 0xff, 224, 0, 0, 1}}, true, {0x01, 0x00, 0x5e, 0, 0, 1}},
		{{{[10] = 0xff, 0xff, 239, 0xFF, 0xFE, 0xFD}},
		 true,
		 {0x01, 0x00, 0x5e, 0x7F, 0xFE, 0xFD}},
		{{{0xff, 0x0e, [12] = 1, 2, 3, 4}}, true, {0x33, 0x33, 1, 2, 3, 4}},
		{{{[10] = 0xff, 0xff, 223, 0, 0, 1}}, false, {0}},
		{{{[10] = 0xff, 0xff, 240, 0, 0, 1}}, false, {0}},
		{{{[10] = 0xff, 0xff, 255, 255, 255, 255}}, false, {0}},
		{{{0xfe, 0x80, [15] = 1}}, false, {0}},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		uint8_t mac[6];

		assert_int_equal(rn_gid_is_group(&rows[i].gid), rows[i].group);
		rn_group_mac(&rows[i].gid, mac);
		if (rows[i].group)
			assert_memory_equal(mac, rows[i].mac, 6);
	}
}

static int group_of(struct rig *r, uint8_t op, uint32_t qpn, uint32_t gen, const struct rn_gid *gid)
{
	struct rn_cmd cmd = {.op = op, .group = {.qpn = qpn, .gen = gen, .gid = *gid}};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	rn_shard_exec(r->s[1].sh, &x, r->now);
	return rsp.err;
}

static int attach(struct rig *r, const struct rn_gid *gid)
{
	return group_of(r, RN_CMD_ATTACH_GROUP, r->s[1].qpn, r->s[1].gen, gid);
}

static int detach(struct rig *r, const struct rn_gid *gid)
{
	return group_of(r, RN_CMD_DETACH_GROUP, r->s[1].qpn, r->s[1].gen, gid);
}

static struct rn_pkt to_group(struct rig *r, const struct rn_gid *gid, uint32_t len)
{
	struct rn_pkt p = datagram(r, len);

	p.dst = *gid;
	p.ipv4 = rn_gid_is_ipv4(gid);
	if (!p.ipv4)
		p.src = (struct rn_gid){{0xfd, [15] = 1}};
	p.dest_qpn = RN_MCAST_QPN;
	rn_group_mac(gid, p.dmac);
	return p;
}

/* Creates another UD QP on side 1, in RTR; returns its QPN. It uses the same CQ as the first QP. */
static uint32_t another(struct rig *r, struct rn_qp **qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};
	struct rn_qp_attr a = {.port = 1, .qkey = RIG_QKEY};
	size_t bytes;

	cmd.create_qp.pd = 1;
	cmd.create_qp.type = RN_QPT_UD;
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = 3;
	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = 4;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 1;
	cmd.create_qp.qp_ctx = 55;
	bytes = RN_ALIGN_UP(rn_exec_bytes(&cmd, &r->s[1].sh->lane.cfg), (size_t)64);
	x.mem = aligned_alloc(64, bytes);
	memset(x.mem, 0, bytes);
	rn_shard_exec(r->s[1].sh, &x, r->now);
	assert_int_equal(rsp.err, 0);
	*qp = x.mem;
	for (a.state = RN_QPS_INIT; a.state <= RN_QPS_RTR; a.state++)
		assert_int_equal(
			rn_qp_modify(*qp,
				     RN_QP_STATE |
					     (a.state == RN_QPS_INIT
						      ? RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_QKEY
						      : 0),
				     &a, r->now),
			0);
	return rsp.id;
}

static void destroy(struct rig *r, struct rn_qp *qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp->qpn, .gen = qp->gen}};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	rn_shard_exec(r->s[1].sh, &x, r->now);
	assert_int_equal(rsp.err, 0);
	free(x.freed);
}

static void wire_row_U9_joined_or_not(void **state)
{
	struct rig r;
	struct rn_pkt p;
	struct rn_cqe c;
	struct rn_qp *other;
	uint32_t second;
	const struct rn_mcast *m;

	start(&r);
	m = &r.s[1].sh->lane.mcast;
	second = another(&r, &other);
	rig_recv(&r, 1, 3, 0, 1000);
	rn_qp_post(other,
		   &(struct rn_wqe){.kind = RN_WQE_RECV,
				    .slots = 1,
				    .num_sge = 1,
				    .wr_id = 4,
				    .sge = {{(uintptr_t)r.s[1].mem + 2000, 1000, r.s[1].key}}},
		   r.now);
	p = to_group(&r, &v4_group, 50);
	assert_int_equal(inject(&r, &p), RN_V_MULTICAST); /* no QP has joined */
	rig_expect_none(&r, 1);
	assert_int_equal(attach(&r, &v4_group), 0);
	assert_int_equal(attach(&r, &v4_group), 0); /* joining twice counts once */
	assert_int_equal(group_of(&r, RN_CMD_ATTACH_GROUP, second, other->gen, &v4_group), 0);
	assert_int_equal(inject(&r, &p), RN_V_OK);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(rig_poll(&r, 1, &c));
		assert_int_equal(c.byte_len, GRH + 50);
		assert_int_equal(c.src_qpn, 0x7B1234);
		assert_int_equal(c.qpn, i ? second : r.s[1].qpn);
		assert_memory_equal(r.s[1].mem + 2000 * i + 36, v4_group.b + 12, 4);
		assert_memory_equal(r.s[1].mem + 2000 * i + GRH, r.s[0].mem, 50);
	}
	rig_expect_none(&r, 1);
	assert_int_equal(rn_shard_stats(r.s[1].sh)->rx_copies, 2);
	p.dst.b[15]++; /* a group without members */
	assert_int_equal(inject(&r, &p), RN_V_MULTICAST);
	p = to_group(&r, &v4_group, 50);
	assert_int_equal(inject(&r, &p), RN_V_UD_NO_RECEIVE); /* no member has a receive */
	rig_recv(&r, 1, 5, 0, 1000);
	assert_int_equal(inject(&r, &p), RN_V_OK); /* one of the members has a receive */
	rig_expect(&r, 1, 5, RN_STATUS_SUCCESS);
	p.qkey++;
	assert_int_equal(inject(&r, &p), RN_V_QKEY);
	assert_int_equal(detach(&r, &v4_group), 0);
	assert_int_equal(detach(&r, &v4_group), -ENOENT);
	assert_int_equal(m->ngroups, 1);
	destroy(&r, other); /* destroying a QP removes it from its groups */
	assert_int_equal(m->ngroups, 0);
	p = to_group(&r, &v4_group, 50);
	assert_int_equal(inject(&r, &p), RN_V_MULTICAST);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

/* Packets to the multicast QPN are refused for a unicast destination address, an opcode of another
 * transport or a wrong P_Key. A limited P_Key is accepted. */
static void test_packets_to_groups(void **state)
{
	struct rig r;
	struct rn_pkt p;

	start(&r);
	assert_int_equal(attach(&r, &v6_group), 0);
	rig_recv(&r, 1, 3, 0, 1000);
	p = datagram(&r, 8);
	p.dest_qpn = RN_MCAST_QPN;
	assert_int_equal(inject(&r, &p), RN_V_MULTICAST);
	p = to_group(&r, &v6_group, 8);
	p.opcode = RN_OP_SEND_ONLY;
	assert_int_equal(inject(&r, &p), RN_V_QP_TRANSPORT);
	p.opcode = RN_T_UD | 0x10;
	assert_int_equal(inject(&r, &p), RN_V_QP_TRANSPORT);
	p = to_group(&r, &v6_group, 8);
	p.pkey = 3;
	assert_int_equal(inject(&r, &p), RN_V_PKEY);
	p.pkey = 0x7FFF;
	assert_int_equal(inject(&r, &p), RN_V_OK);
	rig_expect(&r, 1, 3, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[1].mem + 24, v6_group.b, 16);
	rig_fini(&r);
}

static void test_joining(void **state)
{
	struct rig r;
	struct rn_gid gid = v4_group;

	start(&r);
	assert_int_equal(attach(&r, &r.s[1].port.gids[0]), -EINVAL);
	assert_int_equal(group_of(&r, RN_CMD_ATTACH_GROUP, r.s[1].qpn, r.s[1].gen + 1, &gid),
			 -ENOENT);
	for (unsigned i = 0; i < RN_GROUPS; i++) {
		gid.b[14] = (uint8_t)i;
		assert_int_equal(attach(&r, &gid), 0);
	}
	gid.b[14] = RN_GROUPS;
	assert_int_equal(attach(&r, &gid), -ENOSPC);
	gid.b[14] = 7;
	assert_int_equal(detach(&r, &gid), 0);
	gid.b[14] = RN_GROUPS;
	assert_int_equal(attach(&r, &gid), 0);
	assert_int_equal(r.s[1].qp->ngroups, RN_GROUPS);
	/* a group whose only members are on other shards stays in the table */
	rn_shard_group(r.s[1].sh, &gid, 4);
	assert_int_equal(rn_shard_group_shards(r.s[1].sh, &gid), 4);
	assert_int_equal(detach(&r, &gid), 0);
	assert_int_equal(rn_shard_group_shards(r.s[1].sh, &gid), 4);
	rn_shard_group(r.s[1].sh, &gid, 0);
	assert_int_equal(rn_shard_group_shards(r.s[1].sh, &gid), 0);
	rig_fini(&r);
}

/* A group is removed from the table when its last member leaves. The other groups stay, whatever
 * their order in the table. */
static void test_leaving(void **state)
{
	for (unsigned gone = 0; gone < 3; gone++) {
		struct rig r;
		struct rn_gid gid[3];
		const struct rn_mcast *m;

		start(&r);
		m = &r.s[1].sh->lane.mcast;
		for (unsigned i = 0; i < 3; i++) {
			gid[i] = v4_group;
			gid[i].b[15] = (uint8_t)i;
			assert_int_equal(attach(&r, &gid[i]), 0);
		}
		assert_int_equal(detach(&r, &gid[gone]), 0);
		for (unsigned i = 0; i < 3; i++) {
			const struct rn_mcast_group *g = rn_mcast_find(m, &gid[i]);

			assert_int_equal(g != NULL, i != gone);
			if (g) {
				assert_memory_equal(&g->gid, &gid[i], sizeof(gid[i]));
				assert_int_equal(g->nmembers, 1);
				assert_ptr_equal(g->member[0], r.s[1].qp);
			}
		}
		rig_fini(&r);
	}
}

static void test_only_datagrams_join(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	assert_int_equal(attach(&r, &v4_group), -EINVAL);
	rig_fini(&r);
}

/* The frame of a datagram to a group is marked for loopback (buf.loop) if the group has members on
 * the sender's shard. */
static void test_own_groups(void **state)
{
	struct rig r;
	struct rn_ud to;
	uint8_t frame[400];
	struct rn_txbuf buf = {.data = frame, .cap = sizeof(frame)};

	start(&r);
	to = to_peer(&r, 1);
	to.av.dgid = v4_group;
	rn_group_mac(&v4_group, to.av.dmac);
	to.qpn = RN_QPN_GROUP;
	post_to(&r, 1, RN_WQE_SEND, 0, 1, 0, 8, &to);
	assert_int_equal(rn_shard_tx(r.s[1].sh, &buf, 1, r.now), 1);
	assert_false(buf.loop);
	assert_int_equal(attach(&r, &v4_group), 0);
	post_to(&r, 1, RN_WQE_SEND, 0, 2, 0, 8, &to);
	assert_int_equal(rn_shard_tx(r.s[1].sh, &buf, 1, r.now), 1);
	assert_true(buf.loop);
	to = to_peer(&r, 1);
	post_to(&r, 1, RN_WQE_SEND, 0, 3, 0, 8, &to);
	assert_int_equal(rn_shard_tx(r.s[1].sh, &buf, 1, r.now), 1);
	assert_false(buf.loop);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_macs_of_groups),
		cmocka_unit_test(wire_row_U9_joined_or_not),
		cmocka_unit_test(test_packets_to_groups),
		cmocka_unit_test(test_joining),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_only_datagrams_join),
		cmocka_unit_test(test_own_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
