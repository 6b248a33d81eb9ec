/* CM messages: to which client they go, which of them the switch answers, and which a client
 * may not send. */
#include <errno.h>

#include "bench.h"
#include "wire/hdr.h"

#define UD_SEND 0x64

static const struct rn_gid any_ipv4 = {{[10] = 0xff, 0xff}};

static void requests_go_to_the_listener(void **state)
{
	struct rn_cm_msg r = req(id_of(0, 1), qpn_of(0, 1)), m;
	struct rn_cm_msg s = {.attr = RN_CM_SIDR_REQ,
			      .tid = 5,
			      .sidr_req = {.request_id = 77, .service_id = SERVICE}};
	const struct rn_gid other = host_gid(9, false);
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	assert_int_equal(rn_switch_listen(b.sw, 1, SERVICE, &other), -EADDRNOTAVAIL);
	assert_int_equal(rn_switch_listen(b.sw, 3, SERVICE, &any_ipv4), -ENOENT);
	/* nobody listens: refused at once, so that the other host need not wait */
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_SERVICE);
	assert_true(take(&b, &p, &m));
	assert_true(b.way.wire);
	assert_int_equal(m.attr, RN_CM_REJ);
	assert_int_equal(m.rej.reason, RN_CM_REJ_NO_SERVICE);
	assert_int_equal(m.rej.remote_id, r.req.local_id);
	assert_int_equal(m.tid, 99);
	assert_int_equal(p.dst.b[15], PEER);
	assert_int_equal(p.dmac[5], PEER);
	assert_int_equal(p.src.b[15], OWN);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &s), RN_OUT_NO_SERVICE);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_SIDR_REP);
	assert_int_equal(m.sidr_rep.status, RN_CM_SIDR_NO_SERVICE);
	assert_int_equal(m.sidr_rep.request_id, 77);

	bench_listen(&b, 2);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_TO_SERVICE);
	assert_int_equal(b.way.client, 2);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &s), RN_OUT_TO_SERVICE);
	assert_int_equal(b.way.client, 2);
	/* from a client to its neighbour within the switch */
	r = req(id_of(1, 1), qpn_of(1, 1));
	assert_int_equal(give_cm(&b, 1, OWN, OWN, &r), RN_OUT_TO_SERVICE);
	assert_int_equal(b.way.client, 2);
	assert_int_equal(rn_switch_unlisten(b.sw, 2, SERVICE, &any_ipv4), 0);
	r = req(id_of(1, 2), qpn_of(1, 1));
	assert_int_equal(give_cm(&b, 1, OWN, OWN, &r), RN_OUT_NO_SERVICE);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_REJ);
	assert_int_equal(b.way.client, 1);
	assert_false(b.way.wire);
	expect_nothing(&b);
	bench_stop(&b);
}

static void other_messages_go_by_communication_id(void **state)
{
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 5);
	struct rn_cm_msg all[] = {
		rep(id_of(0, 1), id_of(5, 1), qpn_of(0, 1)),
		rtu(id_of(0, 1), id_of(5, 1)),
		dreq(id_of(0, 1), id_of(5, 1), qpn_of(5, 1)),
		drep(id_of(0, 1), id_of(5, 1)),
		rej(0, id_of(5, 1), RN_CM_ABOUT_REQ, 28),
		{.attr = RN_CM_MRA, .mra = {.local_id = id_of(0, 1), .remote_id = id_of(5, 1)}},
		{.attr = RN_CM_SIDR_REP, .sidr_rep = {.request_id = id_of(5, 1)}},
	};
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &all[i]), RN_OUT_TO_ID);
		assert_int_equal(b.way.client, 5);
	}
	/* LAP and APR begin with the same two ids */
	for (unsigned attr = RN_CM_LAP; attr <= RN_CM_APR; attr++) {
		struct rn_cm_msg m = {.attr = (uint16_t)attr};
		uint8_t mad[RN_MAD_BYTES];
		struct rn_pkt p = packet(PEER, OWN, UD_SEND, RN_GSI_QPN);

		rn_cm_msg_build(&m, mad);
		rn_store32(mad + RN_MAD_HDR_BYTES + 4, id_of(5, 1));
		p.qkey = RN_GSI_QKEY;
		p.src_qpn = RN_GSI_QPN;
		p.payload = mad;
		p.payload_len = RN_MAD_BYTES;
		assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_TO_ID);
		assert_int_equal(b.way.client, 5);
	}
	expect_nothing(&b);
	bench_stop(&b);
}

static void messages_for_no_client_are_answered_as_the_protocol_demands(void **state)
{
	struct rn_cm_msg r = rep(id_of(0, 1), id_of(5, 1), qpn_of(0, 1)), m;
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_CONNECTION);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_REJ);
	assert_int_equal(m.rej.reason, RN_CM_REJ_BAD_COMM_ID);
	assert_int_equal(m.rej.about, RN_CM_ABOUT_REP);
	assert_int_equal(m.rej.local_id, id_of(5, 1));
	assert_int_equal(m.rej.remote_id, id_of(0, 1));
	r = dreq(id_of(0, 1), id_of(5, 1), qpn_of(5, 1));
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_CONNECTION);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_DREP);
	assert_int_equal(m.drep.local_id, id_of(5, 1));
	assert_int_equal(m.drep.remote_id, id_of(0, 1));
	assert_int_equal(m.tid, 97);
	/* neither of these may be answered, or two hosts would answer each other for ever */
	r = rej(0, id_of(5, 1), RN_CM_ABOUT_REQ, 28);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_CONNECTION);
	r = drep(id_of(0, 1), id_of(5, 1));
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_CONNECTION);
	r = rtu(id_of(0, 1), id_of(5, 1));
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_NO_CONNECTION);
	expect_nothing(&b);
	bench_stop(&b);
}

/* A flood of requests from the wire does not displace the answers to clients. */
static void floods_do_not_displace_answers_to_clients(void **state)
{
	unsigned to_wire = 0, to_client = 0;
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	for (unsigned i = 0; i < 500; i++) {
		struct rn_cm_msg r = req(id_of(0, i), qpn_of(0, i));

		give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r);
	}
	struct rn_cm_msg own = req(id_of(1, 1), qpn_of(1, 1));
	assert_int_equal(give_cm(&b, 1, OWN, OWN, &own), RN_OUT_NO_SERVICE);
	for (unsigned i = 0; i < 2 && take(&b, &p, &m); i++) {
		to_wire += b.way.wire;
		to_client += b.way.client == 1;
	}
	assert_int_equal(to_client, 1);
	while (take(&b, &p, &m))
		to_wire++;
	assert_in_range(to_wire, 32, 128);
	bench_stop(&b);
}

static void a_client_cannot_use_the_ids_of_another(void **state)
{
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	struct {
		struct rn_cm_msg msg;
		enum rn_outcome o;
	} lies[] = {
		{req(id_of(2, 1), qpn_of(1, 1)), RN_OUT_CLIENT_ID},
		{req(0, qpn_of(1, 1)), RN_OUT_CLIENT_ID},
		{req(id_of(1, 1), qpn_of(2, 1)), RN_OUT_CLIENT_QPN},
		{rep(id_of(2, 1), id_of(0, 1), qpn_of(1, 1)), RN_OUT_CLIENT_ID},
		{rep(id_of(1, 1), id_of(0, 1), qpn_of(2, 1)), RN_OUT_CLIENT_QPN},
		/* answers no REQ */
		{rep(id_of(1, 1), id_of(0, 1), qpn_of(1, 1)), RN_OUT_CLIENT_ID},
		{rtu(id_of(2, 1), id_of(0, 1)), RN_OUT_CLIENT_ID},
		{dreq(id_of(2, 1), id_of(0, 1), qpn_of(0, 1)), RN_OUT_CLIENT_ID},
		{drep(id_of(2, 1), id_of(0, 1)), RN_OUT_CLIENT_ID},
		{rej(id_of(2, 1), id_of(0, 1), RN_CM_ABOUT_REP, 28), RN_OUT_CLIENT_ID},
		{{.attr = RN_CM_MRA, .mra = {.local_id = id_of(2, 1)}}, RN_OUT_CLIENT_ID},
		{{.attr = RN_CM_SIDR_REQ, .sidr_req = {.request_id = id_of(2, 1)}},
		 RN_OUT_CLIENT_ID},
		{{.attr = RN_CM_SIDR_REP,
		  .sidr_rep = {.request_id = 7, .status = RN_CM_SIDR_VALID, .qpn = qpn_of(2, 1)}},
		 RN_OUT_CLIENT_QPN},
	};
	for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		assert_int_equal(give_cm(&b, 1, OWN, PEER, &lies[i].msg), lies[i].o);
		assert_false(b.way.wire);
	}
	/* a MAD that is sent by another QP than QP1 */
	struct rn_pkt p = packet(OWN, PEER, UD_SEND, RN_GSI_QPN);
	uint8_t mad[RN_MAD_BYTES];
	struct rn_cm_msg r = req(id_of(1, 1), qpn_of(1, 1));
	rn_cm_msg_build(&r, mad);
	p.payload = mad;
	p.payload_len = RN_MAD_BYTES;
	p.qkey = RN_GSI_QKEY;
	p.src_qpn = qpn_of(1, 1);
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_QPN);
	/* no CM message, and one that every client refuses */
	p.src_qpn = RN_GSI_QPN;
	p.qkey = 1;
	assert_int_equal(give(&b, 1, &p), RN_OUT_MALFORMED);
	p.qkey = RN_GSI_QKEY;
	p.opcode = 0x65; /* SEND with immediate */
	assert_int_equal(give(&b, 1, &p), RN_OUT_MALFORMED);
	p.opcode = UD_SEND;
	mad[1] = 4;
	assert_int_equal(give(&b, 1, &p), RN_OUT_MALFORMED);
	assert_int_equal(give(&b, RN_SWITCH_WIRE, &p), RN_OUT_NOT_OURS);
	bench_stop(&b);
}

/* A client answers only what it has received itself, and cannot claim what another has received. */
static void a_client_cannot_answer_for_another(void **state)
{
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	struct rn_cm_msg sidr = {.attr = RN_CM_SIDR_REQ,
				 .sidr_req = {.request_id = 7, .service_id = SERVICE}};
	struct rn_cm_msg asked = req(id_of(0, 1), qpn_of(0, 1));
	bench_listen(&b, 2);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &sidr), RN_OUT_TO_SERVICE);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &asked), RN_OUT_TO_SERVICE);
	struct rn_cm_msg meddling[] = {
		{.attr = RN_CM_SIDR_REP,
		 .sidr_rep = {.request_id = 7, .status = RN_CM_SIDR_VALID, .qpn = qpn_of(1, 2)}},
		{.attr = RN_CM_SIDR_REP, .sidr_rep = {.request_id = 7, .status = 2}},
		rej(0, id_of(0, 1), RN_CM_ABOUT_REQ, 28),
		rej(id_of(1, 1), id_of(0, 1), RN_CM_ABOUT_REP, 28),
		{.attr = RN_CM_MRA, .mra = {.local_id = id_of(1, 1), .remote_id = id_of(0, 1)}},
		rep(id_of(1, 1), id_of(0, 1), qpn_of(1, 1)),
	};
	for (unsigned i = 0; i < sizeof(meddling) / sizeof(meddling[0]); i++)
		assert_int_equal(give_cm(&b, 1, OWN, PEER, &meddling[i]), RN_OUT_CLIENT_ID);
	/* and claims on them, even when clients may still come back */
	struct rn_track_claim claim = {
		.state = RN_TRACK_REQ_RCVD,
		.remote_id = id_of(0, 1),
		.service_id = SERVICE,
		.way = {.src = host_gid(OWN, false), .dst = host_gid(PEER, false)}};
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, 0), -EPERM);
	claim.remote_id = id_of(0, 9);
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, 0), -EPERM);	   /* does not listen */
	assert_int_equal(rn_switch_claim(b.sw, 2, &claim, b.now), -EPERM); /* too late */
	assert_int_equal(rn_switch_claim(b.sw, 2, &claim, 0), 0);
	claim.state = RN_TRACK_UP;
	claim.local_id = id_of(1, 9);
	claim.local_qpn = qpn_of(1, 9);
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, 0), -EPERM);
	claim.remote_id = id_of(0, 10);
	claim.local_id = 0;
	assert_int_equal(rn_switch_claim(b.sw, 1, &claim, 0), -EPERM);
	bench_stop(&b);
}

/* Receivers believe what a REQ says about its sender, so a client must tell the truth there. */
static void requests_are_honest(void **state)
{
	const struct rn_cma_hdr lie = {
		.port = 5, .ipv4 = true, .src = host_gid(9, false), .dst = host_gid(PEER, false)};
	struct rn_cma_hdr truth = lie;
	uint8_t mad[RN_MAD_BYTES];
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	truth.src = host_gid(OWN, false);
	for (unsigned i = 0; i < 5; i++) {
		m = req(id_of(1, 1), qpn_of(1, 1));
		m.req.guid = b.cfg.port.guid + (i == 1);
		m.req.local_gid = host_gid(i == 2 ? 9 : OWN, false);
		rn_cma_hdr_build(i == 3 ? &lie : &truth, m.req.data);
		/* the private data of other services have no such header */
		if (i == 4) {
			m.req.service_id |= 1ull << 32;
			rn_cma_hdr_build(&lie, m.req.data);
		}
		p = cm_packet(&b, OWN, PEER, &m, mad);
		assert_int_equal(give(&b, 1, &p),
				 i == 0 || i == 4 ? RN_OUT_TO_WIRE : RN_OUT_CLIENT_BODY);
	}
	m = (struct rn_cm_msg){.attr = RN_CM_SIDR_REQ,
			       .sidr_req = {.request_id = id_of(1, 2), .service_id = SERVICE}};
	rn_cma_hdr_build(&lie, m.sidr_req.data);
	p = cm_packet(&b, OWN, PEER, &m, mad);
	assert_int_equal(give(&b, 1, &p), RN_OUT_CLIENT_BODY);
	bench_stop(&b);
}

/* A request that its client has received and not answered yet is repeated to that client, also when
 * the client listens no more. */
static void repeated_requests_go_to_the_same_client(void **state)
{
	struct rn_cm_msg r = req(id_of(0, 1), qpn_of(0, 1)), other = req(id_of(0, 2), qpn_of(0, 2));
	struct rn_cm_msg s = {.attr = RN_CM_SIDR_REQ,
			      .sidr_req = {.request_id = id_of(0, 1), .service_id = SERVICE}};
	struct bench b;

	bench_start(&b);
	bench_attach(&b, 1);
	bench_attach(&b, 2);
	bench_listen(&b, 1);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &r), RN_OUT_TO_SERVICE);
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &s), RN_OUT_TO_SERVICE);
	assert_int_equal(rn_switch_unlisten(b.sw, 1, SERVICE, &any_ipv4), 0);
	bench_listen(&b, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, i ? &s : &r),
				 RN_OUT_TO_SERVICE);
		assert_int_equal(b.way.client, 1);
	}
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER, OWN, &other), RN_OUT_TO_SERVICE);
	assert_int_equal(b.way.client, 2);
	/* the same id from another host is another request */
	assert_int_equal(give_cm(&b, RN_SWITCH_WIRE, PEER + 1, OWN, &r), RN_OUT_TO_SERVICE);
	assert_int_equal(b.way.client, 2);
	bench_stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_go_to_the_listener),
		cmocka_unit_test(other_messages_go_by_communication_id),
		cmocka_unit_test(messages_for_no_client_are_answered_as_the_protocol_demands),
		cmocka_unit_test(floods_do_not_displace_answers_to_clients),
		cmocka_unit_test(a_client_cannot_use_the_ids_of_another),
		cmocka_unit_test(a_client_cannot_answer_for_another),
		cmocka_unit_test(requests_are_honest),
		cmocka_unit_test(repeated_requests_go_to_the_same_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
