/* Half-open connections (requested, but not yet established) of the connection manager. Tests their
 * number, their time limits, and how many connection records and neighbour entries they take. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "cm/cm_priv.h"
#include "net/neigh_priv.h"

#define EV(name) RN_EVENT_CM_##name

/* ---- neighbour entries of half-open connections ---- */

static struct rn_gid host(unsigned i)
{
	return net_gid(100 + i, false);
}

/* A REQ adds no entry for its sender to the neighbour table. The REP goes to the source MAC of the
 * REQ. Once the RTU has arrived, the QP uses the MAC found by ARP. */
static void req_adds_no_neighbour_entry(void **state)
{
	static const uint8_t truth[6] = {2, 0, 0, 0, 0, 0x42};
	struct rn_gid who = host(0), addr;
	enum rn_neigh_state told;
	uint32_t listener, child;
	struct rn_cm_msg m;
	struct net net;
	uint8_t mac[6];

	net_init(&net);
	net.may_stray = true;
	listener = net_listen(&net, 1, 0);
	m = net_req(&net, 1, &who, 1);
	assert_int_equal(net_inject_from(&net, 1, &who, &m), RN_V_OK);
	net_pump(&net);
	child = net_event(&net, 1, EV(REQUEST))->id;
	assert_int_equal(net_event(&net, 1, EV(REQUEST))->attr.av.dmac[5], who.b[15]);
	/* the REP went to the source MAC of the REQ, which neither simulated host has */
	assert_int_equal(net.astray, 1);
	assert_int_equal(rn_neigh_count(net.box[1].neigh), 0);
	/* meanwhile ARP finds another MAC, `truth`, for the sender's address */
	assert_true(rn_neigh_update(net.box[1].neigh, &who, truth, RN_NBR_REQUEST, net.now));
	assert_true(rn_neigh_changed(net.box[1].neigh, &addr, mac, &told));
	m = (struct rn_cm_msg){.attr = RN_CM_RTU};
	m.rtu.local_id = 0x1001;
	m.rtu.remote_id = rn_cm_by_id(net.box[1].cm, child)->local_id;
	assert_int_equal(net_inject_from(&net, 1, &who, &m), RN_V_OK);
	/* The change of the MAC was reported above, before the QP needed it. After the RTU the
	 * neighbour table must report this MAC again, for the QP. */
	assert_true(rn_neigh_changed(net.box[1].neigh, &addr, mac, &told));
	assert_memory_equal(mac, truth, 6);
	net_destroy(&net, 1, child);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* The next hop of a connection stays in the neighbour table until the connection ends, even if many
 * other addresses are resolved. */
static void a_connection_keeps_its_neighbour(void **state)
{
	struct rn_gid peer = net_gid(1, false);
	uint32_t listener, id;
	struct net net;
	uint8_t mac[6];

	net_init(&net);
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	for (unsigned connected = 1; connected + 1 > 0; connected--) {
		for (unsigned i = 0; i < 64; i++) {
			struct rn_gid who = host(i), own = net_gid(0, false);

			rn_neigh_resolve(net.box[0].neigh, &own, &who, mac, net.now);
			rn_neigh_update(net.box[0].neigh, &who, (uint8_t[]){2, 0, 0, 0, 0, 0x77},
					RN_NBR_REPLY, net.now);
		}
		assert_int_equal(rn_neigh_known(net.box[0].neigh, &peer, mac),
				 connected ? RN_NEIGH_READY : RN_NEIGH_PENDING);
		if (connected) {
			net_destroy(&net, 0, id);
			net_pump(&net);
		}
	}
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* Another host sends a REQ with the address of a connected peer, and no RTU answers the REP. The CM
 * repeats the REP, but must not resolve the peer's MAC again. Otherwise the other host could answer
 * and so claim the peer's address. */
static void repeated_rep_starts_no_mac_probe(void **state)
{
	static const uint8_t other[6] = {2, 0, 0, 0, 0, 0x66};
	struct rn_gid peer = net_gid(0, false);
	uint32_t listener, id;
	struct rn_cm_msg m;
	struct net net;

	net_init(&net);
	net.may_stray = true;
	net.box[0].follow = net.box[1].follow = net.box[1].accept = true;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	net_run(&net, RN_S(5));
	net.box[0].deaf = true;
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_REP;
	m = net_req(&net, 1, &peer, 99);
	assert_int_equal(net_inject(&net, 1, &m), RN_V_OK);
	net_run(&net, RN_S(30));
	assert_in_range(net.box[1].sent[RN_CM_REP], 3, 100);
	assert_false(rn_neigh_update(net.box[1].neigh, &peer, other, RN_NBR_REPLY, net.now));
	net.judge = NULL;
	net.box[0].deaf = false;
	net_run(&net, RN_S(200));
	/* The connected peer rejects the REP, because another host had sent the REQ. */
	net_destroy(&net, 1, net_event(&net, 1, RN_EVENT_CM_REJECTED)->id);
	net_destroy(&net, 0, id);
	net_pump(&net);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* ---- limits on half-open connections ---- */

/* Delivers `each` REQs from each of the hosts first .. first + n - 1 to host 1. Returns how many of
 * these REQs the CM accepted. */
static unsigned ask(struct net *net, unsigned first, unsigned n, unsigned each)
{
	static uint32_t number;
	unsigned taken = 0;

	for (unsigned i = 0; i < n * each; i++) {
		struct rn_gid who = host(first + i / each);
		struct rn_cm_msg m = net_req(net, 1, &who, ++number);

		taken += net_inject_from(net, 1, &who, &m) == RN_V_OK;
		net_pump(net);
	}
	return taken;
}

static void begin(struct net *net, uint32_t max_cm_requests, bool accept)
{
	struct box *b = &net->box[1];

	net_init(net);
	net->may_stray = true;
	b->accept = accept;
	b->cfg.max_cm_requests = max_cm_requests;
	rn_cm_destroy(b->cm);
	b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, net->now);
	assert_non_null(b->cm);
}

static uint32_t listen_at(struct net *net, uint16_t port)
{
	struct rn_rsp rsp =
		net_exec(net, 1, (struct rn_cmd){.op = RN_CMD_CM_LISTEN, .cm.port = port});

	assert_int_equal(rsp.err, 0);
	return rsp.id;
}

static void end(struct net *net)
{
	rn_cm_destroy(net->box[1].cm);
	net->box[1].cm =
		rn_cm_create(&net->box[1].cfg, &net->box[1].port, net->box[1].neigh, net->now);
	net_fini(net);
}

/* Limits for half-open connections; max_cm_requests is their total number.
 * - A source address may have at most a third of the places that other source addresses leave free.
 * - A listener may have at most half of the places that other listeners leave free.
 * A connection request that the client has accepted counts until the connection is established. */
static void half_open_limit_per_source_and_listener(void **state)
{
	for (unsigned accept = 0; accept < 2; accept++) {
		struct net net;

		begin(&net, 24, accept);
		listen_at(&net, NET_PORT);
		assert_int_equal(ask(&net, 0, 1, 30), 8); /* one source address: a third of 24 */
		assert_int_equal(net.box[1].verdict[RN_V_CM_FULL], 22);
		/* messages to unknown MACs: 22 REJs, and 8 REPs if the client accepts */
		assert_int_equal(net.astray, accept ? 30 : 22);
		/* many source addresses: the listener's half of 24 is 12, of which 8 are taken */
		assert_int_equal(ask(&net, 1, 30, 1), 4);
		assert_int_equal(rn_cm_live(net.box[1].cm), 13);
		/* a second listener on the same port number, bound to the address of host 1 */
		net_exec(&net, 1,
			 (struct rn_cmd){.op = RN_CMD_CM_LISTEN,
					 .cm = {.port = NET_PORT, .local = net_gid(1, false)}});
		/* the second listener may hold 6: half of the 12 that the first listener leaves */
		assert_int_equal(ask(&net, 40, 30, 1), 6);
		/* connects of host 1 itself do not count towards the limit on half-open
		 * connections */
		for (unsigned i = 0; i < 64 - 20; i++)
			assert_int_equal(
				net_exec(&net, 1, net_connect_cmd(1, false, 0x500 + i)).err, 0);
		assert_int_equal(net_exec(&net, 1, net_connect_cmd(1, false, 0x700)).err, -ENOSPC);
		end(&net);
	}
}

/* A connection counts towards the limit on half-open connections until it is established or until
 * either side ends the connection. */
static void ended_connections_leave_the_half_open_limit(void **state)
{
	struct net net;
	uint32_t listener;

	begin(&net, 24, true);
	listener = listen_at(&net, NET_PORT);
	for (unsigned round = 0; round < 20; round++) {
		assert_int_equal(ask(&net, 0, 1, 10), 8);
		for (unsigned i = 0; i < net.box[1].nev; i++) {
			uint32_t id = net.box[1].ev[i].id;
			struct rn_cm_conn *c = rn_cm_by_id(net.box[1].cm, id);
			struct rn_cm_msg m = {.attr = i % 3 ? RN_CM_RTU : RN_CM_REJ};
			struct rn_gid who = host(0);

			if (net.box[1].ev[i].kind != EV(REQUEST))
				continue;
			m.rtu.local_id = c->remote_id;
			m.rtu.remote_id = c->local_id;
			if (i % 2)
				assert_int_equal(net_inject_from(&net, 1, &who, &m), RN_V_OK);
			else
				net_destroy(&net, 1, id);
		}
		net_pump(&net);
		for (unsigned i = 0; i < net.box[1].nev; i++) {
			if (net.box[1].ev[i].kind == EV(ESTABLISHED) ||
			    net.box[1].ev[i].kind == EV(REJECTED))
				net_destroy(&net, 1, net.box[1].ev[i].id);
		}
		net_run(&net, RN_S(100)); /* runs until the unanswered DREQs have timed out */
		net_forget(&net);
		assert_int_equal(rn_cm_live(net.box[1].cm), 1);
	}
	net_destroy(&net, 1, listener);
	assert_int_equal(rn_cm_live(net.box[1].cm), 0);
	end(&net);
}

/* ---- time limits of half-open connections ---- */

/* Runs until a connection of host 1 fails, or until the time `most` has passed. Returns the time
 * that passed. */
static rn_time until_the_end(struct net *net, rn_time most)
{
	rn_time start = net->now;

	while (net->now < start + most && !net_count(net, 1, EV(REJECTED)) &&
	       !net_count(net, 1, EV(UNREACHABLE)))
		net_run(net, RN_MS(500));
	return net->now - start;
}

/* The client leaves a connection request unanswered. The CM drops the connection request after the
 * time in which the sender may repeat its REQ. The CM computes this time from the timeouts in the
 * REQ, within bounds of its own. */
static void unanswered_requests_time_out(void **state)
{
	static const struct {
		uint8_t timeout, retries;
		rn_time low, high;
	} rows[] = {{20, 15, RN_S(68), RN_S(71)},
		    {18, 15, RN_S(17), RN_S(18)},
		    {31, 15, RN_S(90), RN_S(92)},
		    {0, 0, RN_S(5), RN_S(6)}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		for (unsigned again = 0; again < 3; again++) {
			struct rn_gid who = host(0);
			struct rn_cm_msg m;
			struct net net;
			uint32_t id;
			rn_time span;

			begin(&net, 0, false);
			listen_at(&net, NET_PORT);
			m = net_req(&net, 1, &who, 1);
			m.req.remote_response_timeout = rows[i].timeout;
			m.req.max_cm_retries = rows[i].retries;
			assert_int_equal(net_inject_from(&net, 1, &who, &m), RN_V_OK);
			net_pump(&net);
			id = net_event(&net, 1, EV(REQUEST))->id;
			if (again == 1) { /* the CM answers the repeated REQ with an MRA for 69 s */
				net_run(&net, RN_S(4));
				assert_int_equal(net_inject_from(&net, 1, &who, &m),
						 RN_V_CM_DUPLICATE);
			}
			if (again == 2) /* the client's DELAY command sends an MRA */
				assert_int_equal(net_op(&net, 1, RN_CMD_CM_DELAY, id).err, 0);
			span = until_the_end(&net, RN_S(1000));
			assert_in_range(span, rows[i].low + (again ? RN_S(68) : 0),
					rows[i].high + (again ? RN_S(71) : 0));
			assert_int_equal(net_event(&net, 1, EV(REJECTED))->id, id);
			assert_int_equal(net_event(&net, 1, EV(REJECTED))->reason,
					 RN_CM_REJ_TIMEOUT);
			assert_int_equal(
				net_exec(&net, 1,
					 (struct rn_cmd){.op = RN_CMD_CM_ACCEPT,
							 .cm = {.id = id, .param.qpn = 0x123}})
					.err,
				-ECONNABORTED);
			net_destroy(&net, 1, id);
			assert_int_equal(rn_cm_live(net.box[1].cm), 1);
			end(&net);
		}
}

/* The CM has upper bounds for the interval between REPs and for the number of REPs. The timeouts in
 * a REQ cannot raise these bounds. */
static void rep_repetition_is_bounded(void **state)
{
	static const uint8_t codes[] = {20, 31};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(codes); i++) {
		struct rn_gid who = host(0);
		struct rn_cm_msg m;
		struct net net;
		rn_time span;

		begin(&net, 0, true);
		listen_at(&net, NET_PORT);
		m = net_req(&net, 1, &who, 1);
		m.req.local_response_timeout = codes[i];
		assert_int_equal(net_inject_from(&net, 1, &who, &m), RN_V_OK);
		span = until_the_end(&net, RN_S(100000));
		assert_in_range(span, RN_S(68), codes[i] == 20 ? RN_S(72) : RN_S(140));
		assert_int_equal(net_event(&net, 1, EV(UNREACHABLE))->err, -ETIMEDOUT);
		assert_int_equal(net.astray, 17); /* sent to unknown MACs: 16 REPs and one REJ */
		end(&net);
	}
}

/* A peer keeps sending MRAs. Nevertheless the CM gives up about 10 minutes (cm_wait_max) after its
 * own first message. Tests the CM as the active and as the passive side. */
static void mra_wait_is_bounded(void **state)
{
	for (unsigned active = 0; active < 2; active++)
		for (unsigned code = 24; code < 32; code += 7) {
			struct rn_gid who = host(0);
			struct rn_cm_msg m;
			struct net net;
			rn_time start;

			begin(&net, 0, true);
			net_wait_max(&net, RN_S(600));
			start = net.now;
			m = (struct rn_cm_msg){.attr = RN_CM_MRA};
			if (active) {
				net.judge = net_lose_all;
				net.arg[0] = RN_CM_REQ;
				net_connect(&net, 1, 0x11);
				net_pump(&net);
				who = net_gid(0, false);
				m.mra.about = RN_CM_ABOUT_REQ;
				m.mra.remote_id = net.box[1].last[RN_CM_REQ].req.local_id;
			} else {
				struct rn_cm_msg req = net_req(&net, 1, &who, 1);

				listen_at(&net, NET_PORT);
				assert_int_equal(net_inject_from(&net, 1, &who, &req), RN_V_OK);
				net_pump(&net);
				m.mra.about = RN_CM_ABOUT_REP;
				m.mra.local_id = req.req.local_id;
				m.mra.remote_id = rn_cm_by_id(net.box[1].cm,
							      net_event(&net, 1, EV(REQUEST))->id)
							  ->local_id;
			}
			m.mra.service_timeout = (uint8_t)code;
			while (!net_count(&net, 1, EV(UNREACHABLE)) &&
			       net.now < start + RN_S(36000)) {
				net_inject_from(&net, 1, &who, &m);
				net_run(&net, RN_S(10));
			}
			assert_in_range(net.now - start, RN_S(600), RN_S(720));
			end(&net);
		}
}

/* A SIDR_REQ carries no timeouts. The CM drops an unanswered SIDR_REQ 90 s after the last
 * repetition of this SIDR_REQ has arrived. */
static void sidr_requests_time_out(void **state)
{
	struct rn_gid who = host(0);
	struct rn_cma_hdr hdr = {.port = 9, .ipv4 = true, .src = who, .dst = net_gid(1, false)};
	struct rn_cm_msg m = {.attr = RN_CM_SIDR_REQ, .sidr_req.request_id = 7};
	struct net net;

	begin(&net, 0, false);
	net_exec(&net, 1,
		 (struct rn_cmd){.op = RN_CMD_CM_LISTEN,
				 .cm = {.port = NET_PORT, .port_space = RN_PS_UDP}});
	rn_cma_hdr_build(&hdr, m.sidr_req.data);
	m.sidr_req.service_id = rn_cm_service_id(RN_PS_UDP, NET_PORT);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(net_inject_from(&net, 1, &who, &m),
				 i ? RN_V_CM_DUPLICATE : RN_V_OK);
		net_run(&net, RN_S(60));
	}
	assert_int_equal(net_count(&net, 1, EV(REJECTED)), 0);
	assert_in_range(until_the_end(&net, RN_S(1000)), RN_S(29), RN_S(32));
	end(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(req_adds_no_neighbour_entry),
		cmocka_unit_test(a_connection_keeps_its_neighbour),
		cmocka_unit_test(repeated_rep_starts_no_mac_probe),
		cmocka_unit_test(half_open_limit_per_source_and_listener),
		cmocka_unit_test(ended_connections_leave_the_half_open_limit),
		cmocka_unit_test(unanswered_requests_time_out),
		cmocka_unit_test(rep_repetition_is_bounded),
		cmocka_unit_test(mra_wait_is_bounded),
		cmocka_unit_test(sidr_requests_time_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
