/* Fuzz target: drives a switch with frames from the wire and from clients, with the requests of
 * clients, and with the passing of time. The input selects the steps and their order. Frames
 * are arbitrary bytes, or CM messages and data packets with numbers from the input.
 *
 * Whatever a client sends, a frame that leaves for the wire has the port's MAC and addresses, a CM
 * message in it has the client's own numbers, and a datagram has a source QPN of the client. A
 * client without a connection sends nothing but those if the switch is strict. A frame is
 * forwarded if and only if its outcome says so, and only to clients that are attached. No client
 * has more connections than its share. When all clients are gone and enough time has passed, no
 * connection is left. */
#include <string.h>

#include "net/mad_pkt.h"
#include "switch/switch.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "fuzz.h"

#define CLIENTS 4u
#define SHARE	5u

struct run {
	const uint8_t *in, *end;
	struct rn_switch_cfg cfg;
	struct rn_switch *sw;
	rn_time now;
};

static uint8_t next(struct run *r)
{
	return r->in < r->end ? *r->in++ : 0;
}

static struct rn_gid gid(uint8_t last)
{
	return (struct rn_gid){
		{[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = last}};
}

/* Addresses, ids and QPNs from a small range, so that they often fit together. */
static struct rn_gid some_host(struct run *r)
{
	return gid(1 + next(r) % 3); /* 1 is the port */
}

static uint32_t some_id(struct run *r)
{
	uint8_t b = next(r);

	return (uint32_t)(b % (CLIENTS + 2)) << RN_CLIENT_ID_SHIFT | (b / 16);
}

static uint32_t some_qpn(struct run *r)
{
	uint8_t b = next(r);

	return b == 255 ? RN_MCAST_QPN
			: (uint32_t)(b % (CLIENTS + 2)) << RN_CLIENT_QPN_SHIFT | (b / 16 + 2);
}

/* ---- frames ---- */

static void check_departure(const struct run *r, unsigned client, const uint8_t *frame, size_t len)
{
	struct rn_cm_msg msg;
	struct rn_pkt pkt;

	CHECK(memcmp(frame + 6, r->cfg.port.mac, 6) == 0);
	if (rn_frame_parse(frame, len, &pkt) != RN_V_OK)
		return; /* the receiver drops the frame */
	if (pkt.kind == RN_PKT_ARP)
		return;
	CHECK(rn_port_own(&r->cfg.port, &pkt.src) >= 0);
	if (pkt.kind != RN_PKT_IB)
		return;
	if (pkt.dest_qpn != RN_GSI_QPN) {
		bool datagram = pkt.op->known && pkt.op->transport == RN_T_UD;

		CHECK(!datagram || rn_client_of_qpn(pkt.src_qpn) == client);
		CHECK(datagram || !r->cfg.strict || rn_switch_connections(r->sw, client) > 0);
		return;
	}
	CHECK(rn_cm_msg_parse(pkt.payload, pkt.payload_len, &msg));
	switch (msg.attr) {
	case RN_CM_SIDR_REP:
		CHECK(msg.sidr_rep.status || rn_client_of_qpn(msg.sidr_rep.qpn) == client ||
		      msg.sidr_rep.qpn == 0);
		break;
	case RN_CM_REQ:
		CHECK(rn_gid_equal(&msg.req.local_gid, &pkt.src));
		CHECK(rn_client_of_qpn(msg.req.qpn) == client || msg.req.qpn == 0);
		CHECK(rn_client_of_id(msg.req.local_id) == client);
		break;
	case RN_CM_REP:
		CHECK(rn_client_of_qpn(msg.rep.qpn) == client || msg.rep.qpn == 0);
		CHECK(rn_client_of_id(msg.rep.local_id) == client);
		break;
	case RN_CM_REJ:
		CHECK(rn_client_of_id(msg.rej.local_id) == client || msg.rej.local_id == 0);
		break;
	default: /* the others begin with the id of the sender */
		CHECK(rn_client_of_id(rn_load32(pkt.payload + RN_MAD_HDR_BYTES)) == client);
		break;
	}
}

static void give(struct run *r, unsigned from, const uint8_t *bytes, size_t len)
{
	uint8_t *frame = malloc(len ? len : 1); /* exact, for the sanitizer */
	struct rn_switch_way way;
	enum rn_outcome o;

	CHECK(frame);
	memcpy(frame, bytes, len);
	o = rn_switch_rx(r->sw, from, frame, len, &way, r->now);
	CHECK(o < RN_OUTCOMES);
	if (o != RN_OUT_TO_ALL) /* there may be no client */
		CHECK((rn_outcomes[o].kind == RN_OUTCOME_FORWARD) ==
		      (way.wire || way.client || way.clients));
	CHECK(!(way.wire && from == RN_SWITCH_WIRE));
	CHECK(way.client == 0 || rn_switch_attached(r->sw, way.client));
	for (unsigned c = way.clients ? rn_client_set_next(way.clients, 0) : 256; c < 256;
	     c = rn_client_set_next(way.clients, c + 1))
		CHECK(rn_switch_attached(r->sw, c) && c != from);
	if (way.wire)
		check_departure(r, from, frame, len);
	free(frame);
}

static void give_packet(struct run *r, unsigned from, struct rn_pkt *pkt)
{
	uint8_t frame[512];
	unsigned len;

	/* from a client, or claiming to be */
	memcpy(pkt->smac, r->cfg.port.mac, 6);
	memcpy(pkt->dmac, r->cfg.port.mac, 6);
	pkt->smac[5] = pkt->src.b[15];
	pkt->dmac[5] = pkt->dst.b[15];
	len = rn_frame_build(pkt, frame, sizeof(frame));
	CHECK(len);
	for (uint8_t n = next(r); n & 3; n >>= 2) /* damage, sometimes */
		frame[next(r) % len] ^= next(r);
	give(r, from, frame, len);
}

static void give_mad(struct run *r, unsigned from)
{
	struct rn_mad_way way = {.src = some_host(r), .dst = some_host(r)};
	struct rn_cm_msg msg = {.attr = (uint16_t)(RN_CM_REQ + next(r) % 9)};
	uint32_t sender = some_id(r), receiver = some_id(r), qpn = some_qpn(r);
	uint8_t mad[RN_MAD_BYTES];
	struct rn_pkt pkt;

	switch (msg.attr) {
	case RN_CM_REQ:
		msg.req = (struct rn_cm_req){
			.local_id = sender, .qpn = qpn, .service_id = next(r) % 4};
		break;
	case RN_CM_REP:
		msg.rep = (struct rn_cm_rep){.local_id = sender, .remote_id = receiver, .qpn = qpn};
		break;
	case RN_CM_SIDR_REQ:
		msg.sidr_req =
			(struct rn_cm_sidr_req){.request_id = sender, .service_id = next(r) % 4};
		break;
	case RN_CM_SIDR_REP:
		msg.sidr_rep = (struct rn_cm_sidr_rep){
			.request_id = receiver, .status = next(r) % 3, .qpn = qpn};
		break;
	case RN_CM_DREQ:
		msg.dreq = (struct rn_cm_dreq){
			.local_id = sender, .remote_id = receiver, .remote_qpn = qpn};
		break;
	case RN_CM_REJ:
		msg.rej = (struct rn_cm_rej){.local_id = sender,
					     .remote_id = receiver,
					     .about = next(r) % 3,
					     .reason = next(r) % 2 ? RN_CM_REJ_TIMEOUT
								   : RN_CM_REJ_CONSUMER};
		break;
	default: /* MRA, RTU and DREP begin alike */
		msg.rtu = (struct rn_cm_rtu){.local_id = sender, .remote_id = receiver};
		break;
	}
	if (next(r) % 8) { /* mostly honest about the sender */
		const struct rn_cma_hdr hdr = {.ipv4 = true, .src = way.src, .dst = way.dst};

		if (msg.attr == RN_CM_REQ) {
			msg.req.local_gid = way.src;
			rn_cma_hdr_build(&hdr, msg.req.data);
		} else if (msg.attr == RN_CM_SIDR_REQ) {
			rn_cma_hdr_build(&hdr, msg.sidr_req.data);
		}
	}
	rn_cm_msg_build(&msg, mad);
	rn_mad_pkt(&pkt, &r->cfg.port, &way, 0, mad);
	give_packet(r, from, &pkt);
}

static void give_data(struct run *r, unsigned from)
{
	static const uint8_t opcodes[] = {0x04, 0x64, 0x81, 0x0C};
	static const uint8_t payload[16];
	struct rn_pkt pkt = {.kind = RN_PKT_IB,
			     .ipv4 = true,
			     .src = some_host(r),
			     .dst = some_host(r),
			     .opcode = opcodes[next(r) % 4],
			     .pkey = 0xFFFF,
			     .dest_qpn = some_qpn(r),
			     .src_qpn = some_qpn(r),
			     .payload = payload};

	if (pkt.opcode != 0x0C)
		pkt.payload_len = sizeof(payload);
	if (pkt.dest_qpn == RN_MCAST_QPN)
		pkt.dst = (struct rn_gid){{[10] = 0xff, 0xff, 239, 0, 0, next(r) % 3}};
	give_packet(r, from, &pkt);
}

/* ---- requests of clients, and time ---- */

static void request(struct run *r, unsigned client)
{
	const struct rn_gid group = {{[10] = 0xff, 0xff, 239, 0, 0, next(r) % 3}};
	const struct rn_gid addr = next(r) % 2 ? some_host(r) : (struct rn_gid){{0}};
	struct rn_track_claim claim;

	switch (next(r) % 8) {
	case 0:
		rn_switch_listen(r->sw, client, next(r) % 4, &addr);
		break;
	case 1:
		rn_switch_unlisten(r->sw, client, next(r) % 4, &addr);
		break;
	case 2:
		rn_switch_join(r->sw, client, &group);
		break;
	case 3:
		rn_switch_leave(r->sw, client, &group);
		break;
	case 4:
		claim = (struct rn_track_claim){.state = next(r) % 16,
						.local_id = some_id(r),
						.remote_id = some_id(r),
						.local_qpn = some_qpn(r),
						.remote_qpn = some_qpn(r),
						.way = {.src = some_host(r), .dst = some_host(r)}};
		claim.service_id = next(r) % 4;
		rn_switch_claim(r->sw, client, &claim, r->now);
		break;
	case 5:
		rn_switch_unclaim(r->sw, client, some_qpn(r), &addr);
		break;
	case 6:
		rn_switch_detach(r->sw, client, r->now);
		break;
	default:
		if (next(r) % 2)
			rn_switch_attach(r->sw, r->now);
		else
			rn_switch_reattach(r->sw, client, rn_switch_token(r->sw, client), r->now);
		break;
	}
}

static void send_all(struct run *r)
{
	uint8_t buf[RN_SWITCH_TX_BYTES];
	struct rn_switch_way way;
	unsigned len;

	rn_switch_tick(r->sw, r->now);
	for (unsigned i = 0; (len = rn_switch_tx(r->sw, buf, sizeof(buf), &way, r->now)); i++) {
		CHECK(i < 10000 && len <= sizeof(buf));
		CHECK(memcmp(buf + 6, r->cfg.port.mac, 6) == 0);
		CHECK(way.client == 0 || rn_switch_attached(r->sw, way.client));
	}
}

static void step(struct run *r)
{
	uint8_t what = next(r);
	unsigned from = what / 16 % (CLIENTS + 1);
	size_t left = (size_t)(r->end - r->in), len;

	if (from > 0 && !rn_switch_attached(r->sw, from) && what % 8 != 7)
		from = RN_SWITCH_WIRE;
	switch (what % 8) {
	case 0:
		len = next(r) % 128;
		left = (size_t)(r->end - r->in);
		len = len < left ? len : left;
		give(r, from, r->in, len);
		r->in += len;
		break;
	case 1:
		give_data(r, from);
		break;
	case 2:
		r->now += RN_MS(next(r));
		send_all(r);
		break;
	case 7:
		if (from > 0)
			request(r, from);
		break;
	default:
		give_mad(r, from);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct run r = {.in = data, .end = data + len, .now = RN_S(1)};

	rn_switch_defaults(&r.cfg);
	r.cfg.core.secrets = rn_secrets_of_seed(1);
	r.cfg.core.max_neigh = 8;
	r.cfg.port = (struct rn_port_attr){.mac = {2, 0, 0, 0, 0, 1},
					   .mtu = 1500,
					   .max_path_mtu = 3,
					   .ngids = 1,
					   .gids = {gid(1)},
					   .prefix_len = {24}};
	r.cfg.services = r.cfg.groups = 8;
	r.cfg.service_share = r.cfg.group_share = 3;
	r.cfg.connections = 16;
	r.cfg.connection_share = SHARE;
	r.cfg.strict = next(&r) & 1;
	r.cfg.grace = RN_MS(200);
	for (unsigned c = 1; c <= CLIENTS - 1; c++)
		rn_client_set_add(&r.cfg.former, c);
	r.sw = rn_switch_create(&r.cfg, r.now);
	CHECK(r.sw);
	for (unsigned c = 1; c <= CLIENTS - 1; c++)
		CHECK(rn_switch_reattach(r.sw, c, rn_switch_token(r.sw, c), r.now) == (int)c);
	while (r.in < r.end) {
		step(&r);
		for (unsigned c = 0; c <= CLIENTS; c++)
			CHECK(rn_switch_connections(r.sw, c) <= SHARE);
	}
	for (unsigned c = 1; c <= RN_CLIENT_MAX; c++)
		rn_switch_detach(r.sw, c, r.now);
	for (unsigned i = 0; i < 20; i++) {
		send_all(&r);
		r.now += RN_S(1);
	}
	for (unsigned c = 0; c <= CLIENTS; c++)
		CHECK(rn_switch_connections(r.sw, c) == 0);
	rn_switch_destroy(r.sw);
	return 0;
}
