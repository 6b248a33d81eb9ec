/* Connections as seen on the wire. These tests cover the rows of docs/spec/rocev2.md that need
 * whole shards with QPs, not just the connection manager. Node 0 is the active side unless a test
 * says otherwise. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "wire/arp_msg.h"
#include "cm/cm.h"
#include "wire/cm_msg.h"
#include "craft.h"
#include "wire/nd_msg.h"
#include "shard/shard.h"
#include "sim.h"

#define PORT 4000u
/* first PSN of the requests that a node expects from its peer */
#define PSN(node) (0xA0u + 0x10u * (1 - (node)))

struct world {
	struct sim sim;
	uint32_t listener[SIM_NODES], id[SIM_NODES];
	bool up[SIM_NODES], gone[SIM_NODES], no_answer;
	uint16_t rejected; /* reason in the last REJ */
	unsigned requests;
	/* Number of packets seen on the link. The first index is the sending node. The second index
	 * of `mads` is the type of CM message. `data` counts data packets. */
	unsigned mads[SIM_NODES][0x20], data[SIM_NODES], rnr_naks[SIM_NODES];
	uint32_t first_psn[SIM_NODES];
	uint8_t rnr_syndrome;
	struct rn_cm_msg last[SIM_NODES][0x20];
	struct rn_pkt last_mad; /* last packet with a CM message; its payload is no longer valid */
	bool resolved[SIM_NODES];
	unsigned data_at_dreq, flushed_at_dreq;
	unsigned flushed;
	uint16_t lose; /* type of CM message that the link drops; 0 = none */
};

static bool watch(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct world *w = arg;
	struct rn_cm_msg m;
	struct rn_arp arp;
	struct rn_nd nd;
	const struct rn_port_attr *port = &sim->node[from].port;
	if (pkt->kind == RN_PKT_ARP && rn_arp_parse(pkt->payload, pkt->payload_len, &arp))
		w->resolved[from] |= arp.op == RN_ARP_REPLY &&
				     memcmp(arp.sender_mac, port->mac, 6) == 0 &&
				     rn_gid_equal(&arp.sender, &port->gids[0]);
	if (pkt->kind == RN_PKT_ND &&
	    rn_nd_parse(&pkt->src, &pkt->dst, pkt->payload, pkt->payload_len, &nd))
		w->resolved[from] |= nd.type == RN_ND_ADVERT && memcmp(nd.mac, port->mac, 6) == 0 &&
				     rn_gid_equal(&nd.target, &port->gids[1]);
	if (pkt->kind != RN_PKT_IB)
		return true;
	if (pkt->dest_qpn == RN_GSI_QPN && rn_cm_msg_parse(pkt->payload, pkt->payload_len, &m)) {
		w->mads[from][m.attr]++;
		w->last[from][m.attr] = m;
		w->last_mad = *pkt;
		if (m.attr == RN_CM_DREQ) {
			w->data_at_dreq = w->data[from];
			w->flushed_at_dreq = w->flushed;
		}
		return m.attr != w->lose;
	}
	if ((pkt->opcode & 0x1F) <= RN_OP_SEND_ONLY) {
		if (w->data[from]++ == 0)
			w->first_psn[from] = pkt->psn;
	} else if (pkt->opcode == RN_OP_ACK && pkt->syndrome >> 5 == 1) {
		w->rnr_naks[from]++;
		w->rnr_syndrome = pkt->syndrome;
	}
	return true;
}

static void start_type(struct world *w, bool ipv6, uint8_t type)
{
	struct sim_spec s;
	memset(w, 0, sizeof(*w));
	sim_spec_default(&s);
	s.ipv6 = ipv6;
	s.type = type;
	s.link[0].rate = s.link[1].rate = 10000000000;
	sim_init(&w->sim, &s);
	w->sim.filter = watch;
	w->sim.filter_arg = w;
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN};
		struct rn_rsp rsp;
		cmd.cm.port = PORT;
		cmd.cm.qp_type = type;
		sim_exec(&w->sim, node, &cmd, &rsp);
		assert_int_equal(rsp.err, 0);
		w->listener[node] = rsp.id;
	}
}

static void start(struct world *w, bool ipv6)
{
	start_type(w, ipv6, RN_QPT_RC);
}

static int order(struct world *w, unsigned node, unsigned op, uint32_t id)
{
	struct rn_cmd cmd = {.op = (uint16_t)op, .cm.id = id};
	struct rn_rsp rsp;
	sim_exec(&w->sim, node, &cmd, &rsp);
	return rsp.err;
}

static struct rn_cm_param parameters(struct world *w, unsigned node, unsigned qp)
{
	return (struct rn_cm_param){.qpn = w->sim.node[node].qp[qp].qpn,
				    .psn = PSN(node),
				    .responder_resources = 4,
				    .initiator_depth = 4,
				    .retry_cnt = 7,
				    .rnr_retry = 7};
}

static int dial(struct world *w, unsigned node, unsigned qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT};
	struct rn_rsp rsp;
	cmd.cm.id = w->id[node];
	cmd.cm.peer = w->sim.node[1 - node].port.gids[w->sim.spec.ipv6];
	cmd.cm.peer_port = PORT;
	cmd.cm.qp_type = w->sim.spec.type;
	cmd.cm.param = parameters(w, node, qp);
	sim_exec(&w->sim, node, &cmd, &rsp);
	w->id[node] = rsp.err ? w->id[node] : rsp.id;
	return rsp.err;
}

static void to_rts(struct world *w, unsigned node, unsigned qp, const struct rn_event *ev)
{
	struct rn_qp_attr a = ev->attr;
	if (w->sim.spec.type == RN_QPT_UC) {
		a.rq_psn = PSN(node);
		a.state = RN_QPS_RTR;
		assert_int_equal(sim_modify(&w->sim, node, qp,
					    RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU |
						    RN_QP_DEST_QPN | RN_QP_RQ_PSN,
					    &a),
				 0);
		a.state = RN_QPS_RTS;
		assert_int_equal(sim_modify(&w->sim, node, qp, RN_QP_STATE | RN_QP_SQ_PSN, &a), 0);
		return;
	}
	a.rq_psn = PSN(node);
	a.state = RN_QPS_RTR;
	assert_int_equal(sim_modify(&w->sim, node, qp,
				    RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN |
					    RN_QP_RQ_PSN | RN_QP_MAX_DEST_RD_ATOMIC |
					    RN_QP_MIN_RNR_TIMER,
				    &a),
			 0);
	a.state = RN_QPS_RTS;
	assert_int_equal(sim_modify(&w->sim, node, qp,
				    RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT |
					    RN_QP_RNR_RETRY | RN_QP_SQ_PSN | RN_QP_MAX_RD_ATOMIC,
				    &a),
			 0);
}

static void take_event(struct world *w, unsigned node, unsigned qp, const struct rn_event *ev)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_ACCEPT};
	struct rn_rsp rsp;
	switch (ev->kind) {
	case RN_EVENT_CM_REQUEST:
		w->requests++;
		w->id[node] = ev->id;
		if (w->no_answer)
			break;
		to_rts(w, node, qp, ev);
		cmd.cm.id = ev->id;
		cmd.cm.param = parameters(w, node, qp);
		sim_exec(&w->sim, node, &cmd, &rsp);
		assert_int_equal(rsp.err, 0);
		break;
	case RN_EVENT_CM_RESPONSE:
		to_rts(w, node, qp, ev);
		assert_int_equal(order(w, node, RN_CMD_CM_ESTABLISH, ev->id), 0);
		w->up[node] = true;
		break;
	case RN_EVENT_CM_ESTABLISHED:
		w->up[node] = true;
		break;
	case RN_EVENT_CM_REJECTED:
		w->rejected = ev->reason;
		break;
	case RN_EVENT_CM_DISCONNECTED:
		w->gone[node] = true;
		order(w, node, RN_CMD_CM_DISCONNECT, ev->id);
		break;
	}
}

/* Runs the simulation for the time `span`. On each node a client handles the CM events and connects
 * the QP in slot `qp` of sim_node.qp[]. */
static void act(struct world *w, unsigned qp, rn_time span)
{
	rn_time end = w->sim.now + span;
	bool more = true;
	while (more) {
		sim_settle(&w->sim);
		for (unsigned node = 0; node < SIM_NODES; node++) {
			for (unsigned i = 0; i < w->sim.nevents[node]; i++) {
				struct rn_event ev = w->sim.events[node][i];
				take_event(w, node, qp, &ev);
			}
			w->sim.nevents[node] = 0;
		}
		more = sim_step(&w->sim, end) || w->sim.nevents[0] || w->sim.nevents[1];
	}
}

static void make_qps(struct world *w, unsigned qp)
{
	sim_create_qp(&w->sim, 0, qp);
	sim_create_qp(&w->sim, 1, qp);
}

static void connect(struct world *w, unsigned qp)
{
	make_qps(w, qp);
	assert_int_equal(dial(w, 0, qp), 0);
	act(w, qp, RN_MS(20));
	assert_true(w->up[0] && w->up[1]);
}

static void post(struct world *w, unsigned node, unsigned qp, enum rn_wqe_kind kind,
		 uint32_t length)
{
	sim_post(&w->sim, node, qp,
		 &(struct sim_op){.kind = kind, .flags = RN_WQE_SIGNALED, .length = length});
}

static unsigned drain(struct world *w, unsigned node, uint8_t status)
{
	struct rn_cqe e;
	unsigned n = 0;
	while (sim_poll(&w->sim, node, &e))
		n += e.status == status;
	return n;
}

static void stop(struct world *w)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		if (w->id[node])
			assert_int_equal(order(w, node, RN_CMD_CM_DESTROY, w->id[node]), 0);
		assert_int_equal(order(w, node, RN_CMD_CM_DESTROY, w->listener[node]), 0);
	}
	sim_run(&w->sim, w->sim.now + RN_S(200));
	for (unsigned node = 0; node < SIM_NODES; node++) {
		assert_int_equal(rn_cm_live(w->sim.node[node].shard->lane.cm), 0);
		assert_int_equal(rn_cm_timewait(w->sim.node[node].shard->lane.cm), 0);
	}
	assert_int_equal(sim_fini(&w->sim), 0);
}

/* ---- rows of docs/spec/rocev2.md about queue pairs ---- */

static void wire_row_C21_first_packet_numbers(void **state)
{
	struct world w;
	start(&w, false);
	connect(&w, 0);
	for (unsigned node = 0; node < SIM_NODES; node++) {
		post(&w, 1 - node, 0, RN_WQE_RECV, 100);
		post(&w, node, 0, RN_WQE_SEND, 100);
	}
	act(&w, 0, RN_MS(20));
	assert_int_equal(w.last[0][RN_CM_REQ].req.psn, 0xB0);
	assert_int_equal(w.last[1][RN_CM_REP].rep.psn, 0xA0);
	assert_int_equal(w.first_psn[0], 0xA0);
	assert_int_equal(w.first_psn[1], 0xB0);
	assert_int_equal(drain(&w, 0, RN_STATUS_SUCCESS), 2);
	assert_int_equal(drain(&w, 1, RN_STATUS_SUCCESS), 2);
	stop(&w);
}

static void wire_row_C28_arp_and_nd_are_answered(void **state)
{
	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		struct world w;
		start(&w, ipv6);
		connect(&w, 0);
		/* The passive side must answer address resolution. The active side need not,
		 * because the passive side may know the active side's MAC already. */
		assert_true(w.resolved[1]);
		stop(&w);
	}
}

/* rdma_disconnect() first moves the QP to the error state, which stops the QP and flushes its work
 * requests. The connection manager sends the DREQ later, when the client issues the DISCONNECT
 * command. */
static void wire_row_C38_in_error_before_the_dreq(void **state)
{
	struct rn_qp_attr err = {.state = RN_QPS_ERR};
	struct world w;
	start(&w, false);
	connect(&w, 0);
	for (unsigned i = 0; i < 4; i++)
		post(&w, 0, 0, RN_WQE_RECV, 100);
	for (unsigned i = 0; i < 8; i++)
		post(&w, 0, 0, RN_WQE_SEND, 8000); /* The peer has no receive for this SEND. */
	act(&w, 0, RN_MS(1));
	assert_true(w.data[0] > 0);
	assert_int_equal(w.mads[0][RN_CM_DREQ], 0);
	assert_int_equal(sim_modify(&w.sim, 0, 0, RN_QP_STATE, &err), 0);
	sim_settle(&w.sim);
	w.flushed = drain(&w, 0, RN_STATUS_WR_FLUSH_ERR);
	assert_int_equal(order(&w, 0, RN_CMD_CM_DISCONNECT, w.id[0]), 0);
	act(&w, 0, RN_S(1));
	assert_int_equal(w.mads[0][RN_CM_DREQ], 1);
	assert_int_equal(w.flushed_at_dreq, 12);
	assert_int_equal(w.data[0], w.data_at_dreq);
	assert_true(w.gone[0] && w.gone[1]);
	assert_int_equal(w.mads[1][RN_CM_DREP], 1);
	stop(&w);
}

static void wire_row_C39_rnr_timer_of_the_receiver(void **state)
{
	struct world w;
	start(&w, false);
	connect(&w, 0);
	post(&w, 0, 0, RN_WQE_SEND, 100);
	act(&w, 0, RN_MS(5));
	assert_true(w.rnr_naks[1] > 0);
	assert_int_equal(w.rnr_syndrome & 0x1F, w.sim.node[1].cfg.min_rnr_timer);
	assert_true(w.sim.node[1].cfg.min_rnr_timer != 0);
	post(&w, 1, 0, RN_WQE_RECV, 100);
	act(&w, 0, RN_S(2));
	assert_int_equal(drain(&w, 1, RN_STATUS_SUCCESS), 1);
	stop(&w);
}

/* UC connections are established like RC connections. If the RTU is lost, the first data packet
 * replaces the RTU. */
static void unreliable_connections(void **state)
{
	for (unsigned lost = 0; lost < 2; lost++) {
		struct world w;
		start_type(&w, false, RN_QPT_UC);
		w.lose = lost ? RN_CM_RTU : 0;
		make_qps(&w, 0);
		post(&w, 1, 0, RN_WQE_RECV, 100);
		assert_int_equal(dial(&w, 0, 0), 0);
		act(&w, 0, RN_MS(5));
		assert_int_equal(w.last[0][RN_CM_REQ].req.transport, RN_CM_T_UC);
		assert_true(w.up[0]);
		assert_int_equal(w.up[1], !lost);
		post(&w, 0, 0, RN_WQE_SEND, 100);
		act(&w, 0, RN_MS(5));
		assert_true(w.up[1]);
		assert_int_equal(drain(&w, 1, RN_STATUS_SUCCESS), 1);
		assert_int_equal(w.first_psn[0], 0xA0);
		assert_int_equal(order(&w, 0, RN_CMD_CM_DISCONNECT, w.id[0]), 0);
		act(&w, 0, RN_MS(5));
		assert_true(w.gone[0] && w.gone[1]);
		stop(&w);
	}
}

/* ---- rows of docs/spec/rocev2.md about QP1 ---- */

/* Makes node 0 send a REQ and the link drop it. Returns the packet of the REQ, whose payload is
 * `mad`. The test injects this packet later, changed or unchanged. */
static struct rn_pkt a_request(struct world *w, uint8_t mad[RN_MAD_BYTES])
{
	struct rn_pkt p;
	w->lose = RN_CM_REQ;
	make_qps(w, 0);
	assert_int_equal(dial(w, 0, 0), 0);
	act(w, 0, RN_MS(5));
	assert_int_equal(w->mads[0][RN_CM_REQ], 1);
	assert_int_equal(w->requests, 0);
	w->lose = 0;
	p = w->last_mad;
	rn_cm_msg_build(&w->last[0][RN_CM_REQ], mad);
	p.payload = mad;
	return p;
}

static void wire_row_C40_a_limited_partition_key(void **state)
{
	uint8_t mad[RN_MAD_BYTES];
	struct rn_pkt p;
	struct world w;
	start(&w, false);
	p = a_request(&w, mad);
	assert_int_equal(p.pkey, 0xFFFF);
	p.pkey = 0x7FFF;
	assert_int_equal(craft_inject(&w.sim, 1, &p), RN_V_OK);
	act(&w, 0, RN_MS(5));
	assert_int_equal(w.requests, 1);
	assert_int_equal(w.mads[1][RN_CM_REP], 1);
	assert_true(w.up[0] && w.up[1]);
	stop(&w);
}

static void wire_row_U11_qkey_of_qp1(void **state)
{
	uint8_t mad[RN_MAD_BYTES];
	struct rn_pkt p;
	struct world w;
	start(&w, false);
	p = a_request(&w, mad);
	assert_int_equal(p.qkey, 0x80010000);
	assert_int_equal(p.dest_qpn, 1);
	assert_int_equal(p.src_qpn, 1);
	assert_int_equal(p.payload_len, 256);
	assert_int_equal(craft_inject(&w.sim, 1, &p), RN_V_OK);
	act(&w, 0, RN_MS(5));
	assert_int_equal(w.requests, 1);
	stop(&w);
}

static unsigned mads_of(const struct world *w, unsigned node)
{
	unsigned n = 0;
	for (unsigned attr = 0; attr < 0x20; attr++)
		n += w->mads[node][attr];
	return n;
}

static void wire_row_U12_other_keys(void **state)
{
	static const uint32_t keys[] = {0, 0x80010001, 0x01234567, 0x00010000};
	uint8_t mad[RN_MAD_BYTES];
	struct rn_pkt p;
	struct world w;
	start(&w, false);
	p = a_request(&w, mad);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(keys); i++) {
		p.qkey = keys[i];
		assert_int_equal(craft_inject(&w.sim, 1, &p), RN_V_QKEY);
	}
	act(&w, 0, RN_MS(5));
	assert_int_equal(w.requests, 0);
	assert_int_equal(mads_of(&w, 1), 0);
	stop(&w);
}

static void wire_row_U13_other_mads(void **state)
{
	static const struct {
		uint8_t at, value; /* offset in the MAD, and the value to store there */
		uint16_t len;
	} rows[] = {
		{1, 0x03, 256},	 {1, 0x04, 256},  {1, 0x01, 256}, {1, 0x81, 256}, /* MAD class */
		{0, 2, 256},	 {0, 0, 256},	  {2, 1, 256},	  {2, 3, 256},	  /* MAD version */
		{3, 0x01, 256},	 {3, 0x83, 256},				  /* MAD method */
		{17, 0x0F, 256}, {17, 0x1B, 256}, {16, 1, 256},			  /* attribute ID */
		{0, 1, 255},	 {0, 1, 24},	  {0, 1, 0},	  {0, 1, 260},	  /* MAD length */
	};
	uint8_t mad[RN_MAD_BYTES + 4] = {0};
	struct rn_pkt p;
	struct world w;
	start(&w, false);
	p = a_request(&w, mad);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		uint8_t was = mad[rows[i].at];
		mad[rows[i].at] = rows[i].value;
		p.payload_len = rows[i].len;
		assert_int_equal(craft_inject(&w.sim, 1, &p), RN_V_MAD_BAD);
		mad[rows[i].at] = was;
	}
	act(&w, 0, RN_MS(5));
	assert_int_equal(w.requests, 0);
	assert_int_equal(mads_of(&w, 1), 0);
	stop(&w);
}

/* ---- rows of docs/spec/rocev2.md about long runs ---- */

#define GHOSTS (8u << 20) /* offset in node 0's arena: target of the first transfer */

/* Node 0's process dies while node 1 writes to it, and a new process of node 0 connects. With the
 * same seed the new process gets the same QPN, so node 1 rejects the REQ as stale. With another
 * seed the new process gets a different QPN. */
static void wire_row_S6_a_restarted_peer(void **state)
{
	for (unsigned same = 0; same < 2; same++) {
		static uint8_t before[1 << 20];
		struct world w;
		uint32_t qpn, old_id;
		start(&w, false);
		connect(&w, 0);
		qpn = w.sim.node[0].qp[0].qpn;
		memset(w.sim.node[1].arena, 0x77, 1 << 20);
		sim_post(&w.sim, 1, 0,
			 &(struct sim_op){.kind = RN_WQE_WRITE,
					  .flags = RN_WQE_SIGNALED,
					  .length = 1 << 20,
					  .remote = GHOSTS});
		act(&w, 0, RN_US(200));
		assert_true(w.sim.node[0].arena[GHOSTS] == 0x77);
		/* The transfer is not complete: its last byte has not arrived. */
		assert_true(w.sim.node[0].arena[GHOSTS + (1 << 20) - 1] != 0x77);
		old_id = w.id[1];
		sim_restart(&w.sim, 0, same ? w.sim.node[0].seed : 4711);
		memcpy(before, w.sim.node[0].arena + GHOSTS, sizeof(before));
		w.id[0] = w.id[1] = w.listener[0] = 0;
		memset(w.up, 0, sizeof(w.up));
		memset(w.gone, 0, sizeof(w.gone));
		/* With the same seed the new process draws the same communication ids again. Node 1
		 * would take a REQ with the first id for a retransmission. So a connect to another
		 * host uses up the first id. */
		if (same) {
			struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT};
			struct rn_rsp rsp;
			cmd.cm.peer = w.sim.node[1].port.gids[0];
			cmd.cm.peer.b[15] = 99;
			cmd.cm.peer_port = PORT;
			cmd.cm.param.qpn = 0x999;
			sim_exec(&w.sim, 0, &cmd, &rsp);
			assert_int_equal(rsp.err, 0);
			assert_int_equal(order(&w, 0, RN_CMD_CM_DESTROY, rsp.id), 0);
		}
		sim_create_qp(&w.sim, 0, 0);
		sim_create_qp(&w.sim, 1, 1);
		assert_int_equal(w.sim.node[0].qp[0].qpn == qpn, same);
		w.sim.node[0].qp[1] = w.sim.node[0].qp[0]; /* from here on both nodes use qp[1] */
		w.sim.node[0].qp[0] = (struct sim_qp){0};
		assert_int_equal(dial(&w, 0, 1), 0);
		act(&w, 1, RN_S(1));
		if (same) { /* node 1 rejects the REQ as stale and ends its old connection */
			assert_int_equal(w.rejected, 10);
			assert_true(w.gone[1]);
			assert_int_equal(w.mads[1][RN_CM_DREQ], 1);
			assert_int_equal(dial(&w, 0, 1), 0);
			act(&w, 1, RN_S(1));
		}
		assert_true(w.up[0] && w.up[1]);
		w.gone[0] = w.gone[1] = false;
		memset(w.sim.node[1].arena, 0x11, 100);
		sim_post(&w.sim, 0, 1, &(struct sim_op){.kind = RN_WQE_RECV, .length = 100});
		post(&w, 1, 1, RN_WQE_SEND, 100);
		act(&w, 1, RN_S(10));
		assert_int_equal(drain(&w, 0, RN_STATUS_SUCCESS), 1);
		assert_true(w.sim.node[0].arena[0] == 0x11 && w.sim.node[0].arena[99] == 0x11);
		/* No packet of the old transfer was accepted after the restart, and the transfer
		 * failed. */
		assert_memory_equal(w.sim.node[0].arena + GHOSTS, before, sizeof(before));
		assert_int_equal(atomic_load(&w.sim.node[1].qp[0].shared->state), RN_QPS_ERR);
		assert_int_equal(atomic_load(&w.sim.node[1].qp[1].shared->state), RN_QPS_RTS);
		order(&w, 1, RN_CMD_CM_DESTROY, old_id);
		{
			struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN};
			struct rn_rsp rsp;
			cmd.cm.port = PORT;
			sim_exec(&w.sim, 0, &cmd, &rsp);
			w.listener[0] = rsp.id;
		}
		stop(&w);
	}
}

static void wire_row_S8_a_hundred_thousand_connections(void **state)
{
	struct world w;
	uint64_t ids = 0;
	start(&w, false);
	for (unsigned i = 0; i < 100000; i++) {
		unsigned who = i % 2;
		memset(w.up, 0, sizeof(w.up));
		memset(w.gone, 0, sizeof(w.gone));
		w.id[0] = w.id[1] = 0;
		make_qps(&w, 0);
		assert_int_equal(dial(&w, who, 0), 0);
		act(&w, 0, RN_US(500));
		assert_true(w.up[0] && w.up[1]);
		ids += w.last[who][RN_CM_REQ].req.local_id;
		if (i % 3)
			assert_int_equal(
				order(&w, i / 2 % 2, RN_CMD_CM_DISCONNECT, w.id[i / 2 % 2]), 0);
		else
			assert_int_equal(order(&w, 0, RN_CMD_CM_DESTROY, w.id[0]), 0);
		/* lets time pass, so that about 15 connections are in timewait */
		act(&w, 0, RN_MS(4));
		assert_true(w.gone[1]);
		sim_destroy_qp(&w.sim, 0, 0);
		sim_destroy_qp(&w.sim, 1, 0);
		if (i % 3)
			assert_int_equal(order(&w, 0, RN_CMD_CM_DESTROY, w.id[0]), 0);
		assert_int_equal(order(&w, 1, RN_CMD_CM_DESTROY, w.id[1]), 0);
		assert_int_equal(rn_cm_live(w.sim.node[0].shard->lane.cm), 1);
		assert_int_equal(rn_cm_live(w.sim.node[1].shard->lane.cm), 1);
		w.sim.nevents[0] = w.sim.nevents[1] = 0;
	}
	assert_int_equal(rn_cm_dropped(w.sim.node[0].shard->lane.cm) +
				 rn_cm_dropped(w.sim.node[1].shard->lane.cm),
			 0);
	/* The average id lies in the middle half of the range, as the average of evenly spread ids
	 * does. */
	assert_in_range(ids / 100000, 1u << 30, 3u << 30);
	w.id[0] = w.id[1] = 0;
	stop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_C21_first_packet_numbers),
		cmocka_unit_test(wire_row_C28_arp_and_nd_are_answered),
		cmocka_unit_test(wire_row_C38_in_error_before_the_dreq),
		cmocka_unit_test(wire_row_C39_rnr_timer_of_the_receiver),
		cmocka_unit_test(unreliable_connections),
		cmocka_unit_test(wire_row_C40_a_limited_partition_key),
		cmocka_unit_test(wire_row_U11_qkey_of_qp1),
		cmocka_unit_test(wire_row_U12_other_keys),
		cmocka_unit_test(wire_row_U13_other_mads),
		cmocka_unit_test(wire_row_S6_a_restarted_peer),
		cmocka_unit_test(wire_row_S8_a_hundred_thousand_connections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
