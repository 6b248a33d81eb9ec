/* sim_ud --seed N --count M [--log FILE]: makes M random runs of datagrams, with the seeds N ..
 * N+M-1. Two nodes send each other datagrams over links that lose, duplicate, reorder and corrupt
 * frames. Receives are sometimes missing or too short. The checks:
 * - A delivered datagram has the data that was sent, behind its IP header.
 * - It is delivered to the addressed QP with the right source, once for each frame that arrived
 *   intact.
 * - The nodes send nothing but these datagrams.
 * Exits with 1 when a run failed. Also exits with 1 when M is at least 20 and something that must
 * be tested occurred in no run. The seed reproduces a failed run. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "qp/qp.h"
#include "wire/stats.h"

#define SENDS 60u /* number of datagrams that each QP sends */
#define SLOTS 64u
#define AREA  4200u
#define QPS   4u		   /* greatest number of QPs per node */
#define BACK  (SLOTS * QPS * AREA) /* arena offset at which the data to send begins */

struct datagram {
	uint32_t length;
	unsigned frames, arrived; /* how often the datagram was sent and delivered */
};

struct run {
	struct sim sim;
	struct rn_rng rng;
	uint64_t seed;
	struct datagram sent[SIM_NODES][QPS][SENDS];
	unsigned nsent[SIM_NODES][QPS], done[SIM_NODES][QPS];
	uint32_t room[SIM_NODES][QPS][SLOTS]; /* length of each posted receive; 0 = not posted */
	unsigned other, objections;
};

static struct {
	unsigned long long runs, sent, delivered, doubled, starved, misfit;
} totals;

#define OBJECT(r, ...)                                                              \
	((r)->objections++ ? 0                                                      \
			   : (printf("seed %llu: ", (unsigned long long)(r)->seed), \
			      printf(__VA_ARGS__), puts("")))

static uint8_t byte_of(unsigned node, unsigned q, unsigned n, uint32_t i)
{
	return (uint8_t)(node * 131 + q * 59 + n * 7 + i + (i >> 8));
}

/* Filter: counts every datagram that a node sends, before the link can lose or duplicate the
 * datagram. Drops ARP and ND messages. */
static bool note(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct run *r = arg;

	if (pkt->kind != RN_PKT_IB)
		return false;
	if (pkt->op->transport != RN_T_UD || pkt->ack_req || pkt->imm / 1000 >= QPS ||
	    pkt->imm % 1000 >= SENDS)
		r->other++;
	else
		r->sent[from][pkt->imm / 1000][pkt->imm % 1000].frames++;
	return true;
}

static void draw_spec(struct run *r, struct sim_spec *spec)
{
	struct rn_rng *rng = &r->rng;
	sim_spec_default(spec);
	spec->seed = r->seed;
	spec->type = RN_QPT_UD;
	spec->ipv6 = rn_rng_below(rng, 2);
	spec->vlan = rn_rng_below(rng, 2);
	spec->qps = 1 + (unsigned)rn_rng_below(rng, QPS);
	spec->two_shards = rn_rng_below(rng, 2);
	spec->first_psn = (uint32_t)rn_rng_below(rng, 1 << 24);
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct rn_impair *l = &spec->link[i].impair;
		l->loss_ppm = (uint32_t)rn_rng_below(rng, 100000);
		l->duplicate_ppm = (uint32_t)rn_rng_below(rng, 100000);
		l->corrupt_ppm = (uint32_t)rn_rng_below(rng, 50000);
		l->reorder_ppm = (uint32_t)rn_rng_below(rng, 50000);
		l->reorder_ns = 1 + rn_rng_below(rng, RN_US(20));
		l->delay_min_ns = l->delay_max_ns = RN_US(1) + rn_rng_below(rng, RN_US(20));
	}
}

static void send_one(struct run *r, unsigned node, unsigned q)
{
	unsigned n = r->nsent[node][q], to = (unsigned)rn_rng_below(&r->rng, r->sim.spec.qps);
	uint64_t at = BACK + (uint64_t)(q * SENDS + n) * AREA;
	struct rn_ud ud = sim_ud(&r->sim, node, to);
	uint32_t len = (uint32_t)rn_rng_below(&r->rng, rn_rng_below(&r->rng, 4) ? 200 : 4097);

	if (rn_rng_below(&r->rng, 20) == 0)
		len = 4097 + (uint32_t)rn_rng_below(&r->rng, 100); /* longer than any path MTU */
	for (uint32_t i = 0; i < len; i++)
		r->sim.node[node].arena[at + i] = byte_of(node, q, n, i);
	r->sent[node][q][n].length = len;
	r->nsent[node][q]++;
	sim_post(&r->sim, node, q,
		 &(struct sim_op){.kind = RN_WQE_SEND_IMM,
				  .flags = RN_WQE_SIGNALED,
				  .wr_id = n,
				  .local = at,
				  .length = len,
				  .imm = q * 1000 + n,
				  .ud = &ud});
}

static void receive_one(struct run *r, unsigned node, unsigned q)
{
	uint32_t len = rn_rng_below(&r->rng, 40) ? AREA : 1 + (uint32_t)rn_rng_below(&r->rng, 300);

	for (unsigned slot = 0; slot < SLOTS; slot++) {
		uint64_t at = (uint64_t)(q * SLOTS + slot) * AREA;
		if (r->room[node][q][slot])
			continue;
		r->room[node][q][slot] = len;
		memset(r->sim.node[node].arena + at, 0xEE, AREA);
		sim_post(&r->sim, node, q,
			 &(struct sim_op){
				 .kind = RN_WQE_RECV, .wr_id = slot, .local = at, .length = len});
		return;
	}
}

static void check_header(struct run *r, unsigned node, const uint8_t *p, uint32_t len)
{
	const struct rn_gid *src = &r->sim.node[1 - node].port.gids[r->sim.spec.ipv6];
	static const uint8_t zero[20];

	if (r->sim.spec.ipv6
		    ? p[0] >> 4 != 6 || memcmp(p + 8, src->b, 16) || p[4] * 256u + p[5] < len
		    : memcmp(p, zero, 20) || p[20] != 0x45 || memcmp(p + 32, src->b + 12, 4))
		OBJECT(r, "another header than the packet's in front");
}

static void take_datagram(struct run *r, unsigned node, const struct rn_cqe *c)
{
	unsigned q = (unsigned)c->qp_ctx, from = c->imm / 1000, n = c->imm % 1000;
	const uint8_t *p = r->sim.node[node].arena + (uint64_t)(q * SLOTS + c->wr_id) * AREA;
	struct datagram *d;
	uint32_t len = c->byte_len - RN_UD_GRH_BYTES, i = 0;

	if (from >= r->sim.spec.qps || n >= r->nsent[1 - node][from]) {
		OBJECT(r, "a datagram that nobody sent");
		return;
	}
	d = &r->sent[1 - node][from][n];
	d->arrived++;
	totals.doubled += d->arrived == 2;
	check_header(r, node, p, len);
	while (i < len && p[RN_UD_GRH_BYTES + i] == byte_of(1 - node, from, n, i))
		i++;
	if (len != d->length || i < len || c->src_qpn != r->sim.node[1 - node].qp[from].qpn ||
	    !(c->flags & RN_CQE_GRH))
		OBJECT(r, "datagram %u of queue pair %u arrived as another", n, from);
	for (i = c->byte_len; i < AREA; i++)
		if (p[i] != 0xEE) {
			OBJECT(r, "written behind the datagram");
			break;
		}
	if (c->byte_len > r->room[node][q][c->wr_id])
		OBJECT(r, "longer than its receive");
	r->room[node][q][c->wr_id] = 0;
	totals.delivered++;
}

static void take_completions(struct run *r)
{
	struct rn_cqe c;

	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(&r->sim, node, &c)) {
			if (c.status)
				OBJECT(r, "status %u", c.status);
			else if (c.flags & RN_CQE_RECV)
				take_datagram(r, node, &c);
			else if (c.wr_id != r->done[node][c.qp_ctx]++)
				OBJECT(r, "sends complete out of order");
		}
}

static void check_end(struct run *r)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_stats s;
		sim_stats(&r->sim.node[node], &s);
		if (s.done_recv != s.verdict[RN_V_OK])
			OBJECT(r, "frames accepted and datagrams delivered differ");
		totals.starved += s.verdict[RN_V_UD_NO_RECEIVE];
		totals.misfit += s.verdict[RN_V_UD_TOO_LONG];
		for (unsigned q = 0; q < r->sim.spec.qps; q++) {
			if (r->done[node][q] != SENDS)
				OBJECT(r, "%u sends of %u are done", r->done[node][q], SENDS);
			for (unsigned n = 0; n < SENDS; n++) {
				const struct datagram *d = &r->sent[node][q][n];
				totals.sent++;
				if (d->frames != (d->length <= 4096) || d->arrived > 2 * d->frames)
					OBJECT(r, "%u frames of %u bytes, %u arrived", d->frames,
					       d->length, d->arrived);
			}
		}
	}
	if (r->other)
		OBJECT(r, "%u frames that are no datagrams", r->other);
	if (sim_balance(&r->sim, false, stdout))
		OBJECT(r, "the counters do not add up");
}

static unsigned run_seed(uint64_t seed, FILE *log)
{
	struct run *r = calloc(1, sizeof(*r));
	struct sim_spec spec;
	unsigned objections;

	if (r == NULL)
		abort();
	r->seed = seed;
	rn_rng_seed(&r->rng, seed);
	draw_spec(r, &spec);
	sim_init(&r->sim, &spec);
	r->sim.filter = note;
	r->sim.filter_arg = r;
	r->sim.log = log;
	for (unsigned q = 0; q < spec.qps; q++)
		sim_connect(&r->sim, q);
	for (unsigned left = 2 * spec.qps * SENDS; left;) {
		unsigned node = (unsigned)rn_rng_below(&r->rng, 2),
			 q = (unsigned)rn_rng_below(&r->rng, spec.qps);
		if (rn_rng_below(&r->rng, 3))
			receive_one(r, node, q);
		if (r->nsent[node][q] < SENDS) {
			send_one(r, node, q);
			left--;
		}
		sim_run(&r->sim, r->sim.now + rn_rng_below(&r->rng, RN_US(4)));
		take_completions(r);
	}
	sim_run(&r->sim, r->sim.now + RN_S(1));
	take_completions(r);
	check_end(r);
	objections = r->objections;
	totals.runs++;
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < spec.qps; q++)
			sim_destroy_qp(&r->sim, node, q);
	if (sim_fini(&r->sim) && !objections++)
		printf("seed %llu: something is left\n", (unsigned long long)seed);
	free(r);
	return objections;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", 1, NULL, 's'},
						{"count", 1, NULL, 'c'},
						{"log", 1, NULL, 'l'},
						{NULL, 0, NULL, 0}};
	uint64_t seed = 1, count = 1;
	unsigned objections = 0;
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
	for (uint64_t i = 0; i < count; i++)
		objections += run_seed(seed + i, log);
	printf("%llu runs, %llu datagrams, %llu delivered, %llu of them twice, %llu without a receive, %llu too long for it\n",
	       totals.runs, totals.sent, totals.delivered, totals.doubled, totals.starved,
	       totals.misfit);
	/* Twenty runs are enough for each of these cases to occur: a datagram that is delivered
	 * twice, a datagram that finds no receive, and a datagram that is too long for its
	 * receive. */
	if (count >= 20 && (!totals.doubled || !totals.starved || !totals.misfit)) {
		printf("too tame\n");
		objections++;
	}
	if (log)
		fclose(log);
	return objections != 0;
}
