/* The shard: which QP gets a packet, how QPNs are chosen, in which order QPs send, armed CQs,
 * commands. */
#include <errno.h>

#include "shard/resolve.h"
#include "rig.h"

extern unsigned fake_mads;
extern uint32_t fake_waits;

/* ---- demultiplexing (docs/spec/rocev2.md 1.12): each function changes a good packet ---- */

static void no_change(struct rn_pkt *p)
{
}
static void other_mac(struct rn_pkt *p)
{
	p->dmac[5] ^= 8;
}
static void in_vlan(struct rn_pkt *p)
{
	p->has_vlan = true;
	p->vlan_tci = 5;
}
static void vlan_zero(struct rn_pkt *p)
{
	p->has_vlan = true;
	p->vlan_tci = 0xE000;
}
static void other_qpn(struct rn_pkt *p)
{
	p->dest_qpn ^= 1u << 20;
}
static void qp0(struct rn_pkt *p)
{
	p->dest_qpn = 0;
}
static void multicast(struct rn_pkt *p)
{
	p->dest_qpn = RN_MCAST_QPN;
}
static void uc(struct rn_pkt *p)
{
	p->opcode |= RN_T_UC;
	p->op = rn_opcode_row(p->opcode);
}
static void ud(struct rn_pkt *p)
{
	p->opcode = 0x64;
	p->op = rn_opcode_row(p->opcode);
}
static void limited_pkey(struct rn_pkt *p)
{
	p->pkey = 0x7FFF;
}
static void bad_pkey(struct rn_pkt *p)
{
	p->pkey = 0x1234;
}
static void zero_pkey(struct rn_pkt *p)
{
	p->pkey = 0;
}
static void other_source(struct rn_pkt *p)
{
	p->src.b[15] = 77;
}
static void other_dest(struct rn_pkt *p)
{
	p->dst.b[15] = 77;
}
static void cnp(struct rn_pkt *p)
{
	p->opcode = 0x81;
	p->op = rn_opcode_row(0x81);
}
static void m_clear(struct rn_pkt *p)
{
	p->mig = false;
}
static void reserved(struct rn_pkt *p)
{
	p->bth_resv6 = 0x3F;
	p->bth_resv7 = 0x7F;
}
static void other_ttl(struct rn_pkt *p)
{
	p->hop_limit = 1;
	p->tclass = 0xFD; /* ECN 01: not congested (with 11 a CNP would be sent) */
	p->fecn = p->becn = true;
}
static void gsi(struct rn_pkt *p)
{
	ud(p);
	p->dest_qpn = 1;
	p->qkey = RN_GSI_QKEY;
}
static void gsi_qkey(struct rn_pkt *p)
{
	gsi(p);
	p->qkey = 0x11111111;
}
static void gsi_rc(struct rn_pkt *p)
{
	p->dest_qpn = 1;
}
static void gsi_pkey(struct rn_pkt *p)
{
	gsi(p);
	p->pkey = 0x1234;
}

static const struct {
	const char *row;
	void (*change)(struct rn_pkt *);
	enum rn_verdict v;
} demux[] = {
	{"good", no_change, RN_V_OK},
	{"mac", other_mac, RN_V_FRAME_MAC},
	{"F27", in_vlan, RN_V_FRAME_VLAN},
	{"F28", vlan_zero, RN_V_OK},
	{"F19", other_qpn, RN_V_QP_UNKNOWN},
	{"U15", qp0, RN_V_QP0},
	{"U9", multicast, RN_V_MULTICAST},
	{"F20", uc, RN_V_QP_TRANSPORT},
	{"F20b", ud, RN_V_QP_TRANSPORT},
	{"F22", limited_pkey, RN_V_OK},
	{"F23", bad_pkey, RN_V_PKEY},
	{"F23b", zero_pkey, RN_V_PKEY},
	{"F24", other_source, RN_V_QP_ADDRESS},
	{"F30", other_dest, RN_V_IP_NOT_OURS},
	{"cnp", cnp, RN_V_CNP},
	{"F25", m_clear, RN_V_OK},
	{"F26", reserved, RN_V_OK},
	{"F4", other_ttl, RN_V_OK},
	{"U11", gsi, RN_V_OK},
	{"U12", gsi_qkey, RN_V_QKEY},
	{"gsi rc", gsi_rc, RN_V_QP_TRANSPORT},
	{"gsi pkey", gsi_pkey, RN_V_PKEY},
};

static void test_demux(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < RN_ARRAY_SIZE(demux); i++) {
		struct rn_pkt p = rig_pkt(&r, 1, RN_OP_WRITE_ONLY, 0, "x", 1);
		uint64_t before = rn_shard_stats(r.s[1].sh)->verdict[demux[i].v];
		unsigned mads = fake_mads;

		p.ack_req = false;
		demux[i].change(&p);
		if (rig_rx(&r, 1, &p) != demux[i].v)
			fail_msg("%s", demux[i].row);
		assert_int_equal(rn_shard_stats(r.s[1].sh)->verdict[demux[i].v], before + 1);
		assert_int_equal(fake_mads, mads + !strcmp(demux[i].row, "U11"));
		rig_expect_silence(&r, 1);
	}
	/* row F24: with check_source off, another source address is accepted */
	r.s[1].port.check_source = false;
	rn_shard_port(r.s[1].sh, &r.s[1].port, r.now);
	{
		struct rn_pkt p = rig_pkt(&r, 1, RN_OP_WRITE_ONLY, 0, "x", 1);

		other_source(&p);
		assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	}
	rig_fini(&r);
}

/* ---- queue limits and QP numbers ---- */

static uint32_t make(struct rn_shard *sh, const struct rn_core_cfg *cfg, struct rn_rsp *rsp)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_exec x = {.cmd = &cmd, .rsp = rsp};
	size_t n;

	cmd.create_qp.type = RN_QPT_RC;
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = 0;
	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = 1;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 1;
	n = RN_ALIGN_UP(rn_exec_bytes(&cmd, cfg), 64);
	x.mem = aligned_alloc(64, n);
	memset(x.mem, 0, n);
	rn_shard_exec(sh, &x, 0);
	if (rsp->err)
		free(x.mem);
	return rsp->id;
}

static void unmake(struct rn_shard *sh, uint32_t qpn, uint32_t gen)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	cmd.qp.qpn = qpn;
	cmd.qp.gen = gen;
	rn_shard_exec(sh, &x, 0);
	assert_int_equal(rsp.err, 0);
	free(x.freed);
}

/* A queue may have a depth of at most 65536. */
static void test_depth_limits(void **state)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_core_cfg cfg;

	rn_core_defaults(&cfg);
	cmd.create_qp.type = RN_QPT_RC;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 1;
	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = 65536;
	assert_true(rn_exec_bytes(&cmd, &cfg) > 0);
	cmd.create_qp.sq_depth = 65537;
	assert_int_equal(rn_exec_bytes(&cmd, &cfg), 0);
	cmd.create_qp.sq_depth = 1;
	cmd.create_qp.rq_depth = 65537;
	assert_int_equal(rn_exec_bytes(&cmd, &cfg), 0);
}

/* A QP can be created with up to the maximum of SGEs and inline bytes, and not with one more. */
static void test_request_limits(void **state)
{
	struct rn_core_cfg cfg;

	rn_core_defaults(&cfg);
	for (unsigned which = 0; which < 3; which++)
		for (unsigned more = 0; more < 2; more++) {
			struct rn_cmd cmd = {
				.op = RN_CMD_CREATE_QP,
				.create_qp = {.type = RN_QPT_RC, .sq_depth = 1, .rq_depth = 1}};

			cmd.create_qp.sq_sge = RN_WQE_MAX_SGE + (which == 0 && more);
			cmd.create_qp.rq_sge = RN_WQE_MAX_SGE + (which == 1 && more);
			cmd.create_qp.inline_bytes = RN_WQE_MAX_INLINE + (which == 2 && more);
			assert_int_equal(rn_exec_bytes(&cmd, &cfg) == 0, more);
		}
}

/* Returns the i-th QPN in the order in which the shard assigns QPNs. */
static uint32_t turn(const struct rn_shard *sh, uint32_t i)
{
	return (sh->qpn_first + rn_secret_permute(&sh->qpn_order, i, sh->qpn_count)) *
		       sh->lane.cfg.nshards +
	       sh->lane.cfg.index;
}

/* Checks that the QPN range of the shard ends with the shard's highest QPN below 0xFFFFFF, the
 * multicast QPN. */
static void expect_last_qpn(const struct rn_shard *sh)
{
	uint32_t n = sh->lane.cfg.nshards, last = sh->qpn_first + sh->qpn_count - 1;

	assert_in_range(last * n + sh->lane.cfg.index, 0xFFFFFF - n, 0xFFFFFE);
}

static void test_numbers(void **state)
{
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t n = 1 + i / 2;
		struct rn_core_cfg cfg;
		struct rn_port_attr port = {.mtu = 1500, .max_path_mtu = 3};
		struct rn_mr_table *mrs = rn_mr_table_create(1, &(struct rn_secret){{1}});
		struct rn_cq_shared shared = {0};
		struct rn_cq_ring *ring = aligned_alloc(64, RN_ALIGN_UP(rn_cq_ring_bytes(4), 64));
		struct rn_shard *sh;
		struct rn_rsp rsp;
		uint32_t first, last, step = 0, steps = 0, next, kept[8], gens[8];

		rn_core_defaults(&cfg);
		cfg.nshards = n;
		cfg.index = i % 2 ? n - 1 : 0;
		cfg.max_qp = 8;
		cfg.secrets = rn_secrets_of_seed(1234 + n);
		rn_cq_ring_init(ring, 4);
		sh = rn_shard_create(&cfg, &port, mrs, &rn_mem_plain, 0);
		rn_shard_cq_link(sh, 0, &shared, ring, 0);
		expect_last_qpn(sh);
		last = first = make(sh, &cfg, &rsp);
		unmake(sh, first, rsp.gen);
		/* a QPN is not reused while other QPNs are unused */
		for (unsigned i = 0; i < 100; i++) {
			uint32_t gen = rsp.gen, q = make(sh, &cfg, &rsp);

			assert_true(q >= 16 && q < 0xFFFFFF && q % n == cfg.index);
			assert_int_equal(rn_qpn_shard(q, n), cfg.index);
			assert_int_not_equal(q, first);
			/* counts how often two steps between QPNs in a row are equal */
			steps += q - last == step;
			step = q - last;
			assert_int_not_equal(rsp.gen, gen);
			assert_ptr_equal(rn_shard_qp(sh, q)->lane, &sh->lane);
			assert_null(rn_shard_qp(sh, q + n));
			last = q;
			unmake(sh, q, rsp.gen);
		}
		assert_true(steps <= 1);
		/* a QP stays valid while other QPs are created and destroyed */
		kept[0] = make(sh, &cfg, &rsp);
		gens[0] = rsp.gen;
		for (unsigned k = 0; k < 40; k++) {
			uint32_t q = make(sh, &cfg, &rsp);

			unmake(sh, q, rsp.gen);
			assert_non_null(rn_shard_qp(sh, kept[0]));
		}
		unmake(sh, kept[0], gens[0]);
		/* At the end of the QPN space the search for a QPN wraps. QPNs held by a timewait
		 * record are skipped. */
		assert_int_equal(first, turn(sh, 0));
		sh->qpn_next = sh->qpn_count - 1;
		fake_waits = first;
		kept[0] = make(sh, &cfg, &rsp);
		gens[0] = rsp.gen;
		kept[1] = make(sh, &cfg, &rsp);
		gens[1] = rsp.gen;
		next = sh->lane.cm != NULL;
		while ((turn(sh, next) / n & sh->qp_mask) == (kept[0] / n & sh->qp_mask))
			next++; /* the slot of this QPN in the QP table is in use */
		assert_int_equal(kept[1], turn(sh, next));
		for (unsigned i = 2; i < 8; i++) {
			kept[i] = make(sh, &cfg, &rsp);
			gens[i] = rsp.gen;
			assert_int_equal(rsp.err, 0);
		}
		make(sh, &cfg, &rsp);
		assert_int_equal(rsp.err, -ENOSPC);
		assert_int_equal(rn_shard_leftovers(sh), 8);
		for (unsigned i = 0; i < 8; i++) {
			assert_int_equal(rn_shard_qp(sh, kept[i])->qpn, kept[i]);
			unmake(sh, kept[i], gens[i]);
		}
		fake_waits = 0;
		assert_int_equal(rn_shard_leftovers(sh), 0);
		rn_shard_destroy(sh);
		rn_mr_table_destroy(mrs);
		free(ring);
	}
}

/* ---- commands, requests, events and messages of a shard ---- */

static void test_commands(void **state)
{
	struct rig r;
	struct rn_cmd cmd = {.op = RN_CMD_QUERY_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	rig_init(&r, &(struct rig_opt){0});
	cmd.qp.qpn = r.s[0].qpn;
	cmd.qp.gen = r.s[0].gen;
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.err, 0);
	assert_int_equal(rsp.query.attr.state, RN_QPS_RTS);
	assert_int_equal(rsp.query.attr.dest_qpn, r.s[1].qpn);
	cmd.qp.gen++;
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.err, -ENOENT);
	cmd.op = RN_CMD_DESTROY_QP;
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.err, -ENOENT);
	assert_null(x.freed);
	cmd.op = RN_CMD_REG_MR; /* this command is for the control thread; a shard refuses it */
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.err, -EOPNOTSUPP);
	for (cmd.op = RN_CMD_MAX; cmd.op < 999; cmd.op++) {
		rn_shard_exec(r.s[0].sh, &x, r.now);
		assert_int_equal(rsp.err, -EOPNOTSUPP);
	}
	memset(&cmd, 0, sizeof(cmd));
	cmd.op = RN_CMD_CREATE_QP;
	cmd.create_qp.type = RN_QPT_UD + 1;
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.err, -EOPNOTSUPP);
	cmd.create_qp.type = RN_QPT_RC;
	cmd.create_qp.sq_sge = 33;
	assert_int_equal(rn_exec_bytes(&cmd, &r.s[0].sh->lane.cfg), 0);
	rn_shard_exec(r.s[0].sh, &x, r.now);
	assert_int_equal(rsp.err, -EINVAL);
	rig_fini(&r);
}

/* A request posted to a destroyed QP (old generation) or to an unknown QPN is dropped and
 * counted. */
static void test_stale_posts(void **state)
{
	struct rn_wqe w = {.kind = RN_WQE_SEND, .slots = 1};
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	w.qpn = r.s[0].qpn;
	w.qp_gen = r.s[0].gen + 1;
	rn_shard_post(r.s[0].sh, &w, r.now);
	w.qpn = 0xFFFFFFFF;
	rn_shard_post(r.s[0].sh, &w, r.now);
	assert_false(rn_shard_take(r.s[0].sh, &w));
	w.qpn = r.s[0].qpn;
	assert_false(rn_shard_take(r.s[0].sh, &w));
	assert_int_equal(rn_shard_stats(r.s[0].sh)->posts_dropped, 2);
	rig_expect_none(&r, 0);
	/* requests beyond the queue depth are dropped and overwrite nothing */
	for (unsigned i = 0; i < RIG_DEPTH + 3; i++)
		rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, i, 0, 8, 0);
	w.qp_gen = r.s[0].gen;
	assert_false(rn_shard_take(r.s[0].sh, &w));
	assert_int_equal(rn_shard_stats(r.s[0].sh)->posts_dropped, 5);
	rig_run(&r, RN_S(1));
	for (unsigned i = 0; i < RIG_DEPTH; i++)
		rig_expect(&r, 0, i, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* A CQ armed for solicited completions fires one event, at the first solicited completion. */
static void test_armed(void **state)
{
	struct rig r;
	struct rn_event ev;

	rig_init(&r, &(struct rig_opt){0});
	atomic_store(&r.s[1].cq_shared.armed, RN_CQ_ARM_SOLICITED);
	for (unsigned i = 0; i < 3; i++) {
		rig_recv(&r, 1, i, 0, 8);
		rig_request(&r, 0, RN_WQE_SEND, i == 1 ? RN_WQE_SOLICITED : 0, i, 0, 8, 0);
	}
	rig_move(&r, 0, 1);
	rn_shard_done(r.s[1].sh, r.now);
	assert_int_equal(rn_shard_events(r.s[1].sh, &ev, 1), 0);
	rig_move(&r, 0, 2);
	rn_shard_done(r.s[1].sh, r.now);
	assert_int_equal(rn_shard_events(r.s[1].sh, &ev, 1), 1);
	assert_int_equal(ev.kind, RN_EVENT_CQ);
	assert_int_equal(ev.id, 3);
	assert_int_equal(atomic_load(&r.s[1].cq_shared.armed), RN_CQ_ARM_NONE);
	rig_run(&r, RN_S(1));
	assert_int_equal(rn_shard_events(r.s[1].sh, &ev, 1), 0);
	rig_fini(&r);
}

/* A burst of received packets is answered by one ACK, however many of the packets requested an
 * ACK. */
static void test_coalesced(void **state)
{
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < 32; i++)
		rig_request(&r, 0, RN_WQE_WRITE, 0, i, 0, 8, 0);
	assert_int_equal(rig_move(&r, 0, 32), 32);
	assert_int_equal(rig_move(&r, 1, 32), 1);
	assert_int_equal(r.s[1].acks, 1);
	/* sq_retired is published only by rn_shard_done() */
	assert_int_equal(atomic_load(&r.s[0].qp->shared.sq_retired), 0);
	rn_shard_done(r.s[0].sh, r.now);
	assert_int_equal(atomic_load(&r.s[0].qp->shared.sq_retired), 32);
	rig_fini(&r);
}

/* rn_shard_only_acks() returns true if only ACKs, which may be delayed, are to be sent. It returns
 * false if nothing is to be sent. */
static void test_only_acks(void **state)
{
	struct rig r;
	struct rig_opt o = {0};

	rig_init(&r, &o);
	assert_false(rn_shard_only_acks(r.s[1].sh));
	rig_recv(&r, 1, 1, 0, 64);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 2, 0, 64, 0);
	assert_false(rn_shard_only_acks(r.s[0].sh));
	rig_move(&r, 0, 1);
	assert_true(rn_shard_only_acks(r.s[1].sh));
	rig_recv(&r, 0, 3, 128, 64);
	rig_request(&r, 1, RN_WQE_SEND, RN_WQE_SIGNALED, 4, 128, 64, 0);
	assert_false(rn_shard_only_acks(r.s[1].sh)); /* a SEND is due as well */
	rig_run(&r, RN_MS(10));
	rig_request(&r, 0, RN_WQE_READ, RN_WQE_SIGNALED, 5, 0, 64, 0);
	rig_move(&r, 0, 1);
	assert_false(rn_shard_only_acks(r.s[1].sh)); /* a READ response is due */
	rig_run(&r, RN_MS(10));
	assert_false(rn_shard_only_acks(r.s[1].sh));
	rig_fini(&r);
}

static void test_new_mac(void **state)
{
	struct rn_msg m = {.kind = RN_MSG_NEIGH, .mac = {2, 9, 9, 9, 9, 9}};
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){0});
	m.gid = r.s[1].port.gids[0];
	rn_shard_inbox(r.s[0].sh, &m, r.now);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 8, 0);
	assert_true(rig_take(&r, 0, &p));
	assert_memory_equal(p.dmac, m.mac, 6);
	/* now the peer is behind a gateway, and the gateway gets a new MAC */
	r.s[0].port.prefix_len[0] = 31;
	r.s[0].port.gateway4 = r.s[0].port.gids[0];
	r.s[0].port.gateway4.b[15] ^= 1;
	rn_shard_port(r.s[0].sh, &r.s[0].port, r.now);
	m.gid = r.s[0].port.gateway4;
	m.mac[1] = 8;
	rn_shard_inbox(r.s[0].sh, &m, r.now);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 8, 0);
	assert_true(rig_take(&r, 0, &p));
	assert_memory_equal(p.dmac, m.mac, 6);
	rig_fini(&r);
}

/* A link-local peer never needs the gateway, whatever the port's addresses are. So a new MAC of the
 * gateway does not change the path to a link-local peer. */
static void test_new_mac_of_gateway(void **state)
{
	static const struct rn_gid own = {{0x20, 1, 0x0d, 0xb8, [15] = 1}},
				   gateway = {{0x20, 1, 0x0d, 0xb8, [15] = 254}},
				   far = {{0x20, 1, 0x0d, 0xb9, [15] = 2}},
				   near = {{0xfe, 0x80, [15] = 2}};
	const struct {
		struct rn_gid peer;
		bool moves;
	} rows[] = {{far, true}, {near, false}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_msg m = {.kind = RN_MSG_NEIGH, .gid = gateway, .mac = {2, 9, 9, 9, 9, 9}};
		struct rn_port_attr *port;
		struct rn_qp_attr a;
		struct rig r;

		rig_init(&r, &(struct rig_opt){.only_rtr = true});
		a = r.s[0].qp->attr;
		port = &r.s[0].port;
		port->gids[0] = own;
		port->prefix_len[0] = 64;
		port->gateway6 = gateway;
		rn_shard_port(r.s[0].sh, port, r.now);
		a.state = RN_QPS_RESET;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
		a.state = RN_QPS_INIT;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_INIT, &a), 0);
		a.state = RN_QPS_RTR;
		a.av = (struct rn_av){.sgid = own, .dgid = rows[i].peer};
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTR, &a), 0);
		rn_shard_inbox(r.s[0].sh, &m, r.now);
		assert_int_equal(memcmp(r.s[0].qp->attr.av.dmac, m.mac, 6) == 0, rows[i].moves);
		rig_fini(&r);
	}
}

/* Messages that other shards send to shard 0:
 * - a QP has received its first packet
 * - a neighbour entry may be stale */
static void test_messages(void **state)
{
	extern unsigned fake_comm_est, fake_probes;
	extern struct rn_gid fake_probed;
	struct rn_msg m;
	struct rn_pkt p;
	struct rig r;
	unsigned before;

	rig_init(&r, &(struct rig_opt){.only_rtr = true});
	r.s[1].sh->lane.cm = NULL; /* side 1 acts as a shard without CM, that is, not shard 0 */
	p = rig_pkt(&r, 1, RN_OP_WRITE_ONLY, 0, NULL, 0);
	before = fake_comm_est;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	assert_int_equal(fake_comm_est, before);
	assert_int_equal(rn_shard_outbox(r.s[1].sh, &m, 1), 1);
	assert_int_equal(m.to, 0);
	assert_int_equal(m.kind, RN_MSG_COMM_EST);
	assert_int_equal(m.qpn, r.s[1].qpn);
	assert_int_equal(rn_shard_outbox(r.s[1].sh, &m, 1), 0);
	rn_shard_inbox(r.s[0].sh, &m, r.now);
	assert_int_equal(fake_comm_est, before + 1);
	/* as a shard other than 0, side 1 has no neighbour table either */
	r.s[1].sh->lane.neigh = NULL;
	before = fake_probes;
	rn_lane_probe_peer(&r.s[1].sh->lane, &r.s[0].port.gids[0], r.now);
	assert_int_equal(fake_probes, before);
	assert_int_equal(rn_shard_outbox(r.s[1].sh, &m, 1), 1);
	assert_int_equal(m.to, 0);
	assert_int_equal(m.kind, RN_MSG_PROBE);
	rn_shard_inbox(r.s[0].sh, &m, r.now);
	assert_int_equal(fake_probes, before + 1);
	assert_memory_equal(&fake_probed, &r.s[0].port.gids[0], 16);
	p.dest_qpn = 1;
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_QP_UNKNOWN);
	while (rig_take(&r, 1, &p))
		;
	rig_fini(&r);
}

/* A QP with much to send delays other QPs by at most its quota of packets. */
static void test_turns(void **state)
{
	struct rn_core_cfg cfg;
	struct rn_qp *other;
	struct rn_rsp rsp;
	struct rig r;
	struct rn_pkt p;
	unsigned first = 0;

	rig_init(&r, &(struct rig_opt){0});
	rn_core_defaults(&cfg);
	cfg = r.s[0].sh->lane.cfg;
	rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 200 << 10, 0);
	assert_true(rig_take(&r, 0, &p));
	/* make() creates QPs on CQ 0, but the rig's CQ is CQ 3: copy CQ 3 to CQ 0 */
	r.s[0].sh->lane.cq[0] = r.s[0].sh->lane.cq[3];
	other = rn_shard_qp(r.s[0].sh, make(r.s[0].sh, &cfg, &rsp));
	other->attr = r.s[0].qp->attr;
	other->peer = r.s[0].qp->peer;
	other->tmpl = r.s[0].qp->tmpl;
	other->rx.owed[0] = (struct rn_owe){.kind = RN_OWE_ACK, .psn = 7};
	other->rx.nowed = 1;
	rn_lane_activate(&r.s[0].sh->lane, other);
	while (rig_take(&r, 0, &p) && p.opcode != RN_OP_ACK)
		first++;
	assert_int_equal(p.psn, 7);
	assert_in_range(first, 1, cfg.quota_packets);
	unmake(r.s[0].sh, rsp.id, rsp.gen);
	memset(&r.s[0].sh->lane.cq[0], 0, sizeof(struct rn_cq));
	rig_fini(&r);
}

/* Operations on all QPs include the QP in the last slot of the QP table. */
static void test_last_place(void **state)
{
	uint8_t mac[6] = {2, 9, 9, 9, 9, 9};
	struct rn_port_attr port;
	struct rn_qp **place;
	struct rn_shard *sh;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	sh = r.s[0].sh;
	place = &sh->qp[r.s[0].qpn & sh->qp_mask];
	assert_ptr_equal(*place, r.s[0].qp);
	*place = NULL;
	sh->qp[sh->qp_mask] = r.s[0].qp;
	port = sh->lane.port;
	port.mac[5] = 0x77;
	rn_shard_port(sh, &port, r.now);
	rn_shard_new_mac(sh, &r.s[1].port.gids[0], mac);
	assert_memory_equal(r.s[0].qp->attr.av.dmac, mac, 6);
	assert_int_equal(r.s[0].qp->tmpl.hdr[11], 0x77);
	rn_retry_packet_sent(&r.s[0].qp->retry, &sh->lane.wheel, 0, false, r.now);
	assert_int_equal(rn_shard_leftovers(sh), 2);
	rn_retry_stop(&r.s[0].qp->retry, &sh->lane.wheel);
	rn_shard_port_gone(sh, r.now);
	assert_int_equal(r.s[0].qp->state, RN_QPS_ERR);
	sh->gone = false;
	*place = r.s[0].qp;
	sh->qp[sh->qp_mask] = NULL;
	rig_fini(&r);
}

/* QPNs 0 and 1 belong to shard 0, other QPNs to shard QPN modulo the number of shards. */
static void test_shard_of_number(void **state)
{
	static const uint32_t shards[] = {0, 0, 2, 0, 1, 2};

	for (uint32_t qpn = 0; qpn < RN_ARRAY_SIZE(shards); qpn++)
		assert_int_equal(rn_qpn_shard(qpn, 3), shards[qpn]);
}

/* A caller with room for one frame, event or message gets exactly one, however many are pending. */
static void test_room_for_one(void **state)
{
	struct rn_news news;
	static uint8_t frame[2000];
	/* the second buffer has no memory and must not be used */
	struct rn_txbuf bufs[2] = {{.data = frame, .cap = sizeof(frame)}};
	struct rn_srq_ref *srq[2];
	struct rn_qp *twin = malloc(sizeof(*twin));
	struct rn_shard *sh;
	struct rn_event ev[2];
	struct rn_msg m[2];
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	sh = r.s[0].sh;
	*twin = *r.s[0].qp;
	rn_list_init(&twin->cnp);
	rn_list_add_tail(&sh->cnp, &r.s[0].qp->cnp);
	rn_list_add_tail(&sh->cnp, &twin->cnp);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 4000, 0);
	for (unsigned i = 0; i < 2 + 4; i++) {
		assert_int_equal(rn_shard_tx(sh, bufs, 1, r.now), 1);
		assert_int_equal(frame[42], i < 2    ? 0x81
					    : i == 2 ? RN_OP_WRITE_FIRST
					    : i < 5  ? RN_OP_WRITE_MIDDLE
						     : RN_OP_WRITE_LAST);
	}
	assert_int_equal(rn_shard_tx(sh, bufs, 1, r.now), 0);
	free(twin);
	for (unsigned i = 0; i < 2; i++) {
		srq[i] = &sh->lane.srq[i];
		*srq[i] = (struct rn_srq_ref){.id = i};
		rn_list_init(&srq[i]->tell);
		rn_lane_report_srq(&sh->lane, srq[i]);
		rn_lane_report_qp(&sh->lane, r.s[0].qp, i ? RN_QPE_FATAL : RN_QPE_COMM_EST);
		rn_shard_report_cq(sh, r.s[0].qp->send_cq, i ? RN_EVENT_CQ : RN_EVENT_CQ_OVERRUN);
		rn_lane_send(&sh->lane, &(struct rn_msg){.qpn = 70 + i});
	}
	for (unsigned i = 0; i < 6; i++) {
		assert_false(rn_shard_silent(sh));
		assert_int_equal(rn_shard_events(sh, ev, 1), 1);
	}
	assert_int_equal(rn_shard_events(sh, ev, 1), 0);
	while (rn_shard_news(sh, &news))
		;
	assert_true(rn_shard_silent(sh));
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(rn_shard_outbox(sh, m, 1), 1);
		assert_int_equal(m[0].qpn, 70 + i);
	}
	assert_int_equal(rn_shard_outbox(sh, m, 1), 0);
	/* messages beyond the outbox's capacity are lost; earlier messages stay */
	for (unsigned i = 0; i < RN_OUTBOX + 5; i++)
		rn_lane_send(&sh->lane, &(struct rn_msg){.qpn = i});
	for (unsigned i = 0; i < RN_OUTBOX; i++) {
		assert_int_equal(rn_shard_outbox(sh, m, 1), 1);
		assert_int_equal(m[0].qpn, i);
	}
	assert_int_equal(rn_shard_outbox(sh, m, 1), 0);
	r.s[0].qp->state = RN_QPS_ERR; /* ends the QP: its WRITE above is never acknowledged */
	rig_fini(&r);
}

/* After the port is gone all requests and receives are flushed. Nothing is sent and no timer is
 * armed. A QP can enter no state but the error state. */
static void test_port_gone(void **state)
{
	struct rn_qp_attr attr = {.state = RN_QPS_SQD};
	struct rig r;
	struct rn_event ev;

	rig_init(&r, &(struct rig_opt){0});
	atomic_store(&r.s[0].cq_shared.armed, RN_CQ_ARM_ANY);
	rig_recv(&r, 0, 1, 0, 8);
	rig_request(&r, 0, RN_WQE_WRITE, 0, 2, 0, 8, 0);
	rig_request(&r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, 3, 0, 8, 0);
	rig_move(&r, 0, 1); /* the peer's ACK of this packet never arrives */
	rn_shard_port_gone(r.s[0].sh, r.now);
	rn_shard_done(r.s[0].sh, r.now);
	rig_expect(&r, 0, 2, RN_STATUS_WR_FLUSH_ERR);
	rig_expect(&r, 0, 3, RN_STATUS_WR_FLUSH_ERR);
	rig_expect(&r, 0, 1, RN_STATUS_WR_FLUSH_ERR);
	rig_expect_silence(&r, 0);
	assert_false(rn_shard_wants_tx(r.s[0].sh, r.now));
	assert_true(rn_shard_next(r.s[0].sh) == RN_TIME_NEVER);
	assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 0);
	rig_recv(&r, 0, 4, 0, 8);
	rig_expect(&r, 0, 4, RN_STATUS_WR_FLUSH_ERR);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &attr), -ENODEV);
	attr.state = RN_QPS_ERR;
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &attr), 0);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demux),		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_depth_limits),	cmocka_unit_test(test_commands),
		cmocka_unit_test(test_stale_posts),	cmocka_unit_test(test_armed),
		cmocka_unit_test(test_coalesced),	cmocka_unit_test(test_only_acks),
		cmocka_unit_test(test_new_mac),		cmocka_unit_test(test_new_mac_of_gateway),
		cmocka_unit_test(test_messages),	cmocka_unit_test(test_turns),
		cmocka_unit_test(test_port_gone),	cmocka_unit_test(test_room_for_one),
		cmocka_unit_test(test_shard_of_number), cmocka_unit_test(test_last_place),
		cmocka_unit_test(test_request_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
