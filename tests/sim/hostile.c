/* Attacks on the NIC by a peer, by any host on the network, and by the node's own client. The seed
 * determines the whole run.
 * - Two nodes exchange messages all the time.
 * - Their clients also post work requests of random bytes, and change QP states.
 * - An attacker who has all keys and addresses injects frames.
 * - A QP in the error state is replaced by a new QP.
 * The rules that are checked are described in hostile_ledger.h, hostile_memory.h,
 * hostile_bystander.h and hostile_calm.h. Sanitizers check the rest. */
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "hostile_bystander.h"
#include "hostile_calm.h"
#include "hostile_ledger.h"
#include "hostile_memory.h"
#include "hostile_move.h"
#include "hostile_state.h"
#include "hostile_strike.h"
#include "hostile_window.h"
#include "hostile_work.h"
#include "wire/stats.h"

static bool hear(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct hostile *h = arg;
	(void)sim;
	hostile_memory_leak(h, from, pkt);
	hostile_strike_record(h, from, pkt);
	return true;
}

/* ---- the clients of both nodes ---- */

static void connect_pair(struct hostile *h, unsigned q)
{
	sim_connect(&h->sim, q);
	for (unsigned node = 0; node < SIM_NODES; node++)
		ledger_begin(h, node, q);
	if (h->has_group && q == 0)
		sim_group(&h->sim, 1, q, true, &h->group);
}

static void revive(struct hostile *h, unsigned q)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		ledger_end(h, node, q);
		sim_destroy_qp(&h->sim, node, q);
	}
	connect_pair(h, q);
	SEEN(h, REVIVED);
}

static bool works(unsigned state)
{
	return state == RN_QPS_RTS || state == RN_QPS_SQD || state == RN_QPS_SQE;
}

static void work_on_pair(struct hostile *h, unsigned q)
{
	if (!works(qp_state(h, 0, q)) || !works(qp_state(h, 1, q)) || one_in(h, 300)) {
		if (one_in(h, 3))
			revive(h, q);
		return;
	}
	for (unsigned node = 0; node < SIM_NODES; node++) {
		if (one_in(h, qp_state(h, node, q) == RN_QPS_SQE ? 3 : 5))
			hostile_move_on(h, node, q);
		hostile_work(h, node, q);
		if (one_in(h, h->pace_moves) ||
		    (qp_state(h, node, q) == RN_QPS_SQD && one_in(h, 3)))
			hostile_move(h, node, q);
	}
}

static void work(struct hostile *h)
{
	for (unsigned q = 0; q < h->sim.spec.qps; q++)
		work_on_pair(h, q);
	hostile_bystander_work(h);
	ledger_take(h);
	hostile_cm_work(&h->cm);
}

/* ---- one run: set-up, loop, checks at the end ---- */

static void draw_links(struct hostile *h, struct sim_spec *s)
{
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct rn_impair *l = &s->link[i].impair;
		l->loss_ppm = one_in(h, 2) ? 20000 : 0;
		l->duplicate_ppm = one_in(h, 3) ? 20000 : 0;
		if (one_in(h, 3)) {
			l->reorder_ppm = 20000;
			l->reorder_ns = RN_US(20);
		}
	}
}

static void draw_spec(struct hostile *h, struct sim_spec *s)
{
	static const uint8_t types[] = {RN_QPT_RC, RN_QPT_RC, RN_QPT_RC, RN_QPT_UC, RN_QPT_UD};
	sim_spec_default(s);
	s->mem = &hostile_mem;
	s->seed = h->seed;
	s->type = types[h->seed % RN_ARRAY_SIZE(types)];
	s->qps = 1 + below(h, 4);
	s->foreign = s->type == RN_QPT_RC && !one_in(h, 4) ? s->qps : 0;
	s->ipv6 = one_in(h, 2);
	s->vlan = one_in(h, 4);
	s->path_mtu = (uint8_t)(1 + below(h, 5));
	s->rd_atomic = (uint8_t)(one_in(h, 5) ? 16 : 1 + below(h, 5));
	s->first_psn = one_in(h, 2) ? below(h, 1 << 24) : 0xFFFFFF - below(h, 200);
	s->timeout = 8;
	s->min_rnr_timer = 1;
	s->rnr_retry = one_in(h, 2) ? 7 : 3;
	s->two_shards = one_in(h, s->type == RN_QPT_UD ? 4 : 2);
	s->credits = one_in(h, 2);
	s->srq_depth = one_in(h, 2) ? 64 : 0;
	s->window = one_in(h, 2) ? 0 : 1 + below(h, 40);
	s->quota = 1 + below(h, 20);
	draw_links(h, s);
}

static void draw_group(struct hostile *h, const struct sim_spec *s)
{
	static const struct rn_gid v6 = {{0xff, 0x0e, [15] = 0x71}},
				   v4 = {{[10] = 0xff, [11] = 0xff, [12] = 239, [15] = 7}};
	/* The simulator delivers a multicast packet to one shard only. So runs with two shards have
	 * no multicast group. */
	h->has_group = s->type == RN_QPT_UD && !s->two_shards;
	h->group = s->ipv6 ? v6 : v4;
}

static void start(struct hostile *h)
{
	struct sim_spec spec;
	rn_rng_seed(&h->rng, h->seed ^ 0xD1B54A32D192ED03ull);
	draw_spec(h, &spec);
	draw_group(h, &spec);
	h->neighbours = one_in(h, 2);
	h->pace_raw = 20u << 2 * below(h, 3);
	h->pace_moves = 30u << 2 * below(h, 3);
	h->pace_frames = 1u << below(h, 4);
	sim_init(&h->sim, &spec);
	h->sim.filter = hear;
	h->sim.filter_arg = h;
	for (unsigned node = 0; node < SIM_NODES; node++) {
		hostile_memory_make(h, node);
		hostile_window_make(h, node);
	}
	for (unsigned q = 0; q < spec.qps; q++)
		connect_pair(h, q);
	hostile_bystander_start(h);
	hostile_cm_start(&h->cm, &h->sim, &h->rng);
}

static void count_run(struct hostile *h)
{
	static const uint8_t of_type[] = {
		[RN_QPT_RC] = HOSTILE_RC, [RN_QPT_UC] = HOSTILE_UC, [RN_QPT_UD] = HOSTILE_UD};
	const struct sim_spec *s = &h->sim.spec;
	h->t->seen[of_type[s->type]]++;
	h->t->seen[HOSTILE_SRQ] += s->srq_depth != 0;
	h->t->seen[HOSTILE_CREDITS] += s->credits;
	h->t->seen[HOSTILE_TWO_SHARDS] += s->two_shards;
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_stats sum;
		sim_stats(&h->sim.node[node], &sum);
		h->t->seen[HOSTILE_RATE_CUT] += sum.cc_cuts;
		h->t->seen[HOSTILE_CNP_SENT] += sum.np_cnp_sent;
		h->t->seen[HOSTILE_CREDIT_WAIT] += sum.credit_waits;
	}
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		h->t->verdicts[v] += h->sim.verdicts[v];
	h->t->runs++;
}

static unsigned finish(struct hostile *h)
{
	hostile_calm(h);
	for (unsigned node = 0; node < SIM_NODES; node++)
		hostile_memory_check(h, node);
	if (sim_balance(&h->sim, false, h->out))
		OBJECT(h, "the books do not balance");
	count_run(h);
	for (unsigned node = 0; node < SIM_NODES; node++) {
		hostile_window_drop(h, node);
		hostile_memory_drop(h, node);
	}
	ledger_free(h);
	unsigned left = sim_fini(&h->sim);
	if (left)
		OBJECT(h, "%u objects left over", left);
	unsigned objections = h->objections;
	free(h);
	return objections;
}

unsigned hostile_run(uint64_t seed, unsigned frames, struct hostile_totals *totals, FILE *out)
{
	struct hostile *h = calloc(1, sizeof(*h));
	if (h == NULL)
		abort();
	h->seed = seed;
	h->t = totals;
	h->out = out;
	start(h);
	for (unsigned i = 0; i < frames; i++) {
		work(h);
		for (unsigned n = one_in(h, h->pace_frames) ? below(h, 4) : 0; n; n--)
			hostile_strike(h);
		if (h->sim.spec.type == RN_QPT_RC)
			sim_step(&h->sim, h->sim.now + RN_US(1 + below(h, 30)));
		/* UC and UD have no flow control, so let every frame arrive before the client posts
		 * more. */
		else
			sim_run(&h->sim, h->sim.now + RN_US(1 + below(h, 30)));
		if (one_in(h, 500))
			sim_run(&h->sim, h->sim.now + RN_MS(below(h, 20)));
	}
	return finish(h);
}

unsigned hostile_coverage(const struct hostile_totals *t, FILE *out)
{
	static const char *const text[] = {
#define X(name, text) [HOSTILE_##name] = text,
		HOSTILE_FEATURE_ROWS(X)
#undef X
	};
	unsigned missing = 0;
	for (unsigned i = 0; i < HOSTILE_FEATURES; i++) {
		fprintf(out, "  %10llu  %s%s\n", (unsigned long long)t->seen[i], text[i],
			t->seen[i] ? "" : ": NEVER");
		missing += t->seen[i] == 0;
	}
#define X(name, number, queue)                                                            \
	fprintf(out, "  %10llu  %s done%s\n", (unsigned long long)t->done[number], #name, \
		t->done[number] ? "" : ": NEVER");                                        \
	missing += t->done[number] == 0;
	RN_WQE_ROWS(X)
#undef X
	return missing;
}
