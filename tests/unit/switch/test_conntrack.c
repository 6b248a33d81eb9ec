/* Which connections the switch knows after which messages, and what the peers of a dead client are
 * sent. */
#include "bench.h"
#include "switch/obituary.h"

#define CLIENT 3u

static void start(struct bench *b)
{
	bench_start(b);
	bench_attach(b, CLIENT);
	bench_listen(b, CLIENT);
}

static void die(struct bench *b)
{
	rn_switch_detach(b->sw, CLIENT, b->now);
}

static enum rn_outcome out(struct bench *b, struct rn_cm_msg m)
{
	return give_cm(b, CLIENT, OWN, PEER, &m);
}

static enum rn_outcome in(struct bench *b, struct rn_cm_msg m)
{
	return give_cm(b, RN_SWITCH_WIRE, PEER, OWN, &m);
}

static unsigned known(const struct bench *b)
{
	return rn_switch_connections(b->sw, CLIENT);
}

static const struct rn_cm_msg sidr_req_in = {
	.attr = RN_CM_SIDR_REQ,
	.tid = 96,
	.sidr_req = {.request_id = 0xABC01, .service_id = SERVICE}};

/* ---- an obituary for each state ---- */

static void nothing(struct bench *b)
{
}
static void req_sent(struct bench *b)
{
	out(b, req(id_of(CLIENT, 1), qpn_of(CLIENT, 1)));
}
static void rep_rcvd(struct bench *b)
{
	req_sent(b);
	in(b, rep(id_of(0, 1), id_of(CLIENT, 1), qpn_of(0, 1)));
}
static void req_rcvd(struct bench *b)
{
	in(b, req(id_of(0, 1), qpn_of(0, 1)));
}
static void rep_sent(struct bench *b)
{
	req_rcvd(b);
	out(b, rep(id_of(CLIENT, 1), id_of(0, 1), qpn_of(CLIENT, 1)));
}
static void up_out(struct bench *b)
{
	connect_out(b, CLIENT, 1);
}
static void up_in(struct bench *b)
{
	connect_in(b, CLIENT, 1);
}
static void dreq_sent(struct bench *b)
{
	up_out(b);
	out(b, dreq(id_of(CLIENT, 1), id_of(0, 1), qpn_of(0, 1)));
}
static void dreq_rcvd(struct bench *b)
{
	up_in(b);
	in(b, dreq(id_of(0, 1), id_of(CLIENT, 1), qpn_of(CLIENT, 1)));
}
static void sidr_sent(struct bench *b)
{
	out(b, (struct rn_cm_msg){.attr = RN_CM_SIDR_REQ,
				  .sidr_req = {.request_id = id_of(CLIENT, 1)}});
}
static void sidr_rcvd(struct bench *b)
{
	in(b, sidr_req_in);
}
static void pair(struct bench *b)
{
	const struct rn_track_claim claim = {
		.state = RN_TRACK_PAIR,
		.local_qpn = qpn_of(CLIENT, 1),
		.remote_qpn = 9,
		.way = {.src = host_gid(OWN, false), .dst = host_gid(PEER, false)}};

	assert_int_equal(rn_switch_claim(b->sw, CLIENT, &claim, b->now), 0);
}
static void rejected_by_client(struct bench *b)
{
	req_rcvd(b);
	out(b, rej(0, id_of(0, 1), RN_CM_ABOUT_REQ, 28));
}
static void rejected_by_peer(struct bench *b)
{
	req_sent(b);
	in(b, rej(0, id_of(CLIENT, 1), RN_CM_ABOUT_REQ, 28));
}
static void closed_by_client(struct bench *b)
{
	dreq_sent(b);
	in(b, drep(id_of(0, 1), id_of(CLIENT, 1)));
}
static void closed_by_peer(struct bench *b)
{
	dreq_rcvd(b);
	out(b, drep(id_of(CLIENT, 1), id_of(0, 1)));
}
static void sidr_answered(struct bench *b)
{
	sidr_rcvd(b);
	out(b, (struct rn_cm_msg){.attr = RN_CM_SIDR_REP, .sidr_rep = {.request_id = 0xABC01}});
}
static void sidr_refused(struct bench *b)
{
	sidr_sent(b);
	in(b, (struct rn_cm_msg){.attr = RN_CM_SIDR_REP,
				 .sidr_rep = {.request_id = id_of(CLIENT, 1), .status = 2}});
}
static void sidr_accepted(struct bench *b)
{
	sidr_sent(b);
	in(b, (struct rn_cm_msg){.attr = RN_CM_SIDR_REP,
				 .sidr_rep = {.request_id = id_of(CLIENT, 1),
					      .status = RN_CM_SIDR_VALID,
					      .qpn = qpn_of(0, 1)}});
}
/* Columns: how the connection came into its state, connections that the switch then knows, what the
 * peer is sent when the client dies: message, its reason or status, and the ids in it (true: the
 * client's and the peer's). */
static const struct {
	void (*reach)(struct bench *);
	unsigned known;
	uint16_t attr, reason;
	bool local, remote;
} rows[] = {
	{nothing, 0, 0, 0, 0, 0},
	{req_sent, 1, RN_CM_REJ, RN_CM_REJ_TIMEOUT, true, false},
	{rep_rcvd, 1, RN_CM_REJ, RN_CM_REJ_CONSUMER, true, true},
	{req_rcvd, 1, RN_CM_REJ, RN_CM_REJ_CONSUMER, false, true},
	{rep_sent, 1, RN_CM_REJ, RN_CM_REJ_CONSUMER, true, true},
	{up_out, 1, RN_CM_DREQ, 0, true, true},
	{up_in, 1, RN_CM_DREQ, 0, true, true},
	{dreq_sent, 1, RN_CM_DREQ, 0, true, true},
	{dreq_rcvd, 1, RN_CM_DREP, 0, true, true},
	{sidr_sent, 1, 0, 0, 0, 0},
	{sidr_rcvd, 1, RN_CM_SIDR_REP, RN_CM_SIDR_REJECTED, false, true},
	{pair, 1, 0, 0, 0, 0},
	{rejected_by_client, 0, 0, 0, 0, 0},
	{rejected_by_peer, 0, 0, 0, 0, 0},
	{closed_by_client, 0, 0, 0, 0, 0},
	{closed_by_peer, 0, 0, 0, 0, 0},
	{sidr_answered, 0, 0, 0, 0, 0},
	{sidr_refused, 0, 0, 0, 0, 0},
	{sidr_accepted, 0, 0, 0, 0, 0},
};

static void the_peer_is_sent_what_the_state_demands(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_cm_msg m;
		struct rn_pkt p;
		struct bench b;

		start(&b);
		rows[i].reach(&b);
		expect_nothing(&b);
		assert_int_equal(known(&b), rows[i].known);
		die(&b);
		if (rows[i].attr) {
			uint32_t local = rows[i].local ? id_of(CLIENT, 1) : 0;
			uint32_t remote = rows[i].remote ? id_of(0, 1) : 0;

			assert_true(take(&b, &p, &m));
			assert_true(b.way.wire);
			assert_int_equal(m.attr, rows[i].attr);
			assert_int_equal(p.dmac[5], PEER);
			assert_int_equal(p.dst.b[15], PEER);
			assert_int_equal(p.src.b[15], OWN);
			if (m.attr == RN_CM_SIDR_REP) {
				assert_int_equal(m.sidr_rep.status, rows[i].reason);
				assert_int_equal(m.sidr_rep.request_id, remote);
				assert_int_equal(m.tid, 96);
			} else { /* REJ, DREQ and DREP begin with the same ids */
				assert_int_equal(m.rej.local_id, local);
				assert_int_equal(m.rej.remote_id, remote);
			}
			if (m.attr == RN_CM_REJ)
				assert_int_equal(m.rej.reason, rows[i].reason);
			if (rows[i].reason == RN_CM_REJ_TIMEOUT)
				assert_int_equal(m.rej.ari[7], 0x34); /* the port's GUID */
			if (m.attr == RN_CM_DREQ)
				assert_int_equal(m.dreq.remote_qpn, qpn_of(0, 1));
		}
		expect_nothing(&b);
		/* a DREQ waits for its answer */
		assert_int_equal(known(&b), rows[i].attr == RN_CM_DREQ);
		bench_stop(&b);
	}
}

/* A request that the client has announced after a restart is refused as one that the switch has
 * seen. */
static void an_announced_request_is_refused_too(void **state)
{
	const struct rn_track_claim claim = {
		.state = RN_TRACK_SIDR_RCVD,
		.remote_id = 0xABC01,
		.service_id = SERVICE,
		.way = {.src = host_gid(OWN, false), .dst = host_gid(PEER, false)}};
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;

	start(&b);
	assert_int_equal(rn_switch_claim(b.sw, CLIENT, &claim, 0), 0);
	die(&b);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_SIDR_REP);
	assert_int_equal(m.sidr_rep.request_id, 0xABC01);
	assert_int_equal(m.sidr_rep.service_id, SERVICE);
	assert_int_equal(m.sidr_rep.status, RN_CM_SIDR_REJECTED);
	bench_stop(&b);
}

static void a_dreq_is_repeated_until_it_is_answered(void **state)
{
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;
	unsigned sent = 1;
	rn_time first;

	start(&b);
	connect_in(&b, CLIENT, 1);
	die(&b);
	first = b.now;
	assert_true(take(&b, &p, &m));
	while (b.now < first + RN_S(60) && rn_switch_next(b.sw) < first + RN_S(60)) {
		rn_time next = rn_switch_next(b.sw);

		assert_true(next > b.now);
		b.now = next;
		rn_switch_tick(b.sw, b.now);
		while (take(&b, &p, &m))
			sent += m.attr == RN_CM_DREQ;
	}
	assert_int_equal(sent, RN_OBITUARY_TRIES);
	assert_int_equal(known(&b), 0);
	bench_stop(&b);

	/* an RTU that comes after the death makes no difference */
	start(&b);
	rep_sent(&b);
	die(&b);
	in(&b, rtu(id_of(0, 1), id_of(CLIENT, 1)));
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_DREQ);
	assert_int_equal(known(&b), 1);
	bench_stop(&b);

	start(&b);
	connect_in(&b, CLIENT, 1);
	die(&b);
	assert_true(take(&b, &p, &m));
	assert_int_equal(in(&b, drep(id_of(0, 1), id_of(CLIENT, 1))), RN_OUT_NO_CONNECTION);
	assert_int_equal(known(&b), 0);
	b.now += RN_S(60);
	rn_switch_tick(b.sw, b.now);
	while (take(&b, &p, &m))
		assert_int_not_equal(m.attr, RN_CM_DREQ);
	bench_stop(&b);
}

/* Columns: how the connection came into its state, a message of a stranger with the right ids. Each
 * of these messages from the peer would change what the peer is sent in the end. */
static const struct {
	void (*reach)(struct bench *);
	struct rn_cm_msg lie;
} lies[] = {
	{up_in, {.attr = RN_CM_DREQ}},
	{dreq_sent, {.attr = RN_CM_DREP}},
	{up_in, {.attr = RN_CM_REJ, .rej = {.reason = RN_CM_REJ_CONSUMER}}},
	{rep_sent, {.attr = RN_CM_REJ, .rej = {.reason = RN_CM_REJ_TIMEOUT}}},
	{rep_sent, {.attr = RN_CM_RTU}},
	{req_sent, {.attr = RN_CM_REP}},
};

static void strangers_change_nothing(void **state)
{
	for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		uint16_t sent[2];

		/* first without the message, then with it, and at last from the peer itself */
		for (unsigned from = 0; from < 3; from++) {
			struct rn_cm_msg m = lies[i].lie;
			struct rn_pkt p;
			struct bench b;

			start(&b);
			lies[i].reach(&b);
			/* all these messages begin with the same two ids */
			m.rej.local_id = id_of(0, 1);
			m.rej.remote_id = id_of(CLIENT, 1);
			if (m.attr == RN_CM_DREQ)
				m.dreq.remote_qpn = qpn_of(CLIENT, 1);
			if (m.attr == RN_CM_REP)
				m.rep.qpn = qpn_of(0, 1);
			if (from > 0)
				give_cm(&b, RN_SWITCH_WIRE, from == 1 ? PEER + 1 : PEER, OWN, &m);
			die(&b);
			m.attr = 0;
			take(&b, &p, &m);
			if (from < 2)
				sent[from] = m.attr | m.rej.reason << 8;
			else
				assert_int_not_equal(m.attr | m.rej.reason << 8, sent[0]);
			bench_stop(&b);
		}
		assert_int_equal(sent[0], sent[1]);
	}
}

/* A peer whose REQ has timed out names its connection by its own id alone. */
static void a_late_rej_finds_its_client(void **state)
{
	struct rn_cm_msg m = rej(id_of(0, 1), 0, RN_CM_ABOUT_REQ, RN_CM_REJ_TIMEOUT);
	struct bench b;

	start(&b);
	bench_attach(&b, CLIENT + 1);
	assert_int_equal(in(&b, m), RN_OUT_NO_CONNECTION);
	req_rcvd(&b);
	assert_int_equal(in(&b, m), RN_OUT_TO_ID);
	assert_int_equal(b.way.client, CLIENT);
	assert_int_equal(known(&b), 0);
	rep_sent(&b);
	assert_int_equal(in(&b, m), RN_OUT_TO_ID);
	assert_int_equal(known(&b), 0);
	bench_stop(&b);
}

/* The client has died, and its obituary is still due: nobody may be handed the REJ. */
static void a_late_rej_for_a_dead_client_is_dropped(void **state)
{
	struct bench b;

	start(&b);
	rep_sent(&b);
	die(&b);
	assert_int_equal(in(&b, rej(id_of(0, 1), 0, RN_CM_ABOUT_REQ, RN_CM_REJ_TIMEOUT)),
			 RN_OUT_NO_CONNECTION);
	assert_int_equal(b.way.client, 0);
	bench_stop(&b);
}

/* A REQ that is repeated while the REP is on its way does not undo the REP. */
static void a_repeated_req_may_cross_the_rep(void **state)
{
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;

	start(&b);
	rep_rcvd(&b);
	req_sent(&b);
	out(&b, rtu(id_of(CLIENT, 1), id_of(0, 1)));
	die(&b);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_DREQ);
	/* and a REQ of the peer that comes after the RTU */
	bench_again(&b);
	bench_attach(&b, CLIENT);
	bench_listen(&b, CLIENT);
	up_in(&b);
	req_rcvd(&b);
	assert_int_equal(known(&b), 1);
	bench_stop(&b);
}

static void repeated_messages_make_no_second_entry(void **state)
{
	const struct rn_cm_msg again = req(id_of(CLIENT, 1), qpn_of(CLIENT, 1));
	struct bench b;

	start(&b);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(out(&b, req(id_of(CLIENT, 1), qpn_of(CLIENT, 1))), RN_OUT_TO_WIRE);
		assert_int_equal(in(&b, req(id_of(0, 2), qpn_of(0, 2))), RN_OUT_TO_SERVICE);
	}
	assert_int_equal(known(&b), 2);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(out(&b, rep(id_of(CLIENT, 2), id_of(0, 2), qpn_of(CLIENT, 2))),
				 RN_OUT_TO_WIRE);
		assert_int_equal(in(&b, req(id_of(0, 2), qpn_of(0, 2))), RN_OUT_TO_SERVICE);
	}
	assert_int_equal(known(&b), 2);
	/* the id of a connection that has ended unseen begins a new one */
	assert_int_equal(give_cm(&b, CLIENT, OWN, PEER + 1, &again), RN_OUT_TO_WIRE);
	assert_int_equal(known(&b), 2);
	bench_stop(&b);
}

/* A client that has its share loses half-open entries first; then its own new connections are
 * refused, and other clients have their full share. */
static void shares_are_limited(void **state)
{
	struct bench b;

	bench_start(&b);
	b.cfg.connections = 8;
	b.cfg.connection_share = 4; /* the table keeps nothing for other clients */
	bench_again(&b);
	bench_attach(&b, CLIENT);
	bench_attach(&b, 1);
	bench_listen(&b, CLIENT);
	/* a flood of requests from the wire */
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(in(&b, req(id_of(0, i), qpn_of(0, i))), RN_OUT_TO_SERVICE);
	assert_int_equal(known(&b), 4);
	/* the oldest have given way, and their REPs are late */
	assert_int_equal(out(&b, rep(id_of(CLIENT, 1), id_of(0, 1), qpn_of(CLIENT, 1))),
			 RN_OUT_CLIENT_ID);
	assert_int_equal(out(&b, rep(id_of(CLIENT, 99), id_of(0, 99), qpn_of(CLIENT, 99))),
			 RN_OUT_TO_WIRE);
	for (unsigned i = 0; i < 3; i++)
		connect_out(&b, CLIENT, 200 + i);
	assert_int_equal(known(&b), 4);
	assert_int_equal(out(&b, req(id_of(CLIENT, 300), qpn_of(CLIENT, 300))), RN_OUT_TRACK_FULL);
	assert_int_equal(in(&b, req(id_of(0, 301), qpn_of(0, 301))), RN_OUT_TRACK_FULL);
	for (unsigned i = 0; i < 4; i++)
		connect_out(&b, 1, i);
	/* a connection that ends makes room */
	out(&b, dreq(id_of(CLIENT, 200), id_of(0, 200), qpn_of(0, 200)));
	in(&b, drep(id_of(0, 200), id_of(CLIENT, 200)));
	connect_out(&b, CLIENT, 302);
	bench_stop(&b);
}

/* However much others take, each client has the part of the table that is kept for it. */
static void every_client_has_its_part(void **state)
{
	struct bench b;
	unsigned taken = 0;

	bench_start(&b);
	b.cfg.connections = 4 * RN_CLIENT_MAX; /* two are kept for each client */
	b.cfg.connection_share = b.cfg.connections;
	bench_again(&b);
	for (unsigned c = 1; c <= 4; c++)
		bench_attach(&b, c);
	for (unsigned i = 0; i < b.cfg.connections; i++) {
		struct rn_cm_msg r = req(id_of(1 + i % 3, i), qpn_of(1 + i % 3, i));

		taken += give_cm(&b, 1 + i % 3, OWN, PEER, &r) == RN_OUT_TO_WIRE;
	}
	assert_int_equal(taken, b.cfg.connections - 2 * (RN_CLIENT_MAX - 3));
	for (unsigned i = 0; i < 3; i++) {
		struct rn_cm_msg r = req(id_of(4, i), qpn_of(4, i));

		assert_int_equal(give_cm(&b, 4, OWN, PEER, &r),
				 i < 2 ? RN_OUT_TO_WIRE : RN_OUT_TRACK_FULL);
	}
	bench_stop(&b);
}

/* The peer of a client that has its share is refused at once. */
static void a_full_client_refuses(void **state)
{
	struct rn_cm_msg m, sidr = sidr_req_in;
	struct rn_pkt p;
	struct bench b;

	bench_start(&b);
	b.cfg.connections = b.cfg.connection_share = 1;
	bench_again(&b);
	bench_attach(&b, CLIENT);
	bench_listen(&b, CLIENT);
	connect_out(&b, CLIENT, 1);
	assert_int_equal(in(&b, req(id_of(0, 5), qpn_of(0, 5))), RN_OUT_TRACK_FULL);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_REJ);
	assert_int_equal(m.rej.reason, RN_CM_REJ_NO_RESOURCES);
	assert_int_equal(in(&b, sidr), RN_OUT_TRACK_FULL);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_SIDR_REP);
	assert_int_equal(m.sidr_rep.status, RN_CM_SIDR_NO_QP);
	bench_stop(&b);
}

/* A client with many connections does not delay the obituaries of another. */
static void clients_take_turns(void **state)
{
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;
	unsigned position = 0;

	start(&b);
	bench_attach(&b, 1);
	for (unsigned i = 0; i < 100; i++)
		connect_out(&b, 1, i);
	connect_out(&b, CLIENT, 7);
	rn_switch_detach(b.sw, 1, b.now);
	die(&b);
	/* beside a flood of requests for which nobody listens */
	for (unsigned i = 0; i < 50; i++)
		in(&b, req(id_of(0, 200 + i), qpn_of(0, i)));
	while (take(&b, &p, &m) && ++position < 20)
		if (m.attr == RN_CM_DREQ && m.dreq.local_id == id_of(CLIENT, 7))
			break;
	assert_in_range(position, 1, 8);
	bench_stop(&b);
}

static void a_thousand_connections_die_at_once(void **state)
{
	struct rn_cm_msg m;
	struct rn_pkt p;
	struct bench b;
	unsigned dreqs = 0;

	start(&b);
	for (unsigned i = 0; i < 1000; i++)
		connect_out(&b, CLIENT, i);
	assert_int_equal(known(&b), 1000);
	die(&b);
	while (take(&b, &p, &m))
		dreqs += m.attr == RN_CM_DREQ;
	assert_int_equal(dreqs, 1000);
	for (unsigned i = 0; i < 1000; i++)
		in(&b, drep(id_of(0, i), id_of(CLIENT, i)));
	assert_int_equal(known(&b), 0);
	bench_stop(&b);
}

/* Two clients of one switch are each other's peers. */
static void a_local_peer_is_told_too(void **state)
{
	struct rn_cm_msg m, first = req(id_of(1, 1), qpn_of(1, 1)),
			    second = rep(id_of(CLIENT, 1), id_of(1, 1), qpn_of(CLIENT, 1)),
			    third = rtu(id_of(1, 1), id_of(CLIENT, 1));
	struct rn_pkt p;
	struct bench b;

	start(&b);
	bench_attach(&b, 1);
	assert_int_equal(give_cm(&b, 1, OWN, OWN, &first), RN_OUT_TO_SERVICE);
	assert_int_equal(give_cm(&b, CLIENT, OWN, OWN, &second), RN_OUT_TO_ID);
	assert_int_equal(b.way.client, 1);
	assert_int_equal(give_cm(&b, 1, OWN, OWN, &third), RN_OUT_TO_ID);
	assert_int_equal(rn_switch_connections(b.sw, 1), 1);
	assert_int_equal(known(&b), 1);
	die(&b);
	assert_true(take(&b, &p, &m));
	assert_int_equal(m.attr, RN_CM_DREQ);
	assert_int_equal(b.way.client, 1);
	assert_false(b.way.wire);
	/* client 1 answers; both sides are then forgotten */
	m = drep(id_of(1, 1), id_of(CLIENT, 1));
	assert_int_equal(give_cm(&b, 1, OWN, OWN, &m), RN_OUT_NO_CONNECTION);
	assert_int_equal(rn_switch_connections(b.sw, 1), 0);
	assert_int_equal(known(&b), 0);
	bench_stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peer_is_sent_what_the_state_demands),
		cmocka_unit_test(an_announced_request_is_refused_too),
		cmocka_unit_test(a_dreq_is_repeated_until_it_is_answered),
		cmocka_unit_test(strangers_change_nothing),
		cmocka_unit_test(a_late_rej_finds_its_client),
		cmocka_unit_test(a_late_rej_for_a_dead_client_is_dropped),
		cmocka_unit_test(a_repeated_req_may_cross_the_rep),
		cmocka_unit_test(repeated_messages_make_no_second_entry),
		cmocka_unit_test(shares_are_limited),
		cmocka_unit_test(every_client_has_its_part),
		cmocka_unit_test(a_full_client_refuses),
		cmocka_unit_test(clients_take_turns),
		cmocka_unit_test(a_thousand_connections_die_at_once),
		cmocka_unit_test(a_local_peer_is_told_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
