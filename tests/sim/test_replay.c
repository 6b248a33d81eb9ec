/* Would a shard have said what Linux soft-RoCE said? Captures of two soft-RoCE hosts are replayed to a shard, once in the
 * place of each of them: what the other one sent is injected, and every frame that the replaced one sent must come from
 * the shard too, after the same event and with the same PSN, MSN, lengths, addresses and data. Its own requests and
 * commands are those that the capture shows.
 *
 * What the shard chooses itself (QPN, keys, communication ids, transactions) is put into the injected frames in place of
 * what the replaced host had chosen.
 *
 * Some are played once more as if the hosts had done something else: named several regions far from each other, or sent
 * immediate data with each WRITE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arp_msg.h"
#include "cm_msg.h"
#include "hdr.h"
#include "icmp_msg.h"
#include "nd_msg.h"
#include "pcap.h"
#include "psn.h"
#include "qp.h"
#include "replay_regions.h"
#include "replay_variant.h"
#include "sim.h"
#include "types.h"

#define DUT     1u
#define RECORDS 64u
#define PAIRS   2u
#define BYTES   1200u
#define RECEIVE (1u << 20) /* areas of the arena: + number * 64 KiB */
#define LOCAL   (6u << 20)
#define REGION  (12u << 20) /* what the peer may name */

/* clang-format off */
static const struct {
	const char *file;
	unsigned frames;      /* that the shard must have sent, both roles together */
	enum variant variant;
} captures[] = {
	{"cm-rej-no-listener.pcap",         2},
	{"cm-rping-ipv4.pcap",             29},
	{"cm-rping-ipv6.pcap",             29},
	{"cm-sidr-udaddy-ipv4.pcap",        6},
	{"cm-ucmatose-ipv4.pcap",          13},
	{"rc-atomic-cmp-swap-ipv4.pcap",   10},
	{"rc-atomic-fetch-add-ipv4.pcap",  10},
	{"rc-pingpong-ipv6.pcap",          18},
	{"rc-read-ipv4.pcap",              20},
	{"rc-send-ipv4.pcap",              20},
	{"rc-srq-pingpong-ipv4.pcap",      16},
	{"rc-write-ipv4.pcap",             20},
	{"rc-write-ipv6.pcap",             20},
	{"uc-write-ipv4.pcap",             15},
	{"ud-pingpong-ipv4.pcap",           6},
	{"rc-write-ipv4.pcap",             20, APART},
	{"rc-write-ipv6.pcap",             20, APART},
	{"rc-read-ipv4.pcap",              20, APART},
	{"rc-atomic-fetch-add-ipv4.pcap",  10, APART},
	{"uc-write-ipv4.pcap",             15, APART},
	{"rc-write-ipv4.pcap",             20, IMMEDIATE},
	{"rc-write-ipv6.pcap",             20, IMMEDIATE},
	{"uc-write-ipv4.pcap",             15, IMMEDIATE},
};
/* Not here: rc-rnr-nak, where soft-RoCE also answers each packet behind a receiver-not-ready with a NAK, which it need not. */
/* clang-format on */

struct record {
	struct rn_pkt pkt;       /* payload points into bytes */
	struct rn_cm_msg cm;     /* when is_cm */
	bool ours, is_cm, used;
	uint32_t len;
	uint8_t bytes[BYTES];
};

struct pair {
	uint32_t own, peer;      /* QPNs of the capture */
	unsigned start;          /* record that began the peer's message under way */
	uint64_t received, posted;
};

/* A value of the replaced host and the shard's own in its place: communication ids, transactions. */
struct twin {
	uint64_t old, now;
};

struct replay {
	struct sim sim;
	struct record rec[RECORDS], out[RECORDS];
	enum variant variant;
	unsigned nrec, nout, npairs, ntwins, matched;
	struct pair pair[PAIRS];
	struct twin twin[16];
	struct regions regions;
	uint32_t listener, id;   /* of the connection manager */
	const char *file;
};

static void fail_at(const struct replay *r, const struct record *rec, const char *what)
{
	fail_msg("%s frame %d, in the place of host %u: %s", r->file, (int)(rec - r->rec) + 1,
		 r->sim.node[DUT].port.gids[0].b[15], what);
}

static void must(const struct replay *r, const struct record *rec, bool held, const char *what)
{
	if (!held)
		fail_at(r, rec, what);
}

/* ---- the capture ---- */

static void fill_record(struct record *rec, const uint8_t *frame, uint32_t len)
{
	assert_true(len <= BYTES);
	memcpy(rec->bytes, frame, len);
	rec->len = len;
	assert_int_equal(rn_frame_parse(rec->bytes, len, &rec->pkt), RN_V_OK);
	rec->is_cm = rec->pkt.kind == RN_PKT_IB && rec->pkt.dest_qpn == RN_GSI_QPN;
	if (rec->is_cm)
		assert_true(rn_cm_msg_parse(rec->pkt.payload, rec->pkt.payload_len, &rec->cm));
}

static void load(struct replay *r, uint8_t host)
{
	static struct pcap p;
	unsigned changed = 0;

	assert_true(pcap_open(&p, RN_VECTORS, r->file));
	while (pcap_next(&p)) {
		struct record *rec = &r->rec[r->nrec];

		assert_true(r->nrec < RECORDS);
		fill_record(rec, p.frame, p.len);
		rec->ours = rec->pkt.src.b[15] == host;
		if (!rec->is_cm)
			variant_apply(r->variant, &rec->pkt, &changed);
		r->nrec++;
	}
	fclose(p.file);
}

static bool is_request(const struct record *rec)
{
	return !rec->is_cm && !rec->pkt.op->response;
}

/* The type of the captured queue pairs. */
static uint8_t type_of(const struct replay *r)
{
	for (unsigned i = 0; i < r->nrec; i++)
		if (!r->rec[i].is_cm)
			return r->rec[i].pkt.op->transport == RN_T_UD   ? RN_QPT_UD
			       : r->rec[i].pkt.op->transport == RN_T_UC ? RN_QPT_UC
									: RN_QPT_RC;
	return RN_QPT_RC;
}

/* Datagrams name both ends. An answer has the PSN of the request it answers: so the QPNs of both ends are known. Nobody
 * answers on an unreliable connection: its other end has no name, and needs none. */
static void find_pairs(struct replay *r)
{
	const struct record *last = &r->rec[r->nrec - 1];

	if (type_of(r) != RN_QPT_RC) {
		r->pair[0].own = last->ours ? last->pkt.src_qpn : last->pkt.dest_qpn;
		r->pair[0].peer = last->ours ? last->pkt.dest_qpn : last->pkt.src_qpn;
		r->npairs = 1;
		return;
	}
	for (unsigned i = 0; i < r->nrec; i++)
		for (unsigned k = 0; k < r->nrec; k++) {
			const struct record *req = &r->rec[i], *rsp = &r->rec[k];
			uint32_t own, peer;
			unsigned n;

			if (!is_request(req) || rsp->is_cm || !rsp->pkt.op->response || req->ours == rsp->ours ||
			    req->pkt.psn != rsp->pkt.psn)
				continue;
			own = req->ours ? rsp->pkt.dest_qpn : req->pkt.dest_qpn;
			peer = req->ours ? req->pkt.dest_qpn : rsp->pkt.dest_qpn;
			for (n = 0; n < r->npairs && r->pair[n].own != own; n++)
				;
			assert_true(n < PAIRS);
			r->pair[n].own = own;
			r->pair[n].peer = peer;
			r->npairs = RN_MAX(r->npairs, n + 1);
		}
}

static unsigned pair_of(const struct replay *r, const struct record *rec)
{
	for (unsigned n = 0; n < r->npairs; n++)
		if (rec->pkt.dest_qpn == (rec->ours ? r->pair[n].peer : r->pair[n].own))
			return n;
	fail_at(r, rec, "of no queue pair");
	return 0;
}

/* The bytes of the message that begins with record i. *end: its last packet, which has the immediate data. */
static uint32_t gather(const struct replay *r, unsigned i, uint8_t *buf, const struct rn_pkt **end)
{
	const struct record *first = &r->rec[i];
	uint32_t n = 0;

	for (; i < r->nrec; i++) {
		const struct record *rec = &r->rec[i];

		if (rec->is_cm || rec->ours != first->ours || rec->pkt.dest_qpn != first->pkt.dest_qpn ||
		    rec->pkt.op->family != first->pkt.op->family)
			continue;
		memcpy(buf + n, rec->pkt.payload, rec->pkt.payload_len);
		n += rec->pkt.payload_len;
		*end = &rec->pkt;
		if (rec->pkt.op->ends)
			break;
	}
	return n;
}

/* First PSN of the requests of one side. */
static uint32_t first_psn(const struct replay *r, unsigned pair, bool ours)
{
	for (unsigned i = 0; i < r->nrec; i++)
		if (is_request(&r->rec[i]) && r->rec[i].ours == ours && pair_of(r, &r->rec[i]) == pair)
			return r->rec[i].pkt.psn;
	return 0;
}

/* ---- the shard in the place of a host ---- */

static bool note(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct replay *r = arg;

	if (from != DUT || pkt->kind != RN_PKT_IB)
		return false;
	assert_true(r->nout < RECORDS);
	fill_record(&r->out[r->nout++], pkt->frame, pkt->frame_len);
	return false;
}

static void settle(struct replay *r)
{
	sim_run(&r->sim, r->sim.now + RN_US(10));
}

/* Asked by its peer for its address, the shard knows the peer's. p: a packet of ours. */
static void introduce(struct replay *r, const struct rn_pkt *p)
{
	struct rn_arp arp = {.op = RN_ARP_REQUEST, .sender = p->dst, .target = p->src};
	struct rn_nd nd = {.type = RN_ND_SOLICIT, .target = p->src, .has_mac = true};
	uint8_t f[128] = {0};

	memcpy(f, p->smac, 6);
	memcpy(f + 6, p->dmac, 6);
	memcpy(arp.sender_mac, p->dmac, 6);
	memcpy(nd.mac, p->dmac, 6);
	if (p->ipv4) {
		rn_store16(f + 12, RN_ETHERTYPE_ARP);
		rn_arp_build(&arp, f + 14);
	} else {
		rn_store16(f + 12, RN_ETHERTYPE_IPV6);
		f[14] = 0x60;
		f[19] = RN_ND_BYTES;
		f[20] = RN_IPPROTO_ICMPV6;
		f[21] = RN_ND_HOP_LIMIT;
		memcpy(f + 22, p->dst.b, 16);
		memcpy(f + 38, p->src.b, 16);
		rn_nd_build(&p->dst, &p->src, &nd, f + 54);
	}
	assert_int_equal(sim_inject(&r->sim, DUT, f, 14 + (p->ipv4 ? 46 : 40 + RN_ND_BYTES)), RN_V_OK);
	settle(r);
}

static void move(struct replay *r, unsigned n, uint8_t from, struct rn_qp_attr *a, uint8_t to)
{
	const struct rn_qp_move_row *row = rn_qp_move(r->sim.spec.type, from, to);

	a->state = to;
	assert_int_equal(sim_modify(&r->sim, DUT, n, RN_QP_STATE | row->mandatory, a), 0);
}

static void connect_pair(struct replay *r, unsigned n, const struct rn_pkt *p)
{
	struct rn_qp_attr a = {
		.path_mtu = 3, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 12,
		.max_rd_atomic = 16, .max_dest_rd_atomic = 16, .dest_qpn = r->pair[n].peer,
		.rq_psn = first_psn(r, n, false), .sq_psn = first_psn(r, n, true),
		.av = {.sgid = p->src, .dgid = p->dst, .tclass = p->tclass, .hop_limit = p->hop_limit},
	};

	memcpy(a.av.dmac, p->dmac, 6);
	sim_create_qp(&r->sim, DUT, n);
	move(r, n, RN_QPS_INIT, &a, RN_QPS_RTR);
	move(r, n, RN_QPS_RTR, &a, RN_QPS_RTS);
	a.qkey = r->rec[r->nrec - 1].pkt.qkey;
	if (r->sim.spec.type == RN_QPT_UD)
		assert_int_equal(sim_modify(&r->sim, DUT, n, RN_QP_QKEY, &a), 0);
	for (uint64_t i = 0; i < 16; i++)
		sim_post(&r->sim, DUT, n, &(struct sim_op){.kind = RN_WQE_RECV, .wr_id = i, .length = 65536,
							   .local = RECEIVE + (n << 20) + (i << 16)});
}

static uint8_t *region_at(struct replay *r, uint64_t va)
{
	const struct region *g = regions_find(&r->regions, va);

	return g->at + (va - g->low);
}

/* What the replaced host answered READs and atomics with was in its memory. */
static void remember(struct replay *r, const struct record *req)
{
	uint32_t packets = RN_MAX(1u, RN_DIV_UP(req->pkt.dma_len, 1024u));

	for (unsigned i = 0; i < r->nrec; i++) {
		const struct record *rsp = &r->rec[i];
		uint32_t at = (uint32_t)rn_psn_diff(rsp->pkt.psn, req->pkt.psn);

		if (!rsp->ours || rsp->is_cm || !rsp->pkt.op->response)
			continue;
		if (req->pkt.op->family == RN_F_ATOMIC && at == 0)
			memcpy(region_at(r, req->pkt.va), &rsp->pkt.orig, 8);
		if (req->pkt.op->family == RN_F_READ_REQ && at < packets && rsp->pkt.op->family == RN_F_READ_RESP)
			memcpy(region_at(r, req->pkt.va) + at * 1024, rsp->pkt.payload, rsp->pkt.payload_len);
	}
}

static void set_up_regions(struct replay *r)
{
	struct sim_node *n = &r->sim.node[DUT];

	for (unsigned i = 0; i < r->nrec; i++) {
		const struct rn_pkt *p = &r->rec[i].pkt;

		if (!r->rec[i].ours && (p->op->has_reth || p->op->has_atomic_eth))
			regions_add(&r->regions, p->va, p->op->has_reth ? p->dma_len : 8);
	}
	regions_register(&r->regions, n->mrs, n->arena + REGION, SIM_ARENA - REGION);
	for (unsigned i = r->nrec; i-- > 0;) /* the first answer last */
		if (!r->rec[i].ours && r->rec[i].pkt.op->family == RN_F_ATOMIC)
			remember(r, &r->rec[i]);
}

/* ---- ids that differ ---- */

static void twin_add(struct replay *r, uint64_t old, uint64_t now)
{
	assert_true(r->ntwins < RN_ARRAY_SIZE(r->twin));
	r->twin[r->ntwins++] = (struct twin){old, now};
}

static uint64_t twin_of(const struct replay *r, uint64_t old)
{
	for (unsigned i = r->ntwins; i-- > 0;)
		if (r->twin[i].old == old)
			return r->twin[i].now;
	return old;
}

static void command(struct replay *r, const struct record *rec, unsigned op, uint32_t id, struct rn_cmd cmd, uint32_t *made)
{
	struct rn_rsp rsp;

	cmd.op = (uint16_t)op;
	cmd.cm.id = id;
	sim_exec(&r->sim, DUT, &cmd, &rsp);
	must(r, rec, rsp.err == 0, "command refused");
	if (made)
		*made = rsp.id;
	settle(r);
}

static void expect_event(struct replay *r, const struct record *rec, unsigned kind, uint32_t *id)
{
	struct rn_event ev;

	must(r, rec, sim_event(&r->sim, DUT, kind, &ev), "event missing");
	if (id)
		*id = ev.id;
}

/* ---- what the replaced host's programs did ---- */

static void do_connect(struct replay *r, const struct record *rec)
{
	const struct rn_cm_req *q = &rec->cm.req;
	bool sidr = rec->cm.attr == RN_CM_SIDR_REQ;
	uint64_t service = sidr ? rec->cm.sidr_req.service_id : q->service_id;
	struct rn_cmd cmd = {.cm = {.peer = rec->pkt.dst, .local = rec->pkt.src, .peer_port = (uint16_t)service,
				    .port_space = (uint16_t)(service >> 16)}};

	if (sidr) {
		cmd.cm.param.data_len = RN_CM_RESOLVE_DATA;
		memcpy(cmd.cm.param.data, rec->cm.sidr_req.data + RN_CMA_HDR_BYTES, RN_CM_RESOLVE_DATA);
	} else {
		cmd.cm.param = (struct rn_cm_param){
			.qpn = q->qpn, .psn = q->psn, .responder_resources = q->responder_resources,
			.initiator_depth = q->initiator_depth, .retry_cnt = q->retry_cnt, .rnr_retry = q->rnr_retry,
			.flow_control = q->flow_control, .srq = q->srq, .path_mtu = q->path_mtu, .ack_timeout = q->ack_timeout,
			.tclass = q->tclass, .sl = q->sl, .data_len = RN_CM_REQ_DATA};
		memcpy(cmd.cm.param.data, q->data + RN_CMA_HDR_BYTES, RN_CM_REQ_DATA);
	}
	command(r, rec, RN_CMD_CM_CONNECT, 0, cmd, &r->id);
}

static void do_accept(struct replay *r, const struct record *rec)
{
	struct rn_cm_param p = {.data_len = RN_CM_REP_DATA};

	expect_event(r, rec, RN_EVENT_CM_REQUEST, &r->id);
	if (rec->cm.attr == RN_CM_SIDR_REP) {
		p.qpn = rec->cm.sidr_rep.qpn;
		p.qkey = rec->cm.sidr_rep.qkey;
		p.data_len = RN_CM_ANSWER_DATA;
		memcpy(p.data, rec->cm.sidr_rep.data, RN_CM_ANSWER_DATA);
	} else {
		const struct rn_cm_rep *q = &rec->cm.rep;

		p = (struct rn_cm_param){.qpn = q->qpn, .psn = q->psn, .responder_resources = q->responder_resources,
					 .initiator_depth = q->initiator_depth, .rnr_retry = q->rnr_retry,
					 .flow_control = q->flow_control, .srq = q->srq, .data_len = RN_CM_REP_DATA};
		memcpy(p.data, q->data, RN_CM_REP_DATA);
	}
	command(r, rec, RN_CMD_CM_ACCEPT, r->id, (struct rn_cmd){.cm.param = p}, NULL);
}

static void do_cm(struct replay *r, const struct record *rec)
{
	switch (rec->cm.attr) {
	case RN_CM_REQ:
	case RN_CM_SIDR_REQ:
		do_connect(r, rec);
		break;
	case RN_CM_REP:
	case RN_CM_SIDR_REP:
		do_accept(r, rec);
		break;
	case RN_CM_RTU:
		expect_event(r, rec, RN_EVENT_CM_RESPONSE, NULL);
		command(r, rec, RN_CMD_CM_ESTABLISH, r->id, (struct rn_cmd){0}, NULL);
		break;
	case RN_CM_DREP:
		expect_event(r, rec, RN_EVENT_CM_DISCONNECTED, NULL);
		/* fall through */
	case RN_CM_DREQ:
		command(r, rec, RN_CMD_CM_DISCONNECT, r->id, (struct rn_cmd){0}, NULL);
		break;
	}
}

static enum rn_wqe_kind kind_of(const struct rn_pkt *p)
{
	switch (p->op->family) {
	case RN_F_SEND:
		return p->op->has_imm ? RN_WQE_SEND_IMM : RN_WQE_SEND;
	case RN_F_WRITE:
		return p->op->has_imm ? RN_WQE_WRITE_IMM : RN_WQE_WRITE;
	case RN_F_READ_REQ:
		return RN_WQE_READ;
	default:
		return p->opcode == RN_OP_CMP_SWAP ? RN_WQE_CMP_SWAP : RN_WQE_FETCH_ADD;
	}
}

/* The request whose first packet this is. */
static void do_post(struct replay *r, const struct record *rec)
{
	unsigned n = pair_of(r, rec);
	uint64_t local = LOCAL + (n << 20) + (r->pair[n].posted << 16);
	const struct rn_pkt *p = &rec->pkt, *last = p;
	struct sim_op op = {.flags = RN_WQE_SIGNALED, .wr_id = r->pair[n].posted++, .local = local,
			    .rkey = p->rkey, .length = p->op->family == RN_F_ATOMIC ? 8 : p->dma_len,
			    .remote = p->va - (uint64_t)(uintptr_t)r->sim.node[0].arena, .atomic = {p->swap_add, p->compare}};

	struct rn_ud to = {.av = {.sgid = p->src, .dgid = p->dst, .tclass = p->tclass, .hop_limit = p->hop_limit},
			   .qpn = p->dest_qpn, .qkey = p->qkey};

	memcpy(to.av.dmac, p->dmac, 6);
	op.ud = &to;
	if (p->op->has_payload)
		op.length = gather(r, (unsigned)(rec - r->rec), r->sim.node[DUT].arena + local, &last);
	op.kind = kind_of(last);
	op.imm = last->imm;
	if (last->se)
		op.flags |= RN_WQE_SOLICITED;
	sim_post(&r->sim, DUT, n, &op);
	settle(r);
}

/* ---- a frame of the replaced host: the shard's must be the same ---- */

static void compare_packet(struct replay *r, const struct record *want, const struct record *got)
{
	const struct rn_pkt *a = &want->pkt, *b = &got->pkt;

	must(r, want, a->opcode == b->opcode, "another opcode");
	must(r, want, a->psn == b->psn, "another PSN");
	must(r, want, a->dest_qpn == b->dest_qpn, "to another queue pair");
	must(r, want, rn_gid_equal(&a->src, &b->src) && rn_gid_equal(&a->dst, &b->dst), "other addresses");
	must(r, want, !memcmp(a->dmac, b->dmac, 6) && !memcmp(a->smac, b->smac, 6), "other MACs");
	must(r, want, (a->tclass ^ b->tclass) < 4 && a->hop_limit == b->hop_limit, "other class or hop limit");
	must(r, want, a->pkey == b->pkey && a->se == b->se && (b->ack_req || !a->ack_req), "other flags");
	must(r, want, a->payload_len == b->payload_len && !memcmp(a->payload, b->payload, a->payload_len), "other data");
	must(r, want, a->va == b->va && a->rkey == b->rkey && a->dma_len == b->dma_len, "another target");
	must(r, want, a->swap_add == b->swap_add && a->compare == b->compare && a->orig == b->orig, "other operands");
	must(r, want, a->imm == b->imm && a->qkey == b->qkey, "another immediate or Q_Key");
	must(r, want, a->syndrome >> 5 == b->syndrome >> 5 && a->msn == b->msn, "another answer");
}

static void compare_req(struct replay *r, const struct record *want, const struct rn_cm_req *a, const struct rn_cm_req *b)
{
	struct rn_cma_hdr x, y;

	must(r, want, a->service_id == b->service_id && a->qpn == b->qpn && a->psn == b->psn && a->pkey == b->pkey, "REQ: ids");
	must(r, want, a->responder_resources == b->responder_resources && a->initiator_depth == b->initiator_depth, "REQ: depths");
	must(r, want, a->retry_cnt == b->retry_cnt && a->rnr_retry == b->rnr_retry && a->flow_control == b->flow_control &&
			      a->srq == b->srq && a->transport == b->transport && a->ack_timeout == b->ack_timeout &&
			      a->max_cm_retries == b->max_cm_retries, "REQ: transport");
	must(r, want, a->path_mtu == b->path_mtu && rn_gid_equal(&a->local_gid, &b->local_gid) &&
			      rn_gid_equal(&a->remote_gid, &b->remote_gid) && a->tclass == b->tclass &&
			      a->hop_limit == b->hop_limit && a->local_lid == b->local_lid && a->remote_lid == b->remote_lid &&
			      a->subnet_local == b->subnet_local, "REQ: path");
	must(r, want, rn_cma_hdr_parse(a->data, &x) && rn_cma_hdr_parse(b->data, &y) && x.ipv4 == y.ipv4 &&
			      rn_gid_equal(&x.src, &y.src) && rn_gid_equal(&x.dst, &y.dst), "REQ: RDMA-CM header");
	must(r, want, !memcmp(a->data + RN_CMA_HDR_BYTES, b->data + RN_CMA_HDR_BYTES, RN_CM_REQ_DATA), "REQ: private data");
}

static void compare_rep(struct replay *r, const struct record *want, const struct rn_cm_rep *a, const struct rn_cm_rep *b)
{
	must(r, want, a->remote_id == b->remote_id && a->qpn == b->qpn && a->psn == b->psn, "REP: ids");
	must(r, want, a->responder_resources == b->responder_resources && a->initiator_depth == b->initiator_depth &&
			      a->rnr_retry == b->rnr_retry && a->flow_control == b->flow_control && a->srq == b->srq &&
			      a->failover == b->failover, "REP: transport");
	must(r, want, !memcmp(a->data, b->data, sizeof(a->data)), "REP: private data");
}

static void compare_cm(struct replay *r, const struct record *want, const struct record *got)
{
	const struct rn_cm_msg *a = &want->cm, *b = &got->cm;
	bool asks = a->attr == RN_CM_REQ || a->attr == RN_CM_DREQ || a->attr == RN_CM_SIDR_REQ;

	must(r, want, a->attr == b->attr, "another message");
	must(r, want, rn_gid_equal(&want->pkt.src, &got->pkt.src) && rn_gid_equal(&want->pkt.dst, &got->pkt.dst), "other addresses");
	must(r, want, got->pkt.qkey == want->pkt.qkey && got->pkt.src_qpn == 1, "DETH");
	if (asks)
		twin_add(r, a->tid, b->tid);
	must(r, want, twin_of(r, a->tid) == b->tid, "another transaction");
	twin_add(r, a->rtu.local_id, b->rtu.local_id); /* all messages begin with it */
	if (a->attr != RN_CM_REQ && a->attr != RN_CM_SIDR_REQ && a->attr != RN_CM_SIDR_REP)
		must(r, want, a->rtu.remote_id == b->rtu.remote_id, "another peer's id");
	if (a->attr == RN_CM_REQ)
		compare_req(r, want, &a->req, &b->req);
	if (a->attr == RN_CM_REP)
		compare_rep(r, want, &a->rep, &b->rep);
	if (a->attr == RN_CM_DREQ)
		must(r, want, a->dreq.remote_qpn == b->dreq.remote_qpn, "DREQ: QPN");
	if (a->attr == RN_CM_REJ)
		must(r, want, a->rej.reason == b->rej.reason && a->rej.about == b->rej.about, "REJ: reason");
	if (a->attr == RN_CM_SIDR_REQ)
		must(r, want, a->sidr_req.service_id == b->sidr_req.service_id && a->sidr_req.pkey == b->sidr_req.pkey, "SIDR_REQ");
	if (a->attr == RN_CM_SIDR_REP)
		must(r, want, a->sidr_rep.request_id == b->sidr_rep.request_id && a->sidr_rep.status == b->sidr_rep.status &&
				      a->sidr_rep.qpn == b->sidr_rep.qpn && a->sidr_rep.qkey == b->sidr_rep.qkey &&
				      a->sidr_rep.service_id == b->sidr_rep.service_id, "SIDR_REP");
}

/* Requests, answers and management are three streams, each in order. */
static unsigned stream(const struct record *rec)
{
	return rec->is_cm ? 0 : rec->pkt.op->response ? 1 : 2;
}

static void expect_frame(struct replay *r, const struct record *want)
{
	for (unsigned i = 0; i < r->nout; i++) {
		struct record *got = &r->out[i];

		if (got->used || stream(got) != stream(want) || (!want->is_cm && got->pkt.dest_qpn != want->pkt.dest_qpn))
			continue;
		got->used = true;
		if (want->is_cm)
			compare_cm(r, want, got);
		else
			compare_packet(r, want, got);
		r->matched++;
		return;
	}
	fail_at(r, want, "not sent");
}

/* ---- a frame of the other host ---- */

static void inject_cm(struct replay *r, const struct record *rec)
{
	struct rn_cm_msg m = rec->cm;
	struct rn_pkt p = rec->pkt;
	uint8_t mad[RN_MAD_BYTES], frame[SIM_FRAME_MAX];

	m.tid = twin_of(r, m.tid);
	if (m.attr == RN_CM_SIDR_REP)
		m.sidr_rep.request_id = (uint32_t)twin_of(r, m.sidr_rep.request_id);
	else if (m.attr != RN_CM_REQ && m.attr != RN_CM_SIDR_REQ)
		m.rtu.remote_id = (uint32_t)twin_of(r, m.rtu.remote_id);
	rn_cm_msg_build(&m, mad);
	p.payload = mad;
	enum rn_verdict v = sim_inject(&r->sim, DUT, frame, rn_frame_build(&p, frame, sizeof(frame)));
	must(r, rec, v == RN_V_OK || (v == RN_V_CM_UNMATCHED && !r->listener), rn_verdicts[v].text);
	settle(r);
	if (m.attr == RN_CM_RTU)
		expect_event(r, rec, RN_EVENT_CM_ESTABLISHED, NULL);
	if (m.attr == RN_CM_REJ)
		expect_event(r, rec, RN_EVENT_CM_REJECTED, NULL);
}

/* A message of the peer is whole: it is where it belongs. */
static void expect_message(struct replay *r, const struct record *rec)
{
	static uint8_t bytes[65536];
	struct pair *pair = &r->pair[pair_of(r, rec)];
	const struct rn_pkt *last;
	uint32_t n = gather(r, pair->start, bytes, &last);
	struct rn_cqe c = {0};

	if (rec->pkt.op->family == RN_F_WRITE) {
		must(r, rec, !memcmp(region_at(r, r->rec[pair->start].pkt.va), bytes, n), "other data in memory");
		if (!rec->pkt.op->has_imm)
			return;
	}
	while (sim_poll(&r->sim, DUT, &c) && !(c.flags & RN_CQE_RECV))
		must(r, rec, c.status == RN_STATUS_SUCCESS, "request failed");
	/* datagrams stand behind the IP header they came with */
	unsigned grh = r->sim.spec.type == RN_QPT_UD ? RN_UD_GRH_BYTES : 0;
	const uint8_t *got = r->sim.node[DUT].arena + RECEIVE + ((uint64_t)(pair - r->pair) << 20) + (c.wr_id << 16);

	must(r, rec, (c.flags & RN_CQE_RECV) && c.status == RN_STATUS_SUCCESS && c.byte_len == n + grh, "not received");
	must(r, rec, rec->pkt.op->family == RN_F_WRITE || !memcmp(got + grh, bytes, n), "other data received");
	must(r, rec, !rec->pkt.op->has_imm || c.imm == rec->pkt.imm, "another immediate");
	must(r, rec, !grh || c.src_qpn == rec->pkt.src_qpn, "another sender");
	pair->received++;
}

static void inject_packet(struct replay *r, const struct record *rec)
{
	unsigned n = pair_of(r, rec);
	struct rn_pkt p = rec->pkt;
	uint8_t frame[SIM_FRAME_MAX];

	if (p.op->family == RN_F_READ_REQ)
		remember(r, rec); /* its programs had put it there by now */
	p.dest_qpn = r->sim.node[DUT].qp[n].qpn;
	if (p.op->has_reth || p.op->has_atomic_eth)
		p.rkey = regions_find(&r->regions, p.va)->rkey;
	enum rn_verdict v = sim_inject(&r->sim, DUT, frame, rn_frame_build(&p, frame, sizeof(frame)));
	must(r, rec, v == RN_V_OK, rn_verdicts[v].text);
	settle(r);
	if (p.op->starts && !p.op->response)
		r->pair[n].start = (unsigned)(rec - r->rec);
	if (p.op->ends && (p.op->family == RN_F_SEND || p.op->family == RN_F_WRITE))
		expect_message(r, rec);
}

/* ---- one capture, in the place of one host ---- */

/* A packet of ours: who may have sent nothing has been sent something. */
static struct rn_pkt way_out(const struct replay *r)
{
	struct rn_pkt p = r->rec[0].pkt;

	if (r->rec[0].ours)
		return p;
	p.src = r->rec[0].pkt.dst;
	p.dst = r->rec[0].pkt.src;
	memcpy(p.smac, r->rec[0].pkt.dmac, 6);
	memcpy(p.dmac, r->rec[0].pkt.smac, 6);
	return p;
}

static void begin(struct replay *r)
{
	struct rn_pkt ours = way_out(r);
	struct sim_node *n = &r->sim.node[DUT];
	struct sim_spec spec;

	sim_spec_default(&spec);
	spec.type = type_of(r);
	sim_init(&r->sim, &spec);
	r->sim.filter = note;
	r->sim.filter_arg = r;
	n->port.ngids = 1;
	n->port.gids[0] = ours.src;
	n->port.mtu = 1500;
	n->port.max_path_mtu = 3;
	memcpy(n->port.mac, ours.smac, 6);
	rn_shard_port(n->shard, &n->port, r->sim.now);
	introduce(r, &ours);
	for (unsigned i = 0; i < r->npairs; i++)
		connect_pair(r, i, &ours);
	set_up_regions(r);
}

static void listen_if_asked(struct replay *r)
{
	const struct record *rec = &r->rec[0];
	uint64_t service;

	if (rec->ours || !rec->is_cm || strstr(r->file, "no-listener"))
		return;
	service = rec->cm.attr == RN_CM_REQ ? rec->cm.req.service_id : rec->cm.sidr_req.service_id;
	command(r, rec, RN_CMD_CM_LISTEN, 0,
		(struct rn_cmd){.cm = {.port = (uint16_t)service, .port_space = (uint16_t)(service >> 16)}}, &r->listener);
}

static void end(struct replay *r)
{
	const struct record *last = &r->rec[r->nrec - 1];
	struct rn_cqe c;

	for (unsigned i = 0; i < r->nout; i++)
		must(r, last, r->out[i].used, "the shard said more than the host");
	while (sim_poll(&r->sim, DUT, &c))
		must(r, last, c.status == RN_STATUS_SUCCESS, "request failed");
	r->sim.filter = NULL;
	if (r->id)
		command(r, last, RN_CMD_CM_DESTROY, r->id, (struct rn_cmd){0}, NULL);
	if (r->listener)
		command(r, last, RN_CMD_CM_DESTROY, r->listener, (struct rn_cmd){0}, NULL);
	regions_remove(&r->regions, r->sim.node[DUT].mrs);
	sim_run(&r->sim, r->sim.now + RN_S(100)); /* timewait */
	assert_int_equal(sim_fini(&r->sim), 0);
}

/* Returns how many frames of the host came from the shard. */
static unsigned play(const char *file, enum variant variant, uint8_t host)
{
	struct replay *r = calloc(1, sizeof(*r));
	unsigned matched;

	assert_non_null(r);
	r->file = file;
	r->variant = variant;
	load(r, host);
	find_pairs(r);
	begin(r);
	listen_if_asked(r);
	for (unsigned i = 0; i < r->nrec; i++) {
		const struct record *rec = &r->rec[i];

		if (rec->ours && rec->is_cm)
			do_cm(r, rec);
		else if (rec->ours && is_request(rec) && rec->pkt.op->starts)
			do_post(r, rec);
		if (rec->ours)
			expect_frame(r, rec);
		else if (rec->is_cm)
			inject_cm(r, rec);
		else
			inject_packet(r, rec);
	}
	end(r);
	matched = r->matched;
	free(r);
	return matched;
}

static void says_what_soft_roce_said(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(captures); i++)
		assert_int_equal(play(captures[i].file, captures[i].variant, 1) +
				 play(captures[i].file, captures[i].variant, 2), captures[i].frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_soft_roce_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
