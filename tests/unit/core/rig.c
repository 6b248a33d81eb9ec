/* Implementation of rig.h: two shards joined by a link in memory. */
#include "rig.h"

static const struct rn_gid gids[2] = {
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}},
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2}},
};

#define RIGHTS (RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC)

static void make_side(struct rig *r, int i, const struct rig_opt *o)
{
	struct rig_side *s = &r->s[i];
	struct rn_core_cfg cfg;
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP, .user = 77};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};
	uint32_t rkey, entries = o->cq_entries ? o->cq_entries : 2 * RIG_DEPTH;
	size_t bytes;

	rn_core_defaults(&cfg);
	cfg.secrets = rn_secrets_of_seed(42 + i);
	cfg.keep_packets = o->keep[i];
	if (o->rto_initial)
		cfg.rto_initial = o->rto_initial;
	if (o->window)
		cfg.window_packets = o->window;
	s->port = (struct rn_port_attr){
		.mac = {2, 0, 0, 0, 0, (uint8_t)(i + 1)},
		.mtu = 9000,
		.max_path_mtu = 5,
		.ngids = 1,
		.gids = {gids[i]},
		.prefix_len = {24},
		.check_source = true,
	};
	s->mrs = rn_mr_table_create(64, &(struct rn_secret){{(uint8_t)(7 + i)}});
	s->mem = calloc(1, RIG_MEM);
	assert_int_equal(rn_mr_add(s->mrs,
				   &(struct rn_mr_attr){.ptr = s->mem,
							.iova = (uintptr_t)s->mem,
							.length = RIG_MEM,
							.pd = 1,
							.access = RN_ACCESS_LOCAL_WRITE |
								  RN_ACCESS_MW_BIND | RIGHTS},
				   &s->key, &rkey),
			 0);
	s->sh = rn_shard_create(&cfg, &s->port, s->mrs, &rn_mem_plain, r->now);
	assert_non_null(s->sh);
	s->ring = aligned_alloc(64, RN_ALIGN_UP(rn_cq_ring_bytes(entries), 64));
	rn_cq_ring_init(s->ring, entries);
	rn_shard_cq_link(s->sh, 3, &s->cq_shared, s->ring, 99);
	cmd.create_qp.pd = 1;
	cmd.create_qp.type = o->type ? o->type : RN_QPT_RC;
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = 3;
	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = RIG_DEPTH;
	if (o->srq && i == 1) {
		rn_shard_srq_link(s->sh, 5, o->srq, 88);
		cmd.create_qp.srq = 5;
		cmd.create_qp.rq_depth = 0;
	}
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 4;
	cmd.create_qp.inline_bytes = 200;
	cmd.create_qp.qp_ctx = 55;
	bytes = rn_exec_bytes(&cmd, &cfg);
	x.mem = aligned_alloc(64, RN_ALIGN_UP(bytes, 64));
	memset(x.mem, 0, bytes);
	rn_shard_exec(s->sh, &x, r->now);
	assert_int_equal(rsp.err, 0);
	s->qp = x.mem;
	s->qpn = rsp.id;
	s->gen = rsp.gen;
}

int rig_modify(struct rig *r, int side, uint32_t mask, const struct rn_qp_attr *a)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	cmd.modify_qp.qpn = r->s[side].qpn;
	cmd.modify_qp.gen = r->s[side].gen;
	cmd.modify_qp.mask = mask;
	cmd.modify_qp.attr = *a;
	rn_shard_exec(r->s[side].sh, &x, r->now);
	return rsp.err;
}

#define OR(value, otherwise) ((value) == 0xFF ? 0 : (value) ? (value) : (otherwise))

void rig_connect(struct rig *r, const struct rig_opt *o, uint8_t up_to)
{
	for (int i = 0; i < 2; i++) {
		struct rn_qp_attr a = {
			.port = 1,
			.path_mtu = r->mtu,
			.timeout = OR(o->timeout, 14),
			.retry_cnt = OR(o->retry_cnt, 7),
			.rnr_retry = OR(o->rnr_retry, 7),
			.min_rnr_timer = OR(o->min_rnr, 12),
			.max_rd_atomic = OR(o->reads, 4),
			.max_dest_rd_atomic = OR(o->reads, 4),
			.access = o->access ? o->access : RIGHTS,
			.dest_qpn = r->s[!i].qpn,
			.qkey = RIG_QKEY,
			.rq_psn = i ? RIG_PSN_A : RIG_PSN_B,
			.sq_psn = i ? RIG_PSN_B : RIG_PSN_A,
			.av = {.sgid = gids[i], .dgid = gids[!i], .hop_limit = 64},
		};

		memcpy(a.av.dmac, r->s[!i].port.mac, 6);
		for (a.state = RN_QPS_INIT; a.state <= up_to; a.state++) {
			const struct rn_qp_move_row *row =
				rn_qp_move(r->s[i].qp->type, a.state - 1, a.state);

			assert_int_equal(rig_modify(r, i, RN_QP_STATE | row->mandatory, &a), 0);
		}
	}
}

void rig_init(struct rig *r, const struct rig_opt *o)
{
	memset(r, 0, sizeof(*r));
	r->now = RN_S(1);
	r->mtu = o->mtu ? o->mtu : 3;
	make_side(r, 0, o);
	make_side(r, 1, o);
	if (!o->unconnected)
		rig_connect(r, o, o->only_rtr ? RN_QPS_RTR : RN_QPS_RTS);
}

void rig_fini(struct rig *r)
{
	for (int i = 0; i < 2; i++) {
		struct rig_side *s = &r->s[i];
		struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};
		struct rn_rsp rsp;
		struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

		cmd.qp.qpn = s->qpn;
		cmd.qp.gen = s->gen;
		rn_shard_exec(s->sh, &x, r->now);
		assert_int_equal(rsp.err, 0);
		assert_ptr_equal(x.freed, s->qp);
		assert_int_equal(rn_shard_leftovers(s->sh), 0);
		assert_int_equal(s->sh->lane.wheel.armed, 0);
		assert_int_equal(s->sh->lane.keep.used, 0);
		assert_true(rn_list_empty(&s->sh->lane.active));
		free(x.freed);
		rn_shard_cq_unlink(s->sh, 3);
		rn_shard_destroy(s->sh);
		rn_mr_table_destroy(s->mrs);
		free(s->ring);
		free(s->mem);
	}
}

void rig_post(struct rig *r, int side, const struct rn_wqe *w)
{
	struct rn_wqe copy[RN_WQE_MAX_SLOTS];

	memcpy(copy, w, w->slots * sizeof(*w));
	copy->qpn = r->s[side].qpn;
	copy->qp_gen = r->s[side].gen;
	rn_shard_post(r->s[side].sh, copy, r->now);
}

void rig_recv(struct rig *r, int side, uint64_t id, uint32_t off, uint32_t len)
{
	struct rn_wqe w = {
		.kind = RN_WQE_RECV, .slots = 1, .num_sge = 1, .wr_id = id, .length = len};

	w.sge[0] = (struct rn_sge){(uintptr_t)r->s[side].mem + off, len, r->s[side].key};
	rig_post(r, side, &w);
}

void rig_request(struct rig *r, int side, uint8_t kind, unsigned flags, uint64_t id, uint32_t off,
		 uint32_t len, uint32_t remote_off)
{
	struct rn_wqe w = {
		.kind = kind,
		.slots = 1,
		.flags = flags,
		.num_sge = 1,
		.wr_id = id,
		.length = len,
		.remote_va = (uintptr_t)r->s[!side].mem + remote_off,
		.rkey = r->s[!side].key,
	};

	w.sge[0] = (struct rn_sge){(uintptr_t)r->s[side].mem + off, len, r->s[side].key};
	rig_post(r, side, &w);
}

/* Receives a frame as the port does: with rn_shard_rx_short(), and if that refuses the frame, with
 * rn_shard_rx(). pkt is the parsed frame. */
static void receive(struct rn_shard *sh, const uint8_t *frame, uint32_t len,
		    const struct rn_pkt *pkt, rn_time now)
{
	enum rn_verdict v;

	if (!rn_shard_rx_short(sh, frame, len, &v, now))
		rn_shard_rx(sh, pkt, now);
}

unsigned rig_move(struct rig *r, int side, unsigned n)
{
	struct rig_side *s = &r->s[side];
	struct rn_txbuf buf = {.data = r->last_frame[side], .cap = sizeof(r->last_frame[0])};
	unsigned k;

	for (k = 0; k < n && rn_shard_tx(s->sh, &buf, 1, r->now); k++) {
		struct rn_pkt pkt;
		/* A copy of the exact size lets the sanitizer catch reads past the end of the
		 * frame. */
		uint8_t *copy = malloc(buf.len);

		memcpy(copy, buf.data, buf.len);
		assert_int_equal(rn_frame_parse(copy, buf.len, &pkt), RN_V_OK);
		if (pkt.kind == RN_PKT_IB) {
			assert_true(pkt.mig);
			s->acks += pkt.op->family == RN_F_ACK;
		}
		if (!r->lose || !r->lose(r, side, s->frames, &pkt))
			receive(r->s[!side].sh, copy, buf.len, &pkt, r->now);
		s->frames++;
		free(copy);
	}
	rn_shard_done(s->sh, r->now);
	return k;
}

void rig_run(struct rig *r, rn_time limit)
{
	rn_time end = r->now + limit;

	for (unsigned turns = 0; turns < 1000000; turns++) {
		unsigned moved = rig_move(r, 0, 8) + rig_move(r, 1, 8);
		rn_time next;

		r->now += RN_US(1);
		rn_shard_tick(r->s[0].sh, r->now);
		rn_shard_tick(r->s[1].sh, r->now);
		if (moved)
			continue;
		next = RN_MIN(rn_shard_next(r->s[0].sh), rn_shard_next(r->s[1].sh));
		if (next == RN_TIME_NEVER || next > end) {
			rig_move(r, 0, 0);
			rig_move(r, 1, 0);
			return;
		}
		r->now = RN_MAX(r->now, next);
	}
	fail_msg("does not come to rest");
}

void rig_wait(struct rig *r, rn_time ns)
{
	r->now += ns;
	rn_shard_tick(r->s[0].sh, r->now);
	rn_shard_tick(r->s[1].sh, r->now);
}

bool rig_poll(struct rig *r, int side, struct rn_cqe *c)
{
	struct rn_cq_ring *ring = r->s[side].ring;
	uint32_t head;

	rn_shard_done(r->s[side].sh, r->now);
	head = atomic_load(&ring->head);
	if (head == atomic_load(&ring->tail))
		return false;
	*c = ring->cqe[head & ring->mask];
	atomic_store(&ring->head, head + 1);
	return true;
}

void rig_expect(struct rig *r, int side, uint64_t id, uint8_t status)
{
	struct rn_cqe c = {0};

	assert_true(rig_poll(r, side, &c));
	assert_int_equal(c.wr_id, id);
	assert_int_equal(c.status, status);
	assert_int_equal(c.qpn, r->s[side].qpn);
	assert_int_equal(c.qp_ctx, 55);
	assert_int_equal(!!(c.flags & RN_CQE_ERROR), status != RN_STATUS_SUCCESS);
}

struct rn_pkt rig_pkt(struct rig *r, int side, uint8_t opcode, int delta, const void *payload,
		      uint32_t len)
{
	struct rig_side *s = &r->s[side];
	struct rn_pkt p = {
		.kind = RN_PKT_IB,
		.src = gids[!side],
		.dst = gids[side],
		.ipv4 = true,
		.opcode = opcode,
		.op = rn_opcode_row(opcode),
		.mig = true,
		.ack_req = true,
		.pkey = 0xFFFF,
		.dest_qpn = s->qpn,
		.psn = rn_psn_add(s->qp->rx.epsn, (uint32_t)delta),
		.pad = -len & 3,
		.payload = payload,
		.payload_len = len,
		.dma_len = len,
		.va = (uintptr_t)s->mem,
		.rkey = s->key,
		.syndrome = 0x1F,
	};

	memcpy(p.dmac, s->port.mac, 6);
	memcpy(p.smac, r->s[!side].port.mac, 6);
	return p;
}

enum rn_verdict rig_rx(struct rig *r, int side, const struct rn_pkt *pkt)
{
	return rn_shard_rx(r->s[side].sh, pkt, r->now);
}

bool rig_take(struct rig *r, int side, struct rn_pkt *pkt)
{
	struct rn_txbuf buf = {.data = r->last_frame[side], .cap = sizeof(r->last_frame[0])};

	if (!rn_shard_tx(r->s[side].sh, &buf, 1, r->now))
		return false;
	assert_int_equal(rn_frame_parse(buf.data, buf.len, pkt), RN_V_OK);
	return true;
}
