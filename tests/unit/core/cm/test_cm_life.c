/* Tests of the connection manager: connections that are destroyed in every state, neighbours,
 * addresses and ports, many connections, corrupted messages. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire/arp_msg.h"
#include "cm_net.h"
#include "wire/frame.h"

#define EV(name) RN_EVENT_CM_##name

/* ---- destruction in every state ---- */

enum stage {
	ST_BOUND,
	ST_RESOLVING,
	ST_REQ_SENT,
	ST_REP_RCVD,
	ST_REQ_RCVD,
	ST_REP_SENT,
	ST_EST_A,
	ST_EST_P,
	ST_DREQ_SENT,
	ST_DREQ_RCVD
};

static void destroyed_in_every_state(void **state)
{
	static const struct {
		enum stage stage;
		unsigned who, attr, reason, event;
	} rows[] = {
		{ST_BOUND, 0, 0, 0, 0},
		{ST_RESOLVING, 0, 0, 0, 0},
		{ST_REQ_SENT, 0, RN_CM_REJ, 4, EV(REJECTED)},
		{ST_REP_RCVD, 0, RN_CM_REJ, 28, EV(REJECTED)},
		{ST_REQ_RCVD, 1, RN_CM_REJ, 28, EV(REJECTED)},
		{ST_REP_SENT, 1, RN_CM_REJ, 28, EV(REJECTED)},
		{ST_EST_A, 0, RN_CM_DREQ, 0, EV(DISCONNECTED)},
		{ST_EST_P, 1, RN_CM_DREQ, 0, EV(DISCONNECTED)},
		{ST_DREQ_SENT, 0, 0, 0, 0},
		{ST_DREQ_RCVD, 1, RN_CM_DREP, 1, EV(DISCONNECTED)},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		enum stage st = rows[i].stage;
		unsigned who = rows[i].who, before;
		uint32_t id[2] = {0}, listener;
		struct net net;

		net_init(&net);
		net.box[0].establish = st >= ST_EST_A;
		net.box[1].accept = st >= ST_REP_RCVD && st != ST_REQ_RCVD;
		net.box[1].deaf = st == ST_RESOLVING;
		listener = net_listen(&net, 1, 0);
		if (st == ST_BOUND)
			id[0] = net_exec(&net, 0, (struct rn_cmd){.op = RN_CMD_CM_BIND}).id;
		else
			id[0] = net_connect(&net, 0, 0x11);
		net_pump(&net);
		if (st > ST_RESOLVING)
			id[1] = net_event(&net, 1, EV(REQUEST))->id;
		if (st == ST_DREQ_SENT) {
			net.judge = net_lose_all;
			net.arg[0] = RN_CM_DREQ;
			assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id[0]).err, 0);
		}
		if (st == ST_DREQ_RCVD) {
			net.box[1].slow = true;
			assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id[0]).err, 0);
			net_pump(&net);
		}
		before = rows[i].attr ? net.box[who].sent[rows[i].attr] : 0;
		net_destroy(&net, who, id[who]);
		assert_int_equal(net_op(&net, who, RN_CMD_CM_DESTROY, id[who]).err, -ENOENT);
		net_run(&net, RN_S(1));
		if (rows[i].attr)
			assert_int_equal(net.box[who].sent[rows[i].attr], before + 1);
		if (rows[i].event)
			assert_int_equal(net_event(&net, 1 - who, rows[i].event)->reason,
					 rows[i].reason);
		net.judge = NULL;
		if (id[1 - who])
			net_destroy(&net, 1 - who, id[1 - who]);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* ---- address resolution, loopback, a request of Linux ---- */

/* A wrong MAC in an ARP reply cannot be recognized at once. When messages to this MAC get no
 * answer, the CM has the address resolved again. */
static void wrong_mac_is_resolved_again(void **state)
{
	struct rn_arp arp = {.op = RN_ARP_REPLY, .sender_mac = {2, 0, 0, 0, 0x20, 2}};
	uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 6};
	uint32_t id, listener;
	struct rn_pkt pkt;
	struct net net;

	net_init(&net);
	net_pump(&net);
	net.may_stray = true;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	arp.sender = net_gid(1, false);
	arp.target = net_gid(0, false);
	rn_arp_build(&arp, frame + 14);
	assert_int_equal(rn_frame_parse(frame, sizeof(frame), &pkt), RN_V_OK);
	assert_int_equal(rn_neigh_rx(net.box[0].neigh, &pkt, net.now), RN_V_OK);
	while (rn_neigh_tx(net.box[0].neigh, frame, sizeof(frame), net.now))
		; /* loses the ARP request of host 0 */
	net_pump(&net);
	assert_int_equal(net.astray, 1);
	net_run(&net, 3 * net.box[0].cfg.cm_response_timeout);
	assert_in_range(net.astray, 2, 3);
	net_event(&net, 1, EV(ESTABLISHED));
	net_destroy(&net, 0, id);
	net_run(&net, RN_S(1));
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void unreachable_neighbours(void **state)
{
	struct rn_cmd cmd;
	struct net net;
	uint32_t id, listener;

	net_init(&net);
	net_pump(&net);
	net.box[1].deaf = true;
	id = net_connect(&net, 0, 0x11);
	net_run(&net, RN_S(1));
	assert_int_equal(net_event(&net, 0, EV(UNREACHABLE))->err, -EHOSTUNREACH);
	assert_int_equal(net.box[0].sent[RN_CM_REQ], 0);
	net_destroy(&net, 0, id);
	/* the same id can connect again as soon as its UNREACHABLE event has been taken */
	cmd = net_connect_cmd(0, false, 0x11);
	cmd.cm.id = id = net_connect(&net, 0, 0x11);
	for (unsigned i = 0; i < 40; i++) {
		net.now += RN_MS(100);
		rn_neigh_tick(net.box[0].neigh, net.now);
		rn_cm_tick(net.box[0].cm, net.now);
	}
	assert_int_equal(net_exec(&net, 0, cmd).err, -EBUSY);
	net_pump(&net);
	assert_int_equal(net_exec(&net, 0, cmd).err, 0);
	net_destroy(&net, 0, id);
	/* A connect to an address that has no IP route also fails through an event. The command
	 * itself succeeds. */
	net_forget(&net);
	cmd = net_connect_cmd(0, false, 0x11);
	cmd.cm.peer.b[14] = 3;
	id = net_exec(&net, 0, cmd).id;
	net_pump(&net);
	assert_int_equal(net_event(&net, 0, EV(UNREACHABLE))->err, -EHOSTUNREACH);
	net_destroy(&net, 0, id);
	/* after the failures the same two hosts connect as usual */
	net_run(&net, RN_S(10));
	net.box[1].deaf = false;
	net_forget(&net);
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	net_event(&net, 1, EV(ESTABLISHED));
	net_destroy(&net, 0, id);
	net_run(&net, RN_S(1));
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void loopback(void **state)
{
	struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
	struct net net;
	uint32_t listener, id, child;

	net_init(&net);
	listener = net_listen(&net, 0, 0);
	cmd.cm.peer = net_gid(0, false);
	id = net_exec(&net, 0, cmd).id;
	net_pump(&net);
	child = net_event(&net, 0, EV(ESTABLISHED))->id;
	assert_memory_equal(net_event(&net, 0, EV(RESPONSE))->attr.av.dmac, net.box[0].port.mac, 6);
	net_op(&net, 0, RN_CMD_CM_DISCONNECT, id);
	net_pump(&net);
	assert_int_equal(net_count(&net, 0, EV(DISCONNECTED)), 2);
	net_destroy(&net, 0, id);
	net_destroy(&net, 0, child);
	net_destroy(&net, 0, listener);
	net_fini(&net);
}

/* The CM reports and answers a REQ of Linux rdma_cm. This REQ is the first frame of a capture, sent
 * from 192.0.2.2 to port 7174 of 192.0.2.1. */
static void a_request_of_linux(void **state)
{
	static const struct rn_static_neigh linux_box = {
		{{[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = 2}},
		{2, 0, 0, 0, 0, 0xb}};
	struct rn_core_cfg cfg = {.max_cm = 4,
				  .max_timewait = 4,
				  .max_neigh = 4,
				  .ack_timeout = 17,
				  .cm_response_timeout = RN_S(4),
				  .cm_max_retries = 15,
				  .neigh_retry = RN_S(1),
				  .static_neigh = &linux_box,
				  .nstatic_neigh = 1,
				  .min_rnr_timer = 12};
	struct rn_port_attr port = {.mac = {2, 0, 0, 0, 0, 0xa},
				    .max_path_mtu = 3,
				    .ngids = 1,
				    .gids = {net_gid(0, false)},
				    .prefix_len = {24},
				    .guid = 77};
	struct rn_neigh *neigh = rn_neigh_create(&cfg, &port, 0);
	struct rn_cm *cm = rn_cm_create(&cfg, &port, neigh, 0);
	struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN, .cm.port = 7174};
	uint8_t file[24 + 16 + 322];
	struct rn_cm_msg rep;
	struct rn_event ev;
	struct rn_rsp rsp;
	struct rn_pkt pkt;
	FILE *f = fopen(RN_VECTORS "/cm-rping-ipv4.pcap", "rb");

	assert_non_null(f);
	assert_int_equal(fread(file, 1, sizeof(file), f), sizeof(file));
	fclose(f);
	rn_cm_exec(cm, &cmd, &rsp, 0);
	assert_int_equal(rn_frame_parse(file + 40, 322, &pkt), RN_V_OK);
	assert_int_equal(rn_cm_rx(cm, &pkt, 0), RN_V_OK);
	assert_true(rn_cm_event(cm, &ev));
	assert_int_equal(ev.kind, EV(REQUEST));
	assert_int_equal(ev.peer_port, 0xa0d3);
	assert_int_equal(ev.attr.dest_qpn, 0x11);
	assert_int_equal(ev.attr.sq_psn, 0x2b494b);
	assert_int_equal(ev.attr.timeout, 19);
	assert_int_equal(ev.attr.path_mtu, 3);
	assert_int_equal(ev.attr.av.flow_label, 0x39593);
	cmd = (struct rn_cmd){.op = RN_CMD_CM_ACCEPT,
			      .cm = {.id = ev.id, .param = {.qpn = 0x20, .psn = 9}}};
	rn_cm_exec(cm, &cmd, &rsp, 0);
	assert_int_equal(rsp.err, 0);
	assert_true(rn_cm_tx(cm, &pkt, 0));
	assert_memory_equal(pkt.dmac, linux_box.mac, 6);
	assert_true(rn_cm_msg_parse(pkt.payload, pkt.payload_len, &rep));
	assert_int_equal(rep.rep.remote_id, 0x1290ddcd);
	assert_true(rep.tid == 0x2cddd9012ull);
	rn_cm_destroy(cm);
	rn_neigh_destroy(neigh);
}

/* ---- addresses, ports, refused commands ---- */

static struct rn_rsp bind_at(struct net *net, unsigned op, unsigned flags, struct rn_gid local,
			     uint16_t port)
{
	return net_exec(net, 0,
			(struct rn_cmd){.op = (uint16_t)op,
					.flags = (uint16_t)flags,
					.cm = {.local = local, .port = port}});
}

static void ports_are_shared_but_listeners_are_not(void **state)
{
	static const struct rn_gid any, any4 = {{[10] = 0xff, [11] = 0xff}};
	struct rn_gid own = net_gid(0, false), foreign = net_gid(5, false);
	const struct {
		unsigned op, flags;
		struct rn_gid local;
		uint16_t port;
		int err;
	} rows[] = {
		{RN_CMD_CM_LISTEN, 0, own, 700, 0},
		{RN_CMD_CM_LISTEN, 0, own, 700, -EADDRINUSE},
		{RN_CMD_CM_BIND, RN_CM_FOR_LISTENER, own, 700, -EADDRINUSE},
		{RN_CMD_CM_BIND, 0, own, 700, 0},
		{RN_CMD_CM_BIND, 0, own, 700, 0},
		{RN_CMD_CM_LISTEN, 0, any, 700, 0},
		{RN_CMD_CM_LISTEN, 0, any, 700, -EADDRINUSE},
		{RN_CMD_CM_LISTEN, 0, any4, 700, 0},
		{RN_CMD_CM_BIND, RN_CM_FOR_LISTENER, own, 701, 0},
		{RN_CMD_CM_LISTEN, 0, own, 701, -EADDRINUSE},
		{RN_CMD_CM_BIND, 0, foreign, 702, -EADDRNOTAVAIL},
		{RN_CMD_CM_LISTEN, 0, foreign, 702, -EADDRNOTAVAIL},
		{RN_CMD_CM_LISTEN, 0, own, 0, 0},
	};
	uint32_t ids[RN_ARRAY_SIZE(rows)] = {0};
	struct net net;

	net_init(&net);
	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_rsp rsp =
			bind_at(&net, rows[i].op, rows[i].flags, rows[i].local, rows[i].port);

		assert_int_equal(rsp.err, rows[i].err);
		ids[i] = rsp.err ? 0 : rsp.id;
		if (!rsp.err && rows[i].port == 0)
			assert_true(rsp.port >= 49152);
	}
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_LISTEN, ids[3]).err, -EADDRINUSE);
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_LISTEN, ids[8]).err, 0);
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_LISTEN, ids[8]).err, -EINVAL);
	/* a listener bound to the destination address takes precedence over the wildcard
	 * listener */
	{
		struct rn_cmd cmd = net_connect_cmd(1, false, 0x11);
		uint32_t id;

		cmd.cm.peer_port = 700;
		id = net_exec(&net, 1, cmd).id;
		net_pump(&net);
		assert_int_equal(net_event(&net, 0, EV(REQUEST))->parent, ids[0]);
		net_destroy(&net, 0, net_event(&net, 0, EV(REQUEST))->id);
		net_pump(&net);
		net_destroy(&net, 1, id);
		net_forget(&net);
		net_destroy(&net, 0, ids[0]);
		ids[0] = 0;
		id = net_exec(&net, 1, cmd).id;
		net_pump(&net);
		assert_int_equal(net_event(&net, 0, EV(REQUEST))->parent, ids[7]);
		net_destroy(&net, 0, net_event(&net, 0, EV(REQUEST))->id);
		net_pump(&net);
		net_destroy(&net, 1, id);
	}
	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++)
		if (ids[i])
			net_destroy(&net, 0, ids[i]);
	net_fini(&net);
}

static void four_tuples(void **state)
{
	struct rn_cmd cmd = net_connect_cmd(0, false, 0x11), back = net_connect_cmd(1, false, 0x21);
	struct net net;
	uint32_t l[2], id[3];

	/* Both hosts connect to each other at the same time. Each host connects from the port on
	 * which it listens. */
	net_init(&net);
	l[0] = net_listen(&net, 0, 0);
	l[1] = net_listen(&net, 1, 0);
	net.box[0].reply.qpn = 0x500;
	cmd.cm.port = back.cm.port = NET_PORT;
	id[0] = net_exec(&net, 0, cmd).id;
	cmd.cm.param.qpn = 0x12;
	assert_int_equal(net_exec(&net, 0, cmd).err, -EISCONN);
	id[1] = net_exec(&net, 1, back).id;
	net_pump(&net);
	assert_int_equal(net_count(&net, 0, EV(ESTABLISHED)) + net_count(&net, 1, EV(ESTABLISHED)),
			 2);
	assert_int_equal(net_exec(&net, 0, cmd).err, -EISCONN);
	/* The addresses and ports are free as soon as the id that connected is destroyed, even
	 * while its connection is in timewait. */
	net_destroy(&net, 0, id[0]);
	id[2] = net_exec(&net, 0, cmd).id;
	assert_true(id[2] != 0);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 2);
	assert_int_equal(rn_cm_timewait(net.box[0].cm), 1);
	for (unsigned i = 0; i < net.box[0].nev; i++)
		if (net.box[0].ev[i].kind == EV(ESTABLISHED))
			net_destroy(&net, 0, net.box[0].ev[i].id);
	for (unsigned i = 0; i < net.box[1].nev; i++)
		if (net.box[1].ev[i].kind == EV(ESTABLISHED))
			net_destroy(&net, 1, net.box[1].ev[i].id);
	net_destroy(&net, 0, id[2]);
	net_destroy(&net, 1, id[1]);
	net_destroy(&net, 0, l[0]);
	net_destroy(&net, 1, l[1]);
	net_fini(&net);
}

/* There are 16384 ephemeral ports; a destroyed id releases its port. */
static void ephemeral_ports_run_out(void **state)
{
	struct rn_core_cfg cfg = {.max_cm = 20000,
				  .max_timewait = 1,
				  .max_neigh = 1,
				  .cm_response_timeout = 1,
				  .secrets = rn_secrets_of_seed(3)};
	struct rn_port_attr port = {.ngids = 1, .gids = {net_gid(0, false)}};
	struct rn_neigh *neigh = rn_neigh_create(&cfg, &port, 0);
	struct rn_cm *cm = rn_cm_create(&cfg, &port, neigh, 0);
	struct rn_cmd cmd = {.op = RN_CMD_CM_BIND};
	static uint8_t seen[65536];
	struct rn_rsp rsp, last;

	for (unsigned i = 0; i < 16384; i++) {
		rn_cm_exec(cm, &cmd, &last, 0);
		assert_int_equal(last.err, 0);
		assert_true(last.port >= 49152 && !seen[last.port]++);
	}
	rn_cm_exec(cm, &cmd, &rsp, 0);
	assert_int_equal(rsp.err, -EADDRNOTAVAIL);
	cmd.cm.port = 5;
	rn_cm_exec(cm, &cmd, &rsp, 0);
	assert_int_equal(rsp.err, 0);
	rn_cm_exec(cm, &(struct rn_cmd){.op = RN_CMD_CM_DESTROY, .cm.id = last.id}, &rsp, 0);
	cmd.cm.port = 0;
	rn_cm_exec(cm, &cmd, &rsp, 0);
	assert_int_equal(rsp.err, 0);
	assert_int_equal(rsp.port, last.port);
	rn_cm_destroy(cm);
	rn_neigh_destroy(neigh);
}

static void commands_refused(void **state)
{
	struct net net;
	struct rn_cmd cmd;
	uint32_t listener, id;

	net_init(&net);
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	static const uint16_t with_id[] = {RN_CMD_CM_ESTABLISH, RN_CMD_CM_ACCEPT,
					   RN_CMD_CM_REJECT,	RN_CMD_CM_DISCONNECT,
					   RN_CMD_CM_DESTROY,	RN_CMD_CM_DELAY};
	for (size_t i = 0; i < RN_ARRAY_SIZE(with_id); i++) {
		assert_int_equal(net_op(&net, 0, with_id[i], 0).err, -ENOENT);
		assert_int_equal(net_op(&net, 0, with_id[i], id ^ 0x100000).err, -ENOENT);
		assert_int_equal(net_op(&net, 0, with_id[i], UINT32_MAX).err, -ENOENT);
	}
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_ESTABLISH, id).err, -EINVAL);
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id).err, -ENOTCONN);
	cmd = net_connect_cmd(0, false, 0x99);
	cmd.cm.id = id;
	assert_int_equal(net_exec(&net, 0, cmd).err, -EALREADY);
	cmd = net_connect_cmd(0, false, 0x11);
	assert_int_equal(net_exec(&net, 0, cmd).err, -EBUSY); /* another connect uses QPN 0x11 */
	cmd = net_connect_cmd(0, false, 0x99);
	cmd.cm.param.data_len = 57; /* row C31: private data has at most 56 bytes */
	assert_int_equal(net_exec(&net, 0, cmd).err, -EMSGSIZE);
	cmd.cm.param.data_len = 56;
	cmd.cm.peer = (struct rn_gid){{0}};
	assert_int_equal(net_exec(&net, 0, cmd).err, -EDESTADDRREQ);
	cmd.cm.peer = (struct rn_gid){{[10] = 0xff, [11] = 0xff, [12] = 224}};
	assert_int_equal(net_exec(&net, 0, cmd).err, -EADDRNOTAVAIL);
	cmd.cm.peer = net_gid(1, true);
	assert_int_equal(net_exec(&net, 0, cmd).err, -EAFNOSUPPORT);
	cmd.cm.local = (struct rn_gid){{[10] = 0xff, [11] = 0xff}};
	assert_int_equal(net_exec(&net, 0, cmd).err, -EAFNOSUPPORT);
	cmd.cm.local = (struct rn_gid){{0}};
	cmd.cm.param.qpn = 1;
	assert_int_equal(net_exec(&net, 0, cmd).err, -EINVAL);
	assert_int_equal(net_exec(&net, 0, (struct rn_cmd){.op = RN_CMD_STATS}).err, -EINVAL);
	net_pump(&net);
	assert_int_equal(rn_cm_live(net.box[0].cm), 1);
	net_destroy(&net, 0, id);
	net_run(&net, RN_S(1));
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	/* with a wildcard local address the CM picks an address of the port in the peer's family */
	net_forget(&net);
	cmd.cm.param.qpn = 0x99;
	id = net_exec(&net, 0, cmd).id;
	net_run(&net, RN_S(1));
	assert_memory_equal(&net_event(&net, 0, EV(RESPONSE))->local, &net.box[0].port.gids[1], 16);
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* ---- many connections, full tables, corrupted messages ---- */

static void backlog(void **state)
{
	struct net net;
	uint32_t listener, id[5], taken;

	net_init(&net);
	net.box[1].accept = false;
	listener = net_listen(&net, 1, 3);
	for (unsigned i = 0; i < 5; i++)
		id[i] = net_connect(&net, 0, 0x11 + i);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 3);
	assert_int_equal(net_count(&net, 0, EV(REJECTED)), 2);
	assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 3);
	assert_int_equal(net.box[1].verdict[RN_V_CM_FULL], 2);
	/* destroying the CM id of a connection request makes room in the backlog */
	taken = net.box[1].ev[0].id;
	net_destroy(&net, 1, taken);
	net_pump(&net);
	{
		struct rn_cmd again = net_connect_cmd(0, false, 0x14);

		again.cm.id = id[3];
		assert_int_equal(net_exec(&net, 0, again).err, 0);
	}
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 4);
	/* The client has taken the REQUEST event. The connection request then outlives its listener
	 * and is not rejected. */
	net_destroy(&net, 1, listener);
	net_pump(&net);
	assert_int_equal(net_count(&net, 0, EV(REJECTED)), 3);
	for (unsigned i = 1; i < 4; i++)
		net_destroy(&net, 1, net.box[1].ev[i].id);
	for (unsigned i = 0; i < 5; i++)
		net_destroy(&net, 0, id[i]);
	net_fini(&net);
}

static void destroyed_listener_rejects_untaken_requests(void **state)
{
	struct net net;
	uint32_t listener, id;
	struct rn_pkt pkt;

	net_init(&net);
	net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	net_destroy(&net, 0, id);
	net_pump(&net);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_forget(&net);
	id = net_connect(&net, 0, 0x11);
	assert_true(rn_cm_tx(net.box[0].cm, &pkt, net.now));
	assert_int_equal(rn_cm_rx(net.box[1].cm, &pkt, net.now), RN_V_OK);
	assert_int_equal(rn_cm_live(net.box[1].cm), 2);
	net_destroy(&net, 1, listener); /* the client has not taken the REQUEST event yet */
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 0);
	assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 28);
	assert_int_equal(rn_cm_live(net.box[1].cm), 0);
	net_destroy(&net, 0, id);
	net_fini(&net);
}

static void wire_row_S8_cycles_leave_nothing(void **state)
{
	static uint32_t ids[100000];
	struct net net;
	uint32_t listener;

	net_init(&net);
	net.box[0].follow = net.box[1].follow = true;
	listener = net_listen(&net, 1, 1);
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t id = net_connect(&net, 0, 0x100 + i);

		net.box[1].reply.qpn = 0x100 + i;
		net_pump(&net);
		ids[i] = net.box[0].last[RN_CM_REQ].req.local_id;
		if (i % 3 == 0)
			net_destroy(&net, 0, id);
		else
			assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id).err, 0);
		net_pump(&net);
		assert_int_equal(rn_cm_live(net.box[0].cm), 0);
		assert_int_equal(rn_cm_live(net.box[1].cm), 1);
		net.now += RN_MS(20); /* about 27 of the 64 timewait records are in use */
		net_forget(&net);
	}
	assert_int_equal(rn_cm_dropped(net.box[0].cm), 0);
	for (unsigned i = 1; i < 100000; i++)
		assert_true(ids[i] && ids[i] != ids[i - 1] && ids[i] != ids[i - 1] + 1);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void full_tables(void **state)
{
	struct net net;
	uint32_t listener, id[64];

	net_init(&net);
	net.box[0].follow = net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	for (unsigned i = 0; i < 64; i++) {
		id[i] = net_connect(&net, 0, 0x200 + i);
		/* one connect at a time, to stay within the limit on half-open connections */
		net_pump(&net);
	}
	assert_int_equal(net_exec(&net, 0, net_connect_cmd(0, false, 0x999)).err, -ENOSPC);
	net_pump(&net);
	/* host 1 has 64 connection records; its listener takes one record, so 63 connections fit */
	assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 63);
	assert_int_equal(net_count(&net, 0, EV(REJECTED)), 1);
	for (unsigned i = 0; i < 64; i++)
		net_destroy(&net, 0, id[i]);
	net_pump(&net);
	net_forget(&net);
	/* When more connections enter timewait than there are timewait records, the oldest record
	 * is reused. No connect fails. */
	for (unsigned i = 0; i < 100; i++) {
		uint32_t one = net_connect(&net, 0, 0x400 + i);

		net_pump(&net);
		net_destroy(&net, 0, one);
		net_pump(&net);
		net_forget(&net);
		assert_true(rn_cm_timewait(net.box[0].cm) <= 64);
	}
	assert_true(rn_cm_dropped(net.box[0].cm) > 0);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* State of rnd(), the random number generator for the test of row C34. This test sends CM messages
 * with random bit errors to both hosts while they connect and disconnect. */
static uint64_t rnd_state;

static uint64_t rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state;
}

/* Delivers an earlier message to a random host, with up to three bits flipped. */
static void garbage_once(struct net *net)
{
	static const uint16_t attrs[] = {RN_CM_REQ,  RN_CM_REP, RN_CM_RTU, RN_CM_DREQ,
					 RN_CM_DREP, RN_CM_REJ, RN_CM_MRA};
	unsigned to = rnd() & 1;
	struct box *from = &net->box[rnd() & 1];
	struct rn_cm_msg m = from->last[attrs[rnd() % RN_ARRAY_SIZE(attrs)]];
	uint8_t *raw = (uint8_t *)&m.req;

	if (m.attr == 0)
		m.attr = RN_CM_REQ;
	for (unsigned n = rnd() % 4; n > 0; n--)
		raw[rnd() % (rnd() & 1 ? 32 : sizeof(m.req))] ^= (uint8_t)(1u << (rnd() & 7));
	net_inject(net, to, &m);
}

/* Callback for net->judge: loses one message in eight. Delivers one in eight of the remaining
 * messages twice. */
static unsigned sometimes(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	return (unsigned)(rnd() % 8 == 0 ? 0 : rnd() % 8 == 0 ? 2 : 1);
}

static void wire_row_C34_garbage_leaves_nothing(void **state)
{
	struct net net;
	uint32_t ids[2][NET_EVENTS * 4];
	unsigned n[2] = {0};

	rnd_state = 88172645463325252ull;
	net_init(&net);
	net.judge = sometimes;
	ids[0][n[0]++] = net_listen(&net, 0, 0);
	ids[1][n[1]++] = net_listen(&net, 1, 0);
	net.box[0].reply.qpn = 0x8000;
	for (unsigned i = 0; i < 100000; i++) {
		unsigned b = rnd() & 1;

		garbage_once(&net);
		if (rnd() % 16 == 0) {
			struct rn_rsp rsp = net_exec(
				&net, b, net_connect_cmd(b, false, (uint32_t)(0x10 + rnd() % 64)));

			if (rsp.err == 0 && n[b] < RN_ARRAY_SIZE(ids[b]))
				ids[b][n[b]++] = rsp.id;
			else if (rsp.err == 0)
				net_op(&net, b, RN_CMD_CM_DESTROY, rsp.id);
		}
		if (rnd() % 4 == 0)
			net_run(&net, RN_MS(rnd() % 3000));
		for (unsigned k = 0; k < 2; k++) {
			for (unsigned e = 0; e < net.box[k].nev && e < NET_EVENTS; e++)
				if (net.box[k].ev[e].kind == EV(REQUEST) &&
				    n[k] < RN_ARRAY_SIZE(ids[k]))
					ids[k][n[k]++] = net.box[k].ev[e].id;
				else if (net.box[k].ev[e].kind == EV(REQUEST))
					net_op(&net, k, RN_CMD_CM_DESTROY, net.box[k].ev[e].id);
			net.box[k].nev = 0;
		}
		if (n[b] > 1 && rnd() % 8 == 0) {
			unsigned at = 1 + (unsigned)(rnd() % (n[b] - 1));

			net_op(&net, b, rnd() & 1 ? RN_CMD_CM_DESTROY : RN_CMD_CM_DISCONNECT,
			       ids[b][at]);
			if (net_op(&net, b, RN_CMD_CM_DESTROY, ids[b][at]).err == -ENOENT ||
			    (rnd() & 3) == 0)
				ids[b][at] = ids[b][--n[b]];
		}
	}
	/* the corrupted messages included many valid, many unmatched and many duplicate ones */
	for (unsigned b = 0; b < 2; b++) {
		assert_true(net.box[b].verdict[RN_V_OK] > 5000);
		assert_true(net.box[b].verdict[RN_V_CM_UNMATCHED] > 5000);
		assert_true(net.box[b].verdict[RN_V_CM_DUPLICATE] > 5000);
	}
	net.judge = NULL;
	for (unsigned b = 0; b < 2; b++)
		for (unsigned i = 0; i < n[b]; i++)
			net_op(&net, b, RN_CMD_CM_DESTROY, ids[b][i]);
	net.box[0].follow = net.box[1].follow = true;
	net_run(&net, RN_S(1000)); /* connection requests from corrupted messages time out */
	net_run(&net, RN_S(1000));
	net_fini(&net);
}

/* ---- the CM's state table ---- */

static unsigned rows_seen, destroys_seen;

static void see(void *arg, const char *from, const char *event, const char *action,
		const char *next)
{
	rows_seen++;
	destroys_seen += strcmp(event, "command DESTROY") == 0;
	assert_true(from[0] && action[0] && next[0]);
}

static void rules_can_be_printed(void **state)
{
	rn_cm_print_rules(see, NULL);
	assert_true(rows_seen > 60);
	assert_int_equal(destroys_seen, 16); /* DESTROY has a rule in every state except FREE */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(destroyed_in_every_state),
		cmocka_unit_test(wrong_mac_is_resolved_again),
		cmocka_unit_test(unreachable_neighbours),
		cmocka_unit_test(loopback),
		cmocka_unit_test(a_request_of_linux),
		cmocka_unit_test(ports_are_shared_but_listeners_are_not),
		cmocka_unit_test(four_tuples),
		cmocka_unit_test(ephemeral_ports_run_out),
		cmocka_unit_test(commands_refused),
		cmocka_unit_test(backlog),
		cmocka_unit_test(destroyed_listener_rejects_untaken_requests),
		cmocka_unit_test(wire_row_S8_cycles_leave_nothing),
		cmocka_unit_test(full_tables),
		cmocka_unit_test(wire_row_C34_garbage_leaves_nothing),
		cmocka_unit_test(rules_can_be_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
