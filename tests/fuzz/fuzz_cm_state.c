/* Fuzz target: drives a connection manager with messages of a peer, with commands of a client, and
 * with the passing of time. The input selects the steps and their order; messages need not be
 * plausible.
 *
 * Every message that the connection manager sends must parse. When all clients are gone and enough
 * time has passed, no connection and no timewait record may be left. */
#include <string.h>

#include "cm/cm.h"
#include "wire/cm_msg.h"
#include "shard/core.h"
#include "wire/frame.h"
#include "fuzz.h"

#define PORT 7471
#define IDS  16

struct talk {
	const uint8_t *in, *end;
	struct rn_cm *cm;
	rn_time now;
	struct rn_port_attr port;
	struct rn_static_neigh peer;
	uint32_t ids[IDS];
	unsigned nids;
	struct rn_cm_msg said; /* the last message that the connection manager sent */
};

static uint8_t next(struct talk *t)
{
	return t->in < t->end ? *t->in++ : 0;
}

static struct rn_gid gid(uint8_t last)
{
	return (struct rn_gid){
		{[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = last}};
}

static void keep(struct talk *t, uint32_t id)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_DESTROY, .cm.id = id};
	struct rn_rsp rsp = {0};

	if (t->nids < IDS) {
		t->ids[t->nids++] = id;
		return;
	}
	rn_cm_exec(t->cm, &cmd, &rsp, t->now);
	CHECK(rsp.err == 0);
}

static void hear(struct talk *t)
{
	struct rn_event ev;
	struct rn_pkt pkt;

	rn_cm_tick(t->cm, t->now);
	while (rn_cm_tx(t->cm, &pkt, t->now)) {
		CHECK(pkt.dest_qpn == RN_GSI_QPN && pkt.qkey == RN_GSI_QKEY);
		CHECK(rn_cm_msg_parse(pkt.payload, pkt.payload_len, &t->said));
	}
	while (rn_cm_event(t->cm, &ev))
		if (ev.kind == RN_EVENT_CM_REQUEST)
			keep(t, ev.id);
}

/* Delivers a message of the peer. The input selects the kind of message and changes up to three of
 * its bytes. A message other than a REQ or SIDR_REQ first gets the ids of the last message that the
 * connection manager sent. */
static void say(struct talk *t)
{
	struct rn_cma_hdr cma = {.port = 9, .ipv4 = true, .src = gid(2), .dst = gid(1)};
	struct rn_cm_msg m = {.attr = (uint16_t)(RN_CM_REQ + next(t) % 11)};
	struct rn_pkt pkt = {.src = gid(2),
			     .dst = gid(1),
			     .smac = {2, 0, 0, 0, 0, 2},
			     .payload_len = RN_MAD_BYTES};
	uint8_t mad[RN_MAD_BYTES];

	if (m.attr == RN_CM_REQ) {
		m.req = (struct rn_cm_req){.local_id = 1 + next(t) % 8,
					   .service_id = rn_cm_service_id(RN_PS_TCP, PORT),
					   .guid = 5,
					   .qpn = 20 + next(t) % 8,
					   .path_mtu = 3,
					   .max_cm_retries = 2,
					   .local_response_timeout = 14,
					   .ack_timeout = 10,
					   .local_gid = gid(2),
					   .remote_gid = gid(1)};
		rn_cma_hdr_build(&cma, m.req.data);
	} else if (m.attr == RN_CM_SIDR_REQ) {
		m.sidr_req = (struct rn_cm_sidr_req){
			.request_id = next(t) % 8, .service_id = rn_cm_service_id(RN_PS_UDP, PORT)};
		rn_cma_hdr_build(&cma, m.sidr_req.data);
	} else if (m.attr == RN_CM_SIDR_REP) {
		m.sidr_rep.request_id = t->said.sidr_req.request_id;
		m.sidr_rep.qpn = 30;
	} else { /* all other messages begin with the local and the remote communication id */
		m.rtu.local_id = t->said.attr == RN_CM_REQ ? 9u : t->said.rtu.remote_id;
		m.rtu.remote_id = t->said.rtu.local_id;
		if (m.attr == RN_CM_REP)
			m.rep.qpn = 20 + next(t) % 8;
		if (m.attr == RN_CM_DREQ)
			m.dreq.remote_qpn = 40 + next(t) % 4;
		if (m.attr == RN_CM_MRA)
			m.mra.about = next(t) & 3;
	}
	rn_cm_msg_build(&m, mad);
	for (unsigned n = next(t) & 3; n; n--) {
		uint8_t at = next(t);
		mad[at] ^= next(t);
	}
	pkt.payload = mad;
	CHECK(rn_cm_rx(t->cm, &pkt, t->now) < RN_V_COUNT);
}

static void command(struct talk *t)
{
	static const uint16_t ops[] = {RN_CMD_CM_CONNECT,    RN_CMD_CM_LISTEN, RN_CMD_CM_BIND,
				       RN_CMD_CM_ESTABLISH,  RN_CMD_CM_ACCEPT, RN_CMD_CM_REJECT,
				       RN_CMD_CM_DISCONNECT, RN_CMD_CM_DELAY};
	static const uint16_t spaces[] = {0, RN_PS_UDP, RN_PS_IB, RN_PS_IPOIB};
	struct rn_cmd cmd = {.op = ops[next(t) % 8]};
	struct rn_rsp rsp = {0};
	uint8_t which = next(t);
	unsigned made = cmd.op == RN_CMD_CM_CONNECT || cmd.op == RN_CMD_CM_LISTEN ||
			cmd.op == RN_CMD_CM_BIND;

	cmd.cm.id = which % (IDS + 1) < t->nids ? t->ids[which % (IDS + 1)] : 0;
	cmd.cm.port_space = spaces[which >> 6];
	cmd.cm.port = cmd.op == RN_CMD_CM_LISTEN ? PORT : 0;
	cmd.cm.backlog = which & 3;
	cmd.cm.peer = gid(2);
	cmd.cm.peer_port = PORT;
	cmd.cm.param.qpn = 40 + next(t) % 4;
	cmd.cm.param.data_len = next(t);
	cmd.cm.reason = next(t) & 15;
	rn_cm_exec(t->cm, &cmd, &rsp, t->now);
	if (made && rsp.err == 0 && cmd.cm.id == 0)
		keep(t, rsp.id);
}

static void let_go(struct talk *t)
{
	while (t->nids) {
		struct rn_cmd cmd = {.op = RN_CMD_CM_DESTROY, .cm.id = t->ids[--t->nids]};
		struct rn_rsp rsp = {0};

		rn_cm_exec(t->cm, &cmd, &rsp, t->now);
		CHECK(rsp.err == 0);
	}
}

static void farewell(struct talk *t)
{
	/* The peer may have withdrawn a connection request before the client took the REQUEST
	 * event. The first let_go() leaves such a request behind. hear() takes the event and adds
	 * the request's id to t->ids. So let_go() is called once more. */
	let_go(t);
	hear(t);
	let_go(t);
	for (unsigned i = 0; i < 1000 && rn_cm_next(t->cm) != RN_TIME_NEVER; i++) {
		t->now = RN_MAX(t->now, rn_cm_next(t->cm));
		hear(t);
	}
	hear(t);
	CHECK(t->nids == 0);
	CHECK(rn_cm_live(t->cm) == 0 && rn_cm_timewait(t->cm) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct talk t = {.in = data, .end = data + len, .now = RN_S(1)};
	struct rn_core_cfg cfg = {.max_cm = 8,
				  .max_timewait = 4,
				  .max_neigh = 4,
				  .ack_timeout = 10,
				  .cm_response_timeout = RN_MS(50),
				  .cm_max_retries = 3,
				  .cm_patience = 16,
				  .neigh_retry = RN_MS(10),
				  .neigh_reachable = RN_S(1000000),
				  .neigh_probes = 2,
				  .static_neigh = &t.peer,
				  .nstatic_neigh = 1,
				  .secrets = rn_secrets_of_seed(7)};

	t.peer = (struct rn_static_neigh){gid(2), {2, 0, 0, 0, 0, 2}};
	t.port = (struct rn_port_attr){.mac = {2, 0, 0, 0, 0, 1},
				       .mtu = 1500,
				       .max_path_mtu = 3,
				       .ngids = 1,
				       .gids = {gid(1)},
				       .prefix_len = {24},
				       .guid = 77};
	struct rn_neigh *neigh = rn_neigh_create(&cfg, &t.port, t.now);
	t.cm = rn_cm_create(&cfg, &t.port, neigh, t.now);
	CHECK(neigh && t.cm);
	while (t.in < t.end) {
		uint8_t what = next(&t);

		if (what < 128)
			say(&t);
		else if (what < 224)
			command(&t);
		else
			t.now += RN_US(1) << (what & 31);
		if (what & 1)
			hear(&t);
	}
	farewell(&t);
	rn_cm_destroy(t.cm);
	rn_neigh_destroy(neigh);
	return 0;
}
