/* A flood of connection requests must not disturb other connections, and must leave nothing in the
 * CM table.
 *
 * One listener of node 1 gets ten thousand REQs per second. Meanwhile node 1 connects to node 0,
 * and node 0 connects to another listener of node 1. Both connects must succeed as they do without
 * the flood. The test tier determines the duration of the flood: a minute in `ci` and `full`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cm_request.h"
#include "craft.h"
#include "net/neigh.h"
#include "base/rng.h"
#include "shard/shard.h"
#include "sim.h"

#define VICTIM	  1
#define FLOODED	  4000
#define QUIET	  4001 /* CM port of node 1's listener that is not flooded */
#define ELSEWHERE 5000 /* CM port of node 0's listener */
#define PER_MS	  10

enum source { ONE_HOST, RANDOM_IPV4, RANDOM_IPV6 };

/* What the client at the flooded listener does with REQUEST events. */
enum client { NEVER_ANSWERS, ACCEPTS_ALL };

struct flood {
	struct sim *sim;
	enum source source;
	enum client client;
	struct rn_rng rng;
	uint32_t sent;
	/* number of REQs that arrived: [0] at node 0, [1] at the listener of node 1 that is not
	 * flooded */
	uint64_t counted[2];
	uint64_t tried;
	unsigned most_live;
};

static unsigned seconds(void)
{
	const char *tier = getenv("SOFTRNIC_TIER");

	if (tier && (strcmp(tier, "ci") == 0 || strcmp(tier, "full") == 0))
		return 60;
	return tier && strcmp(tier, "quick") == 0 ? 1 : 10;
}

static uint32_t listen_at(struct sim *sim, unsigned node, uint16_t port, uint32_t backlog)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_CM_LISTEN, .user = 1, .cm = {.port = port, .backlog = backlog}};
	struct rn_rsp rsp;

	sim_exec(sim, node, &cmd, &rsp);
	assert_int_equal(rsp.err, 0);
	return rsp.id;
}

static int connect_from(struct sim *sim, unsigned node, uint16_t port, uint32_t qpn, uint32_t *id)
{
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT,
			     .user = 2,
			     .cm = {.peer = sim->node[1 - node].port.gids[0],
				    .peer_port = port,
				    .param = {.qpn = qpn, .psn = 7}}};
	struct rn_rsp rsp;

	sim_exec(sim, node, &cmd, &rsp);
	*id = rsp.id;
	return rsp.err;
}

static void do_with(struct sim *sim, unsigned node, unsigned op, uint32_t id, uint32_t qpn)
{
	struct rn_cmd cmd = {.op = (uint16_t)op, .cm = {.id = id, .param = {.qpn = qpn, .psn = 9}}};
	struct rn_rsp rsp;

	sim_exec(sim, node, &cmd, &rsp);
}

static struct rn_gid attacker(struct flood *f)
{
	struct rn_gid g = f->sim->node[0].port.gids[f->source == RANDOM_IPV6];

	if (f->source == ONE_HOST)
		g.b[15] = 77;
	if (f->source == RANDOM_IPV4)
		g.b[15] = (uint8_t)(3 + rn_rng_next(&f->rng) % 250);
	for (unsigned i = 8; f->source == RANDOM_IPV6 && i < 16; i++)
		g.b[i] = (uint8_t)rn_rng_next(&f->rng);
	return g;
}

/* Injects one REQ from a host that does not exist, with the longest timeouts that the fields of a
 * REQ can express. */
static void request(struct flood *f)
{
	const struct sim_node *victim = &f->sim->node[VICTIM];
	bool v6 = f->source == RANDOM_IPV6;
	struct rn_pkt p = craft_packet(f->sim, VICTIM, 0, RN_T_UD | RN_OP_SEND_ONLY, 0);
	struct rn_gid src = attacker(f), dst = victim->port.gids[v6];
	struct rn_cm_msg m = cm_request(&src, &dst, FLOODED);
	uint8_t mad[RN_MAD_BYTES];

	f->sent++;
	m.tid = rn_rng_next(&f->rng);
	m.req.local_id = f->sent;
	m.req.guid = 0xabcdef0000ull + f->sent;
	m.req.qpn = 100 + f->sent % 0xFFFF00;
	m.req.remote_response_timeout = m.req.local_response_timeout = 31;
	m.req.ack_timeout = 10;
	rn_cm_msg_build(&m, mad);
	p.ipv4 = !v6;
	p.src = src;
	p.dst = dst;
	p.dest_qpn = p.src_qpn = RN_GSI_QPN;
	p.qkey = RN_GSI_QKEY;
	p.payload = mad;
	p.payload_len = RN_MAD_BYTES;
	p.smac[5] = 77;
	craft_inject(f->sim, VICTIM, &p);
}

/* Handles the events of all listeners as their clients would. At a listener that is not flooded,
 * counts each REQUEST event and destroys the CM id of the new connection. */
static void serve(struct flood *f)
{
	struct sim *sim = f->sim;

	for (unsigned node = 0; node < SIM_NODES; node++) {
		for (unsigned i = 0; i < sim->nevents[node]; i++) {
			struct rn_event ev = sim->events[node][i];
			bool flooded = node == VICTIM && ev.port == FLOODED;

			if (ev.kind == RN_EVENT_CM_REQUEST && !flooded) {
				f->counted[node]++;
				do_with(sim, node, RN_CMD_CM_DESTROY, ev.id, 0);
			} else if (ev.kind == RN_EVENT_CM_REQUEST && f->client == ACCEPTS_ALL) {
				do_with(sim, node, RN_CMD_CM_ACCEPT, ev.id,
					0x10000 + ev.id % 0xE00000);
			} else if (ev.kind == RN_EVENT_CM_REJECTED ||
				   ev.kind == RN_EVENT_CM_UNREACHABLE) {
				do_with(sim, node, RN_CMD_CM_DESTROY, ev.id, 0);
			}
		}
		sim->nevents[node] = 0;
	}
}

static void pass(struct flood *f, rn_time span)
{
	rn_time end = f->sim->now + span;

	while (f->sim->now < end) {
		sim_run(f->sim, RN_MIN(end, f->sim->now + RN_MS(1)));
		serve(f);
	}
}

static void start(struct flood *f, enum source source, enum client client, uint32_t backlog)
{
	struct sim_spec spec;

	*f = (struct flood){.sim = calloc(1, sizeof(*f->sim)), .source = source, .client = client};
	assert_non_null(f->sim);
	sim_spec_default(&spec);
	sim_init(f->sim, &spec);
	rn_rng_seed(&f->rng, 5);
	listen_at(f->sim, VICTIM, FLOODED, backlog);
	listen_at(f->sim, VICTIM, QUIET, 0);
	listen_at(f->sim, 0, ELSEWHERE, 0);
	pass(f, RN_S(1));
}

/* Starts one connection in each direction. Called every 50 ms of virtual time. */
static void try_both(struct flood *f)
{
	uint32_t id;

	f->tried++;
	connect_from(f->sim, VICTIM, ELSEWHERE, 500 + (uint32_t)f->tried, &id);
	connect_from(f->sim, 0, QUIET, 500 + (uint32_t)f->tried, &id);
}

static void run(enum source source, enum client client, uint32_t backlog)
{
	unsigned ms = seconds() * 1000;
	struct flood f;

	start(&f, source, client, backlog);
	for (unsigned t = 0; t < ms; t++) {
		for (unsigned i = 0; i < PER_MS; i++)
			request(&f);
		if (t % 50 == 25 && t + 200 < ms)
			try_both(&f);
		pass(&f, RN_MS(1));
		f.most_live = RN_MAX(f.most_live, rn_cm_live(f.sim->node[VICTIM].shard->lane.cm));
	}
	printf("# %u requests, of %u tries %u own connects and %u requests to another listener "
	       "succeeded; at most %u of %u ids\n",
	       f.sent, (unsigned)f.tried, (unsigned)f.counted[0], (unsigned)f.counted[VICTIM],
	       f.most_live, f.sim->node[VICTIM].cfg.max_cm);
	assert_true(f.counted[0] * 100 >= f.tried * 99);
	assert_true(f.counted[VICTIM] * 100 >= f.tried * 99);
	/* After 200 s even the longest timeouts have expired. So all CM ids except those of the
	 * listeners are free again. */
	pass(&f, RN_S(200));
	assert_int_equal(rn_cm_live(f.sim->node[VICTIM].shard->lane.cm), 2);
	assert_int_equal(rn_cm_live(f.sim->node[0].shard->lane.cm), 1);
	sim_fini(f.sim);
	free(f.sim);
}

#define ROWS(X)                                                           \
	X(one_host, ONE_HOST, NEVER_ANSWERS, 0)                           \
	X(one_host_to_a_short_backlog, ONE_HOST, NEVER_ANSWERS, 32)       \
	X(one_host_that_is_accepted, ONE_HOST, ACCEPTS_ALL, 0)            \
	X(random_ipv4, RANDOM_IPV4, NEVER_ANSWERS, 0)                     \
	X(random_ipv4_to_a_short_backlog, RANDOM_IPV4, NEVER_ANSWERS, 32) \
	X(random_ipv4_that_is_accepted, RANDOM_IPV4, ACCEPTS_ALL, 0)      \
	X(random_ipv6, RANDOM_IPV6, NEVER_ANSWERS, 0)                     \
	X(random_ipv6_to_a_short_backlog, RANDOM_IPV6, NEVER_ANSWERS, 32) \
	X(random_ipv6_that_is_accepted, RANDOM_IPV6, ACCEPTS_ALL, 0)

#define X(name, source, client, backlog)      \
	static void name(void **state)        \
	{                                     \
		run(source, client, backlog); \
	}
ROWS(X)
#undef X

int main(void)
{
	const struct CMUnitTest tests[] = {
#define X(name, source, client, backlog) cmocka_unit_test(name),
		ROWS(X)
#undef X
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
