/* The connection manager, row by row of docs/spec/rocev2.md 9.7: what a peer sends, and how the CM
 * must react. Tests in test_cm.c, test_cm_sidr.c and test_cm_life.c name the rows that they cover.
 * Rows about QPs and frames are in tests/sim/test_cm_wire.c. */
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

/* A test in which host 0 (box 0 of net) connects to the listener of host 1 (box 1). */
struct course {
	struct net net;
	uint32_t listener, id, child; /* CM ids; 0: none */
};

static void begin(struct course *c)
{
	memset(c, 0, sizeof(*c));
	net_init(&c->net);
	c->listener = net_listen(&c->net, 1, 0);
}

static void dial(struct course *c)
{
	c->id = net_connect(&c->net, 0, 0x11);
	net_pump(&c->net);
	if (net_count(&c->net, 1, EV(REQUEST)))
		c->child = net_event(&c->net, 1, EV(REQUEST))->id;
}

static void begin_connected(struct course *c)
{
	begin(c);
	dial(c);
	assert_int_equal(net_count(&c->net, 1, EV(ESTABLISHED)), 1);
}

static void end(struct course *c)
{
	c->net.judge = NULL;
	if (c->id)
		net_destroy(&c->net, 0, c->id);
	if (c->child)
		net_destroy(&c->net, 1, c->child);
	net_destroy(&c->net, 1, c->listener);
	net_fini(&c->net);
}

static const struct rn_cm_msg *said(struct course *c, unsigned box, unsigned attr)
{
	return &c->net.box[box].last[attr];
}

static unsigned times(struct course *c, unsigned box, unsigned attr)
{
	return c->net.box[box].sent[attr];
}

/* ---- making a connection ---- */

static void wire_row_C1_a_request_is_reported_and_accepted(void **state)
{
	const struct rn_cm_rep *rep;
	const struct rn_event *ev;
	uint8_t head[24], rec[16], frame[2048];
	struct rn_cm_msg req = {0};
	struct rn_pkt pkt;
	struct course c;
	FILE *f = fopen(RN_VECTORS "/rocev2-vectors.pcap", "rb");

	assert_non_null(f);
	assert_int_equal(fread(head, 1, sizeof(head), f), sizeof(head));
	/* skips to the REQ of the recorded connection, which is vector O10 of
	 * rocev2-vectors.pcap */
	while (req.attr != RN_CM_REQ) {
		uint32_t len;

		assert_int_equal(fread(rec, 1, sizeof(rec), f), sizeof(rec));
		memcpy(&len, rec + 8, 4);
		assert_true(len <= sizeof(frame) && fread(frame, 1, len, f) == len);
		if (rn_frame_parse(frame, len, &pkt) == RN_V_OK && pkt.dest_qpn == RN_GSI_QPN)
			rn_cm_msg_parse(pkt.payload, pkt.payload_len, &req);
	}
	fclose(f);
	begin(&c);
	c.net.judge = net_lose_all; /* loses the REPs, because host 0 did not send this REQ */
	c.net.arg[0] = RN_CM_REP;
	assert_int_equal(rn_cm_rx(c.net.box[1].cm, &pkt, c.net.now), RN_V_OK);
	net_pump(&c.net);
	ev = net_event(&c.net, 1, EV(REQUEST));
	assert_memory_equal(ev->param.data, "ping\0", 5);
	assert_memory_equal(&ev->peer, (struct rn_gid[]){net_gid(0, false)}, 16);
	assert_int_equal(ev->port, 20886);
	assert_int_equal(ev->parent, c.listener);
	assert_int_equal(ev->attr.dest_qpn, 0x11);
	rep = &said(&c, 1, RN_CM_REP)->rep;
	assert_int_equal(times(&c, 1, RN_CM_REP), 1);
	assert_int_equal(rep->remote_id, 0x6b8b4567);
	assert_int_equal(rep->qpn, 0x123);
	assert_int_equal(rep->psn, 0xa0);
	assert_true(rep->local_id != 0 && rep->guid == c.net.box[1].port.guid);
	assert_true(said(&c, 1, RN_CM_REP)->tid == req.tid);
	assert_memory_equal(rep->data, "pong\0", 5);
	c.child = ev->id;
	end(&c);
}

static void wire_row_C2_nobody_listens(void **state)
{
	const struct rn_cm_rej *rej;
	struct course c;

	begin(&c);
	net_destroy(&c.net, 1, c.listener);
	dial(&c);
	rej = &said(&c, 1, RN_CM_REJ)->rej;
	assert_int_equal(rej->reason, 8);
	assert_int_equal(rej->about, 0);
	assert_int_equal(rej->local_id, 0);
	assert_int_equal(rej->remote_id, said(&c, 0, RN_CM_REQ)->req.local_id);
	assert_true(said(&c, 1, RN_CM_REJ)->tid == said(&c, 0, RN_CM_REQ)->tid);
	assert_int_equal(net_event(&c.net, 0, EV(REJECTED))->reason, 8);
	assert_int_equal(rn_cm_live(c.net.box[1].cm), 0);
	c.listener = net_listen(&c.net, 1, 0);
	end(&c);
}

static void wire_row_C4_a_request_repeated_before_its_answer(void **state)
{
	struct rn_cm_msg req;
	struct course c;

	begin(&c);
	c.net.box[1].accept = false;
	dial(&c);
	req = *said(&c, 0, RN_CM_REQ);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(net_inject(&c.net, 1, &req), RN_V_CM_DUPLICATE);
		net_pump(&c.net);
		assert_int_equal(times(&c, 1, RN_CM_MRA), i);
	}
	assert_int_equal(said(&c, 1, RN_CM_MRA)->mra.about, RN_CM_ABOUT_REQ);
	assert_int_equal(net_count(&c.net, 1, EV(REQUEST)), 1);
	assert_int_equal(rn_cm_live(c.net.box[1].cm), 2);
	end(&c);
}

static void wire_row_C5_a_request_repeated_after_its_answer(void **state)
{
	struct rn_cm_msg req, rep;
	struct course c;

	begin(&c);
	c.net.box[0].establish = false;
	dial(&c);
	req = *said(&c, 0, RN_CM_REQ);
	rep = *said(&c, 1, RN_CM_REP);
	assert_int_equal(net_inject(&c.net, 1, &req), RN_V_CM_DUPLICATE);
	net_pump(&c.net);
	assert_int_equal(times(&c, 1, RN_CM_REP), 2);
	assert_memory_equal(said(&c, 1, RN_CM_REP), &rep, sizeof(rep));
	assert_int_equal(net_op(&c.net, 0, RN_CMD_CM_ESTABLISH, c.id).err, 0);
	net_pump(&c.net);
	assert_int_equal(net_inject(&c.net, 1, &req), RN_V_CM_DUPLICATE);
	net_run(&c.net, RN_S(20));
	assert_int_equal(times(&c, 1, RN_CM_REP), 2);
	assert_int_equal(net_count(&c.net, 1, EV(REQUEST)), 1);
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 1);
	assert_int_equal(net_count(&c.net, 0, EV(RESPONSE)), 1);
	assert_int_equal(rn_cm_live(c.net.box[1].cm), 2);
	end(&c);
}

static void wire_row_C6_a_request_from_timewait(void **state)
{
	struct rn_cm_msg req;
	struct course c;

	begin_connected(&c);
	req = *said(&c, 0, RN_CM_REQ);
	net_op(&c.net, 0, RN_CMD_CM_DISCONNECT, c.id);
	net_pump(&c.net);
	assert_int_equal(rn_cm_timewait(c.net.box[1].cm), 1);
	assert_int_equal(net_inject(&c.net, 1, &req), RN_V_CM_DUPLICATE);
	net_pump(&c.net);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.reason, 10);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.about, RN_CM_ABOUT_REQ);
	assert_int_equal(net_count(&c.net, 1, EV(REQUEST)), 1);
	end(&c);
}

static void wire_row_C7_a_peer_that_forgot_its_connection(void **state)
{
	struct rn_cm_msg req;
	struct course c;

	begin_connected(&c);
	req = *said(&c, 0, RN_CM_REQ);
	req.req.local_id ^= 0x5555;
	c.net.judge = net_lose_all;
	c.net.arg[0] = RN_CM_DREQ;
	assert_int_equal(net_inject(&c.net, 1, &req), RN_V_CM_UNMATCHED);
	net_pump(&c.net);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.reason, 10);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.remote_id, req.req.local_id);
	assert_int_equal(times(&c, 1, RN_CM_DREQ), 1);
	assert_int_equal(said(&c, 1, RN_CM_DREQ)->dreq.remote_qpn, 0x11);
	assert_int_equal(net_count(&c.net, 1, EV(DISCONNECTED)), 1);
	assert_int_equal(net_count(&c.net, 1, EV(REQUEST)), 1);
	/* once the old connection is gone, its QP can connect again */
	c.net.judge = NULL;
	net_run(&c.net, RN_S(10));
	net_destroy(&c.net, 0, c.id);
	net_destroy(&c.net, 1, c.child);
	net_forget(&c.net);
	dial(&c);
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 1);
	end(&c);
}

/* Loses all REPs, and all REQs but the first. */
static unsigned lose_the_answers(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	return m->attr != RN_CM_REP &&
	       (m->attr != RN_CM_REQ || net->box[from].sent[RN_CM_REQ] == 1);
}

static void wire_row_C8_a_reply_nobody_confirms(void **state)
{
	rn_time step = (rn_time)4096 << 20; /* local response timeout in the REQ: code 20, 4.3 s */
	struct rn_cm_msg rep;
	struct course c;
	rn_time start;

	begin(&c);
	c.net.judge = lose_the_answers;
	dial(&c);
	start = c.net.now;
	rep = *said(&c, 1, RN_CM_REP);
	net_run(&c.net, step - RN_MS(10));
	assert_int_equal(times(&c, 1, RN_CM_REP), 1);
	for (unsigned i = 2; i <= 16; i++) {
		net_run(&c.net, start + (i - 1) * step + RN_MS(50) - c.net.now);
		assert_int_equal(times(&c, 1, RN_CM_REP), i);
		assert_memory_equal(said(&c, 1, RN_CM_REP), &rep, sizeof(rep));
	}
	assert_int_equal(net_count(&c.net, 1, EV(UNREACHABLE)), 0);
	net_run(&c.net, step);
	assert_int_equal(times(&c, 1, RN_CM_REP), 16);
	assert_int_equal(net_event(&c.net, 1, EV(UNREACHABLE))->err, -ETIMEDOUT);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.reason, 4);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.about, RN_CM_ABOUT_REP);
	end(&c);
	/* a new connection, of which only the first REP is lost */
	begin(&c);
	c.net.judge = net_meddle;
	c.net.arg[0] = RN_CM_REP, c.net.arg[1] = 1, c.net.arg[2] = 1, c.net.arg[3] = 0;
	dial(&c);
	net_run(&c.net, RN_S(5));
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 1);
	end(&c);
}

static void wire_row_C9_data_in_place_of_the_confirmation(void **state)
{
	struct rn_cm_msg rtu;
	struct course c;

	begin(&c);
	c.net.judge = net_lose_all;
	c.net.arg[0] = RN_CM_RTU;
	dial(&c);
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 0);
	rn_cm_comm_est(c.net.box[1].cm, 0x123, c.net.now);
	net_pump(&c.net);
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 1);
	net_run(&c.net, RN_S(100)); /* the first data stopped the REP timer, as an RTU would */
	assert_int_equal(times(&c, 1, RN_CM_REP), 1);
	rtu = *said(&c, 0, RN_CM_RTU);
	assert_int_equal(net_inject(&c.net, 1, &rtu), RN_V_CM_DUPLICATE);
	net_pump(&c.net);
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 1);
	end(&c);
}

static void wire_row_C10_a_reply_repeated(void **state)
{
	struct rn_cm_msg rep, rtu;
	struct course c;

	begin_connected(&c);
	rep = *said(&c, 1, RN_CM_REP);
	rtu = *said(&c, 0, RN_CM_RTU);
	assert_int_equal(net_inject(&c.net, 0, &rep), RN_V_CM_DUPLICATE);
	net_pump(&c.net);
	assert_int_equal(times(&c, 0, RN_CM_RTU), 2);
	assert_memory_equal(said(&c, 0, RN_CM_RTU), &rtu, sizeof(rtu));
	assert_int_equal(c.net.box[0].nev, 1);
	assert_int_equal(net_count(&c.net, 0, EV(RESPONSE)), 1);
	end(&c);
}

static void wire_row_C11_a_reply_to_nobody(void **state)
{
	const struct rn_cm_msg rep = {.attr = RN_CM_REP,
				      .tid = 98,
				      .rep = {.local_id = 5, .remote_id = 6, .qpn = 7, .guid = 8}};
	struct course c;

	begin(&c);
	assert_int_equal(net_inject(&c.net, 1, &rep), RN_V_CM_UNMATCHED);
	net_pump(&c.net);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.reason, 6);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.about, RN_CM_ABOUT_REP);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.local_id, 6);
	assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.remote_id, 5);
	assert_int_equal(rn_cm_live(c.net.box[1].cm), 1);
	assert_int_equal(c.net.box[1].nev, 0);
	end(&c);
}

static void wire_row_C14_an_mra_delays_the_req(void **state)
{
	static const uint8_t codes[] = {24, 20, 0};

	for (size_t i = 0; i < RN_ARRAY_SIZE(codes); i++) {
		struct rn_cm_msg mra = {.attr = RN_CM_MRA,
					.mra = {.local_id = 5,
						.about = RN_CM_ABOUT_REQ,
						.service_timeout = codes[i]}};
		rn_time wait = ((rn_time)4096 << codes[i]) + RN_MS(4608), start;
		struct course c;

		begin(&c);
		c.net.judge = net_lose_all;
		c.net.arg[0] = RN_CM_REQ;
		dial(&c);
		mra.mra.remote_id = said(&c, 0, RN_CM_REQ)->req.local_id;
		/* an MRA about a LAP (alternate path), which this CM never sends */
		mra.mra.about = 2;
		assert_int_equal(net_inject(&c.net, 0, &mra), RN_V_CM_UNMATCHED);
		mra.mra.about = RN_CM_ABOUT_REQ;
		net_run(&c.net, RN_S(1));
		start = c.net.now;
		assert_int_equal(net_inject(&c.net, 0, &mra), RN_V_OK);
		net_run(&c.net, wait - RN_MS(50));
		assert_int_equal(times(&c, 0, RN_CM_REQ), 1);
		net_run(&c.net, start + wait + wait / 50 - c.net.now);
		assert_int_equal(times(&c, 0, RN_CM_REQ), 2);
		/* After the time given by the MRA, the REQ is repeated at the usual interval. */
		net_run(&c.net, RN_MS(4700));
		assert_int_equal(times(&c, 0, RN_CM_REQ), 3);
		end(&c);
	}
}

/* ---- ending a connection ---- */

static struct rn_cm_msg farewell(struct course *c, uint32_t qpn)
{
	const struct rn_cm_rep *rep = &said(c, 1, RN_CM_REP)->rep;

	return (struct rn_cm_msg){.attr = RN_CM_DREQ,
				  .tid = 0x1234,
				  .dreq = {.local_id = rep->remote_id,
					   .remote_id = rep->local_id,
					   .remote_qpn = qpn}};
}

static void wire_row_C15_the_peer_disconnects(void **state)
{
	struct rn_cm_msg dreq;
	struct course c;

	begin_connected(&c);
	dreq = farewell(&c, 0x123);
	assert_int_equal(net_inject(&c.net, 1, &dreq), RN_V_OK);
	net_pump(&c.net);
	assert_int_equal(net_event(&c.net, 1, EV(DISCONNECTED))->reason, 0);
	assert_int_equal(times(&c, 1, RN_CM_DREP), 1);
	assert_int_equal(said(&c, 1, RN_CM_DREP)->drep.local_id, dreq.dreq.remote_id);
	assert_int_equal(said(&c, 1, RN_CM_DREP)->drep.remote_id, dreq.dreq.local_id);
	assert_true(said(&c, 1, RN_CM_DREP)->tid == 0x1234);
	assert_int_equal(rn_cm_timewait(c.net.box[1].cm), 1);
	end(&c);
}

static void wire_row_C16_a_dreq_for_another_queue_pair(void **state)
{
	struct rn_cm_msg dreq;
	struct course c;

	begin_connected(&c);
	dreq = farewell(&c, 0x124);
	assert_int_equal(net_inject(&c.net, 1, &dreq), RN_V_CM_UNMATCHED);
	net_run(&c.net, RN_S(10));
	assert_int_equal(times(&c, 1, RN_CM_DREP), 0);
	assert_int_equal(net_count(&c.net, 1, EV(DISCONNECTED)), 0);
	assert_int_equal(rn_cm_timewait(c.net.box[1].cm), 0);
	end(&c);
}

static void wire_row_C17_a_dreq_with_unknown_ids(void **state)
{
	const struct rn_cm_msg dreq = {.attr = RN_CM_DREQ,
				       .tid = 99,
				       .dreq = {.local_id = 5, .remote_id = 6, .remote_qpn = 7}};
	struct course c;

	begin(&c);
	assert_int_equal(net_inject(&c.net, 1, &dreq), RN_V_CM_UNMATCHED);
	net_pump(&c.net);
	assert_int_equal(times(&c, 1, RN_CM_DREP), 1);
	assert_int_equal(said(&c, 1, RN_CM_DREP)->drep.local_id, 6);
	assert_int_equal(said(&c, 1, RN_CM_DREP)->drep.remote_id, 5);
	assert_true(said(&c, 1, RN_CM_DREP)->tid == 99);
	end(&c);
}

static void wire_row_C18_a_dreq_repeated_in_timewait(void **state)
{
	struct rn_cm_msg dreq;
	struct course c;

	begin_connected(&c);
	dreq = farewell(&c, 0x123);
	net_inject(&c.net, 1, &dreq);
	net_pump(&c.net);
	for (unsigned i = 2; i < 5; i++) {
		assert_int_equal(rn_cm_timewait(c.net.box[1].cm), 1);
		assert_int_equal(net_inject(&c.net, 1, &dreq), RN_V_CM_DUPLICATE);
		net_pump(&c.net);
		assert_int_equal(times(&c, 1, RN_CM_DREP), i);
	}
	assert_int_equal(net_count(&c.net, 1, EV(DISCONNECTED)), 1);
	end(&c);
}

static void wire_row_C32_timewait_keeps_names(void **state)
{
	rn_time wait = (rn_time)4096 << 17; /* timewait lasts one ACK timeout, code 17: 537 ms */
	struct rn_cm_msg rep;
	struct course c;

	begin_connected(&c);
	rep = *said(&c, 1, RN_CM_REP);
	net_op(&c.net, 0, RN_CMD_CM_DISCONNECT, c.id);
	net_pump(&c.net);
	net_run(&c.net, wait - RN_MS(10));
	assert_true(rn_cm_qpn_waits(c.net.box[0].cm, 0x11));
	assert_true(rn_cm_qpn_waits(c.net.box[1].cm, 0x123));
	/* the timewait record still holds the communication ID */
	assert_int_equal(net_inject(&c.net, 0, &rep), RN_V_CM_DUPLICATE);
	net_run(&c.net, RN_MS(30));
	for (unsigned b = 0; b < 2; b++) {
		assert_int_equal(rn_cm_timewait(c.net.box[b].cm), 0);
		assert_int_equal(net_count(&c.net, b, EV(TIMEWAIT_EXIT)), 1);
	}
	assert_false(rn_cm_qpn_waits(c.net.box[0].cm, 0x11));
	assert_int_equal(net_inject(&c.net, 0, &rep), RN_V_CM_UNMATCHED);
	end(&c);
}

static void wire_row_C37_a_confirmation_repeated(void **state)
{
	struct rn_cm_msg rtu;
	struct course c;

	begin_connected(&c);
	rtu = *said(&c, 0, RN_CM_RTU);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(net_inject(&c.net, 1, &rtu), RN_V_CM_DUPLICATE);
	net_run(&c.net, RN_S(5));
	assert_int_equal(net_count(&c.net, 1, EV(ESTABLISHED)), 1);
	for (int attr = RN_CM_REQ; attr <= RN_CM_APR; attr++)
		assert_int_equal(times(&c, 1, (unsigned)attr), attr == RN_CM_REP);
	end(&c);
}

/* ---- parameters in REQ and REP ---- */

static void wire_row_C22_read_depths_cross_over(void **state)
{
	const struct rn_event *ev;
	struct course c;

	begin_connected(&c); /* REQ: responder resources 4, initiator depth 16; REP: 5 and 3 */
	ev = net_event(&c.net, 1, EV(REQUEST));
	assert_int_equal(ev->param.responder_resources, 4);
	assert_int_equal(ev->param.initiator_depth, 16);
	assert_int_equal(ev->attr.max_rd_atomic, 4);
	assert_int_equal(ev->attr.max_dest_rd_atomic, 16);
	ev = net_event(&c.net, 0, EV(RESPONSE));
	assert_int_equal(ev->attr.max_rd_atomic, 5);
	assert_int_equal(ev->attr.max_dest_rd_atomic, 3);
	assert_int_equal(said(&c, 0, RN_CM_REQ)->req.responder_resources, 4);
	assert_int_equal(said(&c, 0, RN_CM_REQ)->req.initiator_depth, 16);
	end(&c);
}

/* Callback for net->judge, for the tests of rows C23 to C35. Each row is about one field of the
 * REQ. arg[0] is the number of the row. arg[1] is the value that is written into the field. */
static unsigned spoil(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr != RN_CM_REQ)
		return 1;
	switch (net->arg[0]) {
	case 23:
		m->req.path_mtu = (uint8_t)net->arg[1];
		break;
	case 24:
		m->req.transport = (uint8_t)net->arg[1];
		break;
	case 25:
		m->req.data[1] = (uint8_t)net->arg[1];
		break;
	case 26:
		m->req.data[35] = (uint8_t)net->arg[1];
		break;
	case 35:
		m->req.local_id = 0;
		break;
	}
	return 1;
}

static uint16_t refusal(struct course *c, unsigned row, unsigned value)
{
	begin(c);
	c->net.judge = spoil;
	c->net.arg[0] = row;
	c->net.arg[1] = value;
	dial(c);
	return net_count(&c->net, 0, EV(REJECTED)) ? net_event(&c->net, 0, EV(REJECTED))->reason
						   : 0;
}

static void wire_row_C23_path_mtu(void **state)
{
	static const struct {
		unsigned mtu, reason;
	} rows[] = {{0, 26}, {1, 0},  {3, 0},
		    {4, 26}, {5, 26}, {15, 26}}; /* reason 26: code 0, or above the port's 3 */

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct course c;

		assert_int_equal(refusal(&c, 23, rows[i].mtu), rows[i].reason);
		if (rows[i].reason) {
			assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.ari_len, 1);
			assert_int_equal(said(&c, 1, RN_CM_REJ)->rej.ari[0], 3);
			assert_int_equal(c.net.box[1].nev, 0);
		} else {
			assert_int_equal(net_event(&c.net, 1, EV(REQUEST))->attr.path_mtu,
					 rows[i].mtu);
		}
		end(&c);
	}
}

static void wire_row_C24_transport_types(void **state)
{
	static const struct {
		uint8_t listens, asks;
		unsigned reason;
	} rows[] = {{RN_QPT_RC, RN_QPT_UC, 9},
		    {RN_QPT_UC, RN_QPT_RC, 9},
		    {RN_QPT_UC, RN_QPT_UC, 0},
		    {RN_QPT_RC, RN_QPT_RC, 0}};
	struct course c;

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_cmd listen = {.op = RN_CMD_CM_LISTEN,
					.cm = {.port = NET_PORT, .qp_type = rows[i].listens}};
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);

		begin(&c);
		net_destroy(&c.net, 1, c.listener);
		c.listener = net_exec(&c.net, 1, listen).id;
		cmd.cm.qp_type = rows[i].asks;
		c.id = net_exec(&c.net, 0, cmd).id;
		net_pump(&c.net);
		assert_int_equal(said(&c, 0, RN_CM_REQ)->req.transport, rows[i].asks == RN_QPT_UC);
		if (rows[i].reason) {
			assert_int_equal(net_event(&c.net, 0, EV(REJECTED))->reason, 9);
			assert_int_equal(c.net.box[1].nev, 0);
		} else {
			c.child = net_event(&c.net, 1, EV(ESTABLISHED))->id;
			assert_int_equal(net_count(&c.net, 0, EV(RESPONSE)), 1);
		}
		end(&c);
	}
	for (unsigned transport = 2; transport < 4; transport++) { /* transport types RD and XRC */
		assert_int_equal(refusal(&c, 24, transport), 9);
		end(&c);
	}
}

static void wire_row_C25_unknown_ip_version(void **state)
{
	static const uint8_t versions[] = {0x50, 0x00, 0xf0};
	struct course c;

	for (size_t i = 0; i < RN_ARRAY_SIZE(versions); i++) {
		assert_int_equal(refusal(&c, 25, versions[i]), 8);
		assert_int_equal(c.net.box[1].nev, 0);
		end(&c);
	}
}

static void wire_row_C26_addresses_of_others(void **state)
{
	struct course c;

	assert_int_equal(refusal(&c, 26, 77), 8);
	assert_int_equal(c.net.box[1].nev, 0);
	end(&c);
}

static void wire_row_C27_over_ipv6(void **state)
{
	struct rn_cma_hdr hdr;
	struct rn_rsp rsp;
	struct course c;

	begin(&c);
	rsp = net_exec(&c.net, 0, net_connect_cmd(0, true, 0x11));
	assert_int_equal(rsp.err, 0);
	c.id = rsp.id;
	net_pump(&c.net);
	assert_int_equal(said(&c, 0, RN_CM_REQ)->req.data[1], 0x60);
	assert_true(rn_cma_hdr_parse(said(&c, 0, RN_CM_REQ)->req.data, &hdr) && !hdr.ipv4);
	assert_memory_equal(&hdr.src, (struct rn_gid[]){net_gid(0, true)}, 16);
	assert_memory_equal(&hdr.dst, (struct rn_gid[]){net_gid(1, true)}, 16);
	c.child = net_event(&c.net, 1, EV(ESTABLISHED))->id;
	assert_memory_equal(&net_event(&c.net, 1, EV(REQUEST))->attr.av.dgid,
			    (struct rn_gid[]){net_gid(0, true)}, 16);
	end(&c);
}

static void wire_row_C31_private_data(void **state)
{
	struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
	struct course c;

	begin(&c);
	memset(cmd.cm.param.data, 0x5a, sizeof(cmd.cm.param.data));
	cmd.cm.param.data_len = 57;
	assert_int_equal(net_exec(&c.net, 0, cmd).err, -EMSGSIZE);
	cmd.cm.param.data_len = 56;
	c.id = net_exec(&c.net, 0, cmd).id;
	net_pump(&c.net);
	c.child = net_event(&c.net, 1, EV(REQUEST))->id;
	assert_int_equal(net_event(&c.net, 1, EV(REQUEST))->param.data_len, 56);
	assert_memory_equal(net_event(&c.net, 1, EV(REQUEST))->param.data, cmd.cm.param.data, 56);
	end(&c);
}

static void wire_row_C33_alternate_paths_are_dropped(void **state)
{
	struct course c;

	begin_connected(&c);
	for (unsigned attr = RN_CM_LAP; attr <= RN_CM_APR; attr++) {
		struct rn_cm_msg m = {.attr = (uint16_t)attr};

		assert_int_equal(net_inject(&c.net, 1, &m), RN_V_CM_UNMATCHED);
		net_pump(&c.net);
		assert_int_equal(times(&c, 1, RN_CM_APR) + times(&c, 1, RN_CM_REJ), 0);
	}
	assert_int_equal(net_count(&c.net, 1, EV(DISCONNECTED)), 0);
	assert_int_equal(rn_cm_live(c.net.box[1].cm), 2);
	end(&c);
}

static void wire_row_C35_no_id_is_zero(void **state)
{
	struct course c;

	assert_int_equal(refusal(&c, 35, 0), 0);
	assert_int_equal(c.net.box[1].nev, 0);
	assert_int_equal(rn_cm_live(c.net.box[1].cm), 1);
	assert_int_equal(c.net.box[1].verdict[RN_V_MAD_BAD], 1);
	for (int attr = RN_CM_REQ; attr <= RN_CM_APR; attr++)
		assert_int_equal(times(&c, 1, (unsigned)attr), 0);
	end(&c);
}

static void wire_row_C36_a_reply_from_a_queue_pair_in_use(void **state)
{
	struct rn_cm_msg rep;
	struct course c;
	uint32_t other;

	begin_connected(&c);
	rep = *said(&c, 1, RN_CM_REP);
	c.net.judge = net_lose_all;
	c.net.arg[0] = RN_CM_REQ;
	other = net_connect(&c.net, 0, 0x13);
	net_pump(&c.net);
	rep.rep.remote_id = said(&c, 0, RN_CM_REQ)->req.local_id;
	rep.rep.local_id ^= 0x33;
	assert_int_equal(net_inject(&c.net, 0, &rep), RN_V_CM_UNMATCHED);
	net_pump(&c.net);
	assert_int_equal(said(&c, 0, RN_CM_REJ)->rej.reason, 10);
	assert_int_equal(said(&c, 0, RN_CM_REJ)->rej.about, RN_CM_ABOUT_REP);
	assert_int_equal(net_count(&c.net, 0, EV(RESPONSE)), 1);
	net_destroy(&c.net, 0, other);
	end(&c);
}

static void wire_row_C39_the_rnr_timer_is_the_configured_one(void **state)
{
	struct course c;

	begin(&c); /* configures min_rnr_timer code 12; code 0 would be 655 ms */
	dial(&c);
	assert_int_equal(net_event(&c.net, 1, EV(REQUEST))->attr.min_rnr_timer, 12);
	assert_int_equal(net_event(&c.net, 0, EV(RESPONSE))->attr.min_rnr_timer, 12);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_C1_a_request_is_reported_and_accepted),
		cmocka_unit_test(wire_row_C2_nobody_listens),
		cmocka_unit_test(wire_row_C4_a_request_repeated_before_its_answer),
		cmocka_unit_test(wire_row_C5_a_request_repeated_after_its_answer),
		cmocka_unit_test(wire_row_C6_a_request_from_timewait),
		cmocka_unit_test(wire_row_C7_a_peer_that_forgot_its_connection),
		cmocka_unit_test(wire_row_C8_a_reply_nobody_confirms),
		cmocka_unit_test(wire_row_C9_data_in_place_of_the_confirmation),
		cmocka_unit_test(wire_row_C10_a_reply_repeated),
		cmocka_unit_test(wire_row_C11_a_reply_to_nobody),
		cmocka_unit_test(wire_row_C14_an_mra_delays_the_req),
		cmocka_unit_test(wire_row_C15_the_peer_disconnects),
		cmocka_unit_test(wire_row_C16_a_dreq_for_another_queue_pair),
		cmocka_unit_test(wire_row_C17_a_dreq_with_unknown_ids),
		cmocka_unit_test(wire_row_C18_a_dreq_repeated_in_timewait),
		cmocka_unit_test(wire_row_C32_timewait_keeps_names),
		cmocka_unit_test(wire_row_C37_a_confirmation_repeated),
		cmocka_unit_test(wire_row_C22_read_depths_cross_over),
		cmocka_unit_test(wire_row_C23_path_mtu),
		cmocka_unit_test(wire_row_C24_transport_types),
		cmocka_unit_test(wire_row_C25_unknown_ip_version),
		cmocka_unit_test(wire_row_C26_addresses_of_others),
		cmocka_unit_test(wire_row_C27_over_ipv6),
		cmocka_unit_test(wire_row_C31_private_data),
		cmocka_unit_test(wire_row_C33_alternate_paths_are_dropped),
		cmocka_unit_test(wire_row_C35_no_id_is_zero),
		cmocka_unit_test(wire_row_C36_a_reply_from_a_queue_pair_in_use),
		cmocka_unit_test(wire_row_C39_the_rnr_timer_is_the_configured_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
