/* sim_uc --seed N --count M: makes M random runs of unreliable connections, with the seeds N ..
 * N+M-1. The checks:
 * - A message arrives whole or not at all, so each completed receive holds exactly one message.
 * - On a link that neither duplicates nor reorders, each message arrives at most once, and messages
 *   arrive in order.
 * - On a link without impairments and with enough receives, all messages arrive.
 * Exits with 1 when a run failed. Also exits with 1 when M is at least 30 and something that must
 * be tested occurred in no run. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "wire/stats.h"

#define OPS	40u
#define QPS	4u
#define ROOM	24576u
#define LONGEST 20000u
#define GUARD	0xEE

/* Offsets in the arena for message i of QP q. AT_SOURCE: the data to send. AT_TARGET: the target of
 * a WRITE. AT_RECV: the receive buffer. */
#define AT_SOURCE(q, i) (((uint64_t)(q)*OPS + (i)) * ROOM)
#define AT_TARGET(q, i) (AT_SOURCE(QPS, 0) + AT_SOURCE(q, i))
#define AT_RECV(q, i)	(2 * AT_SOURCE(QPS, 0) + AT_SOURCE(q, i))

struct totals {
	uint64_t runs, messages, delivered, missing, given_up, rest, not_ready, lost;
};

struct flow {
	struct sim_op ops[OPS];
	uint32_t room[OPS]; /* length of each receive at the peer */
	unsigned done;	    /* number of work requests completed */
	int64_t last;	    /* number of the last delivered message */
	unsigned delivered, expected;
};

struct run {
	struct sim sim;
	struct rn_rng rng;
	uint64_t seed;
	bool harmless, in_order;
	unsigned nrecv;
	struct flow flow[SIM_NODES][QPS];
	unsigned objections;
	struct totals *t;
};

#define OBJECT(r, ...)                                                        \
	do {                                                                  \
		if ((r)->objections++ < 10) {                                 \
			printf("seed %llu: ", (unsigned long long)(r)->seed); \
			printf(__VA_ARGS__);                                  \
			putchar('\n');                                        \
		}                                                             \
	} while (0)

/* Returns byte `at` of message i. The first bytes are the message's number, the later bytes depend
 * on this number. */
static uint8_t byte_of(unsigned node, unsigned q, unsigned i, uint32_t at)
{
	if (at < 4)
		return (uint8_t)(i >> 8 * at);
	return (uint8_t)((at * 2654435761u) >> 17 ^ (node * 7 + q * 31 + i * 131));
}

static bool holds(const uint8_t *p, unsigned node, unsigned q, unsigned i, uint32_t n)
{
	for (uint32_t at = 0; at < n; at++)
		if (p[at] != byte_of(node, q, i, at))
			return false;
	return true;
}

static bool is_write(const struct sim_op *o)
{
	return o->kind == RN_WQE_WRITE || o->kind == RN_WQE_WRITE_IMM;
}

static void draw_spec(struct run *r, struct sim_spec *s)
{
	bool repeats = rn_rng_below(&r->rng, 2);

	sim_spec_default(s);
	s->seed = r->seed;
	s->type = RN_QPT_UC;
	s->ipv6 = rn_rng_below(&r->rng, 2);
	s->path_mtu = (uint8_t)(1 + rn_rng_below(&r->rng, 5));
	s->qps = 1 + (unsigned)rn_rng_below(&r->rng, QPS);
	s->quota = 1 + (uint32_t)rn_rng_below(&r->rng, 32);
	s->first_psn = (uint32_t)rn_rng_below(&r->rng, 1 << 24);
	r->harmless = rn_rng_below(&r->rng, 5) == 0;
	r->in_order = r->harmless || !repeats;
	r->nrecv = r->harmless ? OPS : 5 + (unsigned)rn_rng_below(&r->rng, OPS - 5);
	for (unsigned i = 0; i < SIM_NODES && !r->harmless; i++) {
		struct rn_impair *l = &s->link[i].impair;

		l->loss_ppm = (uint32_t)rn_rng_below(&r->rng, 100000);
		l->corrupt_ppm = (uint32_t)rn_rng_below(&r->rng, 20000);
		l->duplicate_ppm = repeats ? (uint32_t)rn_rng_below(&r->rng, 50000) : 0;
		l->reorder_ppm = repeats ? (uint32_t)rn_rng_below(&r->rng, 50000) : 0;
		l->reorder_ns = 1 + rn_rng_below(&r->rng, RN_US(20));
	}
}

static void draw_op(struct run *r, unsigned node, unsigned q, unsigned i)
{
	static const enum rn_wqe_kind kinds[] = {RN_WQE_SEND, RN_WQE_SEND_IMM, RN_WQE_WRITE,
						 RN_WQE_WRITE_IMM};
	struct flow *f = &r->flow[node][q];
	struct sim_op *o = &f->ops[i];
	uint8_t *source = r->sim.node[node].arena + AT_SOURCE(q, i);

	*o = (struct sim_op){.kind = kinds[rn_rng_below(&r->rng, 4)],
			     .flags = RN_WQE_SIGNALED,
			     .wr_id = i,
			     .imm = i,
			     .local = AT_SOURCE(q, i),
			     .remote = AT_TARGET(q, i)};
	o->length = (uint32_t)rn_rng_below(&r->rng, rn_rng_below(&r->rng, 2) ? LONGEST : 600) + 4;
	f->expected += o->kind != RN_WQE_WRITE;
	for (uint32_t at = 0; at < o->length; at++)
		source[at] = byte_of(node, q, i, at);
	memset(r->sim.node[1 - node].arena + AT_TARGET(q, i), GUARD, ROOM);
}

static void post_recv(struct run *r, unsigned node, unsigned q, unsigned i)
{
	/* Some receives are too short for some messages. */
	uint32_t n = r->harmless || rn_rng_below(&r->rng, 4)
			     ? LONGEST + 4
			     : (uint32_t)rn_rng_below(&r->rng, LONGEST);

	r->flow[1 - node][q].room[i] = n;
	memset(r->sim.node[node].arena + AT_RECV(q, i), GUARD, ROOM);
	sim_post(&r->sim, node, q,
		 &(struct sim_op){
			 .kind = RN_WQE_RECV, .wr_id = i, .local = AT_RECV(q, i), .length = n});
}

static void check_recv(struct run *r, unsigned node, const struct rn_cqe *c)
{
	unsigned q = (unsigned)c->qp_ctx;
	struct flow *f = &r->flow[1 - node][q];
	const uint8_t *recv = r->sim.node[node].arena + AT_RECV(q, c->wr_id), *data = recv;
	uint32_t i = c->imm;
	const struct sim_op *o;

	if (!(c->flags & RN_CQE_IMM))
		memcpy(&i, recv, sizeof(i));
	if (c->status || i >= OPS) {
		OBJECT(r, "node %u qp %u: receive of nothing that was sent, status %u", node, q,
		       c->status);
		return;
	}
	o = &f->ops[i];
	if (is_write(o))
		data = r->sim.node[node].arena + AT_TARGET(q, i);
	if (c->byte_len != o->length || !!(c->flags & RN_CQE_WRITE) != is_write(o) ||
	    !!(c->flags & RN_CQE_IMM) != (o->kind != RN_WQE_SEND) ||
	    !holds(data, 1 - node, q, i, o->length))
		OBJECT(r, "node %u qp %u: message %u is not whole", node, q, i);
	if (r->in_order && (int64_t)i <= f->last)
		OBJECT(r, "node %u qp %u: message %u behind %lld", node, q, i, (long long)f->last);
	f->last = i;
	f->delivered++;
}

static void drain(struct run *r)
{
	struct rn_cqe c;

	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(&r->sim, node, &c)) {
			if (c.flags & RN_CQE_RECV)
				check_recv(r, node, &c);
			else if (c.status || c.wr_id != r->flow[node][c.qp_ctx].done++)
				OBJECT(r, "node %u request %llu: status %u, or out of order", node,
				       (unsigned long long)c.wr_id, c.status);
		}
}

/* Checks the memory that messages may change. Part of a WRITE may be missing, but no byte may be
 * wrong. No byte outside a WRITE's target or a receive may have changed. */
static void check_memory(struct run *r, unsigned node, unsigned q)
{
	const struct flow *f = &r->flow[1 - node][q];

	for (unsigned i = 0; i < OPS; i++) {
		const uint8_t *target = r->sim.node[node].arena + AT_TARGET(q, i);
		const uint8_t *recv = r->sim.node[node].arena + AT_RECV(q, i);
		uint32_t n = is_write(&f->ops[i]) ? f->ops[i].length : 0;

		for (uint32_t at = 0; at < ROOM; at++) {
			bool beside = at >= n && target[at] != GUARD;
			bool foreign = at < n && target[at] != GUARD &&
				       target[at] != byte_of(1 - node, q, i, at);

			if (beside || foreign ||
			    (i < r->nrecv && at >= f->room[i] && recv[at] != GUARD)) {
				OBJECT(r, "node %u qp %u: memory %u is wrong at %u", node, q, i,
				       at);
				return;
			}
		}
	}
}

static void check_end(struct run *r)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_stats s;

		for (unsigned q = 0; q < r->sim.spec.qps; q++) {
			const struct flow *f = &r->flow[node][q];

			if (f->done != OPS)
				OBJECT(r, "node %u qp %u: %u of %u requests done", node, q, f->done,
				       OPS);
			if (r->harmless && f->delivered != f->expected)
				OBJECT(r, "node %u qp %u: %u of %u delivered", node, q,
				       f->delivered, f->expected);
			check_memory(r, node, q);
			r->t->messages += f->expected;
			r->t->delivered += f->delivered;
			r->t->missing += f->delivered < f->expected;
		}
		sim_stats(&r->sim.node[node], &s);
		r->t->given_up += s.uc_given_up;
		r->t->rest += s.verdict[RN_V_REQ_UC_REST];
		r->t->not_ready += s.verdict[RN_V_REQ_RNR];
		r->t->lost += r->sim.node[node].dropped;
		if (s.tx_acks + s.tx_naks + s.tx_rnr_naks + s.tx_retransmitted)
			OBJECT(r, "node %u answered, or sent again", node);
	}
	r->objections += sim_balance(&r->sim, false, stdout);
}

static unsigned run(uint64_t seed, struct totals *t)
{
	struct run *r = calloc(1, sizeof(*r));
	struct sim_spec spec;
	unsigned objections;

	if (r == NULL)
		abort();
	r->seed = seed;
	r->t = t;
	rn_rng_seed(&r->rng, seed ^ 0x2545F4914F6CDD1Dull);
	draw_spec(r, &spec);
	sim_init(&r->sim, &spec);
	for (unsigned q = 0; q < spec.qps; q++)
		sim_connect(&r->sim, q);
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < spec.qps; q++) {
			r->flow[node][q].last = -1;
			for (unsigned i = 0; i < OPS; i++)
				draw_op(r, node, q, i);
			for (unsigned i = 0; i < r->nrecv; i++)
				post_recv(r, 1 - node, q, i);
		}
	for (unsigned i = 0; i < OPS; i++)
		for (unsigned node = 0; node < SIM_NODES; node++)
			for (unsigned q = 0; q < spec.qps; q++) {
				sim_post(&r->sim, node, q, &r->flow[node][q].ops[i]);
				if (rn_rng_below(&r->rng, 3) == 0)
					sim_run(&r->sim,
						r->sim.now + rn_rng_below(&r->rng, RN_US(30)));
				drain(r);
			}
	sim_run(&r->sim, r->sim.now + RN_S(1));
	drain(r);
	check_end(r);
	t->runs++;
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < spec.qps; q++)
			/* Unused receives are destroyed with the QP. */
			sim_destroy_qp(&r->sim, node, q);
	if (sim_fini(&r->sim))
		OBJECT(r, "objects left over");
	objections = r->objections;
	free(r);
	return objections;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"count", required_argument, NULL, 'c'},
						{0}};
	uint64_t seed = 1, count = 100, failed = 0;
	struct totals t = {0};
	bool hit;

	for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (o == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (o == 'c')
			count = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	for (uint64_t i = 0; i < count && failed < 10; i++)
		if (run(seed + i, &t)) {
			printf("FAILED: reproduce with sim_uc --seed %llu --count 1\n",
			       (unsigned long long)(seed + i));
			failed++;
		}
#define N(x) (unsigned long long)t.x
	printf("%llu runs, %llu messages, %llu delivered, directions with some missing %llu\n",
	       N(runs), N(messages), N(delivered), N(missing));
	printf("given up %llu, packets of those left %llu, without a receive %llu, frames lost %llu\n",
	       N(given_up), N(rest), N(not_ready), N(lost));
#undef N
	hit = count < 30 ||
	      (t.delivered && t.missing && t.given_up && t.rest && t.not_ready && t.lost);
	if (!hit)
		printf("something never came up\n");
	return failed || !hit;
}
