/* Tests of the connection manager: messages that match no connection, messages that come too late,
 * and peers that have lost their state. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "cm/cm_priv.h"
#include "net/neigh_priv.h"

#define EV(name) RN_EVENT_CM_##name

/* ---- messages without a connection ---- */

static void strangers(void **state)
{
	struct rn_cm_msg m = {.attr = RN_CM_DREQ,
			      .tid = 99,
			      .dreq = {.local_id = 5, .remote_id = 6, .remote_qpn = 7}};
	struct net net;

	net_init(&net);
	/* row C17: a DREQ with unknown IDs gets a DREP */
	assert_int_equal(net_inject(&net, 1, &m), RN_V_CM_UNMATCHED);
	/* a message from a group MAC gets no answer */
	net.box[0].port.mac[0] |= 1;
	net_inject(&net, 1, &m);
	net.box[0].port.mac[0] &= 0xFE;
	net_pump(&net);
	assert_int_equal(net.box[1].sent[RN_CM_DREP], 1);
	assert_int_equal(net.box[1].last[RN_CM_DREP].drep.local_id, 6);
	assert_int_equal(net.box[1].last[RN_CM_DREP].drep.remote_id, 5);
	assert_true(net.box[1].last[RN_CM_DREP].tid == 99);
	m = (struct rn_cm_msg){.attr = RN_CM_REP,
			       .tid = 98,
			       .rep = {.local_id = 5, .remote_id = 6, .qpn = 7, .guid = 8}};
	/* row C11: a REP with an unknown ID gets a REJ */
	assert_int_equal(net_inject(&net, 1, &m), RN_V_CM_UNMATCHED);
	net_pump(&net);
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.reason, 6);
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.about, RN_CM_ABOUT_REP);
	m = (struct rn_cm_msg){.attr = RN_CM_SIDR_REQ,
			       .sidr_req = {.request_id = 3, .service_id = 0x1110001}};
	net_inject(&net, 1, &m); /* row C30: without a listener the SIDR_REP has status 1 */
	net_pump(&net);
	assert_int_equal(net.box[1].last[RN_CM_SIDR_REP].sidr_rep.status, 1);
	assert_int_equal(net.box[1].last[RN_CM_SIDR_REP].sidr_rep.request_id, 3);
	net_forget(&net);
	for (int attr = 0; attr < 4; attr++) {
		m = (struct rn_cm_msg){
			.attr = (uint16_t[]){RN_CM_RTU, RN_CM_DREP, RN_CM_MRA, RN_CM_REJ}[attr]};
		m.rtu.local_id = 5;
		m.rtu.remote_id = 6;
		assert_int_equal(net_inject(&net, 1, &m), RN_V_CM_UNMATCHED);
	}
	net_pump(&net);
	for (int attr = 0; attr < 0x20; attr++)
		assert_int_equal(net.box[1].sent[attr], 0);
	net_fini(&net);
}

/* Late copies of a connection's messages, and a DREQ with a wrong QPN, do not disturb the
 * connection. */
static void late_and_wrong_messages(void **state)
{
	struct rn_cm_msg req, rep, dreq, bad;
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	req = net.box[0].last[RN_CM_REQ];
	rep = net.box[1].last[RN_CM_REP];
	assert_int_equal(net_inject(&net, 1, &req), RN_V_CM_DUPLICATE);
	assert_int_equal(net_inject(&net, 0, &rep), RN_V_CM_DUPLICATE);
	bad = (struct rn_cm_msg){.attr = RN_CM_DREQ,
				 .dreq = {.local_id = rep.rep.local_id,
					  .remote_id = rep.rep.remote_id,
					  .remote_qpn = 0x12}};
	/* row C16: a DREQ with a wrong QPN is ignored */
	assert_int_equal(net_inject(&net, 0, &bad), RN_V_CM_UNMATCHED);
	net_pump(&net);
	assert_int_equal(net.box[0].sent[RN_CM_DREP], 0);
	assert_int_equal(net_count(&net, 0, EV(DISCONNECTED)), 0);
	net_op(&net, 0, RN_CMD_CM_DISCONNECT, id);
	net_pump(&net);
	dreq = net.box[0].last[RN_CM_DREQ];
	assert_int_equal(net.box[1].sent[RN_CM_DREP], 1);
	/* row C18: a repeated DREQ gets another DREP */
	assert_int_equal(net_inject(&net, 1, &dreq), RN_V_CM_DUPLICATE);
	/* row C6: a REQ of a connection in timewait gets a REJ */
	assert_int_equal(net_inject(&net, 1, &req), RN_V_CM_DUPLICATE);
	assert_int_equal(net_inject(&net, 0, &rep), RN_V_CM_DUPLICATE);
	net_pump(&net);
	assert_int_equal(net.box[1].sent[RN_CM_DREP], 2);
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.reason, 10);
	assert_int_equal(net.box[0].sent[RN_CM_REJ], 0);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* Rows C7, C36: a REQ or REP that names an already connected QP is rejected with reason 10 (stale
 * connection). The REQ also ends the old connection. */
static void forgotten_connections(void **state)
{
	struct net net;
	uint32_t listener, id, child;
	struct rn_cm_msg req, rep;

	net_init(&net);
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	child = net_event(&net, 1, EV(ESTABLISHED))->id;
	/* a REQ with a new communication ID for a connected QP: the sender must have lost its
	 * state */
	req = net.box[0].last[RN_CM_REQ];
	req.req.local_id ^= 0x5555;
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_DREQ;
	assert_int_equal(net_inject(&net, 1, &req), RN_V_CM_UNMATCHED);
	net_pump(&net);
	assert_int_equal(net.box[1].last[RN_CM_REJ].rej.reason, 10);
	assert_int_equal(net.box[1].sent[RN_CM_DREQ], 1);
	assert_int_equal(net_event(&net, 1, EV(DISCONNECTED))->reason, 0);
	net.judge = NULL;
	net_run(&net, RN_S(10));
	assert_int_equal(net_count(&net, 1, EV(DISCONNECTED)), 1);
	assert_int_equal(net_count(&net, 0, EV(DISCONNECTED)), 1);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, child);
	net_run(&net, RN_S(1));
	/* a REP from a QP that is connected already */
	net_forget(&net);
	id = net_connect(&net, 0, 0x12);
	net_pump(&net);
	child = net_event(&net, 1, EV(ESTABLISHED))->id;
	rep = net.box[1].last[RN_CM_REP];
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_REQ;
	{
		uint32_t other = net_connect(&net, 0, 0x13);

		net_pump(&net);
		rep.rep.remote_id = net.box[0].last[RN_CM_REQ].req.local_id;
		assert_int_equal(net_inject(&net, 0, &rep), RN_V_CM_DUPLICATE);
		rep.rep.local_id ^= 0x33;
		assert_int_equal(net_inject(&net, 0, &rep), RN_V_CM_UNMATCHED);
		net_pump(&net);
		assert_int_equal(net.box[0].last[RN_CM_REJ].rej.reason, 10);
		assert_int_equal(net.box[0].last[RN_CM_REJ].rej.about, RN_CM_ABOUT_REP);
		assert_int_equal(net.box[0].sent[RN_CM_DREQ], 1);
		net_destroy(&net, 0, other);
	}
	net.judge = NULL;
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, child);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* A peer gives up a connect, and its REJ is lost. Then the peer connects again with the same QP.
 * The old connection request must not block the new one. */
static void an_abandoned_attempt_gives_way(void **state)
{
	for (int answered = 0; answered < 2; answered++) {
		struct net net;
		uint32_t listener, old, id;

		net_init(&net);
		net.box[1].accept = answered;
		net.judge = net_meddle;
		net.arg[0] = answered ? RN_CM_REP : RN_CM_REJ, net.arg[1] = answered,
		net.arg[2] = 1, net.arg[3] = 0;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		old = net_event(&net, 1, EV(REQUEST))->id;
		net.arg[0] = RN_CM_REJ, net.arg[1] = 0;
		net_destroy(&net, 0, id);
		net_pump(&net);
		net_forget(&net);
		net.judge = NULL;
		net.box[1].accept = true;
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		assert_int_equal(net_event(&net, 1, EV(REJECTED))->id, old);
		assert_int_equal(net_event(&net, 1, EV(REJECTED))->reason, 4);
		/* No REJ has arrived, so the event has no private data, nor that of the REQ. */
		assert_int_equal(net_event(&net, 1, EV(REJECTED))->param.data_len, 0);
		assert_int_equal(net_event(&net, 1, EV(REJECTED))->param.data[0], 0);
		assert_true(net_event(&net, 1, EV(ESTABLISHED))->id != old);
		net_destroy(&net, 1, old);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* ---- at every step, all earlier messages arrive again ---- */

static struct {
	struct rn_cm_msg msg;
	unsigned from;
} history[32];
static unsigned nhistory, replayed;

/* Callback for net->judge. Acts when a host sends a message of a kind that it has not sent before.
 * All earlier messages are then delivered again, and the new message is delivered twice. */
static unsigned replay(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	for (unsigned i = 0; i < nhistory; i++)
		if (history[i].from == from && history[i].msg.attr == m->attr)
			return 1;
	for (unsigned i = 0; i < nhistory; i++, replayed++)
		net_inject(net, 1 - history[i].from, &history[i].msg);
	history[nhistory].msg = *m;
	history[nhistory++].from = from;
	return 2;
}

/* Whenever a new kind of message is sent, all earlier messages arrive again, and the new message
 * arrives twice. Bit 0 of `row` selects the host that disconnects. If bit 1 is set, the client of
 * the other host does not answer the DREQ. */
static void all_messages_replayed_at_each_step(void **state)
{
	for (unsigned row = 0; row < 4; row++) {
		unsigned who = row & 1;
		uint32_t listener, id, child;
		struct net net;

		net_init(&net);
		nhistory = replayed = 0;
		net.box[1 - who].slow = row & 2;
		net.judge = replay;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_run(&net, RN_S(1));
		child = net_event(&net, 1, EV(REQUEST))->id;
		net_op(&net, who, RN_CMD_CM_DISCONNECT, who ? child : id);
		net_run(&net, RN_S(10));
		assert_true(nhistory >= 5 && replayed >= 10);
		assert_int_equal(net_count(&net, 1, EV(REQUEST)), 1);
		assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 1);
		assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
		for (unsigned b = 0; b < 2; b++) {
			assert_int_equal(net_count(&net, b, EV(DISCONNECTED)), 1);
			assert_int_equal(net_event(&net, b, EV(DISCONNECTED))->reason, b == who);
			assert_int_equal(net_count(&net, b, EV(REJECTED)), 0);
			assert_int_equal(net_count(&net, b, EV(UNREACHABLE)), 0);
			assert_int_equal(net_count(&net, b, EV(TIMEWAIT_EXIT)), 1);
		}
		net.judge = NULL;
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, child);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* The service timeout in an MRA is the configured cm_patience. */
static void patience_as_configured(void **state)
{
	static const uint8_t codes[] = {0, 10, 31};

	for (size_t i = 0; i < RN_ARRAY_SIZE(codes); i++) {
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.box[1].cfg.cm_patience = codes[i];
		rn_cm_destroy(net.box[1].cm);
		net.box[1].cm =
			rn_cm_create(&net.box[1].cfg, &net.box[1].port, net.box[1].neigh, net.now);
		net.box[1].accept = false;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		net_op(&net, 1, RN_CMD_CM_DELAY, net_event(&net, 1, EV(REQUEST))->id);
		net_pump(&net);
		assert_int_equal(net.box[1].sent[RN_CM_MRA], 1);
		assert_int_equal(net.box[1].last[RN_CM_MRA].mra.service_timeout, codes[i]);
		assert_int_equal(net.box[1].last[RN_CM_MRA].mra.about, RN_CM_ABOUT_REQ);
		assert_int_equal(net.box[1].last[RN_CM_MRA].mra.remote_id,
				 net.box[0].last[RN_CM_REQ].req.local_id);
		net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

static unsigned spoil(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr == RN_CM_REQ && net->arg[0] == 1)
		m->req.alternate[1] = 7; /* a nonzero alternate LID offers an alternate path */
	if (m->attr == RN_CM_REP && net->arg[0] == 2 && net->box[from].sent[RN_CM_REP] == 1)
		m->rep.qpn = net->arg[1];
	return 1;
}

static void an_alternate_path_is_declined(void **state)
{
	for (unsigned offered = 0; offered < 2; offered++) {
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.judge = spoil;
		net.arg[0] = offered;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		assert_int_equal(net.box[1].last[RN_CM_REP].rep.failover, offered);
		net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* A REP with QPN 0, 1 or 0xFFFFFF (QP0, QP1, multicast) is refused, because no connection can use
 * such a QPN. */
static void rep_with_reserved_qpn_is_refused(void **state)
{
	static const uint32_t numbers[] = {0, 1, 0xffffff};

	for (size_t i = 0; i < RN_ARRAY_SIZE(numbers); i++) {
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.judge = spoil;
		net.arg[0] = 2;
		net.arg[1] = numbers[i];
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		assert_int_equal(net_count(&net, 0, EV(RESPONSE)), 0);
		assert_int_equal(net.box[0].verdict[RN_V_MAD_BAD], 1);
		net_run(&net, RN_S(5)); /* the REP is repeated, now with its valid QPN */
		assert_int_equal(net_event(&net, 0, EV(RESPONSE))->attr.dest_qpn, 0x123);
		net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* ---- timewait records, ids and events ---- */

static void connect_and_disconnect(struct net *net, uint32_t qpn)
{
	uint32_t id = net_connect(net, 0, qpn);

	net_pump(net);
	net_destroy(net, 0, id);
	net_pump(net);
	net_forget(net);
}

/* Sixty connections are in timewait. The hash table for each kind of id has 64 chains. Each
 * timewait record is found by every one of its own ids, and by no other id. */
static void timewait_of_many(void **state)
{
	enum { MANY = 60 };
	static struct rn_cm_msg req[MANY], dreq[MANY];
	struct net net;
	uint32_t listener;

	net_init(&net);
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	for (unsigned i = 0; i < MANY; i++) {
		connect_and_disconnect(&net, 0x400 + i);
		req[i] = net.box[0].last[RN_CM_REQ];
		dreq[i] = net.box[0].last[RN_CM_DREQ];
	}
	assert_int_equal(rn_cm_timewait(net.box[1].cm), MANY);
	for (unsigned i = 0; i < MANY; i++) {
		assert_int_equal(net_inject(&net, 1, &dreq[i]), RN_V_CM_DUPLICATE);
		assert_int_equal(net_inject(&net, 1, &req[i]), RN_V_CM_DUPLICATE);
		net_pump(&net);
		assert_int_equal(net.box[1].last[RN_CM_REJ].rej.reason, RN_CM_REJ_STALE);
		assert_true(rn_cm_qpn_waits(net.box[0].cm, 0x400 + i));
		dreq[i].dreq.remote_id ^= 1;
		assert_int_equal(net_inject(&net, 1, &dreq[i]), RN_V_CM_UNMATCHED);
	}
	assert_false(rn_cm_qpn_waits(net.box[0].cm, 0x400 + MANY));
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 0);
	req[0].req.guid ^= 1; /* the same ID with another GUID is a new REQ */
	assert_int_equal(net_inject(&net, 1, &req[0]), RN_V_OK);
	net_pump(&net);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_run(&net, RN_S(1)); /* timewait lasts one ACK timeout, 537 ms */
	assert_int_equal(rn_cm_timewait(net.box[0].cm) + rn_cm_timewait(net.box[1].cm), 0);
	for (unsigned i = 0; i < MANY; i++) {
		dreq[i].dreq.remote_id ^= 1;
		assert_int_equal(net_inject(&net, 1, &dreq[i]), RN_V_CM_UNMATCHED);
		assert_false(rn_cm_qpn_waits(net.box[0].cm, 0x400 + i));
	}
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* With more connections in timewait than records, the oldest records are reused. */
static void timewait_of_too_many(void **state)
{
	enum { RECORDS = 64, MANY = 100 };
	struct net net;
	uint32_t listener;

	net_init(&net);
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	for (unsigned i = 0; i < MANY; i++)
		connect_and_disconnect(&net, 0x400 + i);
	assert_int_equal(rn_cm_timewait(net.box[0].cm), RECORDS);
	assert_int_equal(rn_cm_dropped(net.box[0].cm), MANY - RECORDS);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(rn_cm_qpn_waits(net.box[0].cm, 0x400 + i), i >= MANY - RECORDS);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* rn_cm_next() gives a wake-up time only while the CM waits for an answer of the peer, for the end
 * of timewait, or for the peer to repeat a REQ that the CM's client has not answered. Otherwise it
 * returns RN_TIME_NEVER. */
static void cm_timer_runs_only_when_needed(void **state)
{
	const struct rn_gid other = net_gid(8, false);
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.box[0].establish = net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	assert_true(rn_cm_next(net.box[0].cm) < RN_TIME_NEVER); /* host 0 waits for the REP */
	assert_true(rn_neigh_update(net.box[1].neigh, &other, (uint8_t[]){2, 0, 0, 0, 0, 9},
				    RN_NBR_REQUEST, net.now));
	/* host 1's client has not answered; host 1 gives up if the REQ is not repeated */
	assert_true(rn_cm_next(net.box[1].cm) < RN_TIME_NEVER);
	assert_int_equal(net_exec(&net, 1,
				  (struct rn_cmd){.op = RN_CMD_CM_ACCEPT,
						  .cm = {.id = net_event(&net, 1, EV(REQUEST))->id,
							 .param = net.box[1].reply}})
				 .err,
			 0);
	net_pump(&net);
	assert_true(rn_cm_next(net.box[0].cm) == RN_TIME_NEVER);
	assert_true(rn_cm_next(net.box[1].cm) < RN_TIME_NEVER); /* host 1 waits for the RTU */
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_ESTABLISH, id).err, 0);
	net_pump(&net);
	for (unsigned b = 0; b < 2; b++)
		assert_true(rn_cm_next(net.box[b].cm) == RN_TIME_NEVER);
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 0, id);
	id = net_connect(&net, 0, 0x12);
	net_pump(&net);
	net_run(&net, RN_S(1)); /* runs until timewait is over */
	assert_int_equal(net_op(&net, 1, RN_CMD_CM_REJECT, net_event(&net, 1, EV(REQUEST))->id).err,
			 0);
	net_pump(&net);
	assert_int_equal(net_count(&net, 0, EV(REJECTED)), 1);
	for (unsigned b = 0; b < 2; b++)
		assert_true(rn_cm_next(net.box[b].cm) == RN_TIME_NEVER);
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* Communication IDs and transaction IDs look random. The test compares IDs that are drawn 1, 2, 4
 * ... or 2048 draws apart. In about half of these pairs a given bit differs. */
static void cm_ids_look_random(void **state)
{
	enum { MANY = 4096, FAR = 2048 };
	static uint32_t id[MANY + FAR];
	static uint64_t tid[MANY + FAR];
	struct net net;

	net_init(&net);
	for (unsigned i = 0; i < MANY + FAR; i++) {
		id[i] = rn_cm_fresh_id(net.box[0].cm);
		tid[i] = rn_cm_fresh_tid(net.box[0].cm);
	}
	for (unsigned apart = 1; apart <= FAR; apart *= 2)
		for (unsigned bit = 0; bit < 64; bit++) {
			unsigned ids = 0, tids = 0;

			for (unsigned i = 0; i < MANY; i++) {
				ids += (id[i] ^ id[i + apart]) >> bit % 32 & 1;
				tids += (tid[i] ^ tid[i + apart]) >> bit & 1;
			}
			assert_in_range(ids, MANY / 2 - MANY / 8, MANY / 2 + MANY / 8);
			assert_in_range(tids, MANY / 2 - MANY / 8, MANY / 2 + MANY / 8);
		}
	net_fini(&net);
}

/* Events that a client has not taken yet are delivered in order, and each event once. */
static void events_come_in_order(void **state)
{
	static const unsigned order[] = {EV(ESTABLISHED), EV(DISCONNECTED)};
	struct net net;
	struct rn_event ev;
	struct rn_pkt pkt;
	uint32_t listener, id;

	net_init(&net);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_RTU;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	/* A DREQ that arrives while the RTU is missing both establishes and ends the connection. */
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id).err, 0);
	assert_true(rn_cm_tx(net.box[0].cm, &pkt, net.now));
	assert_int_equal(rn_cm_rx(net.box[1].cm, &pkt, net.now), RN_V_OK);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(order); i++) {
		assert_true(rn_cm_event(net.box[1].cm, &ev));
		assert_int_equal(ev.kind, order[i]);
	}
	assert_false(rn_cm_event(net.box[1].cm, &ev));
	net_destroy(&net, 1, ev.id);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* A connection may have any QPN except 0 (QP0), 1 (QP1) and 0xFFFFFF (multicast). */
static void queue_pairs_of_connections(void **state)
{
	static const uint32_t bad[] = {0, 1, 0xFFFFFF}, good[] = {2, 0xFFFFFE};
	struct net net;
	uint32_t listener, id[2];

	net_init(&net);
	net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(bad); i++)
		assert_int_equal(net_exec(&net, 0, net_connect_cmd(0, false, bad[i])).err, -EINVAL);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(good); i++) {
		struct rn_cmd cmd = {.op = RN_CMD_CM_ACCEPT, .cm.param = net.box[1].reply};

		id[i] = net_connect(&net, 0, good[i]);
		net_pump(&net);
		cmd.cm.id = net_event(&net, 1, EV(REQUEST))->id;
		for (unsigned k = 0; k < RN_ARRAY_SIZE(bad); k++) {
			cmd.cm.param.qpn = bad[k];
			assert_int_equal(net_exec(&net, 1, cmd).err, -EINVAL);
		}
		cmd.cm.param.qpn = good[i];
		assert_int_equal(net_exec(&net, 1, cmd).err, 0);
		net_pump(&net);
		assert_int_equal(net_event(&net, 1, EV(ESTABLISHED))->id, cmd.cm.id);
		net_destroy(&net, 1, cmd.cm.id);
	}
	net_destroy(&net, 0, id[0]);
	net_destroy(&net, 0, id[1]);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* Private data may fill the private-data field of a message completely. One byte more is
 * refused. */
static void private_data_to_the_last_byte(void **state)
{
	static const struct {
		uint16_t op;
		uint8_t most;
	} rows[] = {{RN_CMD_CM_ACCEPT, 196}, {RN_CMD_CM_REJECT, 148}, {RN_CMD_CM_ESTABLISH, 220}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		bool active = rows[i].op == RN_CMD_CM_ESTABLISH;
		struct rn_cmd cmd = {.op = rows[i].op, .cm.param = {.qpn = 0x123}};
		struct net net;
		uint32_t listener, id;

		net_init(&net);
		net.box[1].accept = active;
		net.box[0].establish = false;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		cmd.cm.id = active ? id : net_event(&net, 1, EV(REQUEST))->id;
		cmd.cm.param.data_len = rows[i].most + 1;
		assert_int_equal(net_exec(&net, !active, cmd).err, -EMSGSIZE);
		cmd.cm.param.data_len--;
		assert_int_equal(net_exec(&net, !active, cmd).err, 0);
		net_pump(&net);
		net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* A connect to an IPv6 peer from a port without an IPv6 address fails. */
static void no_address_of_the_family(void **state)
{
	struct rn_cmd cmd = net_connect_cmd(0, true, 0x11);
	struct net net;

	net_init(&net);
	net.box[0].port.ngids = 1;
	rn_neigh_port(net.box[0].neigh, &net.box[0].port, net.now);
	memset(&cmd.cm.local, 0, sizeof(cmd.cm.local));
	assert_int_equal(net_exec(&net, 0, cmd).err, -EAFNOSUPPORT);
	net_fini(&net);
}

/* The CM codes a time as 4.096 us * 2^code; rn_cm_code_of() rounds up. */
static void codes_of_times(void **state)
{
	static const struct {
		rn_time time;
		uint8_t code;
	} rows[] = {{0, 0},
		    {1, 0},
		    {4096, 0},
		    {4097, 1},
		    {8192, 1},
		    {8193, 2},
		    {4096ull << 30, 30},
		    {(4096ull << 30) + 1, 31},
		    {4096ull << 31, 31},
		    {(4096ull << 31) + 1, 31},
		    {RN_TIME_NEVER, 31}};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(rn_cm_code_of(rows[i].time), rows[i].code);
	for (uint8_t code = 0; code < 32; code++)
		assert_true(rn_cm_time_of(code) == 4096ull << code);
	assert_true(rn_cm_time_of(33) == 8192); /* codes have five bits: 33 counts as 1 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strangers),
		cmocka_unit_test(late_and_wrong_messages),
		cmocka_unit_test(forgotten_connections),
		cmocka_unit_test(an_abandoned_attempt_gives_way),
		cmocka_unit_test(all_messages_replayed_at_each_step),
		cmocka_unit_test(patience_as_configured),
		cmocka_unit_test(an_alternate_path_is_declined),
		cmocka_unit_test(rep_with_reserved_qpn_is_refused),
		cmocka_unit_test(timewait_of_many),
		cmocka_unit_test(timewait_of_too_many),
		cmocka_unit_test(cm_timer_runs_only_when_needed),
		cmocka_unit_test(cm_ids_look_random),
		cmocka_unit_test(events_come_in_order),
		cmocka_unit_test(queue_pairs_of_connections),
		cmocka_unit_test(private_data_to_the_last_byte),
		cmocka_unit_test(no_address_of_the_family),
		cmocka_unit_test(codes_of_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
