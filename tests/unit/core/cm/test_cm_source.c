/* Tests of the connection manager with forged messages. Other hosts know or guess the ids of a
 * connection and send messages in its name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "cm/cm_priv.h"
#include "wire/hdr.h"

#define EV(name) RN_EVENT_CM_##name

static struct rn_gid stranger(void)
{
	return net_gid(98, false);
}

/* ---- every message of a connection, forged at every step ---- */

static unsigned from_elsewhere[0x20], wrong_verdict;

/* Callback for net->judge. Before each message arrives, delivers a copy of this message from the
 * address of an unconnected host. */
static unsigned echo_by_a_stranger(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	struct rn_gid who = stranger();
	struct rn_cm_msg copy = *m;

	from_elsewhere[m->attr]++;
	if (net_inject_from(net, 1 - from, &who, &copy) != RN_V_CM_ADDRESS)
		wrong_verdict++;
	return 1;
}

/* A connection is made and ended. Before each message arrives, a copy of this message arrives from
 * another host. The CM refuses and counts the copies, which have no other effect. */
static void forged_copies_change_nothing(void **state)
{
	static const uint16_t said[] = {RN_CM_REQ, RN_CM_MRA,  RN_CM_REP,
					RN_CM_RTU, RN_CM_DREQ, RN_CM_DREP};

	for (unsigned who = 0; who < 2; who++) {
		uint32_t listener, id, child;
		struct net net;

		net_init(&net);
		net.may_stray = true; /* allows answers to the forging host */
		memset(from_elsewhere, 0, sizeof(from_elsewhere));
		wrong_verdict = 0;
		net.judge = echo_by_a_stranger;
		net.box[0].establish = net.box[1].accept = false;
		listener = net_listen(&net, 1, 0);
		id = net_connect(&net, 0, 0x11);
		net_pump(&net);
		child = net_event(&net, 1, EV(REQUEST))->id;
		assert_int_equal(net_op(&net, 1, RN_CMD_CM_DELAY, child).err, 0);
		net_pump(&net);
		assert_int_equal(
			net_exec(&net, 1,
				 (struct rn_cmd){.op = RN_CMD_CM_ACCEPT,
						 .cm = {.id = child, .param = net.box[1].reply}})
				.err,
			0);
		net_pump(&net);
		assert_int_equal(net_op(&net, 0, RN_CMD_CM_DELAY, id).err, 0);
		net_pump(&net);
		assert_int_equal(net_op(&net, 0, RN_CMD_CM_ESTABLISH, id).err, 0);
		net_pump(&net);
		assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
		assert_int_equal(net_op(&net, who, RN_CMD_CM_DISCONNECT, who ? child : id).err, 0);
		net_pump(&net);
		/* Reason 1: host `who` ended the connection with its own DREQ. */
		assert_int_equal(net_event(&net, who, EV(DISCONNECTED))->reason, 1);
		assert_int_equal(wrong_verdict, 0);
		for (unsigned i = 0; i < RN_ARRAY_SIZE(said); i++)
			assert_true(from_elsewhere[said[i]] > 0);
		assert_true(net.box[0].verdict[RN_V_CM_ADDRESS] &&
			    net.box[1].verdict[RN_V_CM_ADDRESS]);
		net.judge = NULL;
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, child);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* ---- forged messages that end a connection or an attempt ---- */

enum stage { REQUESTED, REPLIED, CONNECTED, STAGES };

/* Host 0 connects to host 1, and the connection gets as far as `stage`. The test then injects
 * forged messages. */
static void reach(struct net *net, enum stage stage, uint32_t *listener, uint32_t *id)
{
	net_init(net);
	net->may_stray = true; /* allows answers to the forging host */
	net->box[1].accept = stage > REQUESTED;
	net->box[0].establish = stage > REPLIED;
	*listener = net_listen(net, 1, 0);
	*id = net_connect(net, 0, 0x11);
	net_pump(net);
}

/* Checks that each CM has refused one message because of its source address. Also checks that no CM
 * has ended the connection or sent an answer. */
static void expect_alive(struct net *net)
{
	for (unsigned b = 0; b < 2; b++) {
		assert_int_equal(net_count(net, b, EV(REJECTED)), 0);
		assert_int_equal(net_count(net, b, EV(DISCONNECTED)), 0);
		assert_int_equal(net->box[b].verdict[RN_V_CM_ADDRESS], 1);
		for (unsigned attr = RN_CM_REJ; attr <= RN_CM_DREP; attr++)
			assert_true(attr == RN_CM_REP || attr == RN_CM_RTU ||
				    net->box[b].sent[attr] == 0);
	}
}

/* Builds a REJ or DREQ to host `to` with the ids and the QPN of the connection, as the real peer
 * would. */
static struct rn_cm_msg names(const struct net *net, unsigned to, uint16_t attr)
{
	const struct rn_cm_req *req = &net->box[0].last[RN_CM_REQ].req;
	uint32_t passive = net->box[1].last[RN_CM_REP].rep.local_id;
	struct rn_cm_msg m = {.attr = attr};

	if (attr == RN_CM_DREQ) {
		m.dreq.local_id = to ? req->local_id : passive;
		m.dreq.remote_id = to ? passive : req->local_id;
		m.dreq.remote_qpn = to ? 0x123 : 0x11;
	} else {
		m.rej.local_id = to ? req->local_id : passive;
		m.rej.remote_id = to ? passive : req->local_id;
		m.rej.reason = RN_CM_REJ_CONSUMER;
	}
	return m;
}

static void forged_rejs_and_dreqs_are_refused(void **state)
{
	static const uint16_t attrs[] = {RN_CM_REJ, RN_CM_DREQ};
	struct rn_gid who = stranger();

	for (unsigned stage = REPLIED; stage < STAGES; stage++)
		for (unsigned k = 0; k < RN_ARRAY_SIZE(attrs); k++) {
			uint32_t listener, id;
			struct net net;

			reach(&net, stage, &listener, &id);
			for (unsigned to = 0; to < 2; to++) {
				struct rn_cm_msg m = names(&net, to, attrs[k]);

				assert_int_equal(net_inject_from(&net, to, &who, &m),
						 RN_V_CM_ADDRESS);
			}
			net_pump(&net);
			expect_alive(&net);
			net_destroy(&net, 0, id);
			net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
			net_destroy(&net, 1, listener);
			net_fini(&net);
		}
}

/* A pending connect is ended by a REJ from its peer and by no other REJ. A pending connection
 * request is ended by a REJ from its sender and by no other REJ. This holds for a REJ that is
 * matched by communication ID and for one that is matched by GUID. */
static void pending_ones_end_by_their_peer_alone(void **state)
{
	struct rn_gid who = stranger();
	uint32_t listener, id;
	struct net net;

	reach(&net, REQUESTED, &listener, &id);
	for (unsigned to = 0; to < 2; to++) {
		const struct rn_cm_msg *req = &net.box[0].last[RN_CM_REQ];
		struct rn_cm_msg m = {.attr = RN_CM_REJ, .rej = {.reason = RN_CM_REJ_TIMEOUT}};

		m.rej.remote_id = to ? 0 : req->req.local_id;
		m.rej.local_id = to ? req->req.local_id : 0;
		m.rej.ari_len = 8;
		rn_store64(m.rej.ari, req->req.guid);
		assert_int_equal(net_inject_from(&net, to, &who, &m),
				 to ? RN_V_CM_UNMATCHED : RN_V_CM_ADDRESS);
		net_pump(&net);
		assert_int_equal(net_count(&net, to, EV(REJECTED)), 0);
		assert_int_equal(net_inject(&net, to, &m), RN_V_OK);
		net_pump(&net);
		assert_int_equal(net_count(&net, to, EV(REJECTED)), 1);
	}
	net_destroy(&net, 1, net_event(&net, 1, EV(REQUEST))->id);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* ---- REQs with the GUID and QPN of another host ---- */

static struct rn_cm_msg asked_by(const struct net *net, const struct rn_gid *who)
{
	struct rn_cm_msg m = net->box[0].last[RN_CM_REQ];
	struct rn_cma_hdr hdr;

	assert_true(rn_cma_hdr_parse(m.req.data, &hdr));
	hdr.src = *who;
	rn_cma_hdr_build(&hdr, m.req.data);
	m.req.local_gid = *who;
	return m;
}

/* A REQ from another host names the GUID and QPN of a connected peer. This REQ is a separate
 * connection request, and the connection goes on. The same REQ from the peer itself means that the
 * peer has lost its state. */
static void a_request_in_the_name_of_a_peer(void **state)
{
	for (unsigned same_id = 0; same_id < 2; same_id++) {
		struct rn_gid who = stranger();
		struct rn_cm_msg m;
		uint32_t listener, id, child;
		struct net net;

		reach(&net, CONNECTED, &listener, &id);
		child = net_event(&net, 1, EV(ESTABLISHED))->id;
		net.box[1].accept = false;
		m = asked_by(&net, &who);
		if (!same_id)
			m.req.local_id ^= 0x5555;
		net_inject_from(&net, 1, &who, &m);
		net_pump(&net);
		assert_int_equal(net_count(&net, 1, EV(DISCONNECTED)), 0);
		assert_int_equal(net.box[1].sent[RN_CM_DREQ], 0);
		assert_int_equal(net_count(&net, 1, EV(ESTABLISHED)), 1);
		for (unsigned i = 0; i < net.box[1].nev; i++)
			if (net.box[1].ev[i].kind == EV(REQUEST) && net.box[1].ev[i].id != child)
				net_destroy(&net, 1, net.box[1].ev[i].id);
		/* The same REQ from the peer itself ends the old connection. */
		m = net.box[0].last[RN_CM_REQ];
		m.req.local_id ^= 0x7777;
		assert_int_equal(net_inject(&net, 1, &m), RN_V_CM_UNMATCHED);
		net_pump(&net);
		assert_int_equal(net_count(&net, 1, EV(DISCONNECTED)), 1);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, child);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* REQs of another host with the GUID and QPN of a peer do not block the peer's own REQ. */
static void forged_guid_and_qpn_do_not_block_the_peer(void **state)
{
	struct rn_gid who = stranger();
	struct rn_cm_msg m;
	uint32_t listener, id;
	struct net net;

	reach(&net, CONNECTED, &listener, &id);
	net.box[1].accept = false;
	m = asked_by(&net, &who);
	m.req.local_id ^= 0x5555;
	m.req.qpn = 0x12;
	net_inject_from(&net, 1, &who, &m);
	m = net.box[0].last[RN_CM_REQ];
	m.req.local_id ^= 0x5555;
	m.req.qpn = 0x12;
	assert_int_equal(net_inject(&net, 1, &m), RN_V_OK);
	net_pump(&net);
	/* three REQs: the REQ of the connection, the forged REQ, and the peer's own REQ */
	assert_int_equal(net_count(&net, 1, EV(REQUEST)), 3);
	assert_int_equal(net_count(&net, 1, EV(REJECTED)), 0);
	for (unsigned i = 0; i < net.box[1].nev; i++)
		if (net.box[1].ev[i].kind == EV(REQUEST))
			net_op(&net, 1, RN_CMD_CM_DESTROY, net.box[1].ev[i].id);
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* A REQ is refused if its path or its private-data header names an address that is not the source
 * address of the packet. */
static void a_request_names_its_sender(void **state)
{
	for (unsigned row = 0; row < 3; row++) {
		struct rn_gid who = stranger(), peer = net_gid(0, false);
		struct rn_cma_hdr hdr;
		struct rn_cm_msg m;
		uint32_t listener, id, child;
		struct net net;

		reach(&net, CONNECTED, &listener, &id);
		child = net_event(&net, 1, EV(ESTABLISHED))->id;
		net.box[1].accept = false;
		net_forget(&net);
		m = asked_by(&net, &peer);
		m.req.local_id ^= 0x5555;
		m.req.qpn = 0x99;
		if (row == 1)
			m.req.local_gid = who;
		if (row == 2) {
			assert_true(rn_cma_hdr_parse(m.req.data, &hdr));
			hdr.src = who;
			rn_cma_hdr_build(&hdr, m.req.data);
		}
		net_inject(&net, 1, &m);
		net_pump(&net);
		assert_int_equal(net_count(&net, 1, EV(REQUEST)), row == 0);
		if (row)
			assert_int_equal(net.box[1].last[RN_CM_REJ].rej.reason, RN_CM_REJ_BAD_GID);
		net_destroy(&net, 1, child);
		for (unsigned i = 0; i < net.box[1].nev; i++)
			if (net.box[1].ev[i].kind == EV(REQUEST))
				net_op(&net, 1, RN_CMD_CM_DESTROY, net.box[1].ev[i].id);
		net_destroy(&net, 0, id);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

/* With check_source off, CM messages from any source address are accepted, as data packets are. */
static void unless_the_check_is_off(void **state)
{
	struct rn_gid who = stranger();
	struct rn_cm_msg m;
	uint32_t listener, id;
	struct net net;

	reach(&net, CONNECTED, &listener, &id);
	net.box[0].port.check_source = false;
	m = names(&net, 0, RN_CM_DREQ);
	assert_int_equal(net_inject_from(&net, 0, &who, &m), RN_V_OK);
	net_pump(&net);
	assert_int_equal(net_count(&net, 0, EV(DISCONNECTED)), 1);
	net.box[1].follow = true;
	net_destroy(&net, 0, id);
	net_destroy(&net, 1, net_event(&net, 1, EV(ESTABLISHED))->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forged_copies_change_nothing),
		cmocka_unit_test(forged_rejs_and_dreqs_are_refused),
		cmocka_unit_test(pending_ones_end_by_their_peer_alone),
		cmocka_unit_test(a_request_in_the_name_of_a_peer),
		cmocka_unit_test(forged_guid_and_qpn_do_not_block_the_peer),
		cmocka_unit_test(a_request_names_its_sender),
		cmocka_unit_test(unless_the_check_is_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
