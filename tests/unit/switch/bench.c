/* Builds frames with the functions of dataplane/wire, as the core does. */
#include "bench.h"

#include "net/mad_pkt.h"

static uint8_t payload[64];

struct rn_gid host_gid(unsigned host, bool ipv6)
{
	struct rn_gid v4 = {{[10] = 0xff, 0xff, 192, 0, 2, (uint8_t)host}};
	struct rn_gid v6 = {{0x20, 0x01, 0x0d, 0xb8, [15] = (uint8_t)host}};

	return ipv6 ? v6 : v4;
}

static void host_mac(unsigned host, uint8_t mac[6])
{
	memset(mac, 0, 6);
	mac[0] = 2;
	mac[5] = (uint8_t)host;
}

uint32_t id_of(unsigned client, unsigned n)
{
	return client << RN_CLIENT_ID_SHIFT | (0xABC00 + n);
}

uint32_t qpn_of(unsigned client, unsigned n)
{
	return client << RN_CLIENT_QPN_SHIFT | (0x100 + n);
}

void bench_start(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	rn_switch_defaults(&b->cfg);
	b->cfg.core.secrets = rn_secrets_of_seed(1);
	b->cfg.port = (struct rn_port_attr){.mtu = 9000,
					    .max_path_mtu = 5,
					    .guid = 0x1234,
					    .ngids = 2,
					    .gids = {host_gid(OWN, false), host_gid(OWN, true)},
					    .prefix_len = {24, 64}};
	host_mac(OWN, b->cfg.port.mac);
	/* The switches of most tests are not strict, so that a test can send data at once. */
	b->cfg.strict = false;
	b->cfg.grace = RN_S(1);
	for (unsigned n = 1; n <= RN_CLIENT_MAX; n++)
		rn_client_set_add(&b->cfg.former, n);
	b->now = RN_S(30);
	bench_again(b);
}

void bench_again(struct bench *b)
{
	struct rn_cm_msg msg;
	struct rn_pkt pkt;

	rn_switch_destroy(b->sw);
	b->sw = rn_switch_create(&b->cfg, 0);
	assert_non_null(b->sw);
	while (take(b, &pkt, &msg))
		;
	rn_switch_tick(b->sw, b->now);
}

void bench_stop(struct bench *b)
{
	rn_switch_destroy(b->sw);
}

void bench_attach(struct bench *b, unsigned number)
{
	uint64_t token = rn_switch_token(b->sw, number);

	assert_int_equal(rn_switch_reattach(b->sw, number, token, 0), number);
}

void bench_listen(struct bench *b, unsigned client)
{
	static const struct rn_gid any_ipv4 = {{[10] = 0xff, 0xff}};

	assert_int_equal(rn_switch_listen(b->sw, client, SERVICE, &any_ipv4), 0);
}

struct rn_pkt packet(unsigned from, unsigned to, uint8_t opcode, uint32_t dest_qpn)
{
	struct rn_pkt p = {.kind = RN_PKT_IB,
			   .src = host_gid(from, false),
			   .dst = host_gid(to, false),
			   .ipv4 = true,
			   .hop_limit = 64,
			   .udp_sport = 0xC000,
			   .opcode = opcode,
			   .pkey = 0xFFFF,
			   .dest_qpn = dest_qpn,
			   .payload = payload,
			   .payload_len = sizeof(payload)};

	host_mac(from, p.smac);
	host_mac(to, p.dmac);
	return p;
}

enum rn_outcome give_bytes(struct bench *b, unsigned from, const uint8_t *frame, unsigned len)
{
	return rn_switch_rx(b->sw, from, frame, len, &b->way, b->now);
}

enum rn_outcome give(struct bench *b, unsigned from, const struct rn_pkt *pkt)
{
	b->len = rn_frame_build(pkt, b->frame, sizeof(b->frame));
	assert_int_not_equal(b->len, 0);
	return give_bytes(b, from, b->frame, b->len);
}

/* Fills in what an honest sender of a REQ or SIDR_REQ says about itself. */
static void introduce(const struct bench *b, struct rn_cm_msg *m, unsigned src)
{
	const struct rn_cma_hdr hdr = {
		.port = 5, .ipv4 = true, .src = host_gid(src, false), .dst = host_gid(OWN, false)};

	if (m->attr == RN_CM_REQ) {
		m->req.guid = src == OWN ? b->cfg.port.guid : 0x777;
		m->req.local_gid = hdr.src;
		rn_cma_hdr_build(&hdr, m->req.data);
	} else if (m->attr == RN_CM_SIDR_REQ) {
		rn_cma_hdr_build(&hdr, m->sidr_req.data);
	}
}

struct rn_pkt cm_packet(const struct bench *b, unsigned src, unsigned dst,
			const struct rn_cm_msg *msg, uint8_t mad[RN_MAD_BYTES])
{
	struct rn_mad_way way = {.src = host_gid(src, false), .dst = host_gid(dst, false)};
	struct rn_pkt pkt;

	host_mac(dst, way.dmac);
	rn_cm_msg_build(msg, mad);
	rn_mad_pkt(&pkt, &b->cfg.port, &way, 0, mad);
	host_mac(src, pkt.smac);
	return pkt;
}

enum rn_outcome give_cm(struct bench *b, unsigned from, unsigned src, unsigned dst,
			const struct rn_cm_msg *msg)
{
	struct rn_cm_msg honest = *msg;
	uint8_t mad[RN_MAD_BYTES];
	struct rn_pkt pkt;

	introduce(b, &honest, src);
	pkt = cm_packet(b, src, dst, &honest, mad);
	return give(b, from, &pkt);
}

struct rn_cm_msg req(uint32_t local_id, uint32_t qpn)
{
	return (struct rn_cm_msg){
		.attr = RN_CM_REQ,
		.tid = 99,
		.req = {.local_id = local_id, .qpn = qpn, .service_id = SERVICE, .guid = 0x777}};
}

struct rn_cm_msg rep(uint32_t local_id, uint32_t remote_id, uint32_t qpn)
{
	return (struct rn_cm_msg){
		.attr = RN_CM_REP,
		.tid = 98,
		.rep = {.local_id = local_id, .remote_id = remote_id, .qpn = qpn}};
}

struct rn_cm_msg rtu(uint32_t local_id, uint32_t remote_id)
{
	return (struct rn_cm_msg){.attr = RN_CM_RTU,
				  .rtu = {.local_id = local_id, .remote_id = remote_id}};
}

struct rn_cm_msg dreq(uint32_t local_id, uint32_t remote_id, uint32_t remote_qpn)
{
	return (struct rn_cm_msg){
		.attr = RN_CM_DREQ,
		.tid = 97,
		.dreq = {.local_id = local_id, .remote_id = remote_id, .remote_qpn = remote_qpn}};
}

struct rn_cm_msg drep(uint32_t local_id, uint32_t remote_id)
{
	return (struct rn_cm_msg){.attr = RN_CM_DREP,
				  .drep = {.local_id = local_id, .remote_id = remote_id}};
}

struct rn_cm_msg rej(uint32_t local_id, uint32_t remote_id, uint8_t about, uint16_t reason)
{
	return (struct rn_cm_msg){.attr = RN_CM_REJ,
				  .rej = {.local_id = local_id,
					  .remote_id = remote_id,
					  .about = about,
					  .reason = reason}};
}

void connect_out(struct bench *b, unsigned client, unsigned n)
{
	const struct rn_cm_msg first = req(id_of(client, n), qpn_of(client, n));
	const struct rn_cm_msg second = rep(id_of(0, n), id_of(client, n), qpn_of(0, n));
	const struct rn_cm_msg third = rtu(id_of(client, n), id_of(0, n));

	assert_int_equal(give_cm(b, client, OWN, PEER, &first), RN_OUT_TO_WIRE);
	assert_int_equal(give_cm(b, RN_SWITCH_WIRE, PEER, OWN, &second), RN_OUT_TO_ID);
	assert_int_equal(b->way.client, client);
	assert_int_equal(give_cm(b, client, OWN, PEER, &third), RN_OUT_TO_WIRE);
}

void connect_in(struct bench *b, unsigned client, unsigned n)
{
	const struct rn_cm_msg first = req(id_of(0, n), qpn_of(0, n));
	const struct rn_cm_msg second = rep(id_of(client, n), id_of(0, n), qpn_of(client, n));
	const struct rn_cm_msg third = rtu(id_of(0, n), id_of(client, n));

	assert_int_equal(give_cm(b, RN_SWITCH_WIRE, PEER, OWN, &first), RN_OUT_TO_SERVICE);
	assert_int_equal(b->way.client, client);
	assert_int_equal(give_cm(b, client, OWN, PEER, &second), RN_OUT_TO_WIRE);
	assert_int_equal(give_cm(b, RN_SWITCH_WIRE, PEER, OWN, &third), RN_OUT_TO_ID);
	assert_int_equal(b->way.client, client);
}

bool take(struct bench *b, struct rn_pkt *pkt, struct rn_cm_msg *msg)
{
	bool wants = rn_switch_wants_tx(b->sw);

	b->len = rn_switch_tx(b->sw, b->frame, sizeof(b->frame), &b->way, b->now);
	assert_true(wants || b->len == 0);
	*msg = (struct rn_cm_msg){0};
	if (b->len == 0)
		return false;
	assert_int_equal(rn_frame_parse(b->frame, b->len, pkt), RN_V_OK);
	if (pkt->kind == RN_PKT_IB)
		assert_true(rn_cm_msg_parse(pkt->payload, pkt->payload_len, msg));
	return true;
}
