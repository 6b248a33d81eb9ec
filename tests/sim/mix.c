/* Operations of all kinds complete correctly over impaired links. The seed determines a run: spec,
 * operations and posting times are drawn, the simulator runs until all work requests have
 * completed, and the results are checked:
 * - Each signalled work request and each receive completes once, in order and with success.
 * - Each unsignalled work request retires without a completion.
 * - Every byte is in its place, and no byte beside it has changed.
 * - The values that atomics returned show that each atomic was executed exactly once. */
#include "mix.h"

#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "wire/stats.h"

#define MAX_OPS	   96 /* greatest number of operations per QP and direction */
#define GUARD	   32
#define GUARD_BYTE 0xEE
#define LIMIT	   RN_S(600)

struct op {
	struct sim_op op;
	struct sim_op recv; /* the receive that a SEND or WRITE_IMM consumes */
	uint32_t pattern;
	uint64_t was, then; /* was, then: value of a CMP_SWAP's target before and after */
	rn_time post_at, recv_at;
};

struct flow { /* the work requests of one node on one QP */
	unsigned n;
	unsigned posted, received; /* number of work requests and receives posted so far */
	/* index of the next work request (next_done) and of the next receive (next_recv) that must
	 * complete */
	unsigned next_done, next_recv;
	struct op ops[MAX_OPS];
};

struct mix {
	struct sim sim;
	struct rn_rng rng;
	uint64_t bump[SIM_NODES];
	/* counter[i]: offset in the arena of node i of a 64-bit word. All FETCH_ADDs of the peer
	 * node increase this word. */
	uint64_t counter[SIM_NODES];
	struct flow *flow[SIM_NODES][SIM_MAX_QP];
	unsigned objections;
	FILE *out;
	uint64_t seed;
	struct mix_totals *t;
};

#define OBJECT(m, ...)                                                                   \
	do {                                                                             \
		if ((m)->objections++ < 10) {                                            \
			fprintf((m)->out, "seed %llu: ", (unsigned long long)(m)->seed); \
			fprintf((m)->out, __VA_ARGS__);                                  \
			fputc('\n', (m)->out);                                           \
		}                                                                        \
	} while (0)

static uint8_t pattern_byte(uint32_t pattern, uint32_t i)
{
	return (uint8_t)((pattern + i * 2654435761u) >> 13 ^ i);
}

static void fill(uint8_t *p, uint32_t n, uint32_t pattern)
{
	for (uint32_t i = 0; i < n; i++)
		p[i] = pattern_byte(pattern, i);
}

static bool holds(const uint8_t *p, uint32_t n, uint32_t pattern)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i] != pattern_byte(pattern, i))
			return false;
	return true;
}

static bool guarded(const uint8_t *p, uint32_t n)
{
	for (unsigned i = 1; i <= GUARD; i++)
		if (p[-(int)i] != GUARD_BYTE || p[n + i - 1] != GUARD_BYTE)
			return false;
	return true;
}

/* Reserves n bytes in a node's arena, at any alignment, between guard bytes. Returns their
 * offset. */
static uint64_t room(struct mix *m, unsigned node, uint32_t n)
{
	uint64_t at = m->bump[node] + GUARD + rn_rng_below(&m->rng, 9);
	m->bump[node] = at + n + GUARD;
	if (m->bump[node] > SIM_ARENA)
		abort();
	memset(m->sim.node[node].arena + at - GUARD, GUARD_BYTE, GUARD);
	memset(m->sim.node[node].arena + at + n, GUARD_BYTE, GUARD);
	return at;
}

/* Reserves an aligned 64-bit word between guard bytes. Returns its offset. */
static uint64_t aligned_word(struct mix *m, unsigned node, uint64_t value)
{
	uint64_t at = room(m, node, 15), word = RN_ALIGN_UP(at, 8);
	memset(m->sim.node[node].arena + at, GUARD_BYTE, 15);
	memcpy(m->sim.node[node].arena + word, &value, 8);
	return word;
}

static uint64_t word_at(const struct mix *m, unsigned node, uint64_t at)
{
	uint64_t value;
	memcpy(&value, m->sim.node[node].arena + at, 8);
	return value;
}

static bool is_atomic(const struct sim_op *o)
{
	return o->kind == RN_WQE_CMP_SWAP || o->kind == RN_WQE_FETCH_ADD;
}

static uint32_t some_length(struct mix *m, uint32_t mtu)
{
	switch (rn_rng_below(&m->rng, 10)) {
	case 0:
		return 0;
	case 1:
		return mtu;
	case 2:
		return mtu - 1 + (uint32_t)rn_rng_below(&m->rng, 3);
	case 3:
		return mtu * (uint32_t)(1 + rn_rng_below(&m->rng, 8));
	case 4:
		return (uint32_t)rn_rng_below(&m->rng, 40000);
	case 5:
		return 1 + (uint32_t)rn_rng_below(&m->rng, 3);
	default:
		return (uint32_t)rn_rng_below(&m->rng, 3 * mtu);
	}
}

static void draw_spec(struct mix *m, struct sim_spec *s)
{
	struct rn_rng *r = &m->rng;
	sim_spec_default(s);
	s->seed = m->seed;
	s->ipv6 = rn_rng_below(r, 2);
	s->vlan = rn_rng_below(r, 4) == 0;
	s->path_mtu = (uint8_t)(1 + rn_rng_below(r, 5));
	s->rd_atomic = (uint8_t)(1 + rn_rng_below(r, 8));
	s->qps = 1 + (unsigned)rn_rng_below(r, 4);
	s->first_psn = (uint32_t)(rn_rng_below(r, 2) ? (0xFFFFFF - rn_rng_below(r, 300)) & 0xFFFFFF
						     : rn_rng_below(r, 1 << 24));
	s->credits = rn_rng_below(r, 2);
	s->min_rnr_timer = (uint8_t)(1 + rn_rng_below(r, 14));
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct rn_impair *l = &s->link[i].impair;
		/* the impairment that is switched off on this link: 0 loss, 1 duplication, 2
		 * reordering, 3 corruption; with 4 all impairments stay on */
		unsigned spared = (unsigned)rn_rng_below(r, 5);
		l->loss_ppm = spared == 0 ? 0 : 1000 + (uint32_t)rn_rng_below(r, 30000);
		l->duplicate_ppm = spared == 1 ? 0 : 1000 + (uint32_t)rn_rng_below(r, 30000);
		l->reorder_ppm = spared == 2 ? 0 : 1000 + (uint32_t)rn_rng_below(r, 30000);
		l->corrupt_ppm = spared == 3 ? 0 : 1000 + (uint32_t)rn_rng_below(r, 10000);
		l->reorder_ns = 1 + rn_rng_below(r, RN_US(20));
		l->delay_min_ns = RN_US(1) + rn_rng_below(r, RN_US(50));
		l->delay_max_ns = l->delay_min_ns + rn_rng_below(r, RN_US(10));
		s->link[i].rate =
			rn_rng_below(r, 2) ? 0 : 1000000000ull * (1 + rn_rng_below(r, 100));
	}
}

static bool is_send(const struct op *o)
{
	return o->op.kind == RN_WQE_SEND || o->op.kind == RN_WQE_SEND_IMM;
}

static bool has_imm(const struct op *o)
{
	return o->op.kind == RN_WQE_SEND_IMM || o->op.kind == RN_WQE_WRITE_IMM;
}

static bool takes_recv(const struct op *o)
{
	return is_send(o) || has_imm(o);
}

static void draw_atomic(struct mix *m, unsigned node, struct op *o)
{
	struct rn_rng *r = &m->rng;
	o->op.length = 8;
	o->op.local = room(m, node, 8);
	if (rn_rng_below(r, 2)) {
		o->op.kind = RN_WQE_FETCH_ADD;
		o->op.remote = m->counter[1 - node];
		o->op.atomic.swap_add = 1 + rn_rng_below(r, 1ull << 50);
		return;
	}
	o->op.kind = RN_WQE_CMP_SWAP;
	o->was = rn_rng_next(r);
	o->op.remote = aligned_word(m, 1 - node, o->was);
	o->op.atomic = (struct rn_atomic){.swap_add = rn_rng_next(r),
					  .compare = o->was + rn_rng_below(r, 2)};
	o->then = o->op.atomic.compare == o->was ? o->op.atomic.swap_add : o->was;
}

static void draw_op(struct mix *m, unsigned node, struct op *o, unsigned index, bool last)
{
	struct rn_rng *r = &m->rng;
	unsigned peer = 1 - node, which = (unsigned)rn_rng_below(r, 4);
	uint32_t n = some_length(m, 128u << m->sim.spec.path_mtu);
	bool imm = which < 2 && rn_rng_below(r, 3) == 0;
	o->op.kind = which == 2	  ? RN_WQE_READ
		     : which == 0 ? (imm ? RN_WQE_SEND_IMM : RN_WQE_SEND)
				  : (imm ? RN_WQE_WRITE_IMM : RN_WQE_WRITE);
	o->op.imm = imm ? (uint32_t)rn_rng_next(r) : 0;
	if (which < 2 && rn_rng_below(r, 8) == 0) {
		n %= 65;
		o->op.flags |= RN_WQE_INLINE;
	}
	o->op.length = n;
	o->op.wr_id = index;
	o->op.flags |= last || rn_rng_below(r, 4) ? RN_WQE_SIGNALED : 0;
	o->op.flags |= rn_rng_below(r, 5) == 0 ? RN_WQE_FENCE : 0;
	o->op.flags |= takes_recv(o) && rn_rng_below(r, 3) == 0 ? RN_WQE_SOLICITED : 0;
	if (which == 3) {
		draw_atomic(m, node, o);
		return;
	}
	o->pattern = (uint32_t)rn_rng_next(r);
	o->op.local = room(m, node, n);
	uint32_t extra = which == 0 ? (uint32_t)rn_rng_below(r, 2) * 17 : 0;
	uint64_t there = room(m, peer, n + extra);
	/* The receive for a WRITE_IMM may have length 0, because a WRITE_IMM stores no data in the
	 * receive buffer. */
	if (takes_recv(o))
		o->recv = (struct sim_op){.kind = RN_WQE_RECV,
					  .wr_id = index,
					  .local = there,
					  .length = which == 0 ? n + extra : 0};
	o->op.remote = there;
	if (which == 2)
		fill(m->sim.node[peer].arena + there, n, o->pattern);
	else
		fill(m->sim.node[node].arena + o->op.local, n, o->pattern);
}

static void draw_flows(struct mix *m)
{
	unsigned flows = m->sim.spec.qps * SIM_NODES;
	for (unsigned node = 0; node < SIM_NODES; node++)
		m->counter[node] = aligned_word(m, node, 0);
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < m->sim.spec.qps; q++) {
			struct flow *f = m->flow[node][q] = calloc(1, sizeof(*f));
			rn_time at = m->sim.now, recv_at = m->sim.now;
			if (f == NULL)
				abort();
			f->n = (64 + flows - 1) / flows + (unsigned)rn_rng_below(&m->rng, 8);
			for (unsigned i = 0; i < f->n; i++) {
				draw_op(m, node, &f->ops[i], i, i + 1 == f->n);
				at += rn_rng_below(&m->rng, 4) ? 0
							       : rn_rng_below(&m->rng, RN_US(300));
				recv_at += rn_rng_below(&m->rng, 6)
						   ? 0
						   : rn_rng_below(&m->rng, RN_US(500));
				f->ops[i].post_at = at;
				f->ops[i].recv_at = recv_at;
			}
		}
}

/* Posts the work requests and receives that are due. Returns the time at which the next one is
 * due. */
static rn_time post_due(struct mix *m)
{
	struct sim *sim = &m->sim;
	rn_time next = RN_TIME_NEVER;
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < sim->spec.qps; q++) {
			struct flow *f = m->flow[node][q];
			while (f->received < f->n && f->ops[f->received].recv_at <= sim->now) {
				struct op *o = &f->ops[f->received++];
				if (takes_recv(o))
					sim_post(sim, 1 - node, q, &o->recv);
			}
			while (f->posted < f->n && f->ops[f->posted].post_at <= sim->now)
				sim_post(sim, node, q, &f->ops[f->posted++].op);
			if (f->received < f->n)
				next = RN_MIN(next, f->ops[f->received].recv_at);
			if (f->posted < f->n)
				next = RN_MIN(next, f->ops[f->posted].post_at);
		}
	return next;
}

static void check_recv(struct mix *m, unsigned node, const struct rn_cqe *c)
{
	struct flow *f = m->flow[1 - node][c->qp_ctx];
	while (f->next_recv < f->n && !takes_recv(&f->ops[f->next_recv]))
		f->next_recv++;
	if (f->next_recv == f->n) {
		OBJECT(m, "node %u qp %u: receive completion too many", node, (unsigned)c->qp_ctx);
		return;
	}
	struct op *o = &f->ops[f->next_recv++];
	if (c->wr_id != o->recv.wr_id || c->status != RN_STATUS_SUCCESS ||
	    c->byte_len != o->op.length)
		OBJECT(m,
		       "node %u qp %u: receive wr_id %llu status %u bytes %u, expected %llu, 0, %u",
		       node, (unsigned)c->qp_ctx, (unsigned long long)c->wr_id, c->status,
		       c->byte_len, (unsigned long long)o->recv.wr_id, o->op.length);
	if (!!(c->flags & RN_CQE_SOLICITED) != !!(o->op.flags & RN_WQE_SOLICITED))
		OBJECT(m, "node %u receive %llu: solicited bit wrong", node,
		       (unsigned long long)c->wr_id);
	if (!!(c->flags & RN_CQE_IMM) != has_imm(o) || c->imm != o->op.imm ||
	    !!(c->flags & RN_CQE_WRITE) == is_send(o))
		OBJECT(m, "node %u receive %llu: immediate data wrong", node,
		       (unsigned long long)c->wr_id);
	if (!holds(m->sim.node[node].arena + o->recv.local, o->op.length, o->pattern))
		OBJECT(m, "node %u receive %llu: wrong bytes", node, (unsigned long long)c->wr_id);
}

/* Checks a completed CMP_SWAP: the value that it returned, and the value of the target. */
static void check_swap(struct mix *m, unsigned node, const struct op *o)
{
	if (o->op.kind == RN_WQE_CMP_SWAP && (word_at(m, node, o->op.local) != o->was ||
					      word_at(m, 1 - node, o->op.remote) != o->then))
		OBJECT(m, "node %u request %llu: wrong value swapped or fetched", node,
		       (unsigned long long)o->op.wr_id);
}

static void check_done(struct mix *m, unsigned node, const struct rn_cqe *c)
{
	struct flow *f = m->flow[node][c->qp_ctx];
	while (f->next_done < f->n && !(f->ops[f->next_done].op.flags & RN_WQE_SIGNALED))
		f->next_done++;
	if (f->next_done == f->n) {
		OBJECT(m, "node %u qp %u: completion too many", node, (unsigned)c->qp_ctx);
		return;
	}
	struct op *o = &f->ops[f->next_done++];
	unsigned peer = 1 - node;
	if (c->wr_id != o->op.wr_id || c->status != RN_STATUS_SUCCESS || c->kind != o->op.kind)
		OBJECT(m,
		       "node %u qp %u: wr_id %llu status %u kind %u vendor %u, expected %llu, 0, %u",
		       node, (unsigned)c->qp_ctx, (unsigned long long)c->wr_id, c->status, c->kind,
		       c->vendor_err, (unsigned long long)o->op.wr_id, o->op.kind);
	if (is_atomic(&o->op)) {
		check_swap(m, node, o);
		return;
	}
	/* The work request has completed, so its data must be in memory already. */
	uint8_t *where = o->op.kind == RN_WQE_READ ? m->sim.node[node].arena + o->op.local
						   : m->sim.node[peer].arena + o->op.remote;
	if (!holds(where, o->op.length, o->pattern))
		OBJECT(m, "node %u request %llu kind %u: wrong bytes at completion", node,
		       (unsigned long long)c->wr_id, o->op.kind);
}

static void drain(struct mix *m)
{
	struct rn_cqe c;
	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(&m->sim, node, &c)) {
			if (c.qp_ctx >= m->sim.spec.qps)
				OBJECT(m, "completion of an unknown QP");
			else if (c.flags & RN_CQE_RECV)
				check_recv(m, node, &c);
			else
				check_done(m, node, &c);
		}
}

static bool all_done(struct mix *m)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < m->sim.spec.qps; q++) {
			struct sim_qp *qp = &m->sim.node[node].qp[q];
			if (m->flow[node][q]->posted < m->flow[node][q]->n ||
			    m->flow[1 - node][q]->received < m->flow[1 - node][q]->n ||
			    qp->sq_posted != atomic_load(&qp->shared->sq_retired) ||
			    qp->rq_posted != atomic_load(&qp->shared->rq_retired))
				return false;
		}
	return true;
}

struct addition {
	uint64_t found, added;
};

static int by_found(const void *a, const void *b)
{
	uint64_t x = ((const struct addition *)a)->found, y = ((const struct addition *)b)->found;
	return (x > y) - (x < y);
}

/* Sorts the FETCH_ADDs by the value that each of them returned. Each returned value must be the sum
 * of the operands of all FETCH_ADDs before it in this order. This proves that each FETCH_ADD was
 * executed exactly once. */
static void check_counter(struct mix *m, unsigned node)
{
	struct addition all[SIM_MAX_QP * MAX_OPS];
	unsigned n = 0;
	uint64_t value = 0;
	for (unsigned q = 0; q < m->sim.spec.qps; q++)
		for (unsigned i = 0; i < m->flow[1 - node][q]->n; i++) {
			const struct sim_op *o = &m->flow[1 - node][q]->ops[i].op;
			if (o->kind == RN_WQE_FETCH_ADD)
				all[n++] = (struct addition){word_at(m, 1 - node, o->local),
							     o->atomic.swap_add};
		}
	qsort(all, n, sizeof(all[0]), by_found);
	for (unsigned i = 0; i < n; i++) {
		if (all[i].found != value) {
			OBJECT(m, "node %u: addition %u of %u found another value than was left",
			       node, i, n);
			return;
		}
		value += all[i].added;
	}
	if (word_at(m, node, m->counter[node]) != value)
		OBJECT(m, "node %u: the counter is not the sum of what was added", node);
	if (!guarded(m->sim.node[node].arena + m->counter[node], 8))
		OBJECT(m, "node %u: written beside the counter", node);
}

static bool is_in_place(struct mix *m, unsigned node, const struct op *o)
{
	if (is_atomic(&o->op)) {
		check_swap(m, node, o);
		return true;
	}
	return holds(m->sim.node[node].arena + o->op.local, o->op.length, o->pattern) &&
	       holds(m->sim.node[1 - node].arena + o->op.remote, o->op.length, o->pattern);
}

static void check_memory(struct mix *m)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < m->sim.spec.qps; q++) {
			struct flow *f = m->flow[node][q];
			for (unsigned i = 0; i < f->n; i++) {
				struct op *o = &f->ops[i];
				uint8_t *here = m->sim.node[node].arena + o->op.local;
				uint8_t *there = m->sim.node[1 - node].arena + o->op.remote;
				uint32_t far = o->recv.length ? o->recv.length : o->op.length;
				if (!is_in_place(m, node, o))
					OBJECT(m,
					       "node %u qp %u op %u kind %u: bytes differ at the end",
					       node, q, i, o->op.kind);
				if (!guarded(here, o->op.length) || !guarded(there, far))
					OBJECT(m, "node %u qp %u op %u: written beside the buffer",
					       node, q, i);
			}
			while (f->next_done < f->n &&
			       !(f->ops[f->next_done].op.flags & RN_WQE_SIGNALED))
				f->next_done++;
			while (f->next_recv < f->n && !takes_recv(&f->ops[f->next_recv]))
				f->next_recv++;
			if (f->next_done != f->n || f->next_recv != f->n)
				OBJECT(m, "node %u qp %u: completions missing (%u, %u of %u)", node,
				       q, f->next_done, f->next_recv, f->n);
		}
}

static void add_totals(struct mix *m)
{
	struct mix_totals *t = m->t;
	const struct sim *sim = &m->sim;
	t->runs++;
	for (unsigned node = 0; node < SIM_NODES; node++) {
		for (unsigned q = 0; q < sim->spec.qps; q++)
			for (unsigned i = 0; i < m->flow[node][q]->n; i++) {
				const struct sim_op *o = &m->flow[node][q]->ops[i].op;
				t->messages++;
				t->bytes += o->length;
				t->sends += o->kind == RN_WQE_SEND;
				t->sends_imm += o->kind == RN_WQE_SEND_IMM;
				t->writes_imm += o->kind == RN_WQE_WRITE_IMM;
				t->writes += o->kind == RN_WQE_WRITE;
				t->reads += o->kind == RN_WQE_READ;
				t->atomics += is_atomic(o);
				t->fenced += !!(o->flags & RN_WQE_FENCE);
				t->silent += !(o->flags & RN_WQE_SIGNALED);
				t->solicited += !!(o->flags & RN_WQE_SOLICITED);
				t->inlined += !!(o->flags & RN_WQE_INLINE);
				t->empty += o->length == 0;
			}
		t->frames += sim->node[node].frames;
		t->lost += sim->node[node].dropped;
		t->duplicated += sim->node[node].duplicated;
		t->reordered += sim->node[node].reordered;
		t->corrupted += sim->node[node].corrupted;
		t->short_way += sim->node[node].short_way;
	}
	for (unsigned node = 0; node < SIM_NODES; node++)
		t->credit_waits += rn_shard_stats(sim->node[node].shard)->credit_waits;
	t->wrapped += sim->spec.first_psn > 0xFFFFFF - 2000;
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		t->verdicts[v] += sim->verdicts[v];
}

unsigned mix_run(uint64_t seed, struct mix_totals *totals, FILE *out, FILE *log)
{
	struct mix *m = calloc(1, sizeof(*m));
	struct sim_spec spec;
	if (m == NULL)
		abort();
	m->out = out;
	m->seed = seed;
	m->t = totals;
	rn_rng_seed(&m->rng, seed ^ 0x9E3779B97F4A7C15ull);
	draw_spec(m, &spec);
	sim_init(&m->sim, &spec);
	m->sim.log = log;
	for (unsigned q = 0; q < spec.qps; q++)
		sim_connect(&m->sim, q);
	draw_flows(m);
	rn_time next;
	do {
		next = post_due(m);
		sim_step(&m->sim, RN_MIN(next, LIMIT));
		drain(m);
	} while (!all_done(m) && m->sim.now < LIMIT && m->objections == 0);
	/* The last ACKs and late duplicates, which arrive now, must change nothing. */
	sim_run(&m->sim, m->sim.now + RN_S(2));
	drain(m);
	if (!all_done(m) && m->objections == 0)
		OBJECT(m, "not finished after %llu s of virtual time",
		       (unsigned long long)(m->sim.now / RN_S(1)));
	check_memory(m);
	for (unsigned node = 0; node < SIM_NODES && m->objections == 0; node++)
		check_counter(m, node);
	m->objections += sim_balance(&m->sim, m->objections == 0, out);
	add_totals(m);
	unsigned left = sim_fini(&m->sim);
	if (left)
		OBJECT(m, "%u objects left over", left);
	unsigned objections = m->objections;
	for (unsigned i = 0; i < SIM_NODES; i++)
		for (unsigned q = 0; q < SIM_MAX_QP; q++)
			free(m->flow[i][q]);
	free(m);
	return objections;
}

void mix_print(const struct mix_totals *t, FILE *out)
{
#define N(x) (unsigned long long)t->x
	fprintf(out, "%llu runs (%llu near the PSN wrap), %llu messages, %llu bytes\n", N(runs),
		N(wrapped), N(messages), N(bytes));
	fprintf(out,
		"SEND %llu  with immediate %llu  WRITE %llu  with immediate %llu  READ %llu  atomic %llu  fenced %llu  silent %llu  solicited %llu  inline %llu  empty %llu\n",
		N(sends), N(sends_imm), N(writes), N(writes_imm), N(reads), N(atomics), N(fenced),
		N(silent), N(solicited), N(inlined), N(empty));
	fprintf(out, "held back for credits %llu\n", N(credit_waits));
	fprintf(out, "frames %llu  lost %llu  duplicated %llu  reordered %llu  corrupted %llu\n",
		N(frames), N(lost), N(duplicated), N(reordered), N(corrupted));
#undef N
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		if (t->verdicts[v])
			fprintf(out, "  %10llu  %s\n", (unsigned long long)t->verdicts[v],
				rn_verdicts[v].text);
}
