/* What a switch is told about connections and listeners: the state and the numbers of a connection
 * in every state, and the walks through the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm/cm_priv.h"
#include "cm/cm_track.h"
#include "cm_net.h"
#include "wire/frame.h"

#define EV(name) RN_EVENT_CM_##name
#define QPN	 0x11

/* ---- the state and the numbers of one connection ---- */

struct both {
	struct net net;
	uint32_t id[2], listener;
};

/* The CM states of both sides; FREE: the side has no connection yet. */
static void expect_states(const struct both *b, enum rn_cm_state active, enum rn_cm_state passive)
{
	const enum rn_cm_state states[2] = {active, passive};

	for (unsigned i = 0; i < 2; i++)
		if (states[i] != RN_CMS_FREE)
			assert_int_equal(rn_cm_by_id(b->net.box[i].cm, b->id[i])->state, states[i]);
}

static void find_ids(struct both *b, uint32_t id)
{
	b->id[0] = id;
	net_pump(&b->net);
	b->id[1] = net_event(&b->net, 1, EV(REQUEST))->id;
}

static void resolving(struct both *b)
{
	b->net.box[1].deaf = true;
	b->id[0] = net_connect(&b->net, 0, QPN);
	expect_states(b, RN_CMS_RESOLVING, RN_CMS_FREE);
}

static void asked(struct both *b)
{
	b->net.box[1].accept = false;
	find_ids(b, net_connect(&b->net, 0, QPN));
	expect_states(b, RN_CMS_REQ_SENT, RN_CMS_REQ_RCVD);
}

static void asked_to_wait(struct both *b)
{
	asked(b);
	assert_int_equal(net_op(&b->net, 1, RN_CMD_CM_DELAY, b->id[1]).err, 0);
	net_pump(&b->net);
	expect_states(b, RN_CMS_REQ_WAIT, RN_CMS_REQ_RCVD);
}

static void answered(struct both *b)
{
	b->net.box[0].establish = false;
	find_ids(b, net_connect(&b->net, 0, QPN));
	expect_states(b, RN_CMS_REP_RCVD, RN_CMS_REP_SENT);
}

static void answered_to_wait(struct both *b)
{
	answered(b);
	assert_int_equal(net_op(&b->net, 0, RN_CMD_CM_DELAY, b->id[0]).err, 0);
	net_pump(&b->net);
	expect_states(b, RN_CMS_REP_RCVD, RN_CMS_REP_WAIT);
}

static void connected(struct both *b)
{
	find_ids(b, net_connect(&b->net, 0, QPN));
	expect_states(b, RN_CMS_ESTABLISHED, RN_CMS_ESTABLISHED);
}

static void disconnecting(struct both *b)
{
	connected(b);
	b->net.box[1].slow = true;
	assert_int_equal(net_op(&b->net, 0, RN_CMD_CM_DISCONNECT, b->id[0]).err, 0);
	net_pump(&b->net);
	expect_states(b, RN_CMS_DREQ_SENT, RN_CMS_DREQ_RCVD);
}

static void closed(struct both *b)
{
	disconnecting(b);
	assert_int_equal(net_op(&b->net, 1, RN_CMD_CM_DISCONNECT, b->id[1]).err, 0);
	net_pump(&b->net);
	expect_states(b, RN_CMS_CLOSED, RN_CMS_CLOSED);
}

static void service_asked(struct both *b)
{
	struct rn_cmd listen = {.op = RN_CMD_CM_LISTEN,
				.cm = {.port = NET_PORT, .port_space = RN_PS_UDP}};
	struct rn_cmd ask = net_connect_cmd(0, false, QPN);

	b->net.box[1].accept = false;
	ask.cm.port_space = RN_PS_UDP;
	net_destroy(&b->net, 1, b->listener);
	b->listener = net_exec(&b->net, 1, listen).id;
	find_ids(b, net_exec(&b->net, 0, ask).id);
	expect_states(b, RN_CMS_SIDR_SENT, RN_CMS_SIDR_RCVD);
}

static void service_found(struct both *b)
{
	struct rn_cmd accept = {.op = RN_CMD_CM_ACCEPT};

	service_asked(b);
	accept.cm.id = b->id[1];
	accept.cm.param.qpn = 0x123;
	assert_int_equal(net_exec(&b->net, 1, accept).err, 0);
	net_pump(&b->net);
	expect_states(b, RN_CMS_BOUND, RN_CMS_CLOSED);
}

/* Columns: how the connection comes into its states, and for the active and the passive side: does
 * the switch know a connection, its state, does the announcement have the numbers of the own side
 * and of the peer. The last column is the service id's port space, or 0 for no service id. */
static const struct {
	void (*reach)(struct both *);
	struct {
		enum rn_track_state state;
		bool own_id, peer_id, own_qpn, peer_qpn;
		uint16_t space;
	} side[2];
} rows[] = {
	{resolving, {{RN_TRACK_FREE, 1, 0, 0, 0, 0}}},
	{asked, {{RN_TRACK_REQ_SENT, 1, 0, 1, 0, 0}, {RN_TRACK_REQ_RCVD, 0, 1, 0, 1, RN_PS_TCP}}},
	{asked_to_wait,
	 {{RN_TRACK_REQ_SENT, 1, 0, 1, 0, 0}, {RN_TRACK_REQ_RCVD, 0, 1, 0, 1, RN_PS_TCP}}},
	{answered, {{RN_TRACK_REP_RCVD, 1, 1, 1, 1, 0}, {RN_TRACK_REP_SENT, 1, 1, 1, 1, 0}}},
	{answered_to_wait,
	 {{RN_TRACK_REP_RCVD, 1, 1, 1, 1, 0}, {RN_TRACK_REP_SENT, 1, 1, 1, 1, 0}}},
	{connected, {{RN_TRACK_UP, 1, 1, 1, 1, 0}, {RN_TRACK_UP, 1, 1, 1, 1, 0}}},
	{disconnecting, {{RN_TRACK_DREQ_SENT, 1, 1, 1, 1, 0}, {RN_TRACK_DREQ_RCVD, 1, 1, 1, 1, 0}}},
	{closed, {{RN_TRACK_FREE, 1, 0, 0, 0, 0}, {RN_TRACK_FREE, 1, 0, 0, 0, 0}}},
	{service_asked,
	 {{RN_TRACK_SIDR_SENT, 1, 0, 0, 0, 0}, {RN_TRACK_SIDR_RCVD, 0, 1, 0, 0, RN_PS_UDP}}},
	{service_found, {{RN_TRACK_FREE, 1, 0, 0, 0, 0}, {RN_TRACK_FREE, 1, 0, 0, 0, 0}}},
};

/* What side i of rows[r] announces. */
static void expect_track(const struct both *b, unsigned r, unsigned i)
{
	const struct rn_cm *cm = b->net.box[i].cm;
	const struct rn_cm_conn *own = rn_cm_by_id(cm, b->id[i]);
	const struct rn_cm_conn *peer = rn_cm_by_id(b->net.box[1 - i].cm, b->id[1 - i]);
	const uint16_t space = rows[r].side[i].space;
	const struct rn_gid here = net_gid(i, false), there = net_gid(1 - i, false);
	struct rn_cm_track t, walked;
	uint32_t cursor = 0;

	assert_true(rn_cm_track(cm, b->id[i], &t));
	assert_int_equal(t.state, rows[r].side[i].state);
	assert_int_equal(t.local_id, rows[r].side[i].own_id ? own->local_id : 0);
	assert_int_equal(t.remote_id, rows[r].side[i].peer_id ? peer->local_id : 0);
	assert_int_equal(t.local_qpn, rows[r].side[i].own_qpn ? own->own.qpn : 0);
	assert_int_equal(t.remote_qpn, rows[r].side[i].peer_qpn ? peer->own.qpn : 0);
	assert_int_equal(t.service_id, space ? rn_cm_service_id(space, NET_PORT) : 0);
	assert_memory_equal(&t.way.src, &here, sizeof(here));
	assert_memory_equal(&t.way.dst, &there, sizeof(there));
	assert_int_equal(rn_cm_tracks(cm, &cursor, &walked, 1), t.state != RN_TRACK_FREE);
	if (t.state == RN_TRACK_FREE)
		return;
	assert_memory_equal(t.way.dmac, b->net.box[1 - i].port.mac, 6);
	assert_int_equal(walked.state, t.state);
	assert_int_equal(walked.local_id, t.local_id);
	assert_int_equal(walked.remote_id, t.remote_id);
}

static void start(struct both *b)
{
	memset(b, 0, sizeof(*b));
	net_init(&b->net);
	b->listener = net_listen(&b->net, 1, 0);
}

static void stop(struct both *b)
{
	for (unsigned i = 0; i < 2; i++) {
		b->net.box[i].deaf = b->net.box[i].slow = false;
		if (b->id[i])
			net_destroy(&b->net, i, b->id[i]);
		net_pump(&b->net);
	}
	net_destroy(&b->net, 1, b->listener);
	net_fini(&b->net);
}

static void a_connection_is_announced_as_the_messages_show_it(void **state)
{
	for (unsigned r = 0; r < RN_ARRAY_SIZE(rows); r++) {
		struct both b;

		start(&b);
		rows[r].reach(&b);
		for (unsigned i = 0; i < 2; i++)
			if (b.id[i])
				expect_track(&b, r, i);
		stop(&b);
	}
}

/* Numbers of an earlier attempt do not appear in the next one. */
static void a_second_attempt_has_its_own_numbers(void **state)
{
	struct rn_cmd reject = {.op = RN_CMD_CM_REJECT}, again = net_connect_cmd(0, false, QPN);
	struct rn_cm_track first, t;
	struct both b;

	start(&b);
	answered(&b);
	assert_true(rn_cm_track(b.net.box[0].cm, b.id[0], &first));
	net_destroy(&b.net, 1, b.id[1]); /* withdraws the REP */
	net_pump(&b.net);
	assert_true(rn_cm_track(b.net.box[0].cm, b.id[0], &t));
	assert_int_equal(t.state, RN_TRACK_FREE);
	assert_int_equal(t.local_id, first.local_id);
	b.net.box[1].accept = false;
	net_forget(&b.net);
	again.cm.id = b.id[0];
	assert_int_equal(net_exec(&b.net, 0, again).err, 0);
	find_ids(&b, b.id[0]);
	assert_true(rn_cm_track(b.net.box[0].cm, b.id[0], &t));
	assert_int_equal(t.state, RN_TRACK_REQ_SENT);
	assert_int_not_equal(t.local_id, first.local_id);
	assert_int_equal(t.remote_id, 0);
	assert_int_equal(t.remote_qpn, 0);
	reject.cm.id = b.id[1];
	assert_int_equal(net_exec(&b.net, 1, reject).err, 0);
	stop(&b);
}

static void other_ids_are_no_connections(void **state)
{
	uint32_t bound;
	struct rn_cm_track t;
	struct both b;

	start(&b);
	bound = net_exec(&b.net, 1, (struct rn_cmd){.op = RN_CMD_CM_BIND}).id;
	assert_false(rn_cm_track(b.net.box[1].cm, 0, &t));
	assert_false(rn_cm_track(b.net.box[1].cm, bound + 1, &t));
	assert_false(rn_cm_track(b.net.box[1].cm, bound, &t));
	assert_false(rn_cm_track(b.net.box[1].cm, b.listener, &t));
	net_destroy(&b.net, 1, bound);
	stop(&b);
}

/* ---- walks ---- */

#define MANY 7u

/* A walk finds each connection once, whatever the size of its portions, and also one whose id the
 * client has destroyed. */
static void a_walk_finds_each_connection_once(void **state)
{
	struct both b;
	uint32_t ids[MANY];

	start(&b);
	for (unsigned k = 0; k < MANY; k++) {
		ids[k] = net_connect(&b.net, 0, QPN + k);
		net_pump(&b.net);
	}
	b.net.box[1].slow = true;
	net_destroy(&b.net, 0, ids[3]);
	net_pump(&b.net);
	for (unsigned portion = 1; portion <= MANY + 1; portion++) {
		struct rn_cm_track t[MANY + 1];
		unsigned found[MANY] = {0}, n, calls = 0;
		uint32_t cursor = 0;

		while ((n = rn_cm_tracks(b.net.box[0].cm, &cursor, t, portion))) {
			assert_in_range(n, 1, portion);
			calls++;
			while (n--) {
				assert_in_range(t[n].local_qpn, QPN, QPN + MANY - 1);
				assert_int_equal(t[n].state, t[n].local_qpn == QPN + 3
								     ? RN_TRACK_DREQ_SENT
								     : RN_TRACK_UP);
				found[t[n].local_qpn - QPN]++;
			}
		}
		assert_int_equal(calls, (MANY + portion - 1) / portion);
		for (unsigned k = 0; k < MANY; k++)
			assert_int_equal(found[k], 1);
		assert_int_equal(rn_cm_tracks(b.net.box[0].cm, &cursor, t, portion), 0);
	}
	b.net.box[1].slow = false;
	for (unsigned k = 0; k < MANY; k++)
		if (k != 3)
			net_destroy(&b.net, 0, ids[k]);
	for (unsigned k = 0; k < b.net.box[1].nev; k++)
		if (b.net.box[1].ev[k].kind == EV(REQUEST))
			net_destroy(&b.net, 1, b.net.box[1].ev[k].id);
	stop(&b);
}

static uint32_t bind_at(struct both *b, const struct rn_gid *addr, uint16_t port, uint16_t flags)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_CM_BIND, .flags = flags, .cm = {.local = *addr, .port = port}};
	struct rn_rsp rsp = net_exec(&b->net, 1, cmd);

	assert_int_equal(rsp.err, 0);
	return rsp.id;
}

/* Each id that keeps others from listening at its address and port is a listener. */
static void listeners_are_announced_with_their_addresses(void **state)
{
	const struct rn_gid any = {{0}}, any_ipv4 = {{[10] = 0xff, 0xff}}, own = net_gid(1, false);
	const struct rn_cm_listener_id want[] = {
		{rn_cm_service_id(RN_PS_TCP, NET_PORT), any},
		{rn_cm_service_id(RN_PS_TCP, 4000), own},
		{rn_cm_service_id(RN_PS_TCP, 4001), any_ipv4},
		{rn_cm_service_id(RN_PS_UDP, 4001), any},
	};
	struct rn_cmd udp = {.op = RN_CMD_CM_LISTEN, .cm = {.port = 4001, .port_space = RN_PS_UDP}};
	struct rn_cm_listener_id l[8];
	struct both b;
	uint32_t id[5], cursor = 0;

	start(&b);
	b.net.box[1].accept = false;
	id[0] = bind_at(&b, &own, 4000, 0);
	assert_int_equal(net_op(&b.net, 1, RN_CMD_CM_LISTEN, id[0]).err, 0);
	id[1] = bind_at(&b, &any_ipv4, 4001, RN_CM_FOR_LISTENER);
	id[2] = net_exec(&b.net, 1, udp).id;
	/* no listeners: an id with a port, one that is closed, and a request that has arrived */
	id[3] = bind_at(&b, &own, 4002, 0);
	id[4] = bind_at(&b, &own, 4003, RN_CM_FOR_LISTENER);
	net_destroy(&b.net, 1, id[4]);
	find_ids(&b, net_connect(&b.net, 0, QPN));
	for (unsigned portion = 1; portion <= 8; portion++) {
		unsigned n = 0, more;

		cursor = 0;
		while ((more = rn_cm_listeners(b.net.box[1].cm, &cursor, l + n,
					       RN_MIN(portion, 8 - n))))
			n += more;
		assert_int_equal(n, RN_ARRAY_SIZE(want));
		assert_memory_equal(l, want, sizeof(want));
	}
	/* an id that was bound for a listener, and connects instead, without success */
	struct rn_cmd cmd = net_connect_cmd(1, false, QPN);
	cmd.cm.id = id[1];
	assert_int_equal(net_exec(&b.net, 1, cmd).err, 0);
	cursor = 0;
	assert_int_equal(rn_cm_listeners(b.net.box[1].cm, &cursor, l, 8), 3);
	net_pump(&b.net);
	cursor = 0;
	assert_int_equal(rn_cm_listeners(b.net.box[1].cm, &cursor, l, 8), 4);
	assert_memory_equal(l, want, sizeof(want));
	for (unsigned i = 0; i < 4; i++)
		net_destroy(&b.net, 1, id[i]);
	stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection_is_announced_as_the_messages_show_it),
		cmocka_unit_test(a_second_attempt_has_its_own_numbers),
		cmocka_unit_test(other_ids_are_no_connections),
		cmocka_unit_test(a_walk_finds_each_connection_once),
		cmocka_unit_test(listeners_are_announced_with_their_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
