/* The connection manager: resolution of datagram services by SIDR (docs/spec/rocev2.md 6.14), and
 * port spaces. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "wire/frame.h"

#define EV(name) RN_EVENT_CM_##name

static uint32_t listen_at(struct net *net, unsigned box, uint16_t ps, uint8_t type)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_CM_LISTEN,
		.user = 0x115,
		.cm = {.port = NET_PORT, .port_space = ps, .qp_type = type},
	};
	struct rn_rsp rsp = net_exec(net, box, cmd);

	assert_int_equal(rsp.err, 0);
	return rsp.id;
}

static struct rn_cmd question(unsigned from, bool ipv6)
{
	struct rn_cmd cmd = net_connect_cmd(from, ipv6, 0);

	cmd.cm.port_space = RN_PS_UDP;
	return cmd;
}

static uint32_t ask(struct net *net, unsigned from)
{
	struct rn_rsp rsp = net_exec(net, from, question(from, false));

	assert_int_equal(rsp.err, 0);
	return rsp.id;
}

static void wire_row_C29_a_datagram_service_is_found(void **state)
{
	for (int own_key = 0; own_key < 2; own_key++) {
		bool ipv6 = own_key;
		const struct rn_cm_sidr_req *req;
		const struct rn_cm_sidr_rep *rep;
		const struct rn_event *ev;
		struct rn_cma_hdr hdr;
		struct rn_rsp rsp;
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.box[1].reply.qkey = own_key ? 0x80000777 : 0;
		listener = listen_at(&net, 1, RN_PS_UDP, 0);
		rsp = net_exec(&net, 0, question(0, ipv6));
		assert_int_equal(rsp.err, 0);
		net_pump(&net);

		req = &net.box[0].last[RN_CM_SIDR_REQ].sidr_req;
		assert_true(req->request_id != 0);
		assert_int_equal(req->pkey, 0xffff);
		assert_true(req->service_id == 0x1110000 + NET_PORT);
		assert_true(rn_cma_hdr_parse(req->data, &hdr));
		assert_true(hdr.ipv4 == !ipv6 && hdr.port == rsp.port);
		assert_memory_equal(&hdr.src, (struct rn_gid[]){net_gid(0, ipv6)}, 16);
		assert_memory_equal(&hdr.dst, (struct rn_gid[]){net_gid(1, ipv6)}, 16);

		ev = net_event(&net, 1, EV(REQUEST));
		assert_int_equal(ev->parent, listener);
		assert_int_equal(ev->user, 0x115);
		assert_int_equal(ev->port, NET_PORT);
		assert_int_equal(ev->peer_port, rsp.port);
		assert_memory_equal(&ev->peer, (struct rn_gid[]){net_gid(0, ipv6)}, 16);
		assert_int_equal(ev->param.data_len, 180);
		assert_memory_equal(ev->param.data, "ping\0\0", 6);
		assert_memory_equal(ev->attr.av.dmac, net.box[0].port.mac, 6);
		id = ev->id;

		rep = &net.box[1].last[RN_CM_SIDR_REP].sidr_rep;
		assert_int_equal(rep->status, 0);
		assert_int_equal(rep->request_id, req->request_id);
		assert_true(rep->service_id == req->service_id);
		assert_int_equal(rep->qpn, 0x123);
		assert_int_equal(rep->qkey, own_key ? 0x80000777 : 0x01234567);
		assert_true(net.box[1].last[RN_CM_SIDR_REP].tid ==
			    net.box[0].last[RN_CM_SIDR_REQ].tid);

		ev = net_event(&net, 0, EV(RESPONSE));
		assert_int_equal(ev->id, rsp.id);
		assert_int_equal(ev->user, 0xc0);
		assert_int_equal(ev->param.qpn, 0x123);
		assert_int_equal(ev->param.qkey, rep->qkey);
		assert_int_equal(ev->attr.dest_qpn, 0x123);
		assert_int_equal(ev->attr.qkey, rep->qkey);
		assert_int_equal(ev->param.data_len, 136);
		assert_memory_equal(ev->param.data, "pong\0\0", 6);
		assert_memory_equal(ev->attr.av.dmac, net.box[1].port.mac, 6);
		assert_memory_equal(&ev->attr.av.dgid, (struct rn_gid[]){net_gid(1, ipv6)}, 16);
		assert_memory_equal(&ev->attr.av.sgid, (struct rn_gid[]){net_gid(0, ipv6)}, 16);
		assert_int_equal(ev->attr.av.hop_limit, 64);
		assert_int_equal(ev->attr.av.flow_label, (rsp.port * 31 + NET_PORT) & 0xfffff);

		/* After the SIDR_REP there is no timewait, and the QPN is not held. The CM id can
		 * send another SIDR_REQ at once. */
		assert_int_equal(rn_cm_timewait(net.box[0].cm) + rn_cm_timewait(net.box[1].cm), 0);
		assert_false(rn_cm_qpn_waits(net.box[1].cm, 0x123));
		{
			struct rn_cmd again = question(0, ipv6);

			again.cm.id = rsp.id;
			assert_int_equal(net_exec(&net, 0, again).err, 0);
			net_pump(&net);
			assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 2);
			net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		}
		net_destroy(&net, 0, rsp.id);
		net_destroy(&net, 1, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* A recorded exchange: Linux rdma_cm sends a SIDR_REQ from 192.0.2.2 to port 7174 of 192.0.2.1. The
 * CM's SIDR_REP must equal the recorded SIDR_REP. */
static void wire_row_C29_an_answer_as_linux_gives_it(void **state)
{
	uint8_t file[24 + 2 * (16 + 322)];
	struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN, .cm = {.port = 7174, .port_space = RN_PS_UDP}};
	uint32_t listener, child;
	struct rn_pkt question, answer;
	struct net net;
	FILE *f = fopen(RN_VECTORS "/cm-sidr-udaddy-ipv4.pcap", "rb");

	assert_non_null(f);
	assert_int_equal(fread(file, 1, sizeof(file), f), sizeof(file));
	fclose(f);
	assert_int_equal(rn_frame_parse(file + 40, 322, &question), RN_V_OK);
	assert_int_equal(rn_frame_parse(file + 40 + 322 + 16, 322, &answer), RN_V_OK);
	net_init(&net);
	net.box[0].accept = false;
	listener = net_exec(&net, 0, cmd).id;
	assert_int_equal(rn_cm_rx(net.box[0].cm, &question, net.now), RN_V_OK);
	net_pump(&net);
	child = net_event(&net, 0, EV(REQUEST))->id;
	assert_memory_equal(&net_event(&net, 0, EV(REQUEST))->peer,
			    (struct rn_gid[]){net_gid(1, false)}, 16);
	cmd = (struct rn_cmd){.op = RN_CMD_CM_ACCEPT, .cm = {.id = child, .param.qpn = 0x14}};
	assert_int_equal(net_exec(&net, 0, cmd).err, 0);
	assert_true(rn_cm_tx(net.box[0].cm, &question, net.now));
	assert_int_equal(question.payload_len, 256);
	assert_memory_equal(question.payload, answer.payload, 256);
	net_destroy(&net, 0, child);
	net_destroy(&net, 0, listener);
	net_fini(&net);
}

static unsigned spoil_service(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr == RN_CM_SIDR_REQ && net->arg[0] == 1)
		m->sidr_req.service_id |= 1ull << 40;
	if (m->attr == RN_CM_SIDR_REQ && net->arg[0] == 2)
		m->sidr_req.data[1] = 0x50; /* IP version 5 */
	if (m->attr == RN_CM_SIDR_REQ && net->arg[0] == 3)
		m->sidr_req.data[35] = 77; /* the destination is not an address of the port */
	if (m->attr == RN_CM_SIDR_REQ && net->arg[0] == 4)
		m->sidr_req.data[16] = 224; /* the source is a multicast address */
	return 1;
}

static void wire_row_C30_nobody_offers_the_service(void **state)
{
	for (unsigned how = 0; how < 5; how++) {
		uint32_t listener, id;
		struct net net;

		net_init(&net);
		net.judge = spoil_service;
		net.arg[0] = how;
		/* how == 0: the only listener is in the TCP port space and not in the UDP one */
		listener = listen_at(&net, 1, how ? RN_PS_UDP : RN_PS_TCP, 0);
		id = ask(&net, 0);
		net_pump(&net);
		assert_int_equal(net.box[1].last[RN_CM_SIDR_REP].sidr_rep.status, 1);
		assert_int_equal(net.box[1].last[RN_CM_SIDR_REP].sidr_rep.qpn, 0);
		assert_int_equal(net.box[1].last[RN_CM_SIDR_REP].sidr_rep.request_id,
				 net.box[0].last[RN_CM_SIDR_REQ].sidr_req.request_id);
		assert_int_equal(net.box[1].nev, 0);
		assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 1);
		assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 0);
		assert_int_equal(rn_cm_live(net.box[1].cm), 1);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

static void a_service_refuses_with_status_and_data(void **state)
{
	for (unsigned status = 0; status <= 6; status++) {
		struct rn_cmd no = {.op = RN_CMD_CM_REJECT,
				    .cm = {.reason = (uint16_t)status,
					   .param = {.data_len = 136, .data = "no"}}};
		uint32_t listener, id;
		struct net net;

		net_init(&net);
		net.box[1].accept = false;
		listener = listen_at(&net, 1, RN_PS_UDP, 0);
		id = ask(&net, 0);
		net_pump(&net);
		no.cm.id = net_event(&net, 1, EV(REQUEST))->id;
		no.cm.param.data_len++;
		assert_int_equal(net_exec(&net, 1, no).err, -EMSGSIZE);
		no.cm.param.data_len--;
		if (status == 6) {
			assert_int_equal(net_exec(&net, 1, no).err, -EINVAL);
		} else {
			assert_int_equal(net_exec(&net, 1, no).err, 0);
			net_pump(&net);
			assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason,
					 status ? status : 2);
			assert_int_equal(net_event(&net, 0, EV(REJECTED))->param.data_len, 136);
			assert_memory_equal(net_event(&net, 0, EV(REJECTED))->param.data, "no\0",
					    3);
		}
		net_destroy(&net, 1, no.cm.id);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* Each SIDR message is lost, doubled or tripled. The service still gets one SIDR_REQ, and the
 * client one answer. */
static void each_message_lost_or_doubled(void **state)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned attr = i & 1 ? RN_CM_SIDR_REQ : RN_CM_SIDR_REP, copies = i / 2;
		uint32_t listener, id;
		struct net net;

		net_init(&net);
		net.judge = net_meddle;
		net.arg[0] = attr, net.arg[1] = attr == RN_CM_SIDR_REP, net.arg[2] = 1,
		net.arg[3] = copies;
		listener = listen_at(&net, 1, RN_PS_UDP, 0);
		id = ask(&net, 0);
		net_run(&net, RN_S(20));
		assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
		assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 1);
		assert_int_equal(net.box[0].sent[RN_CM_SIDR_REQ], copies ? 1 : 2);
		assert_int_equal(net_event(&net, 0, EV(RESPONSE))->param.qpn, 0x123);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

static void nobody_answers_the_question(void **state)
{
	struct net net;
	uint64_t tid;
	uint32_t id;

	net_init(&net);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_SIDR_REQ;
	id = ask(&net, 0);
	net_pump(&net);
	tid = net.box[0].last[RN_CM_SIDR_REQ].tid;
	/* a SIDR_REQ is repeated like a REQ: docs/spec/rocev2.md 6.8 */
	net_run(&net, RN_MS(4608) * 15 + RN_MS(100));
	assert_int_equal(net.box[0].sent[RN_CM_SIDR_REQ], 16);
	assert_true(net.box[0].last[RN_CM_SIDR_REQ].tid == tid);
	assert_int_equal(net_count(&net, 0, EV(UNREACHABLE)), 0);
	net_run(&net, RN_MS(4608));
	assert_int_equal(net_event(&net, 0, EV(UNREACHABLE))->err, -ETIMEDOUT);
	assert_int_equal(net.box[0].sent[RN_CM_SIDR_REQ], 16);
	assert_int_equal(net.box[0].sent[RN_CM_REJ], 0);
	net_destroy(&net, 0, id);
	net_fini(&net);
}

/* A SIDR_REQ is identified by its request ID and its source address. */
static void duplicates_of_a_question(void **state)
{
	struct rn_cm_msg req, other;
	struct net net;
	uint32_t listener, id, child;

	net_init(&net);
	net.box[1].accept = false;
	listener = listen_at(&net, 1, RN_PS_UDP, 0);
	id = ask(&net, 0);
	net_pump(&net);
	child = net_event(&net, 1, EV(REQUEST))->id;
	req = net.box[0].last[RN_CM_SIDR_REQ];
	/* the service has not answered yet, so the duplicate gets no answer */
	assert_int_equal(net_inject(&net, 1, &req), RN_V_CM_DUPLICATE);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
	assert_int_equal(net.box[1].sent[RN_CM_SIDR_REP], 0);
	assert_int_equal(net_exec(&net, 1,
				  (struct rn_cmd){.op = RN_CMD_CM_ACCEPT,
						  .cm = {.id = child, .param = {.qpn = 0x77}}})
				 .err,
			 0);
	net_pump(&net);
	/* the service has answered, so the duplicate gets the answer again */
	assert_int_equal(net_inject(&net, 1, &req), RN_V_CM_DUPLICATE);
	net_pump(&net);
	assert_int_equal(net.box[1].sent[RN_CM_SIDR_REP], 2);
	assert_int_equal(net.box[1].last[RN_CM_SIDR_REP].sidr_rep.qpn, 0x77);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
	/* the client ignores the second answer */
	assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 1);
	assert_int_equal(net.box[0].verdict[RN_V_CM_UNMATCHED], 1);
	other = req;
	other.sidr_req.request_id ^= 1;
	assert_int_equal(net_inject(&net, 1, &other), RN_V_OK);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 2);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_pump(&net);
	/* The same request ID from the IPv6 address of the host is a new SIDR request. */
	{
		struct rn_cmd six = question(0, true);
		struct rn_pkt pkt;
		uint8_t mad[RN_MAD_BYTES];
		uint32_t second = net_exec(&net, 0, six).id;

		net.judge = net_lose_all;
		net.arg[0] = RN_CM_SIDR_REQ;
		net_pump(&net); /* resolves the peer's MAC */
		net.now += RN_S(5);
		rn_cm_tick(net.box[0].cm, net.now);
		assert_true(rn_cm_tx(net.box[0].cm, &pkt, net.now));
		other = net.box[0].last[RN_CM_SIDR_REQ];
		other.sidr_req.request_id = req.sidr_req.request_id;
		rn_cm_msg_build(&other, mad);
		pkt.payload = mad;
		assert_int_equal(rn_cm_rx(net.box[1].cm, &pkt, net.now), RN_V_OK);
		net_pump(&net);
		assert_int_equal(net_count(&net, 1, EV(REQUEST)), 3);
		net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_destroy(&net, 0, second);
		net.judge = NULL;
	}
	net_destroy(&net, 1, child);
	net_destroy(&net, 1, listener);
	net_destroy(&net, 0, id);
	net_fini(&net);
}

static unsigned spoil_answer(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr != RN_CM_SIDR_REP || net->box[from].sent[RN_CM_SIDR_REP] > 1)
		return 1;
	switch (net->arg[0]) {
	case 0:
		m->sidr_rep.request_id ^= 1;
		break;
	case 1:
		m->sidr_rep.qpn = 1;
		break;
	case 2:
		m->sidr_rep.qpn = 0xffffff;
		break;
	default: /* a CM message of another kind with the request ID of the SIDR_REQ */
		*m = (struct rn_cm_msg){
			.attr = net->arg[0] == 3   ? RN_CM_REP
				: net->arg[0] == 4 ? RN_CM_REJ
						   : RN_CM_MRA,
			.tid = m->tid,
			.rep = {.local_id = 5, .remote_id = m->sidr_rep.request_id, .qpn = 9}};
	}
	return 1;
}

static void wrong_answers_change_nothing(void **state)
{
	for (unsigned how = 0; how < 6; how++) {
		uint32_t listener, id;
		struct net net;

		net_init(&net);
		net.judge = spoil_answer;
		net.arg[0] = how;
		listener = listen_at(&net, 1, RN_PS_UDP, 0);
		id = ask(&net, 0);
		net_pump(&net);
		assert_int_equal(net.box[0].nev, 0);
		net_run(&net, RN_S(5));
		assert_int_equal(net_event(&net, 0, EV(RESPONSE))->param.qpn, 0x123);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* A REQ or SIDR_REQ in the IB port space is rejected if the only listener at its port number serves
 * the other QP type: UD instead of RC, or RC instead of UD. */
static void the_other_kind_of_service(void **state)
{
	for (int datagrams = 0; datagrams < 2; datagrams++) {
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
		uint32_t listener;
		struct rn_rsp rsp;
		struct net net;

		net_init(&net);
		listener = listen_at(&net, 1, RN_PS_IB, datagrams ? RN_QPT_RC : RN_QPT_UD);
		cmd.cm.port_space = RN_PS_IB;
		cmd.cm.qp_type = datagrams ? RN_QPT_UD : RN_QPT_RC;
		rsp = net_exec(&net, 0, cmd);
		assert_int_equal(rsp.err, 0);
		net_pump(&net);
		assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, datagrams ? 1 : 8);
		assert_int_equal(net.box[1].nev, 0);
		net_destroy(&net, 0, rsp.id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* A repetition of the SIDR_REQ is due, but the SIDR_REP arrives first: the repetition is not sent.
 * Duplicate SIDR_REPs, and a SIDR_REP to a connection request, have no effect. */
static void answers_out_of_place(void **state)
{
	uint32_t service, listener, id, conn;
	struct rn_cm_msg m;
	struct rn_pkt pkt;
	struct net net;

	net_init(&net);
	net.box[1].accept = false;
	service = listen_at(&net, 1, RN_PS_UDP, 0);
	listener = net_listen(&net, 1, 0);
	id = ask(&net, 0);
	net_pump(&net);
	net.now += RN_MS(4700);
	rn_cm_tick(net.box[0].cm, net.now);
	assert_true(rn_cm_wants_tx(net.box[0].cm));
	m = (struct rn_cm_msg){
		.attr = RN_CM_SIDR_REP,
		.sidr_rep = {.request_id = net.box[0].last[RN_CM_SIDR_REQ].sidr_req.request_id,
			     .qpn = 0x44}};
	assert_int_equal(net_inject(&net, 0, &m), RN_V_OK);
	assert_false(rn_cm_tx(net.box[0].cm, &pkt, net.now));
	assert_int_equal(net_inject(&net, 0, &m), RN_V_CM_UNMATCHED);
	net_pump(&net);
	assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 1);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	/* once the record of a SIDR_REQ is gone, the same SIDR_REQ counts as new */
	m = net.box[0].last[RN_CM_SIDR_REQ];
	assert_int_equal(net_inject(&net, 1, &m),
			 RN_V_CM_DUPLICATE); /* the SIDR_REP with the refusal is not sent yet */
	net_pump(&net);
	assert_int_equal(net_inject(&net, 1, &m), RN_V_OK);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 2);
	/* a SIDR_REQ is refused if its private data does not name the source address of its
	 * packet */
	net.may_stray = true; /* allows the refusal, which goes to an unknown MAC */
	assert_int_equal(
		net_inject_from(&net, 1, &(struct rn_gid){{[10] = 0xff, 0xff, 192, 0, 2, 99}}, &m),
		RN_V_CM_ADDRESS);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 2);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_pump(&net);
	net.box[1].accept = true;
	conn = net_connect(&net, 0, 0x11);
	net_pump(&net);
	m = (struct rn_cm_msg){
		.attr = RN_CM_SIDR_REP,
		.sidr_rep = {.request_id = net.box[0].last[RN_CM_REQ].req.local_id, .qpn = 0x44}};
	assert_int_equal(net_inject(&net, 0, &m), RN_V_CM_UNMATCHED);
	net_destroy(&net, 0, conn);
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, service);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

enum stage { ST_RESOLVING, ST_SENT, ST_RCVD, ST_LISTEN, ST_ANSWERED, ST_DONE };

static void destroyed_in_every_state(void **state)
{
	for (enum stage st = ST_RESOLVING; st <= ST_DONE; st++) {
		uint32_t listener, id, child = 0;
		struct net net;

		net_init(&net);
		net.box[1].accept = st >= ST_ANSWERED;
		listener = listen_at(&net, 1, RN_PS_UDP, 0);
		net.box[1].deaf = st == ST_RESOLVING;
		id = ask(&net, 0);
		if (st == ST_SENT) {
			net.judge = net_lose_all;
			net.arg[0] = RN_CM_SIDR_REQ;
		}
		net_pump(&net);
		if (st >= ST_RCVD)
			child = net_event(&net, 1, EV(REQUEST))->id;
		switch (st) {
		case ST_RCVD:
			net_destroy(&net, 1, child);
			net_pump(&net);
			assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 2);
			break;
		case ST_LISTEN: /* after the event REQUEST the SIDR request outlives its listener */
			net_destroy(&net, 1, listener);
			net_pump(&net);
			assert_int_equal(net.box[1].sent[RN_CM_SIDR_REP], 0);
			net_destroy(&net, 1, child);
			break;
		case ST_ANSWERED:
		case ST_DONE:
			net_destroy(&net, 1, child);
			break;
		default:
			break;
		}
		assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id).err, -ENOTCONN);
		net_destroy(&net, 0, id);
		net_pump(&net);
		assert_int_equal(rn_cm_live(net.box[0].cm), 0);
		if (st != ST_LISTEN)
			net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* A SIDR_REQ makes no entry in the neighbour table: the answer goes to the source MAC of the
 * SIDR_REQ. */
static void sidr_req_adds_no_neighbour_entry(void **state)
{
	struct rn_cm_msg m = {.attr = RN_CM_SIDR_REQ, .sidr_req.request_id = 7};
	struct rn_cma_hdr hdr = {
		.port = 9, .ipv4 = true, .src = net_gid(0, false), .dst = net_gid(1, false)};
	struct net net;
	uint32_t listener;

	net_init(&net);
	listener = listen_at(&net, 1, RN_PS_UDP, 0);
	net.box[0].deaf = true;
	rn_cma_hdr_build(&hdr, m.sidr_req.data);
	m.sidr_req.service_id = rn_cm_service_id(RN_PS_UDP, NET_PORT);
	assert_int_equal(net_inject(&net, 1, &m), RN_V_OK);
	assert_int_equal(net_inject(&net, 1, &m), RN_V_CM_DUPLICATE);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
	assert_int_equal(net.box[1].sent[RN_CM_SIDR_REP], 1);
	assert_int_equal(rn_neigh_count(net.box[1].neigh), 0);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void backlog_of_questions(void **state)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_CM_LISTEN,
		.cm = {.port = NET_PORT, .port_space = RN_PS_UDP, .backlog = 2},
	};
	uint32_t listener, id[3];
	struct net net;

	net_init(&net);
	net.box[1].accept = false;
	listener = net_exec(&net, 1, cmd).id;
	for (unsigned i = 0; i < 3; i++)
		id[i] = ask(&net, 0);
	net_pump(&net);
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 2);
	assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 3);
	assert_int_equal(net.box[1].verdict[RN_V_CM_FULL], 1);
	for (unsigned i = 0; i < 2; i++)
		net_destroy(&net, 1, net.box[1].ev[i].id);
	for (unsigned i = 0; i < 3; i++)
		net_destroy(&net, 0, id[i]);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void limits_and_port_spaces(void **state)
{
	static const struct {
		unsigned ps, type;
		int err;
	} rows[] = {
		{0, 0, 0},
		{RN_PS_TCP, RN_QPT_RC, 0},
		{RN_PS_TCP, RN_QPT_UC, 0},
		{RN_PS_TCP, RN_QPT_UD, -EPROTONOSUPPORT},
		{RN_PS_UDP, 0, 0},
		{RN_PS_UDP, RN_QPT_UD, 0},
		{RN_PS_UDP, RN_QPT_RC, -EPROTONOSUPPORT},
		{RN_PS_IPOIB, 0, 0},
		{RN_PS_IPOIB, RN_QPT_UC, -EPROTONOSUPPORT},
		{RN_PS_IB, 0, 0},
		{RN_PS_IB, RN_QPT_UC, 0},
		{RN_PS_IB, RN_QPT_UD, 0},
		{RN_PS_IB, 9, -EPROTONOSUPPORT},
		{0x107, 0, -EPROTONOSUPPORT},
	};
	struct rn_cmd cmd = question(0, false);
	uint32_t id, listener, child;
	struct net net;

	net_init(&net);
	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_cmd bind = {.op = RN_CMD_CM_BIND,
				      .cm = {.port_space = (uint16_t)rows[i].ps,
					     .qp_type = (uint8_t)rows[i].type}};
		struct rn_rsp rsp = net_exec(&net, 0, bind);

		assert_int_equal(rsp.err, rows[i].err);
		if (rsp.err == 0)
			net_destroy(&net, 0, rsp.id);
		bind.op = RN_CMD_CM_CONNECT;
		bind.cm.peer = net_gid(1, false);
		bind.cm.peer_port = 5;
		if (rows[i].err)
			assert_int_equal(net_exec(&net, 0, bind).err, rows[i].err);
	}
	assert_int_equal(rn_cm_live(net.box[0].cm), 0);
	/* at most 180 bytes of private data fit in a SIDR_REQ, and 136 in a SIDR_REP */
	listener = listen_at(&net, 1, RN_PS_UDP, 0);
	cmd.cm.param.data_len = 181;
	assert_int_equal(net_exec(&net, 0, cmd).err, -EMSGSIZE);
	cmd.cm.param.data_len = 180;
	memset(cmd.cm.param.data, 0x5a, 180);
	net.box[1].accept = false;
	id = net_exec(&net, 0, cmd).id;
	net_pump(&net);
	child = net_event(&net, 1, EV(REQUEST))->id;
	assert_memory_equal(net_event(&net, 1, EV(REQUEST))->param.data, cmd.cm.param.data, 180);
	cmd = (struct rn_cmd){.op = RN_CMD_CM_ACCEPT, .cm.id = child};
	assert_int_equal(net_exec(&net, 1, cmd).err, -EINVAL); /* an accept needs a QPN */
	cmd.cm.param.qpn = 5;
	cmd.cm.param.data_len = 137;
	assert_int_equal(net_exec(&net, 1, cmd).err, -EMSGSIZE);
	cmd.cm.param.data_len = 136;
	memset(cmd.cm.param.data, 0xa5, 136);
	assert_int_equal(net_op(&net, 1, RN_CMD_CM_DELAY, child).err, -EINVAL);
	assert_int_equal(net_op(&net, 1, RN_CMD_CM_ESTABLISH, child).err, -EINVAL);
	assert_int_equal(net_exec(&net, 1, cmd).err, 0);
	/* a SIDR_REQ can be answered only once */
	assert_int_equal(net_exec(&net, 1, cmd).err, -ECONNABORTED);
	net_pump(&net);
	assert_memory_equal(net_event(&net, 0, EV(RESPONSE))->param.data, cmd.cm.param.data, 136);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, child);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* One port number in four port spaces is four services. A connection request or SIDR_REQ reaches
 * the listener in its own port space. */
static void port_spaces_are_apart(void **state)
{
	static const struct {
		uint16_t ps;
		uint8_t type;
	} rows[] = {{RN_PS_TCP, RN_QPT_RC},
		    {RN_PS_UDP, RN_QPT_UD},
		    {RN_PS_IPOIB, RN_QPT_UD},
		    {RN_PS_IB, RN_QPT_RC}};
	uint32_t listener[4];
	struct net net;

	net_init(&net);
	net.box[0].follow = net.box[1].follow = true;
	for (unsigned i = 0; i < 4; i++)
		listener[i] = listen_at(&net, 1, rows[i].ps, rows[i].type);
	for (unsigned i = 0; i < 4; i++) {
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11 + i);
		struct rn_rsp rsp;

		cmd.cm.port_space = rows[i].ps;
		cmd.cm.qp_type = rows[i].type;
		rsp = net_exec(&net, 0, cmd);
		assert_int_equal(rsp.err, 0);
		net_pump(&net);
		assert_int_equal(net_event(&net, 1, EV(REQUEST))->parent, listener[i]);
		assert_int_equal(net_count(&net, 0, EV(RESPONSE)), i + 1);
		net_destroy(&net, 0, rsp.id);
		if (rows[i].type == RN_QPT_UD)
			net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_pump(&net);
	}
	assert_true(net.box[0].last[RN_CM_REQ].req.service_id == 0x13f0000 + NET_PORT);
	for (unsigned i = 0; i < 4; i++)
		net_destroy(&net, 1, listener[i]);
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_C29_a_datagram_service_is_found),
		cmocka_unit_test(wire_row_C29_an_answer_as_linux_gives_it),
		cmocka_unit_test(wire_row_C30_nobody_offers_the_service),
		cmocka_unit_test(a_service_refuses_with_status_and_data),
		cmocka_unit_test(each_message_lost_or_doubled),
		cmocka_unit_test(nobody_answers_the_question),
		cmocka_unit_test(duplicates_of_a_question),
		cmocka_unit_test(wrong_answers_change_nothing),
		cmocka_unit_test(the_other_kind_of_service),
		cmocka_unit_test(answers_out_of_place),
		cmocka_unit_test(destroyed_in_every_state),
		cmocka_unit_test(sidr_req_adds_no_neighbour_entry),
		cmocka_unit_test(backlog_of_questions),
		cmocka_unit_test(limits_and_port_spaces),
		cmocka_unit_test(port_spaces_are_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
