/* Implements bottleneck.h: several flows share a queue that marks packets (ECN). */
#include "bottleneck.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "wire/hdr.h"
#include "wire/stats.h"

#define POSTED 8u /* number of work requests that a flow keeps outstanding */

struct bottleneck_frame {
	rn_time when;
	uint64_t seq;
	unsigned flow;
	bool in_switch; /* true: the frame is on its way to the shared queue; false: to a node */
	unsigned to;	/* destination node */
	bool data;
	uint32_t len;
	uint8_t bytes[];
};

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "bottleneck: %s\n", what);
		abort();
	}
}

/* ---- frames in flight ---- */

static bool earlier(const struct bottleneck_frame *a, const struct bottleneck_frame *b)
{
	return a->when != b->when ? a->when < b->when : a->seq < b->seq;
}

static void push(struct bottleneck *b, struct bottleneck_frame *f)
{
	unsigned i = b->nheap++;
	if (b->nheap > b->capheap) {
		b->capheap = b->capheap ? 2 * b->capheap : 1024;
		b->heap = realloc(b->heap, b->capheap * sizeof(*b->heap));
		must(b->heap != NULL, "no memory");
	}
	for (; i > 0 && earlier(f, b->heap[(i - 1) / 2]); i = (i - 1) / 2)
		b->heap[i] = b->heap[(i - 1) / 2];
	b->heap[i] = f;
}

static struct bottleneck_frame *pop(struct bottleneck *b)
{
	struct bottleneck_frame *top = b->heap[0], *last = b->heap[--b->nheap];
	unsigned i = 0;
	for (unsigned c = 1; c < b->nheap; i = c, c = 2 * i + 1) {
		if (c + 1 < b->nheap && earlier(b->heap[c + 1], b->heap[c]))
			c++;
		if (!earlier(b->heap[c], last))
			break;
		b->heap[i] = b->heap[c];
	}
	b->heap[i] = last;
	return top;
}

static rn_time wire_time(uint64_t bytes, uint64_t rate)
{
	return RN_DIV_UP(bytes * 8 * RN_S(1), rate);
}

/* Filter of each flow's simulation. It copies every RoCE frame that a shard sends and schedules the
 * copy's arrival at the shared queue or at the peer node. It returns false, so the simulation
 * itself drops every frame. */
static bool take(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct bottleneck *b = arg;
	unsigned i = (unsigned)(sim - b->sim);
	struct bottleneck_flow *flow = &b->flow[i];
	if (pkt->kind != RN_PKT_IB)
		return false;
	struct bottleneck_frame *f = malloc(sizeof(*f) + pkt->frame_len);
	must(f != NULL, "no memory");
	*f = (struct bottleneck_frame){.seq = b->seq++,
				       .flow = i,
				       .to = 1 - from,
				       .data = from == 0 && pkt->op->has_payload &&
					       pkt->payload_len,
				       .len = pkt->frame_len,
				       .in_switch = from == 0};
	memcpy(f->bytes, pkt->frame, pkt->frame_len);
	if (from == 0) {
		flow->link_free =
			RN_MAX(b->now, flow->link_free) + wire_time(f->len, b->spec.access);
		f->when = flow->link_free + b->spec.delay;
	} else {
		f->when = b->now + 2 * b->spec.delay;
	}
	push(b, f);
	return false;
}

/* ---- the shared queue ---- */

static bool is_marked(struct bottleneck *b, uint32_t queue)
{
	const struct bottleneck_spec *s = &b->spec;
	if (queue <= s->kmin)
		return false;
	if (queue > s->kmax)
		return true;
	return rn_rng_below(&b->rng, 1000000) <
	       (uint64_t)s->pmax_ppm * (queue - s->kmin) / (s->kmax - s->kmin);
}

/* Sets the ECN field of an untagged IPv4 frame to CE and corrects the IP checksum. The frame must
 * be ECN-capable. */
static void mark(uint8_t *frame)
{
	uint8_t *ip = frame + RN_ETH_BYTES;
	uint32_t sum = 0;
	must((ip[RN_IPV4_TOS] & 3) == RN_ECT_0, "a packet that cannot be marked");
	ip[RN_IPV4_TOS] |= RN_ECN_CE;
	rn_store16(ip + RN_IPV4_CHECKSUM, 0);
	for (unsigned i = 0; i < RN_IPV4_BYTES; i += 2)
		sum += rn_load16(ip + i);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	rn_store16(ip + RN_IPV4_CHECKSUM, (uint16_t)~sum);
}

static void enter_queue(struct bottleneck *b, struct bottleneck_frame *f)
{
	rn_time wait = b->queue_free > b->now ? b->queue_free - b->now : 0;
	uint32_t queue = (uint32_t)(wait * (b->spec.line / 8) / RN_S(1));
	b->frames++;
	if (queue + f->len > b->spec.buffer) {
		b->dropped++;
		free(f);
		return;
	}
	b->deepest = RN_MAX(b->deepest, queue + f->len);
	if (is_marked(b, queue)) {
		mark(f->bytes);
		b->marked++;
	}
	b->queue_free = b->now + wait + wire_time(f->len, b->spec.line);
	f->in_switch = false;
	f->when = b->queue_free + b->spec.delay;
	push(b, f);
}

static void arrive(struct bottleneck *b, struct bottleneck_frame *f)
{
	if (f->in_switch) {
		enter_queue(b, f);
		return;
	}
	if (f->data) {
		b->flow[f->flow].bytes += f->len;
		b->flow[f->flow].total += f->len;
	}
	must(sim_inject(&b->sim[f->flow], f->to, f->bytes, f->len) != RN_V_ICRC, "a broken frame");
	free(f);
}

/* ---- running the flows ---- */

/* Takes the completions of flow i and posts work requests until POSTED are outstanding. */
static void keep_posted(struct bottleneck *b, unsigned i)
{
	struct bottleneck_flow *flow = &b->flow[i];
	struct rn_cqe c;
	while (sim_poll(&b->sim[i], b->spec.read, &c)) {
		must(c.status == RN_STATUS_SUCCESS, "a request failed");
		flow->outstanding--;
		flow->done = b->now;
	}
	for (; flow->left && flow->outstanding < POSTED; flow->outstanding++) {
		sim_post(&b->sim[i], b->spec.read, 0,
			 &(struct sim_op){.kind = b->spec.read ? RN_WQE_READ : RN_WQE_WRITE,
					  .flags = RN_WQE_SIGNALED,
					  .length = BOTTLENECK_WRITE});
		flow->left -= flow->left != UINT64_MAX;
	}
}

/* Lets both nodes of flow i send what they can. Node 0 sends one frame at a time, when its access
 * link is free. */
static void speak(struct bottleneck *b, unsigned i)
{
	struct sim *sim = &b->sim[i];
	sim->now = b->now;
	keep_posted(b, i);
	if (rn_shard_wants_tx(sim->node[1].shard, b->now))
		sim_send(sim, 1, UINT_MAX);
	while (b->flow[i].link_free <= b->now && rn_shard_wants_tx(sim->node[0].shard, b->now))
		if (!sim_send(sim, 0, 1))
			break;
}

/* Returns the time at which flow i next has something to do: a timer expires, or the access link
 * becomes free and node 0 has a frame to send. */
static rn_time next_of(const struct bottleneck *b, unsigned i)
{
	const struct sim *sim = &b->sim[i];
	rn_time next = RN_MIN(rn_shard_next(sim->node[0].shard), rn_shard_next(sim->node[1].shard));
	if (rn_shard_wants_tx(sim->node[0].shard, b->now))
		next = RN_MIN(next, b->flow[i].link_free);
	return next;
}

void bottleneck_run(struct bottleneck *b, rn_time until)
{
	for (;;) {
		rn_time next;
		for (unsigned i = 0; i < b->spec.flows; i++)
			speak(b, i);
		next = b->nheap ? b->heap[0]->when : RN_TIME_NEVER;
		for (unsigned i = 0; i < b->spec.flows; i++)
			next = RN_MIN(next, next_of(b, i));
		if (next > until)
			break;
		b->now = RN_MAX(b->now, next);
		for (unsigned i = 0; i < b->spec.flows; i++)
			b->sim[i].now = b->now;
		while (b->nheap && b->heap[0]->when <= b->now)
			arrive(b, pop(b));
		for (unsigned i = 0; i < b->spec.flows; i++)
			for (unsigned n = 0; n < SIM_NODES; n++)
				if (rn_shard_next(b->sim[i].node[n].shard) <= b->now)
					rn_shard_tick(b->sim[i].node[n].shard, b->now);
		for (unsigned i = 0; i < b->spec.flows; i++)
			rn_shard_done(b->sim[i].node[b->spec.read].shard, b->now);
	}
	b->now = until;
}

/* ---- set-up, start and end of the flows ---- */

void bottleneck_default(struct bottleneck_spec *spec)
{
	*spec = (struct bottleneck_spec){
		.flows = 2,
		.seed = 1,
		.access = UINT64_C(10000000000),
		.line = UINT64_C(10000000000),
		.delay = RN_US(5),
		.kmin = 40000,
		.kmax = 160000,
		.pmax_ppm = 200000,
		.buffer = 4u << 20,
		.path_mtu = 3,
		.window = 1024,
	};
	rn_cc_defaults(&spec->cc);
}

void bottleneck_init(struct bottleneck *b, const struct bottleneck_spec *spec)
{
	struct sim_spec s;
	memset(b, 0, sizeof(*b));
	b->spec = *spec;
	b->spec.cc.line_rate = spec->access;
	rn_rng_seed(&b->rng, spec->seed);
	b->sim = calloc(spec->flows, sizeof(*b->sim));
	must(b->sim != NULL && spec->flows <= BOTTLENECK_FLOWS, "no memory");
	sim_spec_default(&s);
	s.path_mtu = spec->path_mtu;
	s.window = spec->window;
	s.cc = &b->spec.cc;
	for (unsigned i = 0; i < spec->flows; i++) {
		s.seed = spec->seed * 100 + i;
		sim_init(&b->sim[i], &s);
		sim_connect(&b->sim[i], 0);
		b->sim[i].filter = take;
		b->sim[i].filter_arg = b;
		b->now = b->sim[i].now;
	}
	bottleneck_count(b);
}

unsigned bottleneck_fini(struct bottleneck *b)
{
	unsigned left = 0;
	while (b->nheap)
		free(pop(b));
	free(b->heap);
	for (unsigned i = 0; i < b->spec.flows; i++)
		left += sim_fini(&b->sim[i]);
	free(b->sim);
	return left;
}

void bottleneck_start(struct bottleneck *b, unsigned i, uint64_t n)
{
	b->flow[i].left = n;
}

void bottleneck_stop(struct bottleneck *b, unsigned i)
{
	b->flow[i].left = 0;
}

/* ---- measured values ---- */

void bottleneck_count(struct bottleneck *b)
{
	b->since = b->now;
	b->frames = b->marked = b->dropped = b->deepest = 0;
	for (unsigned i = 0; i < b->spec.flows; i++)
		b->flow[i].bytes = 0;
}

double bottleneck_rate(const struct bottleneck *b, unsigned i)
{
	return (double)b->flow[i].bytes * 8e9 / (double)(b->now - b->since);
}

double bottleneck_use(const struct bottleneck *b)
{
	double sum = 0;
	for (unsigned i = 0; i < b->spec.flows; i++)
		sum += bottleneck_rate(b, i);
	return sum / (double)b->spec.line;
}

double bottleneck_jain(const struct bottleneck *b)
{
	double sum = 0, squares = 0;
	for (unsigned i = 0; i < b->spec.flows; i++) {
		double r = bottleneck_rate(b, i);
		sum += r;
		squares += r * r;
	}
	return squares > 0 ? sum * sum / (b->spec.flows * squares) : 0;
}

uint64_t bottleneck_resent(const struct bottleneck *b)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < b->spec.flows; i++)
		n += rn_shard_stats(b->sim[i].node[b->spec.read].shard)->tx_retransmitted;
	return n;
}

unsigned bottleneck_limited(const struct bottleneck *b)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->spec.flows; i++)
		n += (unsigned)rn_shard_stats(b->sim[i].node[0].shard)->cc_limited;
	return n;
}
