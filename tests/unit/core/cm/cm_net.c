/* Implementation of cm_net.h: a link between two simulated hosts, and a simple CM client on
 * each. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "cm_request.h"
#include "wire/frame.h"

struct rn_gid net_gid(unsigned box, bool ipv6)
{
	if (ipv6)
		return (struct rn_gid){{0x20, 1, 0x0d, 0xb8, [15] = (uint8_t)(box + 1)}};
	return (struct rn_gid){{[10] = 0xff,
				[11] = 0xff,
				[12] = 192,
				[13] = 0,
				[14] = 2,
				[15] = (uint8_t)(box + 1)}};
}

void net_init(struct net *net)
{
	memset(net, 0, sizeof(*net));
	net->now = RN_S(1);
	for (unsigned i = 0; i < 2; i++) {
		struct box *b = &net->box[i];

		b->cfg = (struct rn_core_cfg){.max_cm = 64,
					      .max_timewait = 64,
					      .max_neigh = 16,
					      .ack_timeout = 17,
					      .retry_cnt = 7,
					      .min_rnr_timer = 12,
					      .rnr_retry = 7,
					      .cm_response_timeout = RN_MS(4096),
					      .cm_max_retries = 15,
					      .cm_patience = 24,
					      .neigh_retry = RN_MS(100),
					      .neigh_reachable = RN_S(3600),
					      .neigh_probes = 3,
					      .secrets = rn_secrets_of_seed(7 + i)};
		b->port = (struct rn_port_attr){.mac = {2, 0, 0, 0, 0, (uint8_t)(i + 1)},
						.mtu = 1500,
						.check_source = true,
						.max_path_mtu = 3,
						.ngids = 2,
						.gids = {net_gid(i, false), net_gid(i, true)},
						.prefix_len = {24, 64},
						.guid = 0x020000fffe000001ull + i};
		b->neigh = rn_neigh_create(&b->cfg, &b->port, net->now);
		b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, net->now);
		assert_non_null(b->cm);
		b->accept = b->establish = true;
		b->reply = (struct rn_cm_param){.qpn = 0x123,
						.psn = 0xa0,
						.responder_resources = 5,
						.initiator_depth = 3,
						.rnr_retry = 6,
						.data_len = 4,
						.data = "pong"};
	}
}

void net_wait_max(struct net *net, rn_time span)
{
	for (unsigned i = 0; i < 2; i++) {
		struct box *b = &net->box[i];

		b->cfg.cm_wait_max = span;
		rn_cm_destroy(b->cm);
		b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, net->now);
		assert_non_null(b->cm);
	}
}

void net_fini(struct net *net)
{
	net_run(net, RN_S(200));
	for (unsigned i = 0; i < 2; i++) {
		struct box *b = &net->box[i];

		assert_int_equal(rn_cm_live(b->cm), 0);
		assert_int_equal(rn_cm_timewait(b->cm), 0);
		assert_true(rn_cm_next(b->cm) == RN_TIME_NEVER);
		assert_false(rn_cm_wants_tx(b->cm));
		rn_cm_destroy(b->cm);
		rn_neigh_destroy(b->neigh);
	}
}

struct rn_rsp net_exec(struct net *net, unsigned box, struct rn_cmd cmd)
{
	struct rn_rsp rsp = {.err = 1};

	rn_cm_exec(net->box[box].cm, &cmd, &rsp, net->now);
	return rsp;
}

struct rn_rsp net_op(struct net *net, unsigned box, unsigned op, uint32_t id)
{
	return net_exec(net, box, (struct rn_cmd){.op = (uint16_t)op, .cm.id = id});
}

static void act_as_client(struct net *net, unsigned i, const struct rn_event *ev)
{
	struct box *b = &net->box[i];
	struct rn_cmd cmd = {
		.op = RN_CMD_CM_ACCEPT, .user = 0xacce97, .cm = {.id = ev->id, .param = b->reply}};

	if (ev->kind == RN_EVENT_CM_REQUEST && b->accept) {
		if (net_exec(net, i, cmd).err == 0)
			b->reply.qpn++;
	} else if (ev->kind == RN_EVENT_CM_RESPONSE && b->establish) {
		int err = net_op(net, i, RN_CMD_CM_ESTABLISH, ev->id).err;

		/* -ECONNABORTED: the peer ended the connection before this client executed the
		 * ESTABLISH command */
		assert_true(err == 0 || err == -ECONNABORTED);
	} else if (ev->kind == RN_EVENT_CM_DISCONNECTED && b->follow) {
		net_op(net, i, RN_CMD_CM_DESTROY, ev->id);
	} else if (ev->kind == RN_EVENT_CM_DISCONNECTED && !b->slow) {
		net_op(net, i, RN_CMD_CM_DISCONNECT, ev->id);
	}
}

static enum rn_verdict deliver(struct net *net, unsigned to, const struct rn_pkt *out)
{
	struct box *b = &net->box[to];
	uint8_t frame[400];
	struct rn_pkt pkt;
	unsigned len = rn_frame_build(out, frame, sizeof(frame));
	enum rn_verdict v;

	assert_true(len >= 322);
	assert_int_equal(rn_frame_parse(frame, len, &pkt), RN_V_OK);
	assert_true(pkt.dest_qpn == 1 && pkt.qkey == RN_GSI_QKEY && pkt.src_qpn == 1 &&
		    pkt.pkey == 0xffff);
	v = rn_cm_rx(b->cm, &pkt, net->now);
	b->verdict[v]++;
	return v;
}

static void carry(struct net *net, unsigned from, struct rn_pkt *out)
{
	struct box *b = &net->box[from];
	bool loop = memcmp(out->dmac, b->port.mac, 6) == 0;
	unsigned copies = 1, to = loop ? from : 1 - from;
	uint8_t mad[RN_MAD_BYTES];
	struct rn_cm_msg m;

	if (net->may_stray && memcmp(out->dmac, net->box[to].port.mac, 6) != 0) {
		net->astray++;
		return;
	}
	assert_memory_equal(out->dmac, net->box[to].port.mac, 6);
	assert_memory_equal(out->smac, b->port.mac, 6);
	assert_true(rn_cm_msg_parse(out->payload, out->payload_len, &m));
	b->sent[m.attr]++;
	b->last[m.attr] = m;
	b->class[m.attr] = out->tclass;
	b->at[m.attr] = net->now;
	if (net->judge)
		copies = net->judge(net, from, &m);
	rn_cm_msg_build(&m, mad);
	out->payload = mad;
	while (copies--)
		deliver(net, to, out);
}

static bool pump_box(struct net *net, unsigned i)
{
	struct box *b = &net->box[i], *other = &net->box[1 - i];
	uint8_t frame[2000];
	struct rn_event ev;
	struct rn_pkt pkt;
	bool did = false;
	unsigned len;

	if (rn_neigh_next(b->neigh) <= net->now)
		rn_neigh_tick(b->neigh, net->now);
	if (rn_cm_next(b->cm) <= net->now)
		rn_cm_tick(b->cm, net->now);
	while ((len = rn_neigh_tx(b->neigh, frame, sizeof(frame), net->now))) {
		did = true;
		assert_int_equal(rn_frame_parse(frame, len, &pkt), RN_V_OK);
		if (!other->deaf && !b->deaf)
			rn_neigh_rx(other->neigh, &pkt, net->now);
	}
	while (rn_cm_tx(b->cm, &pkt, net->now)) {
		did = true;
		carry(net, i, &pkt);
	}
	while (rn_cm_event(b->cm, &ev)) {
		did = true;
		b->ev[b->nev++ % NET_EVENTS] = ev;
		act_as_client(net, i, &ev);
	}
	return did;
}

void net_pump(struct net *net)
{
	for (unsigned i = 0; i < 1000; i++) {
		bool first = pump_box(net, 0), second = pump_box(net, 1);

		if (!first && !second)
			return;
	}
	fail_msg("the two never fall silent");
}

void net_run(struct net *net, rn_time span)
{
	rn_time end = net->now + span;

	net_pump(net);
	for (;;) {
		rn_time next = end;

		for (unsigned i = 0; i < 2; i++)
			next = RN_MIN(next, RN_MIN(rn_cm_next(net->box[i].cm),
						   rn_neigh_next(net->box[i].neigh)));
		if (next >= end)
			break;
		net->now = RN_MAX(net->now + 1024, next);
		net_pump(net);
	}
	net->now = end;
	net_pump(net);
}

enum rn_verdict net_inject_from(struct net *net, unsigned to, const struct rn_gid *src,
				const struct rn_cm_msg *m)
{
	const struct box *from = &net->box[1 - to], *b = &net->box[to];
	struct rn_pkt out = {.ipv4 = true,
			     .hop_limit = 64,
			     .tclass = net->tclass,
			     .ip_df = true,
			     .udp_sport = 0xc001,
			     .opcode = 0x64,
			     .pkey = 0xffff,
			     .dest_qpn = 1,
			     .src_qpn = 1,
			     .qkey = RN_GSI_QKEY,
			     .payload_len = RN_MAD_BYTES};
	uint8_t mad[RN_MAD_BYTES];

	rn_cm_msg_build(m, mad);
	out.payload = mad;
	out.src = *src;
	out.dst = net_gid(to, false);
	memcpy(out.smac, from->port.mac, 6);
	if (!rn_gid_equal(src, &from->port.gids[0]))
		out.smac[5] = src->b[15];
	memcpy(out.dmac, b->port.mac, 6);
	out.op = rn_opcode_row(out.opcode);
	return deliver(net, to, &out);
}

enum rn_verdict net_inject(struct net *net, unsigned to, const struct rn_cm_msg *m)
{
	const struct rn_gid peer = net_gid(1 - to, false);

	return net_inject_from(net, to, &peer, m);
}

struct rn_cm_msg net_req(const struct net *net, unsigned to, const struct rn_gid *who, uint32_t n)
{
	struct rn_gid own = net_gid(to, false);
	struct rn_cm_msg m = cm_request(who, &own, NET_PORT);

	m.tid = 7000 + n;
	m.req.local_id = m.req.qpn = 0x1000 + n;
	m.req.guid = 0xabcd0000ull + who->b[15];
	m.req.remote_response_timeout = m.req.local_response_timeout = 20;
	m.req.retry_cnt = 7;
	m.req.ack_timeout = 17;
	return m;
}

struct rn_cmd net_connect_cmd(unsigned from, bool ipv6, uint32_t qpn)
{
	return (struct rn_cmd){.op = RN_CMD_CM_CONNECT,
			       .user = 0xc0,
			       .cm = {.local = net_gid(from, ipv6),
				      .peer = net_gid(1 - from, ipv6),
				      .peer_port = NET_PORT,
				      .param = {.qpn = qpn,
						.psn = 0xb0,
						.responder_resources = 4,
						.initiator_depth = 16,
						.retry_cnt = 7,
						.rnr_retry = 7,
						.data_len = 4,
						.data = "ping"}}};
}

uint32_t net_listen(struct net *net, unsigned box, uint32_t backlog)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN,
			     .user = 0x115,
			     .cm = {.port = NET_PORT, .backlog = backlog}};
	struct rn_rsp rsp = net_exec(net, box, cmd);

	assert_int_equal(rsp.err, 0);
	assert_int_equal(rsp.port, NET_PORT);
	return rsp.id;
}

uint32_t net_connect(struct net *net, unsigned box, uint32_t qpn)
{
	struct rn_rsp rsp = net_exec(net, box, net_connect_cmd(box, false, qpn));

	assert_int_equal(rsp.err, 0);
	return rsp.id;
}

unsigned net_count(const struct net *net, unsigned box, unsigned kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < net->box[box].nev && i < NET_EVENTS; i++)
		n += net->box[box].ev[i].kind == kind;
	return n;
}

const struct rn_event *net_event(const struct net *net, unsigned box, unsigned kind)
{
	for (unsigned i = RN_MIN(net->box[box].nev, (unsigned)NET_EVENTS); i-- > 0;)
		if (net->box[box].ev[i].kind == kind)
			return &net->box[box].ev[i];
	fail_msg("no event %u at box %u", kind, box);
	return NULL;
}

void net_forget(struct net *net)
{
	for (unsigned i = 0; i < 2; i++) {
		net->box[i].nev = 0;
		memset(net->box[i].sent, 0, sizeof(net->box[i].sent));
	}
}

void net_destroy(struct net *net, unsigned box, uint32_t id)
{
	assert_int_equal(net_op(net, box, RN_CMD_CM_DESTROY, id).err, 0);
}

unsigned net_meddle(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr == net->arg[0] && from == net->arg[1] &&
	    net->box[from].sent[m->attr] == net->arg[2])
		return net->arg[3];
	return 1;
}

unsigned net_lose_all(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	return m->attr == net->arg[0] ? 0 : 1;
}
