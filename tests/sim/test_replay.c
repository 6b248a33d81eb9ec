/* A shard sends the same frames as Linux soft-RoCE. A capture has the frames of two soft-RoCE hosts
 * and is replayed twice. In each replay (replay.h) the shard replaces one captured host, and the
 * frames of its peer are injected. The shard must send every frame of the host that it replaces,
 * after the same event and with the same PSN, MSN, lengths, addresses and data. The test posts the
 * work requests and issues the commands that the capture shows.
 *
 * The shard chooses some values itself: QPN, keys, communication ids and transaction ids. In the
 * injected frames these values replace the values that the captured host chose.
 *
 * Where frames were lost, the two hosts saw different frames, so there is a capture for each host.
 * A request whose PSN was sent before is a retransmission and is not posted again. If no answer of
 * the peer caused the retransmission, virtual time advances until the shard's timer expires.
 *
 * Some captures are replayed once more with changed packets (replay_variant.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/cm_msg.h"
#include "wire/psn.h"
#include "replay.h"
#include "replay_capture.h"
#include "replay_compare.h"
#include "replay_flow.h"
#include "replay_host.h"
#include "flow/retry.h"
#include "base/types.h"

/* Sums over the two replays of a capture. In each replay the shard replaces a different captured
 * host. */
struct tally {
	unsigned frames; /* number of frames that the shard must send */
	/* number of the peer's frames that got another verdict than RN_V_OK, as expected: frames
	 * that are duplicates, leave a gap, or are NAKs */
	unsigned aside;
	unsigned timeouts; /* how often the shard's retransmission timer had to expire */
	/* number of retransmissions that an answer made unnecessary before the shard sent them */
	unsigned spared;
};

/* clang-format off */
static const struct capture {
	const char *file;
	/* number of frames that the shard must send in both replays together */
	unsigned frames;
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
/* The capture rc-rnr-nak is not used. In this capture soft-RoCE sends an RNR NAK, and then also a
 * NAK for each packet that follows. The specification does not require these NAKs. */

/* The cases of tests/interop/loss.py. In rc-send-lost-last the timer expires twice. At the first
 * expiry the shard retransmits one packet. The ACK covers the next packet too, so the shard
 * concludes that nothing was lost and does not retransmit the rest. At the second expiry the shard
 * retransmits the lost packet. */
static const struct loss {
	const char *name;
	struct tally tally;
	enum variant variant;
} losses[] = {
	{"rc-send-lost-middle",        {29,  8, 0}},
	{"rc-send-lost-last",          {24,  3, 2, 1}},
	{"rc-send-lost-ack",           {24,  5, 1, 2}},
	{"rc-write-lost-first",        {24,  3, 0}},
	{"rc-write-lost-ack",          {24,  5, 1, 2}},
	{"rc-write-imm-lost",          {42,  2, 0}},
	{"rc-read-lost-response",      {31, 10, 0}},
	{"rc-read-lost-request",       {24,  3, 0}},
	{"rc-read-lost-last-request",  {21,  0, 1}},
	{"rc-atomic-lost-ack",         {12,  1, 1}},
	{"rc-write-lost-first",        {24,  3, 0}, APART},
	{"rc-write-lost-ack",          {24,  5, 1, 2}, APART},
	{"rc-read-lost-response",      {31, 10, 0}, APART},
	{"rc-read-lost-request",       {24,  3, 0}, APART},
	{"rc-read-lost-last-request",  {21,  0, 1}, APART},
	{"rc-atomic-lost-ack",         {12,  1, 1}, APART},
	{"rc-write-lost-first",        {24,  3, 0}, IMMEDIATE},
	{"rc-write-lost-ack",          {24,  5, 1, 2}, IMMEDIATE},
};
/* clang-format on */

static void command(struct replay *r, const struct record *rec, unsigned op, uint32_t id,
		    struct rn_cmd cmd, uint32_t *made)
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

/* ---- commands and work requests of the captured host, issued to the shard ---- */

static void do_connect(struct replay *r, const struct record *rec)
{
	const struct rn_cm_req *q = &rec->cm.req;
	bool sidr = rec->cm.attr == RN_CM_SIDR_REQ;
	uint64_t service = sidr ? rec->cm.sidr_req.service_id : q->service_id;
	struct rn_cmd cmd = {.cm = {.peer = rec->pkt.dst,
				    .local = rec->pkt.src,
				    .peer_port = (uint16_t)service,
				    .port_space = (uint16_t)(service >> 16)}};

	if (sidr) {
		cmd.cm.param.data_len = RN_CM_SIDR_REQ_DATA;
		memcpy(cmd.cm.param.data, rec->cm.sidr_req.data + RN_CMA_HDR_BYTES,
		       RN_CM_SIDR_REQ_DATA);
	} else {
		cmd.cm.param = (struct rn_cm_param){.qpn = q->qpn,
						    .psn = q->psn,
						    .responder_resources = q->responder_resources,
						    .initiator_depth = q->initiator_depth,
						    .retry_cnt = q->retry_cnt,
						    .rnr_retry = q->rnr_retry,
						    .flow_control = q->flow_control,
						    .srq = q->srq,
						    .path_mtu = q->path_mtu,
						    .ack_timeout = q->ack_timeout,
						    .tclass = q->tclass,
						    .sl = q->sl,
						    .data_len = RN_CM_REQ_DATA};
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
		p.data_len = RN_CM_SIDR_REP_DATA;
		memcpy(p.data, rec->cm.sidr_rep.data, RN_CM_SIDR_REP_DATA);
	} else {
		const struct rn_cm_rep *q = &rec->cm.rep;

		p = (struct rn_cm_param){.qpn = q->qpn,
					 .psn = q->psn,
					 .responder_resources = q->responder_resources,
					 .initiator_depth = q->initiator_depth,
					 .rnr_retry = q->rnr_retry,
					 .flow_control = q->flow_control,
					 .srq = q->srq,
					 .data_len = RN_CM_REP_DATA};
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

/* Posts the work request whose first packet is rec. */
static void do_post(struct replay *r, const struct record *rec)
{
	unsigned n = replay_pair_of(r, rec);
	struct flow *f = &r->pair[n].flow;
	uint64_t local = LOCAL + (n << 20) + (f->posted << 16);
	const struct rn_pkt *p = &rec->pkt, *last = p;
	struct sim_op op = {.flags = RN_WQE_SIGNALED,
			    .wr_id = f->posted,
			    .local = local,
			    .rkey = p->rkey,
			    .length = p->op->family == RN_F_ATOMIC ? 8 : p->dma_len,
			    .remote = p->va - (uint64_t)(uintptr_t)r->sim.node[0].arena,
			    .atomic = {p->swap_add, p->compare}};

	struct rn_ud to = {.av = {.sgid = p->src,
				  .dgid = p->dst,
				  .tclass = p->tclass,
				  .hop_limit = p->hop_limit},
			   .qpn = p->dest_qpn,
			   .qkey = p->qkey};

	memcpy(to.av.dmac, p->dmac, 6);
	op.ud = &to;
	if (p->op->has_payload)
		op.length = capture_gather(r, (unsigned)(rec - r->rec),
					   r->sim.node[DUT].arena + local, &last);
	op.kind = kind_of(last);
	op.imm = last->imm;
	if (last->se)
		op.flags |= RN_WQE_SOLICITED;
	must(r, rec, f->posted < POSTS, "too many requests");
	f->post[f->posted++] = (struct post){p->psn, flow_psns(p), local, flow_fetches(p)};
	sim_post(&r->sim, DUT, n, &op);
	host_settle(r);
}

/* Returns the stream to which a frame belongs: CM messages, responses or requests. The order of
 * frames must match the capture within each stream, and may differ between streams. */
static unsigned stream(const struct record *rec)
{
	return rec->is_cm ? 0 : rec->pkt.op->response ? 1 : 2;
}

/* Returns the oldest frame that the shard sent in the stream of `want` and that is not compared
 * yet. Returns NULL if there is none. */
static struct record *sent(struct replay *r, const struct record *want)
{
	for (struct record *got = r->out; got < r->out + r->nout; got++)
		if (!got->used && stream(got) == stream(want) &&
		    (want->is_cm || got->pkt.dest_qpn == want->pkt.dest_qpn))
			return got;
	return NULL;
}

/* Lets time pass until the shard's retransmission timer expires. Called where the captured host
 * retransmitted although no answer of the peer caused the retransmission. The shard's timer must
 * expire one to four ACK timeouts (4.096 us * 2^TIMEOUT) after the last progress. */
static void wait_for_timer(struct replay *r, const struct record *want)
{
	rn_time full = rn_retry_timeout_ns(TIMEOUT);
	unsigned before = r->nout;

	while (r->nout == before && r->sim.now < r->progress + 4 * full)
		sim_run(&r->sim, r->sim.now + RN_US(100));
	must(r, want, r->nout > before, "not sent again");
	must(r, want, r->sim.now >= r->progress + full, "sent again too early");
	r->timeouts++;
	r->pair[replay_pair_of(r, want)].flow.alone = true;
}

/* Handles rec, a request packet that the replaced host sent. If the packet is new, posts its work
 * request. Otherwise expects that the shard retransmits the packet.
 *
 * After a timeout soft-RoCE retransmits everything immediately. The shard first retransmits one
 * packet, and the others after the response to this packet. So the shard may retransmit a packet
 * later than soft-RoCE did. In this case adds the packet to r->owed and returns false. */
static bool do_request(struct replay *r, const struct record *rec)
{
	struct flow *f = &r->pair[replay_pair_of(r, rec)].flow;

	if (flow_is_new(f, &rec->pkt)) {
		if (rec->pkt.op->starts)
			do_post(r, rec);
		return true;
	}
	if ((f->alone || r->nowed) && !sent(r, rec)) {
		r->owed[r->nowed++] = (unsigned)(rec - r->rec);
		return false;
	}
	if (!sent(r, rec))
		wait_for_timer(r, rec);
	return true;
}

static void expect_frame(struct replay *r, const struct record *want)
{
	struct record *got = sent(r, want);

	if (!got)
		fail_at(r, want, "not sent");
	got->used = true;
	if (want->is_cm)
		compare_cm(r, want, got);
	else
		compare_packet(r, want, got);
	r->matched++;
}

/* Updates r->owed, the list of retransmissions that the shard owes. Must be called after each
 * injected frame. Removes the retransmissions that the shard has sent, and those that an answer has
 * acknowledged. */
static void expect_owed(struct replay *r)
{
	unsigned left = 0;

	for (unsigned i = 0; i < r->nowed; i++) {
		const struct record *want = &r->rec[r->owed[i]];

		if (rn_psn_before(want->pkt.psn, r->pair[replay_pair_of(r, want)].flow.una))
			r->spared++;
		else if (sent(r, want))
			expect_frame(r, want);
		else
			r->owed[left++] = r->owed[i];
	}
	r->nowed = left;
}

/* Must be called before the response `rsp` is injected. If `rsp` answers a retransmission that the
 * shard still owes, first lets the shard send this retransmission. The first response after a
 * timeout is an exception: the shard has already retransmitted the packet that it answers. */
static void send_owed_before(struct replay *r, const struct record *rsp)
{
	const struct record *want = &r->rec[r->owed[0]];

	if (!r->nowed || r->pair[replay_pair_of(r, rsp)].flow.alone ||
	    rn_psn_before(rsp->pkt.psn, want->pkt.psn))
		return;
	wait_for_timer(r, want);
	expect_owed(r);
}

/* ---- frames of the peer, which are injected into the shard ---- */

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
	enum rn_verdict v =
		sim_inject(&r->sim, DUT, frame, rn_frame_build(&p, frame, sizeof(frame)));
	must(r, rec, v == RN_V_OK || (v == RN_V_CM_UNMATCHED && !r->listener), rn_verdicts[v].text);
	host_settle(r);
	if (m.attr == RN_CM_RTU)
		expect_event(r, rec, RN_EVENT_CM_ESTABLISHED, NULL);
	if (m.attr == RN_CM_REJ)
		expect_event(r, rec, RN_EVENT_CM_REJECTED, NULL);
}

/* Checks the data and the completion of a message of the peer. rec is the last packet of the
 * message. */
static void expect_message(struct replay *r, const struct record *rec)
{
	static uint8_t bytes[65536];
	struct pair *pair = &r->pair[replay_pair_of(r, rec)];
	const struct rn_pkt *last;
	uint32_t n = capture_gather(r, pair->start, bytes, &last);
	struct rn_cqe c = {0};

	if (rec->pkt.op->family == RN_F_WRITE) {
		must(r, rec, !memcmp(host_region(r, r->rec[pair->start].pkt.va), bytes, n),
		     "other data in memory");
		if (!rec->pkt.op->has_imm)
			return;
	}
	while (sim_poll(&r->sim, DUT, &c) && !(c.flags & RN_CQE_RECV)) {
		must(r, rec, c.status == RN_STATUS_SUCCESS, "request failed");
		r->completed++;
	}
	/* In the receive buffer of a UD datagram the data come behind the 40 bytes for the IP
	 * header (GRH area). */
	unsigned grh = r->sim.spec.type == RN_QPT_UD ? RN_UD_GRH_BYTES : 0;
	const uint8_t *got = r->sim.node[DUT].arena + RECEIVE + ((uint64_t)(pair - r->pair) << 20) +
			     (c.wr_id << 16);

	must(r, rec,
	     (c.flags & RN_CQE_RECV) && c.status == RN_STATUS_SUCCESS && c.byte_len == n + grh,
	     "not received");
	must(r, rec, rec->pkt.op->family == RN_F_WRITE || !memcmp(got + grh, bytes, n),
	     "other data received");
	must(r, rec, !rec->pkt.op->has_imm || c.imm == rec->pkt.imm, "another immediate");
	must(r, rec, !grh || c.src_qpn == rec->pkt.src_qpn, "another sender");
}

/* Checks that the data of a READ or atomic response are in the memory that the work request
 * named. */
static void expect_data(struct replay *r, const struct record *rec)
{
	const struct rn_pkt *p = &rec->pkt;
	const struct post *post = flow_post(&r->pair[replay_pair_of(r, rec)].flow, p->psn);
	const uint8_t *at;

	must(r, rec, post != NULL, "a response to nothing");
	at = r->sim.node[DUT].arena + post->local + rn_psn_steps(post->psn, p->psn) * 1024;
	must(r, rec, !memcmp(at, p->payload, p->payload_len), "other data fetched");
	must(r, rec, p->op->family != RN_F_ATOMIC_ACK || !memcmp(at, &p->orig, 8),
	     "another value fetched");
}

static void inject_packet(struct replay *r, const struct record *rec)
{
	unsigned n = replay_pair_of(r, rec);
	struct rn_pkt p = rec->pkt;
	uint8_t frame[SIM_FRAME_MAX];

	if (p.op->response)
		send_owed_before(r, rec);
	enum rn_verdict want = p.op->response ? flow_response(&r->pair[n].flow, &p)
					      : flow_request(&r->pair[n].flow, &p);

	if (p.op->family == RN_F_READ_REQ)
		/* The shard must answer this READ with the same data as the captured host, so these
		 * data are stored in the shard's memory. */
		host_remember(r, rec);
	p.dest_qpn = r->sim.node[DUT].qp[n].qpn;
	if (p.op->has_reth || p.op->has_atomic_eth)
		p.rkey = regions_find(&r->regions, p.va)->rkey;
	enum rn_verdict v =
		sim_inject(&r->sim, DUT, frame, rn_frame_build(&p, frame, sizeof(frame)));
	must(r, rec, v == want, rn_verdicts[v].text);
	if (p.op->response && v != RN_V_RSP_STALE) {
		r->progress = r->sim.now;
		r->pair[n].flow.alone = false;
	}
	host_settle(r);
	expect_owed(r);
	if (v != RN_V_OK) {
		r->aside++;
		return;
	}
	if (p.op->family == RN_F_READ_RESP || p.op->family == RN_F_ATOMIC_ACK)
		expect_data(r, rec);
	if (p.op->starts && !p.op->response)
		r->pair[n].start = (unsigned)(rec - r->rec);
	if (p.op->ends && (p.op->family == RN_F_SEND || p.op->family == RN_F_WRITE))
		expect_message(r, rec);
}

/* ---- one replay of one capture ---- */

static void listen_if_asked(struct replay *r)
{
	const struct record *rec = &r->rec[0];
	uint64_t service;

	if (rec->ours || !rec->is_cm || strstr(r->file, "no-listener"))
		return;
	service = rec->cm.attr == RN_CM_REQ ? rec->cm.req.service_id : rec->cm.sidr_req.service_id;
	command(r, rec, RN_CMD_CM_LISTEN, 0,
		(struct rn_cmd){
			.cm = {.port = (uint16_t)service, .port_space = (uint16_t)(service >> 16)}},
		&r->listener);
}

static void end(struct replay *r)
{
	const struct record *last = &r->rec[r->nrec - 1];
	struct rn_cqe c;
	unsigned posted = 0;

	for (unsigned i = 0; i < r->nout; i++)
		must(r, last, r->out[i].used, "the shard sent more than the host");
	for (; sim_poll(&r->sim, DUT, &c); r->completed++)
		must(r, last, c.status == RN_STATUS_SUCCESS && !(c.flags & RN_CQE_RECV),
		     "request failed, or received twice");
	for (unsigned n = 0; n < r->npairs; n++)
		posted += r->pair[n].flow.posted;
	must(r, last, r->completed == posted, "requests without an end");
	must(r, last, !r->nowed, "not sent again");
	r->sim.filter = NULL;
	if (r->id)
		command(r, last, RN_CMD_CM_DESTROY, r->id, (struct rn_cmd){0}, NULL);
	if (r->listener)
		command(r, last, RN_CMD_CM_DESTROY, r->listener, (struct rn_cmd){0}, NULL);
	regions_remove(&r->regions, r->sim.node[DUT].mrs);
	sim_run(&r->sim, r->sim.now + RN_S(100)); /* runs until timewait has ended */
	assert_int_equal(sim_fini(&r->sim), 0);
}

static void play(const char *file, enum variant variant, uint8_t host, struct tally *tally)
{
	struct replay *r = calloc(1, sizeof(*r));

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
		else if (rec->ours && replay_is_request(rec) && !do_request(r, rec))
			continue;
		if (rec->ours)
			expect_frame(r, rec);
		else if (rec->is_cm)
			inject_cm(r, rec);
		else
			inject_packet(r, rec);
	}
	end(r);
	tally->frames += r->matched;
	tally->aside += r->aside;
	tally->timeouts += r->timeouts;
	tally->spared += r->spared;
	free(r);
}

/* Replays one capture twice: the shard first replaces host 1, then host 2. */
static void sends_what_soft_roce_sent(void **state)
{
	const struct capture *c = *state;
	struct tally t = {0};

	play(c->file, c->variant, 1, &t);
	play(c->file, c->variant, 2, &t);
	assert_int_equal(t.frames, c->frames);
	assert_int_equal(t.aside + t.timeouts + t.spared, 0);
}

/* Replays two captures of one run. In the responder's capture the shard replaces host 1, in the
 * requester's capture host 2. */
static void recovers_as_soft_roce_did(void **state)
{
	const struct loss *l = *state;
	struct tally t = {0};
	char responder[64], requester[64];

	snprintf(responder, sizeof(responder), "%s-responder.pcap", l->name);
	snprintf(requester, sizeof(requester), "%s-requester.pcap", l->name);
	play(responder, l->variant, 1, &t);
	play(requester, l->variant, 2, &t);
	if (memcmp(&t, &l->tally, sizeof(t)) != 0)
		fail_msg("%u frames, %u put aside, %u timeouts, %u spared", t.frames, t.aside,
			 t.timeouts, t.spared);
}

static struct CMUnitTest test_of(CMUnitTestFunction play_it, const char *file, enum variant variant,
				 const void *row)
{
	static char names[RN_ARRAY_SIZE(captures) + RN_ARRAY_SIZE(losses)][64];
	static const char *const how[] = {
		[AS_IT_IS] = "", [APART] = ", regions apart", [IMMEDIATE] = ", with immediates"};
	static unsigned n;

	snprintf(names[n], sizeof(names[n]), "%s%s", file, how[variant]);
	return (struct CMUnitTest){
		.name = names[n++], .test_func = play_it, .initial_state = (void *)(uintptr_t)row};
}

int main(void)
{
	static struct CMUnitTest tests[RN_ARRAY_SIZE(captures) + RN_ARRAY_SIZE(losses)];
	struct CMUnitTest *next = tests;

	for (const struct capture *c = captures; c < captures + RN_ARRAY_SIZE(captures); c++)
		*next++ = test_of(sends_what_soft_roce_sent, c->file, c->variant, c);
	for (const struct loss *l = losses; l < losses + RN_ARRAY_SIZE(losses); l++)
		*next++ = test_of(recovers_as_soft_roce_did, l->name, l->variant, l);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
