/* Forged CM messages, and a client that issues CM commands in any order; see hostile_cm.h. */
#include "hostile_cm.h"

#include <string.h>

#include "craft.h"

#define PORT 4000u

static uint32_t below(struct hostile_cm *c, uint64_t n)
{
	return (uint32_t)rn_rng_below(c->rng, n);
}

static bool one_in(struct hostile_cm *c, unsigned n)
{
	return below(c, n) == 0;
}

static void keep(struct hostile_cm *c, unsigned node, uint32_t id)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_DESTROY};
	struct rn_rsp rsp;
	if (c->nids[node] < HOSTILE_IDS) {
		c->id[node][c->nids[node]++] = id;
		return;
	}
	cmd.cm.id = id;
	sim_exec(c->sim, node, &cmd, &rsp);
	c->refused += rsp.err != 0;
}

static void fill(struct hostile_cm *c, unsigned node, struct rn_cmd *cmd)
{
	static const uint16_t spaces[] = {0,	     0,		0,	  RN_PS_TCP,   RN_PS_UDP,
					  RN_PS_UDP, RN_PS_UDP, RN_PS_IB, RN_PS_IPOIB, 7};
	bool v6 = one_in(c, 2);
	cmd->user = 1 + below(c, 100);
	cmd->cm.peer = c->sim->node[one_in(c, 8) ? node : 1 - node].port.gids[v6];
	if (one_in(c, 2))
		cmd->cm.local = c->sim->node[node].port.gids[v6];
	if (one_in(c, 40))
		/* sets an address that most likely no node has */
		cmd->cm.peer.b[15] = (uint8_t)below(c, 256);
	cmd->cm.peer_port = PORT;
	cmd->cm.param.qpn = one_in(c, 20) ? below(c, 1 << 24) : 20 + below(c, 100);
	cmd->cm.param.psn = below(c, 1 << 24);
	cmd->cm.param.data_len = (uint16_t)(one_in(c, 20) ? below(c, 65536) : below(c, 57));
	cmd->cm.param.retry_cnt = (uint8_t)below(c, 8);
	cmd->cm.param.path_mtu = (uint8_t)below(c, 6);
	cmd->cm.param.qkey = below(c, 3);
	cmd->cm.reason = (uint16_t)below(c, 40);
	cmd->cm.port_space = spaces[below(c, RN_ARRAY_SIZE(spaces))];
	cmd->cm.qp_type = (uint8_t)(one_in(c, 4) ? below(c, 6) : 0);
}

/* Reacts correctly to half of the REQ and REP events, so that some connections are established.
 * Disconnects some of the established connections. */
static void react(struct hostile_cm *c, unsigned node, const struct rn_event *ev)
{
	struct rn_cmd cmd = {.op = ev->kind == RN_EVENT_CM_REQUEST ? RN_CMD_CM_ACCEPT
								   : RN_CMD_CM_ESTABLISH};
	struct rn_rsp rsp;
	if (ev->kind != RN_EVENT_CM_REQUEST && ev->kind != RN_EVENT_CM_RESPONSE &&
	    ev->kind != RN_EVENT_CM_ESTABLISHED)
		return;
	if (one_in(c, 2))
		return;
	fill(c, node, &cmd);
	cmd.cm.id = ev->id;
	if (ev->kind == RN_EVENT_CM_ESTABLISHED) {
		if (one_in(c, 2))
			return;
		cmd.op = RN_CMD_CM_DISCONNECT;
	}
	sim_exec(c->sim, node, &cmd, &rsp);
}

static void keep_requests(struct hostile_cm *c, unsigned node)
{
	for (unsigned i = 0; i < c->sim->nevents[node]; i++)
		if (c->sim->events[node][i].kind == RN_EVENT_CM_REQUEST)
			keep(c, node, c->sim->events[node][i].id);
	c->sim->nevents[node] = 0;
}

static void take_events(struct hostile_cm *c, unsigned node)
{
	for (unsigned i = 0; i < c->sim->nevents[node]; i++) {
		const struct rn_event ev = c->sim->events[node][i];
		if (ev.kind == RN_EVENT_CM_REQUEST)
			keep(c, node, ev.id);
		react(c, node, &ev);
	}
	c->sim->nevents[node] = 0;
}

void hostile_cm_start(struct hostile_cm *c, struct sim *sim, struct rn_rng *rng)
{
	memset(c, 0, sizeof(*c));
	c->sim = sim;
	c->rng = rng;
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN, .user = 1};
		struct rn_rsp rsp;
		cmd.cm.port = PORT;
		cmd.cm.backlog = one_in(c, 2) ? 4 : 0;
		sim_exec(sim, node, &cmd, &rsp);
		keep(c, node, rsp.id);
		cmd.cm.port_space = RN_PS_UDP;
		sim_exec(sim, node, &cmd, &rsp);
		keep(c, node, rsp.id);
	}
}

void hostile_cm_work(struct hostile_cm *c)
{
	static const uint16_t ops[] = {RN_CMD_CM_ESTABLISH, RN_CMD_CM_ACCEPT,	  RN_CMD_CM_ACCEPT,
				       RN_CMD_CM_REJECT,    RN_CMD_CM_DISCONNECT, RN_CMD_CM_DELAY,
				       RN_CMD_CM_CONNECT,   RN_CMD_CM_ESTABLISH};
	for (unsigned node = 0; node < SIM_NODES; node++) {
		take_events(c, node);
		if (!one_in(c, 3))
			continue;
		struct rn_cmd cmd = {.op = ops[below(c, RN_ARRAY_SIZE(ops))]};
		struct rn_rsp rsp;
		fill(c, node, &cmd);
		/* The first two entries of id[node] are the listeners, which are never
		 * destroyed. */
		unsigned i = 2 + below(c, HOSTILE_IDS - 2);
		if (i < c->nids[node] && one_in(c, 4)) {
			cmd.op = RN_CMD_CM_DESTROY;
			cmd.cm.id = c->id[node][i];
			c->id[node][i] = c->id[node][--c->nids[node]];
			sim_exec(c->sim, node, &cmd, &rsp);
			c->refused += rsp.err != 0;
		} else {
			cmd.cm.id = i < c->nids[node] ? c->id[node][i]
				    : one_in(c, 2)    ? 0
						      : below(c, 1000);
			bool makes = cmd.op == RN_CMD_CM_CONNECT && cmd.cm.id == 0;
			sim_exec(c->sim, node, &cmd, &rsp);
			if (makes && rsp.err == 0)
				keep(c, node, rsp.id);
		}
	}
}

static void likely_req(struct hostile_cm *c, unsigned node, struct rn_cm_req *r)
{
	const struct rn_port_attr *from = &c->sim->node[1 - node].port,
				  *to = &c->sim->node[node].port;
	bool v6 = c->sim->spec.ipv6;
	struct rn_cma_hdr cma = {.port = (uint16_t)(40000 + below(c, 1000)),
				 .ipv4 = !v6,
				 .src = from->gids[v6],
				 .dst = to->gids[v6]};
	*r = (struct rn_cm_req){
		.local_id = below(c, 500),
		.service_id = rn_cm_service_id(RN_PS_TCP, PORT),
		.guid = from->guid,
		.qpn = 20 + below(c, 300),
		.responder_resources = 4,
		.initiator_depth = 4,
		.remote_response_timeout = 16,
		.local_response_timeout = 16,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.pkey = 0xFFFF,
		.path_mtu = 3,
		.max_cm_retries = 3,
		.local_gid = from->gids[v6],
		.remote_gid = to->gids[v6],
		.subnet_local = 1,
		.hop_limit = 64,
		.ack_timeout = 10,
	};
	rn_cma_hdr_build(&cma, r->data);
}

static void likely_question(struct hostile_cm *c, unsigned node, struct rn_cm_sidr_req *r)
{
	bool v6 = c->sim->spec.ipv6;
	struct rn_cma_hdr cma = {.port = (uint16_t)(40000 + below(c, 1000)),
				 .ipv4 = !v6,
				 .src = c->sim->node[1 - node].port.gids[v6],
				 .dst = c->sim->node[node].port.gids[v6]};
	*r = (struct rn_cm_sidr_req){.request_id = below(c, 100),
				     .pkey = 0xFFFF,
				     .service_id = rn_cm_service_id(RN_PS_UDP, PORT)};
	rn_cma_hdr_build(&cma, r->data);
}

void hostile_cm_record(struct hostile_cm *c, unsigned from, const struct rn_pkt *pkt)
{
	struct rn_cm_msg m;
	if (pkt->kind != RN_PKT_IB || pkt->dest_qpn != RN_GSI_QPN ||
	    !rn_cm_msg_parse(pkt->payload, pkt->payload_len, &m))
		return;
	c->heard[c->nheard % HOSTILE_HEARD] = m;
	if (m.attr == RN_CM_REQ || m.attr == RN_CM_REP)
		c->said_qpn[from] = m.attr == RN_CM_REQ ? m.req.qpn : m.rep.qpn;
	c->speaker[c->nheard++ % HOSTILE_HEARD] = from;
}

/* Returns a type of CM message that is a valid answer to a message of type `to`. */
static uint16_t fitting_answer(struct hostile_cm *c, uint16_t to)
{
	static const uint16_t to_req[] = {RN_CM_REP, RN_CM_REP, RN_CM_MRA, RN_CM_REJ};
	static const uint16_t to_rep[] = {RN_CM_RTU, RN_CM_RTU, RN_CM_MRA, RN_CM_REJ, RN_CM_DREQ};
	switch (to) {
	case RN_CM_REQ:
		return to_req[below(c, RN_ARRAY_SIZE(to_req))];
	case RN_CM_REP:
		return to_rep[below(c, RN_ARRAY_SIZE(to_rep))];
	case RN_CM_DREQ:
		return RN_CM_DREP;
	case RN_CM_SIDR_REQ:
		return RN_CM_SIDR_REP;
	default:
		return RN_CM_DREQ;
	}
}

/* Forges an answer to a CM message that the node sent, or repeats a CM message that was sent to the
 * node, sometimes with another type. Every CM message begins with the sender's id, then the
 * receiver's id if there is one. So rtu.local_id and rtu.remote_id stand for these ids in a message
 * of any type. */
static void forge_from_heard(struct hostile_cm *c, unsigned node, struct rn_cm_msg *m)
{
	static const uint16_t answers[] = {RN_CM_MRA,  RN_CM_REJ,  RN_CM_REP, RN_CM_SIDR_REP,
					   RN_CM_DREQ, RN_CM_DREP, RN_CM_RTU};
	unsigned i = below(c, RN_MIN(c->nheard, HOSTILE_HEARD));
	if (!one_in(c, 3)) /* mostly answers the latest message */
		i = (c->nheard - 1) % HOSTILE_HEARD;
	const struct rn_cm_msg *was = &c->heard[i];
	*m = *was;
	if (c->speaker[i] == node) {
		uint32_t other = was->rtu.remote_id;
		memset(&m->rep, 0, sizeof(m->rep));
		m->attr = one_in(c, 2) ? answers[below(c, RN_ARRAY_SIZE(answers))]
				       : fitting_answer(c, was->attr);
		if (m->attr == RN_CM_SIDR_REP) {
			m->sidr_rep.request_id = was->sidr_req.request_id;
			m->sidr_rep.status = (uint8_t)(one_in(c, 2) ? 0 : below(c, 256));
			m->sidr_rep.qpn = below(c, 100);
			return;
		}
		m->rtu.local_id = one_in(c, 2) ? other : below(c, 500);
		m->rtu.remote_id = was->rtu.local_id;
		if (m->attr == RN_CM_REP)
			m->rep.qpn = below(c, 500), m->rep.psn = below(c, 1 << 24);
		else if (m->attr == RN_CM_MRA)
			m->mra.service_timeout = (uint8_t)below(c, 20),
			m->mra.about = (uint8_t)(was->attr == RN_CM_REP);
		else if (m->attr == RN_CM_REJ)
			m->rej.reason = (uint16_t)below(c, 40),
			m->rej.ari_len = (uint8_t)below(c, 128);
		else if (m->attr == RN_CM_DREQ)
			m->dreq.remote_qpn = c->said_qpn[node];
	} else if (one_in(c, 4)) {
		m->attr = (uint16_t)(RN_CM_REQ + below(c, 11));
	}
}

struct rn_pkt hostile_cm_forge(struct hostile_cm *c, unsigned node)
{
	static const uint16_t attrs[] = {RN_CM_REQ,	 RN_CM_MRA,  RN_CM_REJ,	 RN_CM_REP,
					 RN_CM_RTU,	 RN_CM_DREQ, RN_CM_DREP, RN_CM_SIDR_REQ,
					 RN_CM_SIDR_REP, RN_CM_LAP,  RN_CM_APR};
	static uint8_t mad[RN_MAD_BYTES];
	struct rn_cm_msg msg = {.attr = attrs[below(c, RN_ARRAY_SIZE(attrs))]};
	struct rn_pkt p = craft_packet(c->sim, node, 0, RN_T_UD | RN_OP_SEND_ONLY, 0);
	if (one_in(c, 2))
		msg.attr = RN_CM_REQ;
	msg.tid = below(c, 100);
	if (c->nheard && !one_in(c, 3)) {
		forge_from_heard(c, node, &msg);
	} else if (msg.attr == RN_CM_SIDR_REQ) {
		likely_question(c, node, &msg.sidr_req);
	} else if (msg.attr == RN_CM_REQ) {
		likely_req(c, node, &msg.req);
	} else { /* ids below 500, some of which exist */
		msg.rep.local_id = below(c, 500);
		msg.rep.remote_id = below(c, 500);
		msg.rep.qpn = below(c, 500);
	}
	rn_cm_msg_build(&msg, mad);
	unsigned flips = one_in(c, 2) ? below(c, 6) : 0;
	c->forged = msg.attr;
	c->damaged = flips != 0;
	for (; flips; flips--)
		mad[below(c, RN_MAD_BYTES)] ^= (uint8_t)(1u << below(c, 8));
	p.dest_qpn = p.src_qpn = RN_GSI_QPN;
	p.qkey = one_in(c, 20) ? below(c, 1000) : RN_GSI_QKEY;
	p.payload = mad;
	p.payload_len = one_in(c, 20) ? below(c, RN_MAD_BYTES) : RN_MAD_BYTES;
	return p;
}

void hostile_cm_end(struct hostile_cm *c)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		keep_requests(c, node);
		while (c->nids[node]) {
			struct rn_cmd cmd = {.op = RN_CMD_CM_DESTROY};
			struct rn_rsp rsp;
			cmd.cm.id = c->id[node][--c->nids[node]];
			sim_exec(c->sim, node, &cmd, &rsp);
			c->refused += rsp.err != 0;
		}
	}
}
