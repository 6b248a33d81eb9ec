/* The connection manager (CM): two CMs on one simulated link connect, disconnect, lose messages and
 * reject requests. Tags like C21 are rows of docs/spec/rocev2.md 9.7. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"

#define EV(name) RN_EVENT_CM_##name

/* ---- connecting and disconnecting without loss ---- */

static void check_attr(const struct rn_event *req, const struct rn_event *rep, bool ipv6)
{
	/* Rows C1, C21, C22, C39: both events carry the QP attributes that REQ and REP set. */
	assert_int_equal(req->param.responder_resources, 4);
	assert_int_equal(req->param.initiator_depth, 16);
	assert_int_equal(req->attr.dest_qpn, 0x11);
	assert_int_equal(req->attr.sq_psn, 0xb0);
	assert_int_equal(req->attr.path_mtu, 3);
	assert_int_equal(req->attr.timeout, 17);
	assert_int_equal(req->attr.retry_cnt, 7);
	assert_int_equal(req->attr.rnr_retry, 7);
	assert_int_equal(req->attr.min_rnr_timer, 12);
	assert_int_equal(req->attr.max_rd_atomic, 4);
	assert_int_equal(req->attr.max_dest_rd_atomic, 16);
	assert_memory_equal(req->attr.av.dmac, ((uint8_t[]){2, 0, 0, 0, 0, 1}), 6);
	assert_memory_equal(&req->attr.av.dgid, (struct rn_gid[]){net_gid(0, ipv6)}, 16);
	assert_memory_equal(&req->attr.av.sgid, (struct rn_gid[]){net_gid(1, ipv6)}, 16);
	assert_int_equal(req->attr.av.hop_limit, 64);
	assert_int_equal(rep->attr.dest_qpn, 0x123);
	assert_int_equal(rep->attr.sq_psn, 0xa0);
	assert_int_equal(rep->attr.rq_psn, 0xb0);
	assert_int_equal(rep->attr.timeout, 17);
	assert_int_equal(rep->attr.retry_cnt, 7);
	assert_int_equal(rep->attr.rnr_retry, 6);
	assert_int_equal(rep->attr.min_rnr_timer, 12);
	assert_int_equal(rep->attr.max_rd_atomic, 5);
	assert_int_equal(rep->attr.max_dest_rd_atomic, 3);
	assert_memory_equal(rep->attr.av.dmac, ((uint8_t[]){2, 0, 0, 0, 0, 2}), 6);
	assert_true(rep->attr.access & RN_ACCESS_REMOTE_READ);
	assert_int_equal(rep->param.data_len, 196);
	assert_memory_equal(rep->param.data, "pong\0\0", 6);
	assert_int_equal(req->param.data_len, 56);
	assert_memory_equal(req->param.data, "ping\0\0", 6);
}

static void connects_and_disconnects(void **state)
{
	for (int ipv6 = 0; ipv6 < 2; ipv6++) { /* row C27: first over IPv4, then over IPv6 */
		struct net net;
		const struct rn_event *req, *rep, *est;
		struct rn_rsp rsp;
		uint32_t listener, child;

		net_init(&net);
		listener = net_listen(&net, 1, 0);
		rsp = net_exec(&net, 0, net_connect_cmd(0, ipv6, 0x11));
		assert_int_equal(rsp.err, 0);
		assert_true(rsp.port >= 49152);
		net_pump(&net);
		req = net_event(&net, 1, EV(REQUEST));
		rep = net_event(&net, 0, EV(RESPONSE));
		est = net_event(&net, 1, EV(ESTABLISHED));
		check_attr(req, rep, ipv6);
		assert_int_equal(req->parent, listener);
		assert_int_equal(req->user, 0x115);
		assert_int_equal(req->port, NET_PORT);
		assert_int_equal(req->peer_port, rsp.port);
		assert_memory_equal(&req->peer, (struct rn_gid[]){net_gid(0, ipv6)}, 16);
		assert_int_equal(rep->id, rsp.id);
		assert_int_equal(rep->user, 0xc0);
		child = est->id;
		assert_int_equal(child, req->id);
		assert_int_equal(est->user, 0xacce97);
		for (int attr = RN_CM_REQ; attr <= RN_CM_RTU; attr++)
			assert_int_equal(net.box[0].sent[attr] + net.box[1].sent[attr],
					 attr != RN_CM_MRA && attr != RN_CM_REJ);
		assert_true(rn_cm_qpn_waits(net.box[0].cm, 0x11));
		assert_int_equal(
			net_op(&net, ipv6, RN_CMD_CM_DISCONNECT, ipv6 ? child : rsp.id).err, 0);
		assert_int_equal(
			net_op(&net, ipv6, RN_CMD_CM_DISCONNECT, ipv6 ? child : rsp.id).err,
			-EALREADY);
		net_pump(&net); /* row C15: a DREP answers the DREQ */
		assert_int_equal(net_event(&net, ipv6, EV(DISCONNECTED))->reason, 1);
		assert_int_equal(net_event(&net, !ipv6, EV(DISCONNECTED))->reason, 0);
		assert_int_equal(rn_cm_timewait(net.box[0].cm) + rn_cm_timewait(net.box[1].cm), 2);
		assert_true(rn_cm_qpn_waits(net.box[0].cm, 0x11)); /* row C32: QPN in timewait */
		net_run(&net, RN_MS(1000)); /* timewait lasts one ACK timeout, code 17: 537 ms */
		assert_int_equal(net_event(&net, 0, EV(TIMEWAIT_EXIT))->param.qpn, 0x11);
		assert_int_equal(net_event(&net, 1, EV(TIMEWAIT_EXIT))->param.qpn, 0x123);
		assert_false(rn_cm_qpn_waits(net.box[0].cm, 0x11));
		net_destroy(&net, 0, rsp.id);
		net_destroy(&net, 1, child);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* Row C3: the REQ has the values of the column "Linux rdma_cm value" of docs/spec/rocev2.md 6.3. */
static void wire_row_C3_a_req_says_what_linux_would_say(void **state)
{
	static const uint8_t zero[44];
	const struct rn_cm_req *req;
	struct rn_cma_hdr hdr;
	struct rn_rsp rsp;
	struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
	struct net net;

	net_init(&net);
	cmd.cm.param.psn = 0xff000000 | 0xb0;
	rsp = net_exec(&net, 0, cmd);
	net_pump(&net);
	req = &net.box[0].last[RN_CM_REQ].req;
	assert_true(req->local_id != 0);
	assert_int_equal(req->vendor_id, 0);
	assert_true(req->service_id == 0x1060000 + NET_PORT);
	assert_true(req->guid == net.box[0].port.guid);
	assert_int_equal(req->qpn, 0x11);
	assert_int_equal(req->remote_response_timeout, 20);
	assert_int_equal(req->local_response_timeout, 20);
	assert_int_equal(req->max_cm_retries, 15);
	assert_int_equal(req->psn, 0xb0);
	assert_int_equal(req->pkey, 0xffff);
	assert_int_equal(req->path_mtu, 3);
	assert_int_equal(req->local_lid, 0xffff);
	assert_int_equal(req->remote_lid, 0xffff);
	assert_int_equal(req->flow_label, (rsp.port * 31 + NET_PORT) & 0xfffff);
	assert_int_equal(req->packet_rate, 0);
	assert_int_equal(req->hop_limit, 64);
	assert_int_equal(req->subnet_local, 0);
	assert_int_equal(req->ack_timeout, 17);
	assert_int_equal(req->transport + req->qkey + req->rdc_exists + req->extended_transport, 0);
	assert_memory_equal(req->alternate, zero, sizeof(zero));
	assert_true(rn_cma_hdr_parse(req->data, &hdr));
	assert_true(hdr.ipv4 && hdr.port == rsp.port);
	assert_memory_equal(&hdr.src, &req->local_gid, 16);
	assert_memory_equal(&hdr.dst, &req->remote_gid, 16);
	assert_memory_equal(req->data + 36, "ping\0", 5);
	net_pump(&net);
	assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 8); /* row C2: no listener */
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.remote_id, req->local_id);
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.local_id, 0);
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.about, 0);
	assert_true(net.box[1].last[RN_CM_REJ].tid == net.box[0].last[RN_CM_REQ].tid);
	net_destroy(&net, 0, rsp.id);
	net_fini(&net);
}

static unsigned promise(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr == RN_CM_REP)
		m->rep.target_ack_delay = (uint8_t)net->arg[0];
	return 1;
}

static void the_ack_timeout_outlasts_the_peers_delay(void **state)
{
	static const struct {
		unsigned delay, own, code;
	} rows[] = {{0, 0, 17},	 {15, 0, 17}, {16, 0, 18}, {17, 0, 18},
		    {18, 0, 19}, {20, 0, 20}, {31, 0, 20}, {20, 9, 9}};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.judge = promise;
		net.arg[0] = rows[i].delay;
		cmd.cm.param.ack_timeout = (uint8_t)rows[i].own;
		listener = net_listen(&net, 1, 0);
		id = net_exec(&net, 0, cmd).id;
		net_pump(&net);
		assert_int_equal(net_event(&net, 0, EV(RESPONSE))->attr.timeout, rows[i].code);
		assert_int_equal(net.box[0].last[RN_CM_REQ].req.ack_timeout,
				 rows[i].own ? rows[i].own : 17);
		net_destroy(&net, 0, id);
		net_pump(&net);
		net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* ---- lost and repeated messages ---- */

static void each_message_lost_or_doubled(void **state)
{
	static const struct {
		unsigned attr, from;
	} rows[] = {{RN_CM_REQ, 0},  {RN_CM_REP, 1},  {RN_CM_RTU, 0}, {RN_CM_DREQ, 0},
		    {RN_CM_DREP, 1}, {RN_CM_DREQ, 1}, {RN_CM_DREP, 0}};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		for (unsigned copies = 0; copies <= 3; copies++) {
			unsigned passive_ends = rows[i].attr >= RN_CM_DREQ &&
						rows[i].from == (rows[i].attr == RN_CM_DREQ);
			uint32_t listener, id, child;
			struct net net;

			net_init(&net);
			net.judge = net_meddle;
			net.arg[0] = rows[i].attr, net.arg[1] = rows[i].from, net.arg[2] = 1,
			net.arg[3] = copies;
			listener = net_listen(&net, 1, 0);
			id = net_connect(&net, 0, 0x11);
			net_run(&net, RN_S(30));
			/* rows C4, C5 (REQ), C10 (REP), C37 (RTU): copies make no second event */
			assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
			assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 1);
			assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
			child = net_event(&net, 1, EV(ESTABLISHED))->id;
			net_op(&net, passive_ends, RN_CMD_CM_DISCONNECT, passive_ends ? child : id);
			net_run(&net, RN_S(30));
			for (unsigned b = 0; b < 2; b++) {
				assert_int_equal(net_count(&net, b, EV(DISCONNECTED)), 1);
				assert_int_equal(net_count(&net, b, EV(TIMEWAIT_EXIT)), 1);
				assert_int_equal(net_count(&net, b, EV(REJECTED)) +
							 net_count(&net, b, EV(UNREACHABLE)),
						 0);
			}
			net_destroy(&net, 0, id);
			net_destroy(&net, 1, child);
			net_destroy(&net, 1, listener);
			net_fini(&net);
		}
	}
}

/* Loses all messages with attribute ID arg[0], and checks that all of them are equal. */
static unsigned lose_and_compare(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	static struct rn_cm_msg first;

	if (m->attr != net->arg[0])
		return 1;
	if (net->box[from].sent[m->attr] == 1)
		first = *m;
	assert_memory_equal(m, &first, sizeof(first));
	return 0;
}

static void wire_row_C13_nobody_answers_the_req(void **state)
{
	struct net net;
	uint32_t id;

	net_init(&net);
	net.judge = lose_and_compare;
	net.arg[0] = RN_CM_REQ;
	id = net_connect(&net, 0, 0x11);
	net_run(&net, RN_MS(4608) * 15 + RN_MS(100));
	assert_int_equal(net.box[0].sent[RN_CM_REQ], 16);
	assert_int_equal(net_count(&net, 0, EV(UNREACHABLE)), 0);
	net_run(&net, RN_MS(4608));
	assert_int_equal(net_event(&net, 0, EV(UNREACHABLE))->err, -ETIMEDOUT);
	assert_int_equal(net.box[0].sent[RN_CM_REQ], 16);
	assert_int_equal(net.box[0].last[RN_CM_REJ].rej.reason, 4);
	assert_int_equal(net.box[0].last[RN_CM_REJ].rej.ari_len, 8);
	assert_int_equal(net.box[0].last[RN_CM_REJ].rej.ari[0], 2);
	assert_int_equal(net.box[0].last[RN_CM_REJ].rej.ari[7], 1);
	net_destroy(&net, 0, id);
	net_fini(&net);
}

static void nobody_confirms_the_rep(void **state) /* rows C8, C9: no RTU arrives */
{
	for (int data = 0; data < 2; data++) {
		struct net net;
		uint32_t listener, id, child;

		net_init(&net);
		net.judge = net_lose_all;
		net.arg[0] = RN_CM_REP;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		child = net_event(&net, 1, EV(REQUEST))->id;
		if (data) {
			rn_cm_comm_est(net.box[1].cm, 0x999, net.now);
			assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 0);
			rn_cm_comm_est(net.box[1].cm, 0x123, net.now);
			rn_cm_comm_est(net.box[1].cm, 0x123, net.now);
			net_run(&net, RN_S(4));
			assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
			assert_int_equal(net.box[1].sent[RN_CM_REP], 1);
		} else {
			net_run(&net, RN_S(100));
			assert_true(net.box[1].sent[RN_CM_REP] >= 16);
			assert_int_equal(net_event(&net, 1, EV(UNREACHABLE))->err, -ETIMEDOUT);
			assert_int_equal(net.box[1].last[RN_CM_REJ].rej.about, RN_CM_ABOUT_REP);
			/* host 0 got no REP, so the REJ names the connection by host 0's ID */
			assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 4);
		}
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, child);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

static void wire_row_C20_nobody_answers_the_dreq(void **state)
{
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_DREQ;
	net_op(&net, 0, RN_CMD_CM_DISCONNECT, id);
	net_run(&net, RN_S(100));
	assert_int_equal(net.box[0].sent[RN_CM_DREQ], 16);
	assert_int_equal(net_event(&net, 0, EV(DISCONNECTED))->reason, 2);
	assert_int_equal(net_count(&net, 0, EV(TIMEWAIT_EXIT)), 1);
	net_destroy(&net, 0, id);
	net.judge = NULL;
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* The CM answers a DREQ when its client runs DISCONNECT or DESTROY, or else after 500 ms. */
static void a_dreq_waits_for_the_client(void **state)
{
	static const struct {
		unsigned op;	 /* command of the client 300 ms after the DREQ; 0: none */
		unsigned copies; /* how many copies of the DREQ arrive */
		unsigned parted, after_ms, before_ms;
	} rows[] = {
		{RN_CMD_CM_DISCONNECT, 1, 0, 300, 320},
		{RN_CMD_CM_DESTROY, 1, 0, 300, 320},
		{0, 1, 1, 500, 520},
		{RN_CMD_CM_DISCONNECT, 3, 0, 300, 320},
		{0, 3, 1, 500, 520},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		uint32_t listener, id, child;
		struct net net;
		rn_time start;

		net_init(&net);
		net.box[1].slow = true;
		net.judge = net_meddle;
		net.arg[0] = RN_CM_DREQ, net.arg[2] = 1, net.arg[3] = rows[i].copies;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		child = net_event(&net, 1, EV(ESTABLISHED))->id;
		start = net.now;
		net_op(&net, 0, RN_CMD_CM_DISCONNECT, id);
		net_run(&net, RN_MS(300));
		assert_int_equal(net_event(&net, 1, EV(DISCONNECTED))->reason, 0);
		assert_int_equal(net.box[1].sent[RN_CM_DREP], 0);
		assert_int_equal(net_count(&net, 0, EV(DISCONNECTED)), 0);
		if (rows[i].op)
			assert_int_equal(net_op(&net, 1, rows[i].op, child).err, 0);
		net_run(&net, RN_MS(300));
		assert_int_equal(net_event(&net, 0, EV(DISCONNECTED))->reason, 1);
		assert_in_range(net.box[1].at[RN_CM_DREP] - start, RN_MS(rows[i].after_ms),
				RN_MS(rows[i].before_ms));
		assert_int_equal(net.box[1].sent[RN_CM_DREP], 1);
		assert_true(net.box[1].last[RN_CM_DREP].tid == net.box[0].last[RN_CM_DREQ].tid);
		assert_int_equal(net_count(&net, 1, EV(AUTO_DREP)), rows[i].parted);
		assert_int_equal(net_count(&net, 1, EV(DISCONNECTED)), 1);
		net_destroy(&net, 0, id);
		if (rows[i].op != RN_CMD_CM_DESTROY)
			net_destroy(&net, 1, child);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

static void wire_row_C19_both_disconnect_at_once(void **state)
{
	struct net net;
	uint32_t listener, id, child;

	net_init(&net);
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	child = net_event(&net, 1, EV(ESTABLISHED))->id;
	net_op(&net, 0, RN_CMD_CM_DISCONNECT, id);
	net_op(&net, 1, RN_CMD_CM_DISCONNECT, child);
	{
		struct rn_pkt a, b; /* both DREQs are on the wire before either arrives */

		assert_true(rn_cm_tx(net.box[0].cm, &a, net.now) &&
			    rn_cm_tx(net.box[1].cm, &b, net.now));
		assert_int_equal(rn_cm_rx(net.box[1].cm, &a, net.now), RN_V_OK);
		assert_int_equal(rn_cm_rx(net.box[0].cm, &b, net.now), RN_V_OK);
	}
	net_pump(&net);
	for (unsigned b = 0; b < 2; b++) {
		assert_int_equal(net_event(&net, b, EV(DISCONNECTED))->reason, 1);
		assert_int_equal(net_count(&net, b, EV(DISCONNECTED)), 1);
		assert_int_equal(net.box[b].sent[RN_CM_DREP], 1);
		assert_int_equal(rn_cm_timewait(net.box[b].cm), 1);
	}
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, child);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* ---- MRAs: asking the peer for more time ---- */

static void slow_clients_cause_mras(void **state)
{
	struct net net;
	uint32_t listener, id, child;
	struct rn_cmd accept = {.op = RN_CMD_CM_ACCEPT};

	net_init(&net);
	net_wait_max(&net, RN_S(6 * 3600));
	net.box[0].establish = net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_run(&net, RN_S(60));
	child = net_event(&net, 1, EV(REQUEST))->id;
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
	assert_int_equal(net.box[0].sent[RN_CM_REQ], 2); /* row C14: the second REQ gets an MRA */
	assert_int_equal(net.box[1].sent[RN_CM_MRA], 1);
	assert_int_equal(net.box[1].last[RN_CM_MRA].mra.service_timeout, 24);
	net_run(&net, RN_S(20));
	assert_int_equal(net.box[0].sent[RN_CM_REQ], 3);
	assert_int_equal(net.box[1].sent[RN_CM_MRA], 2);
	net_run(&net, RN_S(5 * 3600)); /* MRAs, one per 73 s, keep the active side from giving up */
	assert_int_equal(net_count(&net, 0, EV(UNREACHABLE)), 0);
	net_forget(&net);
	accept.cm.id = child;
	accept.cm.param = net.box[1].reply;
	assert_int_equal(net_exec(&net, 1, accept).err, 0);
	net_run(&net, RN_S(60));
	assert_int_equal(net.box[1].sent[RN_CM_REP], 2);
	assert_int_equal(net.box[0].sent[RN_CM_MRA], 1);
	net_run(&net, RN_S(5 * 3600)); /* MRAs keep the passive side from giving up, too */
	assert_int_equal(net_count(&net, 1, EV(UNREACHABLE)), 0);
	assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 1);
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_ESTABLISH, id).err, 0);
	net_run(&net, RN_S(1));
	assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
	net_destroy(&net, 0, id);
	net_run(&net, RN_S(1));
	assert_int_equal(net_event(&net, 1, EV(DISCONNECTED))->reason, 0);
	net_destroy(&net, 1, child);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void client_requests_an_mra(void **state)
{
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.box[0].establish = net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	assert_int_equal(net_op(&net, 1, RN_CMD_CM_DELAY, net_event(&net, 1, EV(REQUEST))->id).err,
			 0);
	net_run(&net, RN_S(70));
	assert_int_equal(net.box[0].sent[RN_CM_REQ], 1);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_destroy(&net, 1, listener);
	net_pump(&net);
	assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, 28);
	net_destroy(&net, 0, id);
	net_fini(&net);
}

/* ---- rejected requests ---- */

static void spoil_transport(struct rn_cm_msg *m)
{
	m->req.transport = RN_CM_T_UC;
}
static void spoil_ip_version(struct rn_cm_msg *m)
{
	m->req.data[1] = 0x50;
}
static void spoil_cma_version(struct rn_cm_msg *m)
{
	m->req.data[0] = 0x10;
}
static void spoil_destination(struct rn_cm_msg *m)
{
	m->req.data[35] = 77;
}
static void spoil_source_zero(struct rn_cm_msg *m)
{
	memset(m->req.data + 16, 0, 4);
}
static void spoil_source_group(struct rn_cm_msg *m)
{
	m->req.data[16] = 239;
}
static void spoil_source_loopback(struct rn_cm_msg *m)
{
	m->req.data[16] = 127;
}
static void spoil_mtu(struct rn_cm_msg *m)
{
	m->req.path_mtu = 5;
}
static void spoil_mtu_zero(struct rn_cm_msg *m)
{
	m->req.path_mtu = 0;
}
static void spoil_gid(struct rn_cm_msg *m)
{
	m->req.remote_gid.b[15] = 77;
}
static void spoil_own_gid(struct rn_cm_msg *m)
{
	m->req.local_gid = (struct rn_gid){{0xff, 2}};
}
static void spoil_port(struct rn_cm_msg *m)
{
	m->req.service_id++;
}
static void spoil_port_space(struct rn_cm_msg *m)
{
	m->req.service_id ^= 0x170000;
}
static void spoil_prefix(struct rn_cm_msg *m)
{
	m->req.service_id |= 1ull << 60;
}
static void spoil_qpn_gsi(struct rn_cm_msg *m)
{
	m->req.qpn = 1;
}
static void spoil_qpn(struct rn_cm_msg *m)
{
	m->req.qpn = 0;
}
static void spoil_pkey(struct rn_cm_msg *m)
{
	m->req.pkey = 0x7fff;
}
static void spoil_id(struct rn_cm_msg *m)
{
	m->req.local_id = 0;
}
static void spoil_patience(struct rn_cm_msg *m)
{
	m->req.local_response_timeout = 0;
}

static void spoil_lap(struct rn_cm_msg *m)
{
	m->attr = RN_CM_LAP;
}

static void (*spoiler)(struct rn_cm_msg *m);

static unsigned spoil(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr == RN_CM_REQ)
		spoiler(m);
	return m->attr != RN_CM_MRA;
}

/* An unsent REJ of a failed attempt is dropped when the client connects to another peer. */
static void new_connect_drops_unsent_rej(void **state)
{
	struct net net;
	struct rn_cmd cmd;
	struct rn_pkt out;
	struct box *b = &net.box[0];
	uint32_t id;

	net_init(&net);
	id = net_connect(&net, 0, 0x11);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_REQ;
	net_run(&net, RN_S(70));
	/* advance the time until the attempt has failed and its REJ is queued but not sent */
	while (!net_count(&net, 0, EV(UNREACHABLE))) {
		net.now = RN_MAX(net.now, rn_cm_next(b->cm));
		rn_cm_tick(b->cm, net.now);
		while (rn_cm_event(b->cm, &b->ev[b->nev]))
			b->nev++;
		if (!net_count(&net, 0, EV(UNREACHABLE)))
			while (rn_cm_tx(b->cm, &out, net.now))
				;
	}
	assert_true(rn_cm_wants_tx(b->cm));
	cmd = net_connect_cmd(0, false, 0x12);
	cmd.cm.id = id;
	cmd.cm.peer.b[15] = 77; /* the MAC of this address is not resolved yet */
	assert_int_equal(net_exec(&net, 0, cmd).err, 0);
	assert_false(rn_cm_wants_tx(b->cm));
	net_destroy(&net, 0, id);
	net.judge = NULL;
	net_run(&net, RN_S(120));
	net_fini(&net);
}

static void boundless_patience(struct rn_cm_msg *m)
{
	m->req.local_response_timeout = 31; /* code 31: 2.4 hours for each of 16 transmissions */
}

/* The wait for a DREP does not grow with the local response timeout in the REQ. */
static void drep_wait_ignores_response_timeout(void **state)
{
	struct net net;
	uint32_t listener;

	net_init(&net);
	net.judge = spoil;
	spoiler = boundless_patience;
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	net_connect(&net, 0, 0x11);
	net_pump(&net);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_DREP;
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_run(&net, RN_S(120));
	net_destroy(&net, 1, listener);
	assert_int_equal(rn_cm_live(net.box[1].cm), 0);
	net_destroy(&net, 0, net_event(&net, 0, EV(RESPONSE))->id);
	net.judge = NULL;
	net_run(&net, RN_S(120));
	net_fini(&net);
}

static void bad_requests_are_refused(void **state)
{
	static const struct {
		void (*how)(struct rn_cm_msg *m);
		int reason; /* reason code in the REJ; 0: accepted, -1: no answer */
	} rows[] = {
		{spoil_transport, 9},	    /* C24: REQ for UC, listener for RC */
		{spoil_ip_version, 8},	    /* C25: IP version 5 */
		{spoil_cma_version, 8},	    /* private-data version 1 */
		{spoil_destination, 8},	    /* C26: destination IP is not the port's */
		{spoil_source_zero, 8},	    /* source 0.0.0.0 */
		{spoil_source_group, 8},    /* source is a multicast group */
		{spoil_source_loopback, 8}, /* source 127.x.x.x */
		{spoil_mtu, 26},	    /* C23: above the port's path MTU */
		{spoil_mtu_zero, 26},	    /* C23: path MTU code 0 */
		{spoil_gid, 12},	    /* destination GID is not the port's */
		{spoil_own_gid, 12},	    /* source GID is multicast */
		{spoil_port, 8},	    /* C2: no listener */
		{spoil_port_space, 8},	    /* UDP port space, TCP listener */
		{spoil_prefix, 8},	    /* not an RDMA IP CM service ID */
		{spoil_qpn, 5},		    /* the sender's QPN is 0 (QP0) */
		{spoil_qpn_gsi, 5},	    /* the sender's QPN is 1 (QP1) */
		{spoil_pkey, 0},	    /* C40: limited P_Key is accepted */
		{spoil_id, -1},		    /* C35: communication ID 0 */
		{spoil_lap, -1},	    /* C33: LAP messages are dropped */
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.judge = spoil;
		spoiler = rows[i].how;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		if (rows[i].reason > 0) {
			assert_int_equal(net_event(&net, 0, EV(REJECTED))->reason, rows[i].reason);
			assert_int_equal(net.box[1].nev, 0);
		} else if (rows[i].reason == 0) {
			assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
			net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
		} else {
			assert_int_equal(net.box[0].nev + net.box[1].nev, 0);
			assert_int_equal(net.box[1].sent[RN_CM_REJ], 0);
		}
		if (rows[i].reason == 26)
			assert_int_equal(net.box[1].last[RN_CM_REJ].rej.ari[0], 3);
		if (rows[i].reason == 12)
			assert_memory_equal(net.box[1].last[RN_CM_REJ].rej.ari,
					    net.box[1].port.gids[0].b, 16);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

static void response_timeout_zero_is_bounded(void **state)
{
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.judge = spoil;
	spoiler = spoil_patience;
	net.box[0].establish = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_run(&net, RN_MS(12));
	assert_int_equal(net.box[1].sent[RN_CM_REP], 3);
	net_destroy(&net, 0, id);
	net_pump(&net);
	net_destroy(&net, 1, net_event(&net, 1, EV(REJECTED))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static void wire_row_C12_either_side_rejects_with_data(void **state)
{
	for (int active = 0; active < 2; active++) {
		for (unsigned copies = 0; copies < 3;
		     copies++) { /* the REJ is lost, arrives once, or arrives twice */
			struct rn_cmd no = {.op = RN_CMD_CM_REJECT,
					    .cm.param = {.data_len = 148, .data = "no"}};
			struct net net;
			uint32_t listener, id, child;

			net_init(&net);
			net.judge = net_meddle;
			net.arg[0] = RN_CM_REJ, net.arg[1] = !active, net.arg[2] = 1,
			net.arg[3] = copies;
			net.box[0].establish = false;
			net.box[1].accept = active;
			listener = net_listen(&net, 1, 0);
			id = net_connect(&net, 0, 0x11);
			net_pump(&net);
			child = net_event(&net, 1, EV(REQUEST))->id;
			no.cm.id = active ? id : child;
			no.cm.param.data_len++;
			assert_int_equal(net_exec(&net, !active, no).err, -EMSGSIZE);
			no.cm.param.data_len--;
			assert_int_equal(net_exec(&net, !active, no).err, 0);
			assert_int_equal(net_exec(&net, !active, no).err, -ECONNABORTED);
			net_run(&net, RN_S(10));
			assert_int_equal(net_event(&net, active, EV(REJECTED))->reason, 28);
			/* the passive side sent no REP, so its REJ has local ID 0 */
			assert_int_equal(net.box[!active].last[RN_CM_REJ].rej.local_id != 0,
					 active);
			assert_int_equal(net_event(&net, active, EV(REJECTED))->param.data_len,
					 148);
			assert_memory_equal(net_event(&net, active, EV(REJECTED))->param.data,
					    "no\0", 3);
			assert_int_equal(net_count(&net, active, EV(REJECTED)), 1);
			assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
			if (!active) { /* the id of a rejected connect can connect again */
				struct rn_cmd again = net_connect_cmd(0, false, 0x11);

				again.cm.id = id;
				net.box[0].establish = net.box[1].accept = true;
				assert_int_equal(net_exec(&net, 0, again).err, 0);
				net_run(&net, RN_S(1));
				assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
				net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
				net_pump(&net);
			}
			net_destroy(&net, 0, id);
			net_destroy(&net, 1, child);
			net_destroy(&net, 1, listener);
			net_fini(&net);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connects_and_disconnects),
		cmocka_unit_test(wire_row_C3_a_req_says_what_linux_would_say),
		cmocka_unit_test(the_ack_timeout_outlasts_the_peers_delay),
		cmocka_unit_test(each_message_lost_or_doubled),
		cmocka_unit_test(wire_row_C13_nobody_answers_the_req),
		cmocka_unit_test(nobody_confirms_the_rep),
		cmocka_unit_test(wire_row_C20_nobody_answers_the_dreq),
		cmocka_unit_test(a_dreq_waits_for_the_client),
		cmocka_unit_test(wire_row_C19_both_disconnect_at_once),
		cmocka_unit_test(slow_clients_cause_mras),
		cmocka_unit_test(client_requests_an_mra),
		cmocka_unit_test(bad_requests_are_refused),
		cmocka_unit_test(drep_wait_ignores_response_timeout),
		cmocka_unit_test(new_connect_drops_unsent_rej),
		cmocka_unit_test(response_timeout_zero_is_bounded),
		cmocka_unit_test(wire_row_C12_either_side_rejects_with_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
