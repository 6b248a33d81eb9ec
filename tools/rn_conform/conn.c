/* Connects to the peer by CM messages that this tool builds itself. Sorts the peer's packets into
 * answers, requests and CM messages. Owns struct conn. Used by the tool's one thread. */
#include "conn.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include "wire/psn.h"
#include "base/types.h"

#define MS 1000000ull

/* ---- packets to the peer ---- */

static struct rn_pkt addressed(const struct conn *c, uint8_t opcode, uint32_t qpn, uint32_t psn)
{
	struct rn_pkt p = {.kind = RN_PKT_IB,
			   .src = c->line->own,
			   .dst = c->line->peer,
			   .ipv4 = true,
			   .hop_limit = 64,
			   .ip_df = true,
			   .udp_sport = 0xC777,
			   .opcode = opcode,
			   .mig = true,
			   .pkey = 0xFFFF,
			   .dest_qpn = qpn,
			   .psn = psn & 0xFFFFFF,
			   .syndrome = 0x1F};

	memcpy(p.dmac, c->line->peer_mac, 6);
	memcpy(p.smac, c->line->mac, 6);
	return p;
}

struct rn_pkt conn_packet(const struct conn *c, uint8_t opcode, uint32_t psn)
{
	return addressed(c, opcode, c->peer_qpn, psn);
}

void conn_send(struct conn *c, const struct rn_pkt *pkt)
{
	uint8_t frame[9216];

	line_send(c->line, frame, rn_frame_build(pkt, frame, sizeof(frame)));
}

void conn_send_mad(struct conn *c, const struct rn_cm_msg *m)
{
	struct rn_pkt p = addressed(c, RN_T_UD | RN_OP_SEND_ONLY, RN_GSI_QPN, c->line->notes);
	uint8_t mad[RN_MAD_BYTES];

	rn_cm_msg_build(m, mad);
	p.payload = mad;
	p.payload_len = sizeof(mad);
	p.qkey = RN_GSI_QKEY;
	p.src_qpn = RN_GSI_QPN;
	conn_send(c, &p);
}

static void answer(struct conn *c, uint8_t opcode, uint32_t psn, uint32_t bytes)
{
	static const uint8_t nothing[CONN_MTU];
	struct rn_pkt p = conn_packet(c, opcode, psn);

	p.msn = c->msn;
	p.payload = nothing;
	p.payload_len = bytes;
	conn_send(c, &p);
}

#define READ_PACKETS 1024u

static void answer_read(struct conn *c, const struct rn_pkt *r)
{
	uint32_t packets = r->dma_len ? 1 + (r->dma_len - 1) / CONN_MTU : 1;

	if (packets > READ_PACKETS)
		/* Do not answer a READ of more than READ_PACKETS packets. No conformance test needs
		 * such a READ, and its responses could fill the link for minutes. */
		return;
	c->msn = (c->msn + 1) & 0xFFFFFF;
	for (uint32_t i = 0; i < packets; i++) {
		uint32_t left = r->dma_len - i * CONN_MTU;
		uint8_t opcode = packets == 1	    ? RN_OP_READ_RESP_ONLY
				 : i == 0	    ? RN_OP_READ_RESP_FIRST
				 : i == packets - 1 ? RN_OP_READ_RESP_LAST
						    : RN_OP_READ_RESP_MIDDLE;
		answer(c, opcode, r->psn + i, RN_MIN(left, CONN_MTU));
	}
	c->expected = (c->expected + packets) & 0xFFFFFF;
}

/* ---- connection management ---- */

static const struct rn_cm_msg empty;

void conn_build_req(struct conn *c, uint16_t port, struct rn_cm_msg *m)
{
	struct rn_cma_hdr hdr = {(uint16_t)(40000 + c->attempts % 20000), true, c->line->own,
				 c->line->peer};

	*m = empty;
	m->attr = RN_CM_REQ;
	m->tid = c->tid;
	m->req = (struct rn_cm_req){
		.local_id = c->local_id,
		.service_id = rn_cm_service_id(RN_PS_TCP, port),
		.guid = 0x0002C9FFFE000000u | c->line->mac[5],
		.qpn = c->qpn,
		.responder_resources = 4,
		.initiator_depth = 4,
		.remote_response_timeout = 18,
		.transport = RN_CM_T_RC,
		.flow_control = 1,
		.psn = c->peer_psn,
		.local_response_timeout = 18,
		.retry_cnt = 7,
		.pkey = 0xFFFF,
		.path_mtu = 3,
		.rnr_retry = 7,
		.max_cm_retries = 15,
		.local_lid = 0xFFFF,
		.remote_lid = 0xFFFF,
		.local_gid = c->line->own,
		.remote_gid = c->line->peer,
		.hop_limit = 64,
		.ack_timeout = 16,
	};
	rn_cma_hdr_build(&hdr, m->req.data);
}

void conn_send_rep(struct conn *c)
{
	struct rn_cm_msg m = {.attr = RN_CM_REP, .tid = c->req.tid};

	m.rep = (struct rn_cm_rep){.local_id = c->local_id,
				   .remote_id = c->remote_id,
				   .qpn = c->qpn,
				   .psn = c->peer_psn,
				   .responder_resources = RN_MIN(c->req.req.initiator_depth, 4),
				   .target_ack_delay = 15,
				   .initiator_depth = RN_MIN(c->req.req.responder_resources, 4),
				   .flow_control = 1,
				   .rnr_retry = 7,
				   .guid = 0x0002C9FFFE000000u | c->line->mac[5]};
	conn_send_mad(c, &m);
}

void conn_send_rtu(struct conn *c)
{
	struct rn_cm_msg m = {.attr = RN_CM_RTU, .tid = c->tid};

	m.rtu = (struct rn_cm_rtu){.local_id = c->local_id, .remote_id = c->remote_id};
	conn_send_mad(c, &m);
}

static void send_drep(struct conn *c, const struct rn_cm_msg *dreq)
{
	struct rn_cm_msg m = {.attr = RN_CM_DREP, .tid = dreq->tid};

	m.drep = (struct rn_cm_drep){.local_id = dreq->dreq.remote_id,
				     .remote_id = dreq->dreq.local_id};
	conn_send_mad(c, &m);
}

static void take_req(struct conn *c, const struct rn_cm_msg *m)
{
	if (!c->listening || c->requested ||
	    m->req.service_id != rn_cm_service_id(RN_PS_TCP, c->port))
		return;
	c->requested = true;
	c->req = *m;
	c->tid = m->tid;
	c->remote_id = m->req.local_id;
	c->peer_qpn = m->req.qpn;
	c->psn = m->req.psn;
}

static void take_mad(struct conn *c, const struct rn_pkt *p)
{
	struct rn_cm_msg m;

	if (!rn_cm_msg_parse(p->payload, p->payload_len, &m))
		return;
	if (c->mads.n < CONN_QUEUE) {
		unsigned at = (c->mads.first + c->mads.n++) % CONN_QUEUE;

		c->mads.came[at] = (struct came){.at = line_now()};
		c->mad[at] = m;
	}
	if (m.attr == RN_CM_REQ)
		take_req(c, &m);
	else if (m.attr == RN_CM_REP && m.rep.remote_id == c->local_id && !c->listening &&
		 !c->replied) {
		c->replied = true;
		c->rep = m;
		c->remote_id = m.rep.local_id;
		c->peer_qpn = m.rep.qpn;
		c->psn = m.rep.psn;
	} else if (m.attr == RN_CM_RTU && m.rtu.remote_id == c->local_id)
		c->established = true;
	else if (m.attr == RN_CM_REJ && m.rej.remote_id == c->local_id) {
		c->rejected = c->over = true;
		c->reason = m.rej.reason;
	} else if (m.attr == RN_CM_DREQ) {
		c->over |= m.dreq.remote_id == c->local_id;
		send_drep(c, &m);
	}
}

/* ---- packets from the peer ---- */

static uint64_t hash_of(const struct rn_pkt *p)
{
	uint64_t h =
		1469598103934665603u ^ p->opcode ^ (uint64_t)p->psn << 8 ^ (uint64_t)p->se << 40;
	uint64_t words[] = {p->va,	 p->rkey,     p->dma_len, p->imm,
			    p->inv_rkey, p->swap_add, p->compare, p->payload_len};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(words); i++)
		h = (h ^ words[i]) * 1099511628211u;
	for (uint32_t i = 0; i < p->payload_len; i++)
		h = (h ^ p->payload[i]) * 1099511628211u;
	return h;
}

static void keep(struct queue *q, const struct rn_pkt *p)
{
	struct came *to = &q->came[(q->first + q->n) % CONN_QUEUE];

	if (q->n == CONN_QUEUE)
		return;
	q->n++;
	*to = (struct came){.pkt = *p, .hash = hash_of(p), .at = line_now()};
	memcpy(to->head, p->payload, RN_MIN(p->payload_len, sizeof(to->head)));
	to->pkt.payload = to->pkt.frame = to->pkt.ip = NULL;
}

/* Stores in `c` the address, key and size of the client's memory. A client that speaks rping's
 * protocol sends these three in its first Send. */
static void take_key(struct conn *c, const struct rn_pkt *p)
{
	uint64_t va;

	if (c->lent || !c->listening || p->payload_len != 16 || p->op->family != RN_F_SEND)
		return;
	memcpy(&va, p->payload, 8);
	memcpy(&c->rkey, p->payload + 8, 4);
	memcpy(&c->bytes, p->payload + 12, 4);
	c->va = be64toh(va);
	c->rkey = ntohl(c->rkey);
	c->bytes = ntohl(c->bytes);
	c->lent = true;
}

static void take_request(struct conn *c, const struct rn_pkt *p)
{
	if (!c->acks)
		return;
	if (p->psn == c->expected && p->op->family == RN_F_READ_REQ) {
		answer_read(c, p);
		return;
	}
	if (p->psn == c->expected) {
		take_key(c, p);
		c->expected = (c->expected + 1) & 0xFFFFFF;
		c->msn = (c->msn + p->op->ends) & 0xFFFFFF;
	}
	if (p->ack_req)
		answer(c, RN_OP_ACK, c->expected - 1, 0);
}

static void take(struct conn *c, const struct rn_pkt *p)
{
	if (p->dest_qpn == RN_GSI_QPN && p->opcode == (RN_T_UD | RN_OP_SEND_ONLY)) {
		take_mad(c, p);
		return;
	}
	if (p->dest_qpn != c->qpn || p->op->transport != RN_T_RC)
		return;
	c->sports += c->sports == 0 || c->sport != p->udp_sport;
	c->sport = p->udp_sport;
	c->tx_wrong += p->udp_sport < 0xC000 || !p->ip_df || (p->op->response && p->ack_req);
	if (p->op->response) {
		keep(&c->answers, p);
	} else {
		keep(&c->requests, p);
		take_request(c, p);
	}
}

void conn_pump(struct conn *c, const struct queue *q, uint64_t until)
{
	struct rn_pkt p;

	while (q == NULL || q->n == 0) {
		if (!line_next(c->line, &p, until))
			return;
		take(c, &p);
	}
}

struct came *conn_take(struct conn *c, struct queue *q, uint64_t until)
{
	struct came *found;

	conn_pump(c, q, until);
	if (q->n == 0)
		return NULL;
	found = &q->came[q->first % CONN_QUEUE];
	q->first++;
	q->n--;
	return found;
}

const struct rn_cm_msg *conn_take_mad(struct conn *c, uint16_t attr, uint64_t until)
{
	struct came *found;

	while ((found = conn_take(c, &c->mads, until)) != NULL)
		if (c->mad[found - c->mads.came].attr == attr)
			return &c->mad[found - c->mads.came];
	return NULL;
}

/* ---- opening and closing the connection ---- */

void conn_fresh(struct conn *c, uint32_t first_psn)
{
	struct conn fresh = {.line = c->line,
			     .listening = c->listening,
			     .port = c->port,
			     .attempts = c->attempts + 1,
			     .peer_psn = first_psn & 0xFFFFFF,
			     .expected = first_psn & 0xFFFFFF,
			     .acks = c->acks};
	uint32_t seed = (uint32_t)(c->line->start / 1000000);

	*c = fresh;
	c->local_id = (seed << 10 ^ c->attempts * 0x9E3779B1u) | 1;
	c->qpn = 0x100000 | ((seed + c->attempts) & 0xFFFFF);
	c->tid = (uint64_t)c->local_id << 32 | 1;
}

static bool reach(struct conn *c, uint64_t until)
{
	struct rn_cm_msg m;

	while (line_now() < until && !c->replied) {
		conn_build_req(c, c->port, &m);
		conn_send_mad(c, &m);
		for (unsigned i = 0; i < 40 && !c->replied && !c->rejected; i++)
			conn_pump(c, NULL, line_now() + 10 * MS);
		if (c->rejected) { /* perhaps the peer is not listening yet, or is restarting */
			conn_pump(c, NULL, line_now() + 100 * MS);
			conn_fresh(c, c->peer_psn);
		}
	}
	if (!c->replied)
		return false;
	conn_send_rtu(c);
	conn_pump(c, NULL, line_now() + 20 * MS);
	return c->established = true;
}

static bool be_reached(struct conn *c, uint64_t until)
{
	while (!c->requested && line_now() < until)
		conn_pump(c, NULL, line_now() + 5 * MS);
	if (!c->requested)
		return false;
	for (unsigned i = 0; i < 20 && !c->established && c->requests.n == 0; i++) {
		conn_send_rep(c);
		for (unsigned k = 0; k < 50 && !c->established && c->requests.n == 0; k++)
			conn_pump(c, NULL, line_now() + 5 * MS);
	}
	return c->established || c->requests.n;
}

bool conn_open(struct conn *c, uint32_t first_psn, bool decent, unsigned seconds)
{
	uint64_t until = line_now() + seconds * 1000 * MS;

	c->acks = decent;
	conn_fresh(c, first_psn);
	if (!(c->listening ? be_reached(c, until) : reach(c, until)))
		return false;
	for (until = line_now() + 1000 * MS;
	     decent && c->listening && !c->lent && line_now() < until;)
		conn_pump(c, NULL, line_now() + 5 * MS);
	if (decent)
		c->requests.n = 0;
	return true;
}

void conn_close(struct conn *c)
{
	struct rn_cm_msg m = {.attr = RN_CM_DREQ, .tid = c->tid + 1};

	if (!c->established && !c->requested)
		return;
	m.dreq = (struct rn_cm_dreq){
		.local_id = c->local_id, .remote_id = c->remote_id, .remote_qpn = c->peer_qpn};
	c->acks = true;
	for (unsigned i = 0; i < 3 && !c->over; i++) {
		conn_send_mad(c, &m);
		if (conn_take_mad(c, RN_CM_DREP, line_now() + 300 * MS))
			break;
	}
	conn_pump(c, NULL, line_now() + 20 * MS);
}
