/* Runs two shards of the protocol core against each other in one thread; frames pass through
 * memory. Each iteration of a side takes the steps of the poll loop in dataplane/port/lcore.c:
 * receive, publish completions, run the application, run timers, send, publish completions. */
#include "core_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>
#include "base/htab.h"
#include "port/mem.h"
#include "qp/qp.h"
#include "shard/ahead.h"
#include "shard/shard.h"

#define CQ_ID 3u
/* A turn receives at most PAIR_BURST_MAX responses. Each completes at most a send window of
 * messages. */
#define MOST_CQES (2 * PAIR_BURST_MAX * 256u)
#define RIGHTS	  (RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

static void give_up(const char *what)
{
	fprintf(stderr, "bench_core: %s\n", what);
	exit(EXIT_FAILURE);
}

static void *memory(size_t bytes)
{
	void *mem = aligned_alloc(4096, RN_ALIGN_UP(bytes, 4096));

	if (mem == NULL)
		give_up("no memory");
	memset(mem, 0, bytes);
	return mem;
}

static struct rn_gid address(bool ipv6, int i)
{
	struct rn_gid g = {{0xfd, [15] = (uint8_t)(i + 1)}};

	if (!ipv6)
		g = (struct rn_gid){{[10] = 0xff, 0xff, 10, 0, 0, (uint8_t)(i + 1)}};
	return g;
}

/* The memory of each queue pair is a block of its own, aligned like those of the NIC. If all blocks
 * began with a page, the queue pairs would compete for the same sets of the cache. */
static void make_qp(struct pair *p, struct pair_side *s, struct pair_qp *qp,
		    const struct rn_core_cfg *cfg)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};
	size_t bytes;

	cmd.create_qp.pd = 1;
	cmd.create_qp.type = RN_QPT_RC;
	cmd.create_qp.qp_ctx = (uint64_t)(qp - s->qp);
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = CQ_ID;
	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = p->depth;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 1;
	bytes = RN_ALIGN_UP(rn_exec_bytes(&cmd, cfg), (size_t)64);
	x.mem = qp->mem = aligned_alloc(64, bytes);
	if (qp->mem == NULL)
		give_up("no memory");
	memset(qp->mem, 0,
	       bytes); /* page faults come now, and not when the queues are first used */
	rn_shard_exec(s->sh, &x, p->now);
	if (rsp.err != 0)
		give_up("no QP");
	qp->qpn = rsp.id;
	qp->gen = rsp.gen;
}

static void make_side(struct pair *p, int i)
{
	struct pair_side *s = &p->s[i];
	struct rn_core_cfg cfg;
	struct rn_mr_attr mr = {
		.length = p->o.buffer, .pd = 1, .access = RN_ACCESS_LOCAL_WRITE | RIGHTS};
	uint32_t rkey, entries = RN_MIN(2 * (p->o.window + p->o.burst), MOST_CQES);

	rn_core_defaults(&cfg);
	cfg.secrets = rn_secrets_of_seed(42 + (uint64_t)i);
	cfg.max_qp = RN_MAX(cfg.max_qp, p->o.qps);
	s->port = (struct rn_port_attr){.mac = {2, 0, 0, 0, 0, (uint8_t)(i + 1)},
					.mtu = 9000,
					.max_path_mtu = 5,
					.ngids = 1,
					.gids = {address(p->o.ipv6, i)},
					.prefix_len = {24},
					.check_source = true};
	s->mem = memory(p->o.buffer);
	s->frames = memory((size_t)PAIR_BURST_MAX * PAIR_FRAME);
	/* No message is a multicast datagram, so the shard sets nothing but `len`. */
	for (unsigned n = 0; n < PAIR_BURST_MAX; n++)
		s->out[n] = (struct rn_txbuf){.data = s->frames + (size_t)n * PAIR_FRAME + 128,
					      .cap = 9216};
	for (size_t n = 0; n < p->o.buffer; n++)
		s->mem[n] = (uint8_t)(n * 131 >> 5);
	s->mrs = rn_mr_table_create(RN_MAX(1024u, p->o.regions + 1),
				    &(struct rn_secret){{(uint8_t)(7 + i)}});
	if (s->mrs != NULL)
		rn_mr_table_advise(s->mrs, rn_mem_advise_pages);
	mr.ptr = s->mem;
	mr.iova = (uintptr_t)s->mem;
	s->sh = s->mrs == NULL
			? NULL
			: rn_shard_create(&cfg, &s->port, s->mrs,
					  p->o.guarded ? &rn_mem_guarded : &rn_mem_plain, p->now);
	if (s->sh == NULL)
		give_up("no shard");
	s->keys = memory(p->o.regions * sizeof(*s->keys));
	for (unsigned r = 0; r < p->o.regions; r++)
		if (rn_mr_add(s->mrs, &mr, &s->keys[r], &rkey) != 0)
			give_up("no region");
	s->ring = memory(rn_cq_ring_bytes(entries));
	rn_cq_ring_init(s->ring, entries);
	rn_shard_cq_link(s->sh, CQ_ID, &s->cq_shared, s->ring, 0);
	s->qp = memory(p->o.qps * sizeof(*s->qp));
	for (unsigned q = 0; q < p->o.qps; q++)
		make_qp(p, s, &s->qp[q], &cfg);
}

static void modify(struct pair *p, int i, unsigned q, uint32_t mask, const struct rn_qp_attr *attr)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	cmd.modify_qp.qpn = p->s[i].qp[q].qpn;
	cmd.modify_qp.gen = p->s[i].qp[q].gen;
	cmd.modify_qp.mask = RN_QP_STATE | mask;
	cmd.modify_qp.attr = *attr;
	rn_shard_exec(p->s[i].sh, &x, p->now);
	if (rsp.err != 0)
		give_up("the QPs do not connect");
}

static void connect_qp(struct pair *p, int i, unsigned q)
{
	struct rn_qp_attr a = {
		.state = RN_QPS_INIT,
		.path_mtu = (uint8_t)(__builtin_ctz(p->o.mtu) - 7),
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 12,
		.max_rd_atomic = RN_MAX_RD_ATOMIC,
		.max_dest_rd_atomic = RN_MAX_RD_ATOMIC,
		.access = RIGHTS,
		.dest_qpn = p->s[!i].qp[q].qpn,
		.av = {.sgid = address(p->o.ipv6, i),
		       .dgid = address(p->o.ipv6, !i),
		       .hop_limit = 64},
	};

	memcpy(a.av.dmac, p->s[!i].port.mac, 6);
	modify(p, i, q, RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS, &a);
	a.state = RN_QPS_RTR;
	modify(p, i, q, RN_QPM_RTR, &a);
	a.state = RN_QPS_RTS;
	modify(p, i, q, RN_QPM_RTS, &a);
}

/* Draws the order in which the messages use the regions: each region once, then all again. The
 * order is drawn beforehand and read like a list, so that the benchmark measures the cache misses
 * of softrnic and not those of the arrays of keys. */
static void draw_keys(struct pair *p)
{
	struct pair_side *s = &p->s[0];
	unsigned n = p->o.regions;

	s->next = memory(n * sizeof(*s->next));
	for (unsigned r = 0; r < n; r++) {
		/* Shuffle: the keys of region r go to a random place, from which others move to
		 * place r. */
		unsigned at = (unsigned)((rn_hash_u64(r) >> 32) * (r + 1) >> 32);

		s->next[r] = s->next[at];
		s->next[at] = (struct pair_keys){s->keys[r], p->s[1].keys[r]};
	}
}

/* The fields that are the same in all requests of a side. The posts set the others. */
static void prepare_request(struct pair *p, int i)
{
	struct pair_side *s = &p->s[i];

	s->wqe = (struct rn_wqe){
		.kind = i == 0 ? p->o.kind : RN_WQE_RECV,
		.slots = 1,
		.flags = RN_WQE_SIGNALED,
		.qpn = s->qp[0].qpn,
		.qp_gen = s->qp[0].gen,
		.num_sge = 1,
		.rkey = p->s[1].keys[0],
		.length = p->o.size,
		.sge = {{.length = p->o.size, .lkey = s->keys[0]}},
	};
	s->unsignaled = p->o.signal - 1;
}

void rn_pair_open(struct pair *p, const struct pair_options *o)
{
	*p = (struct pair){.o = *o, .now = RN_S(1)};
	if (o->depth > 0)
		p->o.window = o->depth * o->qps;
	p->depth = o->depth > 0 ? o->depth : RN_DIV_UP(o->window + o->burst, o->qps);
	p->many = o->choose || o->depth > 0 || o->qps > 1 || o->regions > 1;
	p->stride = RN_ALIGN_UP(RN_MAX((size_t)o->size, 1u), 64u);
	make_side(p, 0);
	make_side(p, 1);
	draw_keys(p);
	prepare_request(p, 0);
	prepare_request(p, 1);
	for (unsigned q = 0; q < p->o.qps; q++) {
		connect_qp(p, 0, q);
		connect_qp(p, 1, q);
	}
}

static void destroy_qp(struct pair *p, struct pair_side *s, struct pair_qp *qp)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {.qpn = qp->qpn, .gen = qp->gen}};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	rn_shard_exec(s->sh, &x, p->now);
	free(qp->mem);
}

unsigned rn_pair_close(struct pair *p)
{
	unsigned left = 0;

	for (int i = 0; i < 2; i++) {
		struct pair_side *s = &p->s[i];

		for (unsigned q = 0; q < p->o.qps; q++)
			destroy_qp(p, s, &s->qp[q]);
		left += rn_shard_leftovers(s->sh);
		rn_shard_cq_unlink(s->sh, CQ_ID);
		rn_shard_destroy(s->sh);
		rn_mr_table_destroy(s->mrs);
		free(s->qp);
		free(s->keys);
		free(s->next);
		free(s->ring);
		free(s->frames);
		free(s->mem);
	}
	return left;
}

/* ---- the application's part ---- */

/* Offset of the next message in the memory of either side. */
static inline size_t next_place(const struct pair *p, struct pair_side *s)
{
	size_t at = s->at;

	s->at = rn_unlikely(at + 2 * p->stride > p->o.buffer) ? 0 : at + p->stride;
	return at;
}

/* The keys of message i, counted from the next one on. */
static const struct pair_keys *keys_of(const struct pair *p, unsigned i)
{
	const struct pair_side *s = &p->s[0];
	unsigned at = s->next_keys + i;

	return &s->next[at < p->o.regions ? at : at % p->o.regions];
}

/* Posts the prepared request s->wqe. A receive has no remote address. */
static inline void post(struct pair *p, struct pair_side *s, bool recv)
{
	size_t place = next_place(p, s);

	s->wqe.wr_id = ++s->posted;
	s->wqe.sge[0].addr = (uintptr_t)s->mem + place;
	if (!recv)
		s->wqe.remote_va = (uintptr_t)p->s[1].mem + place;
	rn_shard_post(s->sh, &s->wqe, p->now);
}

/* Posts n requests to the only queue pair. Every p->o.signal-th is signaled. */
static void post_requests(struct pair *p, struct pair_side *s, uint64_t n)
{
	for (; n > 0; n--) {
		bool signaled = s->unsignaled == 0;

		s->unsignaled = signaled ? p->o.signal - 1 : s->unsignaled - 1;
		s->wqe.flags = signaled ? RN_WQE_SIGNALED : 0;
		post(p, s, false);
	}
}

/* Posts the next message of the requester, or a receive of the responder, to one of many queue
 * pairs. */
static void post_to_one(struct pair *p, struct pair_side *s, const struct pair_qp *qp)
{
	bool recv = s == &p->s[1];

	s->wqe.qpn = qp->qpn;
	s->wqe.qp_gen = qp->gen;
	if (!recv) {
		const struct pair_keys *keys = keys_of(p, 0);

		s->wqe.sge[0].lkey = keys->lkey;
		s->wqe.rkey = keys->rkey;
		s->next_keys = s->next_keys + 1 == p->o.regions ? 0 : s->next_keys + 1;
	}
	post(p, s, recv);
}

/* Returns true if the next queue pair has room. Queue pairs do not complete in turn, so one can be
 * full while others have room, and is waited for. */
static bool next_has_room(const struct pair *p, const struct pair_side *s)
{
	return s->qp[s->next_qp].pending < p->depth;
}

/* Returns the queue pair of the next message, which has room: each in turn. */
static struct pair_qp *next_qp(struct pair *p, struct pair_side *s)
{
	struct pair_qp *qp = &s->qp[s->next_qp];

	qp->pending++;
	s->next_qp = s->next_qp + 1 == p->o.qps ? 0 : s->next_qp + 1;
	return qp;
}

/* A burst of messages to be posted, each to one of these queue pairs. */
struct posts {
	const struct pair *p;
	struct pair_qp *const *qp;
	unsigned done; /* number of messages already posted; keys_of() counts from the next one */
};

/* The first step of ahead.h for message i of a burst, as in rn_submit_drain(). */
static uint32_t first_post(struct rn_ahead *a, const void *burst, unsigned i)
{
	const struct posts *b = burst;

	return rn_ahead_post(a, b->qp[i]->qpn, keys_of(b->p, i - b->done)->lkey);
}

/* Posts a message to each of these n queue pairs. */
static void post_to(struct pair *p, struct pair_side *s, struct pair_qp *const *qp, unsigned n)
{
	unsigned what = rn_ahead_what(s->sh);
	struct posts b = {.p = p, .qp = qp};
	struct rn_ahead walk;

	if (what)
		rn_ahead_begin(&walk, s->sh, what);
	for (unsigned i = 0; i < n; i++) {
		if (what) {
			b.done = i;
			rn_ahead_walk(&walk, i, n, &b, first_post, rn_ahead_post_qp);
		}
		post_to_one(p, s, qp[i]);
	}
}

/* Takes all completions of a side with one queue pair. The work requests of a side have the wr_ids
 * 1, 2, 3 and so on, and complete in order, so the last wr_id is the number of finished work
 * requests, signaled or not. */
static inline void poll_all(struct pair *p, struct pair_side *s)
{
	struct rn_cq_ring *ring = s->ring;
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	uint64_t done = s->done, bad = 0;

	if (head == tail)
		return;
	for (; head != tail; head++) {
		const struct rn_cqe *c = &ring->cqe[head & ring->mask];

		bad += c->status != RN_STATUS_SUCCESS;
		done = c->wr_id;
	}
	s->done = done;
	p->bad += bad;
	atomic_store_explicit(&ring->head, head, memory_order_release);
}

/* Takes at most `max` completions of a side with several queue pairs, and returns their number.
 * Stores the queue pairs of the completions in `qp` if this is not NULL: the caller posts to each
 * of them again. Each work request has a completion. */
static unsigned poll_many(struct pair *p, struct pair_side *s, struct pair_qp **qp, uint32_t max)
{
	struct rn_cq_ring *ring = s->ring;
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	uint32_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	unsigned n = RN_MIN(tail - head, max);

	for (unsigned i = 0; i < n; i++, head++) {
		const struct rn_cqe *c = &ring->cqe[head & ring->mask];

		p->bad += c->status != RN_STATUS_SUCCESS;
		if (qp != NULL)
			qp[i] = &s->qp[c->qp_ctx];
		else
			s->qp[c->qp_ctx].pending--;
	}
	s->done += n;
	atomic_store_explicit(&ring->head, head, memory_order_release);
	return n;
}

/* The requester with several queue pairs or regions. */
static void choose_and_post(struct pair *p, struct pair_side *s)
{
	struct pair_qp *qp[PAIR_BURST_MAX];
	unsigned n;

	if (p->o.depth == 0)
		poll_many(p, s, NULL, UINT32_MAX);
	/* at first, and without `depth`: each queue pair in turn */
	while (s->posted - s->done < p->o.window && (p->o.depth == 0 || s->posted < p->o.window)) {
		n = (unsigned)RN_MIN(p->o.window - (s->posted - s->done), (uint64_t)PAIR_BURST_MAX);
		for (unsigned i = 0; i < n; i++) {
			if (!next_has_room(p, s)) {
				post_to(p, s, qp, i);
				return;
			}
			qp[i] = next_qp(p, s);
		}
		post_to(p, s, qp, n);
	}
	while (p->o.depth > 0 && (n = poll_many(p, s, qp, PAIR_BURST_MAX)) > 0)
		post_to(p, s, qp, n);
}

/* The responder with several queue pairs or regions: as many receives as there are messages. */
static void choose_and_receive(struct pair *p, struct pair_side *s)
{
	poll_many(p, s, NULL, UINT32_MAX);
	while (s->posted - s->done < p->o.window + p->o.burst && next_has_room(p, s))
		post_to_one(p, s, next_qp(p, s));
}

static void application(struct pair *p, int i)
{
	struct pair_side *s = &p->s[i];

	if (i == 1 && p->o.kind != RN_WQE_SEND)
		return;
	if (p->many) {
		(i == 0 ? choose_and_post : choose_and_receive)(p, s);
		return;
	}
	poll_all(p, s);
	if (i == 0) {
		post_requests(p, s, p->o.window - (s->posted - s->done));
		return;
	}
	for (uint64_t n = p->depth - (s->posted - s->done); n > 0; n--)
		post(p, s, true);
}

/* ---- the poll loop of a side ---- */

static inline void receive_frame(struct pair *p, struct pair_side *s, const struct rn_txbuf *b)
{
	struct rn_pkt pkt;
	enum rn_verdict v;

	if (rn_unlikely(!rn_shard_rx_short(s->sh, b->data, b->len, &v, p->now))) {
		v = rn_frame_parse(b->data, b->len, &pkt);
		if (rn_likely(v == RN_V_OK))
			v = rn_shard_rx(s->sh, &pkt, p->now);
	}
	p->bad += v != RN_V_OK;
}

/* The first step of ahead.h for frame i of a burst. */
static uint32_t first_frame(struct rn_ahead *a, const void *burst, unsigned i)
{
	const struct rn_txbuf *b = burst;

	return rn_ahead_rx(a, b[i].data, b[i].len);
}

/* receive() for one value of `ahead`, the result of rn_ahead_what(). */
static inline __attribute__((always_inline)) void receive_with(struct pair *p, struct pair_side *s,
							       const struct rn_txbuf *b, unsigned n,
							       unsigned ahead)
{
	struct rn_ahead walk;

	if (ahead)
		rn_ahead_begin(&walk, s->sh, ahead);
	for (unsigned i = 0; i < n; i++) {
		if (ahead)
			rn_ahead_walk(&walk, i, n, b, first_frame, rn_ahead_rx_qp);
		receive_frame(p, s, &b[i]);
	}
}

static __attribute__((noinline)) void receive_many(struct pair *p, struct pair_side *s,
						   const struct rn_txbuf *b, unsigned n,
						   unsigned ahead)
{
	receive_with(p, s, b, n, ahead);
}

static void receive(struct pair *p, struct pair_side *s, struct pair_side *from)
{
	unsigned ahead = rn_ahead_what(s->sh);

	if (rn_unlikely(ahead))
		receive_many(p, s, from->out, from->nout, ahead);
	else
		receive_with(p, s, from->out, from->nout, 0);
	rn_shard_done(s->sh, p->now);
}

static void transmit(struct pair *p, struct pair_side *s)
{
	if (rn_shard_next(s->sh) <= p->now)
		rn_shard_tick(s->sh, p->now);
	s->nout = rn_shard_tx(s->sh, s->out, p->o.burst, p->now);
	rn_shard_done(s->sh, p->now);
}

static void turn(struct pair *p, int i)
{
	struct pair_side *s = &p->s[i];
	uint64_t t[PAIR_PARTS + 1] = {0};

	p->now += RN_US(1);
	if (!p->split) {
		receive(p, s, &p->s[!i]);
		application(p, i);
		transmit(p, s);
		return;
	}
	t[0] = __rdtsc();
	receive(p, s, &p->s[!i]);
	t[1] = __rdtsc();
	application(p, i);
	t[2] = __rdtsc();
	transmit(p, s);
	t[3] = __rdtsc();
	for (int part = 0; part < PAIR_PARTS; part++)
		s->ticks[part] += t[part + 1] - t[part];
}

/* Not inlined: callgrind counts instructions between entry and exit of this function. */
void rn_pair_run(struct pair *p, uint64_t n)
{
	uint64_t until = p->s[0].done + n;

	for (unsigned idle = 0; p->s[0].done < until && idle < 100000; idle++) {
		turn(p, 1);
		turn(p, 0);
		if (p->s[0].nout > 0 || p->s[1].nout > 0)
			idle = 0;
	}
	if (p->s[0].done < until)
		give_up("no progress: frames or completions were lost");
}
