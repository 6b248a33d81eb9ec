/* Memory that a node lends to its peer through memory windows stays intact. The seed determines a
 * run. Each node owns a few memory windows. Each memory window has a buffer of its own, called its
 * place, and covers a part of this place.
 *
 * The array `expect` holds the required content of the place. All bytes of the place are compared
 * after the peer's last access, and again before the next BIND of the memory window. No access is
 * allowed between the two comparisons. */
#include "lend.h"

#include <stdlib.h>
#include <string.h>

#include "balance.h"

#define WINDOWS 4u
#define PLACE	(96u << 10)
#define LAPS	6u
#define LIMIT	RN_S(600)

/* Layout of a node's arena: the places that this node lends; local buffers for its WRITEs and READs
 * of the peer's places; messages to send; received messages. */
#define AT_PLACE(w)   ((uint64_t)(w)*PLACE)
#define AT_SCRATCH(w) ((uint64_t)(WINDOWS + (w)) * PLACE)
#define AT_OUT(i)     ((uint64_t)(2 * WINDOWS) * PLACE + (uint64_t)(i)*64)
#define AT_IN(q, i)   (AT_OUT(64) + ((uint64_t)(q)*64 + (i)) * 64)
#define RECVS	      32u

/* A message from one side to the other, carried by a SEND. */
struct message {
	/* lent: 1 = the sender has bound this memory window for the receiver; 0 = the sender gives
	 * the receiver's memory window back */
	uint32_t window, lent;
	uint32_t key, length, access, reserved;
	uint64_t off;
};

enum phase { FREE, LENT, ENDING };

struct window {
	struct rn_mw_shared shared;
	enum phase phase;
	uint32_t key;
	unsigned q, laps;
	uint64_t off; /* start of the memory window within its place */
	uint32_t length, access;
	rn_time again; /* time before which the memory window is not bound again */
	uint8_t expect[PLACE];
};

struct lend {
	struct sim sim;
	struct rn_rng rng;
	uint64_t seed;
	struct window *window[SIM_NODES][WINDOWS];
	unsigned out_next[SIM_NODES];
	enum lend_ending ending;
	/* node 1 accesses memory to which it has no right, so errors are allowed */
	bool broken;
	unsigned errors; /* number of completions with REM_ACCESS_ERR */
	unsigned objections;
	FILE *out;
	struct lend_totals *t;
};

#define OBJECT(m, ...)                                                                   \
	do {                                                                             \
		if ((m)->objections++ < 10) {                                            \
			fprintf((m)->out, "seed %llu: ", (unsigned long long)(m)->seed); \
			fprintf((m)->out, __VA_ARGS__);                                  \
			fputc('\n', (m)->out);                                           \
		}                                                                        \
	} while (0)

static bool one_in(struct lend *m, unsigned n)
{
	return rn_rng_below(&m->rng, n) == 0;
}

static void draw_spec(struct lend *m, struct sim_spec *s)
{
	struct rn_rng *r = &m->rng;

	sim_spec_default(s);
	s->seed = m->seed;
	s->ipv6 = one_in(m, 2);
	s->path_mtu = (uint8_t)(1 + rn_rng_below(r, 5));
	s->rd_atomic = (uint8_t)(1 + rn_rng_below(r, 8));
	s->qps = 2 + (unsigned)rn_rng_below(r, 3);
	s->first_psn = (uint32_t)rn_rng_below(r, 1 << 24);
	s->sq_depth = s->rq_depth = 256;
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct rn_impair *l = &s->link[i].impair;

		l->loss_ppm = (uint32_t)rn_rng_below(r, 30000);
		l->duplicate_ppm = (uint32_t)rn_rng_below(r, 30000);
		l->reorder_ppm = (uint32_t)rn_rng_below(r, 30000);
		l->reorder_ns = 1 + rn_rng_below(r, RN_US(20));
		l->delay_min_ns = RN_US(1) + rn_rng_below(r, RN_US(50));
		l->delay_max_ns = l->delay_min_ns + rn_rng_below(r, RN_US(10));
	}
	m->ending = (enum lend_ending)rn_rng_below(r, 4);
}

static void check_place(struct lend *m, unsigned node, unsigned w, const char *when)
{
	if (memcmp(m->sim.node[node].arena + AT_PLACE(w), m->window[node][w]->expect, PLACE) != 0)
		OBJECT(m, "node %u window %u lap %u: %s, its place is not what it should be", node,
		       w, m->window[node][w]->laps, when);
}

static void refill(struct lend *m, unsigned node, unsigned w)
{
	uint8_t *expect = m->window[node][w]->expect;
	uint32_t x = (uint32_t)rn_rng_next(&m->rng);

	for (unsigned i = 0; i < PLACE; i++)
		expect[i] = (uint8_t)((x += 2654435761u) >> 24);
	memcpy(m->sim.node[node].arena + AT_PLACE(w), expect, PLACE);
}

static void post(struct lend *m, unsigned node, unsigned q, const struct sim_op *op)
{
	m->t->silent += op->kind >= RN_WQE_BIND && !(op->flags & RN_WQE_SIGNALED);
	m->t->fenced += op->kind >= RN_WQE_BIND && op->flags & RN_WQE_FENCE;
	sim_post(&m->sim, node, q, op);
}

static unsigned some_flags(struct lend *m)
{
	return (one_in(m, 2) ? RN_WQE_SIGNALED : 0) | (one_in(m, 3) ? RN_WQE_FENCE : 0);
}

/* Sends a message to the peer. inval: the peer's key that the SEND invalidates; 0 = the SEND
 * invalidates no key. */
static void say(struct lend *m, unsigned node, unsigned q, unsigned flags, uint32_t inval,
		const struct message *what)
{
	uint64_t at = AT_OUT(m->out_next[node]++ % 64);

	memcpy(m->sim.node[node].arena + at, what, sizeof(*what));
	m->t->said_last += inval != 0;
	post(m, node, q,
	     &(struct sim_op){.kind = inval ? RN_WQE_SEND_INVAL : RN_WQE_SEND,
			      .flags = flags,
			      .imm = inval,
			      .local = at,
			      .length = sizeof(*what)});
}

/* Binds the memory window over part of its place. Right after the BIND posts the message that tells
 * the peer about the memory window. */
static void lend(struct lend *m, unsigned node, unsigned w, unsigned q)
{
	struct window *win = m->window[node][w];
	uint32_t variant = (win->key & 0xFF) == 0xFF ? 1 : (win->key & 0xFF) + 1;
	struct message say_so = {.window = w, .lent = 1};

	win->off = rn_rng_below(&m->rng, PLACE);
	win->length = (uint32_t)rn_rng_below(&m->rng, PLACE - win->off + 1);
	win->access = RN_ACCESS_REMOTE_READ | (one_in(m, 4) ? 0 : RN_ACCESS_REMOTE_WRITE);
	win->key = (win->key & ~0xFFu) | variant;
	m->t->moved += win->q != q;
	win->q = q;
	win->phase = LENT;
	win->laps++;
	m->t->laps++;
	post(m, node, q,
	     &(struct sim_op){.kind = RN_WQE_BIND,
			      .flags = some_flags(m),
			      .remote = AT_PLACE(w) + win->off,
			      .length = win->length,
			      .rkey = win->key,
			      .access = win->access});
	say_so.key = win->key;
	say_so.off = win->off;
	say_so.length = win->length;
	say_so.access = win->access;
	say(m, node, q, one_in(m, 2) ? RN_WQE_SIGNALED : 0, 0, &say_so);
}

static void take_back(struct lend *m, unsigned node, unsigned w)
{
	struct window *win = m->window[node][w];

	post(m, node, win->q,
	     &(struct sim_op){.kind = RN_WQE_INVALIDATE, .flags = some_flags(m), .rkey = win->key});
}

/* Uses a memory window of the peer node: first WRITEs, then READs, all within the window. The
 * written bytes become the expected content. */
static void use(struct lend *m, unsigned node, unsigned q, const struct message *lent)
{
	struct window *win = m->window[1 - node][lent->window];
	uint8_t *scratch = m->sim.node[node].arena + AT_SCRATCH(lent->window);
	unsigned ops = (unsigned)rn_rng_below(&m->rng, 5);

	for (unsigned i = 0; i < ops && lent->access & RN_ACCESS_REMOTE_WRITE; i++) {
		uint64_t from = rn_rng_below(&m->rng, lent->length + 1ull);
		uint32_t n = (uint32_t)rn_rng_below(&m->rng, lent->length - from + 1);
		uint64_t at = lent->off + from;

		for (uint32_t k = 0; k < n; k++)
			scratch[at + k] = (uint8_t)(rn_rng_next(&m->rng) >> 8);
		memcpy(win->expect + at, scratch + at, n);
		post(m, node, q,
		     &(struct sim_op){.kind = RN_WQE_WRITE,
				      .local = AT_SCRATCH(lent->window) + at,
				      .remote = AT_PLACE(lent->window) + at,
				      .length = n,
				      .rkey = lent->key});
		m->t->writes++;
	}
	if (lent->length) {
		post(m, node, q,
		     &(struct sim_op){.kind = RN_WQE_READ,
				      .flags = RN_WQE_SIGNALED | RN_WQE_FENCE,
				      .wr_id = lent->window + 1,
				      .local = AT_SCRATCH(lent->window) + lent->off,
				      .remote = AT_PLACE(lent->window) + lent->off,
				      .length = lent->length,
				      .rkey = lent->key});
		m->t->reads++;
	}
	say(m, node, q, RN_WQE_FENCE, one_in(m, 3) ? lent->key : 0,
	    &(struct message){.window = lent->window});
}

/* Handles the message with which the peer gives a memory window back. By then the peer's WRITEs
 * must be in memory. Sometimes binds the window again at once, while the INVALIDATE of the former
 * binding is still in the send queue. */
static void given_back(struct lend *m, unsigned node, unsigned w, const struct rn_cqe *c)
{
	struct window *win = m->window[node][w];

	check_place(m, node, w, "given back");
	if (!(c->flags & RN_CQE_INVAL))
		take_back(m, node, w);
	else if (c->imm != win->key || atomic_load(&win->shared.ended) != win->key)
		OBJECT(m, "node %u window %u: not ended by the peer's SEND", node, w);
	win->phase = ENDING;
	if (win->laps < LAPS && one_in(m, 4)) {
		m->t->pipelined++;
		lend(m, node, w, win->q);
	}
}

static void received(struct lend *m, unsigned node, const struct rn_cqe *c)
{
	unsigned q = (unsigned)c->qp_ctx;
	struct message msg;

	memcpy(&msg, m->sim.node[node].arena + c->wr_id, sizeof(msg));
	sim_post(&m->sim, node, q,
		 &(struct sim_op){
			 .kind = RN_WQE_RECV, .wr_id = c->wr_id, .local = c->wr_id, .length = 64});
	if (msg.lent)
		use(m, node, q, &msg);
	else
		given_back(m, node, msg.window, c);
}

static void read_done(struct lend *m, unsigned node, const struct rn_cqe *c)
{
	unsigned w = (unsigned)c->wr_id - 1;
	const struct window *win = m->window[1 - node][w];

	if (memcmp(m->sim.node[node].arena + AT_SCRATCH(w) + win->off, win->expect + win->off,
		   win->length) != 0)
		OBJECT(m, "node %u window %u: READ brought the wrong bytes", node, w);
}

static void drain(struct lend *m)
{
	struct rn_cqe c;

	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(&m->sim, node, &c)) {
			m->errors += c.status == RN_STATUS_REM_ACCESS_ERR;
			if (c.status && !m->broken)
				OBJECT(m, "node %u: wr_id %llu kind %u ends with %u", node,
				       (unsigned long long)c.wr_id, c.kind, c.status);
			else if (!c.status && c.flags & RN_CQE_RECV && !m->broken)
				received(m, node, &c);
			else if (!c.status && c.kind == RN_WQE_READ && !m->broken)
				read_done(m, node, &c);
		}
}

/* Binds each memory window again when a random time has passed since the end of its last binding.
 * No access is allowed in between. Returns when the next memory window is due. */
static rn_time lend_due(struct lend *m)
{
	rn_time next = RN_TIME_NEVER;

	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned w = 0; w < WINDOWS; w++) {
			struct window *win = m->window[node][w];

			if (win->phase == ENDING && atomic_load(&win->shared.ended) == win->key) {
				win->phase = FREE;
				win->again = m->sim.now + rn_rng_below(&m->rng, RN_MS(1));
				refill(m, node, w);
			}
			if (win->phase != FREE || win->laps == LAPS)
				continue;
			if (win->again <= m->sim.now) {
				check_place(m, node, w, "before it is lent again");
				lend(m, node, w, (unsigned)rn_rng_below(&m->rng, m->sim.spec.qps));
			} else {
				next = RN_MIN(next, win->again);
			}
		}
	return next;
}

static bool all_done(const struct lend *m)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned w = 0; w < WINDOWS; w++)
			if (m->window[node][w]->phase != FREE || m->window[node][w]->laps < LAPS)
				return false;
	return true;
}

/* Node 1 accesses memory of node 0 that is not lent to node 1. This memory must stay unchanged. */
static void access_without_right(struct lend *m)
{
	struct window *win = m->window[0][0];
	unsigned q = win->q;
	struct sim_op grab = {.kind = RN_WQE_WRITE,
			      .flags = RN_WQE_SIGNALED,
			      .local = AT_SCRATCH(0),
			      .remote = AT_PLACE(0),
			      .length = 1 + (uint32_t)rn_rng_below(&m->rng, PLACE)};

	m->broken = true;
	/* The responder sends one NAK and then no further packet. If this NAK were lost, the
	 * requester would run out of retries and not report REM_ACCESS_ERR. */
	for (unsigned i = 0; i < SIM_NODES; i++)
		m->sim.spec.link[i].impair.loss_ppm = 0;
	if (m->ending == LEND_OTHER_QP || m->ending == LEND_INVALIDATED) {
		win->key = (win->key & ~0xFFu) | ((win->key & 0xFF) % 255 + 1);
		sim_post(&m->sim, 0, q,
			 &(struct sim_op){.kind = RN_WQE_BIND,
					  .remote = AT_PLACE(0),
					  .length = PLACE,
					  .rkey = win->key,
					  .access = RN_ACCESS_REMOTE_WRITE});
		sim_run(&m->sim, m->sim.now + RN_S(1));
	}
	grab.rkey = win->key;
	if (m->ending == LEND_OTHER_QP) {
		q = (q + 1) % m->sim.spec.qps;
		/* The memory window is invalidated during the WRITEs. WRITEs that were executed
		 * before the invalidation are legal and not checked. */
	} else if (m->ending == LEND_INVALIDATED) {
		grab.length = PLACE;
		for (unsigned i = 0; i < 4; i++)
			sim_post(&m->sim, 1, q, &grab);
		sim_run(&m->sim, m->sim.now + 2 * m->sim.spec.link[1].impair.delay_max_ns);
		sim_post(&m->sim, 0, q,
			 &(struct sim_op){.kind = RN_WQE_INVALIDATE, .rkey = win->key});
		while (atomic_load(&win->shared.ended) != win->key && sim_step(&m->sim, LIMIT))
			;
		memcpy(win->expect, m->sim.node[0].arena + AT_PLACE(0), PLACE);
	}
	sim_post(&m->sim, 1, q, &grab);
	sim_run(&m->sim, m->sim.now + RN_S(10));
	drain(m);
	check_place(m, 0, 0, "after somebody reached for it");
	if (m->errors != 1)
		OBJECT(m, "%u accesses were refused, expected one", m->errors);
}

static void open_windows(struct lend *m)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned w = 0; w < WINDOWS; w++) {
			struct window *win = m->window[node][w] = calloc(1, sizeof(*win));

			if (win == NULL ||
			    rn_mw_add(m->sim.node[node].mrs, SIM_PD, &win->shared, &win->key))
				abort();
			refill(m, node, w);
		}
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < m->sim.spec.qps; q++)
			for (unsigned i = 0; i < RECVS; i++)
				sim_post(&m->sim, node, q,
					 &(struct sim_op){.kind = RN_WQE_RECV,
							  .wr_id = AT_IN(q, i),
							  .local = AT_IN(q, i),
							  .length = 64});
}

static void close_windows(struct lend *m)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct sim_node *n = &m->sim.node[node];

		m->t->frames += n->frames;
		m->t->lost += n->dropped;
		for (unsigned q = 0; q < m->sim.spec.qps; q++)
			sim_destroy_qp(&m->sim, node, q);
		for (unsigned w = 0; w < WINDOWS; w++) {
			struct window *win = m->window[node][w];
			uint32_t owner = 0;

			if (atomic_load(&win->shared.ended) != win->key ||
			    rn_mw_remove(n->mrs, win->key, &owner))
				OBJECT(m, "node %u window %u: still bound on %x", node, w, owner);
			free(win);
		}
	}
}

unsigned lend_run(uint64_t seed, struct lend_totals *totals, FILE *out, FILE *log)
{
	struct lend *m = calloc(1, sizeof(*m));
	struct sim_spec spec;
	unsigned objections;

	if (m == NULL)
		abort();
	m->out = out;
	m->seed = seed;
	m->t = totals;
	rn_rng_seed(&m->rng, seed ^ 0x5851F42D4C957F2Dull);
	draw_spec(m, &spec);
	sim_init(&m->sim, &spec);
	m->sim.log = log;
	for (unsigned q = 0; q < spec.qps; q++)
		sim_connect(&m->sim, q);
	open_windows(m);
	while (!all_done(m) && m->sim.now < LIMIT && m->objections == 0) {
		rn_time next = lend_due(m);

		sim_step(&m->sim, RN_MIN(next, LIMIT));
		drain(m);
	}
	if (!all_done(m) && m->objections == 0)
		OBJECT(m, "not finished after %llu s of virtual time",
		       (unsigned long long)(m->sim.now / RN_S(1)));
	/* late duplicates, which arrive now, must not change memory */
	sim_run(&m->sim, m->sim.now + RN_S(2));
	drain(m);
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned w = 0; w < WINDOWS; w++)
			check_place(m, node, w, "at the end");
	if (m->ending != LEND_WELL && m->objections == 0)
		access_without_right(m);
	m->objections += sim_balance(&m->sim, false, out);
	totals->runs++;
	totals->endings[m->ending]++;
	close_windows(m);
	if (sim_fini(&m->sim))
		OBJECT(m, "objects left over");
	objections = m->objections;
	free(m);
	return objections;
}
