/* sim_share --seed N --count M [--log FILE]: makes M random runs of one SRQ, with the seeds N ..
 * N+M-1. Node 0 sends messages over impaired links to QPs on one or two shards of node 1. Often
 * node 1 has posted too few receives. Meanwhile the SRQ is made larger and its limit is armed. The
 * checks:
 * - Every message arrives once and whole and uses one receive.
 * - The messages of a QP arrive in order.
 * - An armed limit is reported once, when it is reached and not before.
 * Exits with 1 when a run failed. Also exits with 1 when M is at least 30 and something that must
 * be tested occurred in no run. The seed reproduces a failed run. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "queue/srq.h"
#include "wire/stats.h"

#define MESSAGES 24u /* number of messages per QP */
#define SLOTS	 96u
#define AREA	 9000u
#define LIMIT	 RN_S(600)

struct flow {
	unsigned sent, done, arrived;
	uint32_t length[MESSAGES];
};

struct share {
	struct sim sim;
	struct rn_rng rng;
	uint64_t seed;
	struct flow flow[SIM_MAX_QP];
	bool posted[SLOTS];
	uint32_t depth, armed;
	unsigned npost, ntaken, objections;
};

static struct {
	unsigned long long runs, messages, starved, fired, grown, both;
} totals;

#define OBJECT(s, ...)                                                              \
	((s)->objections++ ? 0                                                      \
			   : (printf("seed %llu: ", (unsigned long long)(s)->seed), \
			      printf(__VA_ARGS__), puts("")))

static uint8_t byte_of(unsigned q, unsigned n, uint32_t i)
{
	return (uint8_t)(q * 59 + n * 7 + i + (i >> 8));
}

static void draw_spec(struct share *s, struct sim_spec *spec)
{
	struct rn_rng *r = &s->rng;
	sim_spec_default(spec);
	spec->seed = s->seed;
	spec->path_mtu = (uint8_t)(1 + rn_rng_below(r, 5));
	spec->qps = 2 + (unsigned)rn_rng_below(r, 5);
	spec->two_shards = rn_rng_below(r, 4) != 0;
	spec->srq_depth = s->depth = 1 + (uint32_t)rn_rng_below(r, 6);
	spec->first_psn = (uint32_t)rn_rng_below(r, 1 << 24);
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct rn_impair *l = &spec->link[i].impair;
		l->loss_ppm = (uint32_t)rn_rng_below(r, 20000);
		l->duplicate_ppm = (uint32_t)rn_rng_below(r, 20000);
		l->reorder_ppm = (uint32_t)rn_rng_below(r, 20000);
		l->reorder_ns = 1 + rn_rng_below(r, RN_US(20));
		l->delay_min_ns = RN_US(1) + rn_rng_below(r, RN_US(20));
		l->delay_max_ns = l->delay_min_ns;
	}
}

static uint32_t level(const struct share *s)
{
	const struct rn_srq_shared *h = &s->sim.node[1].srq->shared;
	return (uint32_t)(atomic_load(&h->posted) - atomic_load(&h->taken));
}

static void send_one(struct share *s, unsigned q)
{
	struct flow *f = &s->flow[q];
	uint64_t at = (uint64_t)(q * MESSAGES + f->sent) * AREA;
	uint32_t n = (uint32_t)rn_rng_below(&s->rng, rn_rng_below(&s->rng, 4) ? 300 : AREA);
	for (uint32_t i = 0; i < n; i++)
		s->sim.node[0].arena[at + i] = byte_of(q, f->sent, i);
	f->length[f->sent] = n;
	sim_post(&s->sim, 0, q,
		 &(struct sim_op){.kind = RN_WQE_SEND,
				  .flags = RN_WQE_SIGNALED,
				  .wr_id = f->sent,
				  .local = at,
				  .length = n});
	f->sent++;
}

static void receive_one(struct share *s)
{
	unsigned slot = s->npost % SLOTS;
	while (s->posted[slot])
		slot = (slot + 1) % SLOTS;
	s->posted[slot] = true;
	s->npost++;
	sim_post_shared(&s->sim, &(struct sim_op){.kind = RN_WQE_RECV,
						  .wr_id = slot,
						  .local = (uint64_t)slot * AREA,
						  .length = AREA});
}

/* Arms a random limit of the SRQ, if no limit is armed and at least that many receives are posted.
 * Like a front end, stores the limit in the shared memory of the SRQ. */
static void arm(struct share *s)
{
	_Atomic uint32_t *limit = &s->sim.node[1].srq->shared.limit;
	uint32_t n = 1 + (uint32_t)rn_rng_below(&s->rng, s->depth);
	if (s->armed || level(s) < n)
		return;
	atomic_store(limit, n);
	s->armed = n;
}

/* Does something random that an application might do. */
static void act(struct share *s)
{
	unsigned q = (unsigned)rn_rng_below(&s->rng, s->sim.spec.qps);
	switch (rn_rng_below(&s->rng, 8)) {
	case 0:
	case 1:
	case 2:
		if (s->flow[q].sent < MESSAGES)
			send_one(s, q);
		break;
	case 3:
	case 4:
		if (level(s) < s->depth)
			receive_one(s);
		break;
	case 5:
		while (level(s) < s->depth)
			receive_one(s);
		break;
	case 6:
		arm(s);
		break;
	case 7:
		if (s->depth < 32 && rn_rng_below(&s->rng, 20) == 0) {
			s->depth *= 2;
			sim_grow_shared(&s->sim, s->depth);
			totals.grown++;
		}
		break;
	}
}

static void check_arrival(struct share *s, const struct rn_cqe *c)
{
	struct flow *f = &s->flow[c->qp_ctx];
	const uint8_t *at = s->sim.node[1].arena + c->wr_id * AREA;
	unsigned n = f->arrived++;
	if (c->status || c->wr_id >= SLOTS || !s->posted[c->wr_id] || n >= f->sent ||
	    c->byte_len != f->length[n]) {
		OBJECT(s, "queue pair %u: message %u: receive %u, status %u, %u bytes",
		       (unsigned)c->qp_ctx, n, (unsigned)c->wr_id, c->status, c->byte_len);
		return;
	}
	s->posted[c->wr_id] = false;
	s->ntaken++;
	for (uint32_t i = 0; i < c->byte_len; i++)
		if (at[i] != byte_of((unsigned)c->qp_ctx, n, i)) {
			OBJECT(s, "queue pair %u: message %u: wrong byte %u", (unsigned)c->qp_ctx,
			       n, i);
			return;
		}
}

static void reap(struct share *s)
{
	struct rn_event ev;
	struct rn_cqe c;
	while (sim_poll(&s->sim, 1, &c))
		check_arrival(s, &c);
	while (sim_poll(&s->sim, 0, &c))
		if (c.status || c.wr_id != s->flow[c.qp_ctx].done++)
			OBJECT(s, "queue pair %u: request %u ends with status %u",
			       (unsigned)c.qp_ctx, (unsigned)c.wr_id, c.status);
	while (sim_event(&s->sim, 1, RN_EVENT_SRQ_LIMIT, &ev)) {
		if (!s->armed || ev.user != 7 || atomic_load(&s->sim.node[1].srq->shared.limit))
			OBJECT(s, "told of a limit that is not armed");
		s->armed = 0;
		totals.fired++;
	}
}

static bool all_done(const struct share *s)
{
	for (unsigned q = 0; q < s->sim.spec.qps; q++)
		if (s->flow[q].done < MESSAGES || s->flow[q].arrived < MESSAGES)
			return false;
	return true;
}

static void check_end(struct share *s)
{
	const struct sim_node *n = &s->sim.node[1];
	struct rn_stats sum;
	if (!all_done(s))
		OBJECT(s, "not finished");
	sim_stats(n, &sum);
	if (level(s) != s->npost - s->ntaken || sum.srq_taken != s->ntaken)
		OBJECT(s, "%u posted, %u used, %u left", s->npost, s->ntaken, level(s));
	if (s->armed && level(s) < s->armed)
		OBJECT(s, "fewer than %u left, and nobody told", s->armed);
	s->objections += sim_balance(&s->sim, s->objections == 0, stdout);
	totals.runs++;
	totals.messages += s->ntaken;
	totals.starved += sum.tx_rnr_naks;
	totals.both += n->second && rn_shard_stats(n->second)->srq_taken &&
		       rn_shard_stats(n->shard)->srq_taken;
}

static unsigned run(uint64_t seed, FILE *log)
{
	struct share *s = calloc(1, sizeof(*s));
	struct sim_spec spec;
	if (!s)
		abort();
	s->seed = seed;
	rn_rng_seed(&s->rng, seed ^ 0x51A7ED);
	draw_spec(s, &spec);
	sim_init(&s->sim, &spec);
	s->sim.log = log;
	for (unsigned q = 0; q < spec.qps; q++)
		sim_connect(&s->sim, q);
	while (!all_done(s) && s->sim.now < LIMIT && !s->objections) {
		act(s);
		for (unsigned steps = (unsigned)rn_rng_below(&s->rng, 4); steps; steps--)
			sim_step(&s->sim, s->sim.now + rn_rng_below(&s->rng, RN_US(200)));
		reap(s);
	}
	sim_run(&s->sim, s->sim.now + RN_S(2)); /* lets late duplicates and ACKs arrive */
	reap(s);
	check_end(s);
	if (sim_fini(&s->sim))
		OBJECT(s, "something is left over");
	unsigned objections = s->objections;
	free(s);
	return objections;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{"log", required_argument, NULL, 'l'},
						{0}};
	uint64_t seed = 1, count = 100;
	unsigned failed = 0;
	FILE *log = NULL;
	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (o == 'l')
			log = fopen(optarg, "w");
		else
			return 2;
	}
	for (uint64_t i = 0; i < count && failed < 10; i++)
		if (run(seed + i, log)) {
			printf("FAILED: reproduce with sim_share --seed %llu --count 1 --log FILE\n",
			       (unsigned long long)(seed + i));
			failed++;
		}
	printf("%llu runs, %llu messages, %llu RNR NAKs, told %llu times, grown %llu times, taken from by both shards in %llu runs\n",
	       totals.runs, totals.messages, totals.starved, totals.fired, totals.grown,
	       totals.both);
	bool hit = count < 30 || (totals.starved && totals.fired && totals.grown && totals.both);
	if (!hit)
		printf("something never came up\n");
	if (log)
		fclose(log);
	return failed || !hit;
}
