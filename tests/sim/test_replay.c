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

#include "cm_msg.h"
#include "psn.h"
#include "qp.h"
#include "replay.h"
#include "replay_capture.h"
#include "replay_compare.h"
#include "replay_host.h"
#include "types.h"

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

static void command(struct replay *r, const struct record *rec, unsigned op, uint32_t id, struct rn_cmd cmd, uint32_t *made)
{
	struct rn_rsp rsp;

	cmd.op = (uint16_t)op;
	cmd.cm.id = id;
	sim_exec(&r->sim, DUT, &cmd, &rsp);
	must(r, rec, rsp.err == 0, "command refused");
	if (made)
		*made = rsp.id;
	host_settle(r);
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
	unsigned n = replay_pair_of(r, rec);
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
		op.length = capture_gather(r, (unsigned)(rec - r->rec), r->sim.node[DUT].arena + local, &last);
	op.kind = kind_of(last);
	op.imm = last->imm;
	if (last->se)
		op.flags |= RN_WQE_SOLICITED;
	sim_post(&r->sim, DUT, n, &op);
	host_settle(r);
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
	host_settle(r);
	if (m.attr == RN_CM_RTU)
		expect_event(r, rec, RN_EVENT_CM_ESTABLISHED, NULL);
	if (m.attr == RN_CM_REJ)
		expect_event(r, rec, RN_EVENT_CM_REJECTED, NULL);
}

/* A message of the peer is whole: it is where it belongs. */
static void expect_message(struct replay *r, const struct record *rec)
{
	static uint8_t bytes[65536];
	struct pair *pair = &r->pair[replay_pair_of(r, rec)];
	const struct rn_pkt *last;
	uint32_t n = capture_gather(r, pair->start, bytes, &last);
	struct rn_cqe c = {0};

	if (rec->pkt.op->family == RN_F_WRITE) {
		must(r, rec, !memcmp(host_region(r, r->rec[pair->start].pkt.va), bytes, n), "other data in memory");
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
	unsigned n = replay_pair_of(r, rec);
	struct rn_pkt p = rec->pkt;
	uint8_t frame[SIM_FRAME_MAX];

	if (p.op->family == RN_F_READ_REQ)
		host_remember(r, rec); /* its programs had put it there by now */
	p.dest_qpn = r->sim.node[DUT].qp[n].qpn;
	if (p.op->has_reth || p.op->has_atomic_eth)
		p.rkey = regions_find(&r->regions, p.va)->rkey;
	enum rn_verdict v = sim_inject(&r->sim, DUT, frame, rn_frame_build(&p, frame, sizeof(frame)));
	must(r, rec, v == RN_V_OK, rn_verdicts[v].text);
	host_settle(r);
	if (p.op->starts && !p.op->response)
		r->pair[n].start = (unsigned)(rec - r->rec);
	if (p.op->ends && (p.op->family == RN_F_SEND || p.op->family == RN_F_WRITE))
		expect_message(r, rec);
}

/* ---- one capture, in the place of one host ---- */

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
	capture_load(r, host);
	capture_pairs(r);
	host_begin(r);
	listen_if_asked(r);
	for (unsigned i = 0; i < r->nrec; i++) {
		const struct record *rec = &r->rec[i];

		if (rec->ours && rec->is_cm)
			do_cm(r, rec);
		else if (rec->ours && replay_is_request(rec) && rec->pkt.op->starts)
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
