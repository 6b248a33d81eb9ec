/* Fuzz target: posts arbitrary bytes as slots of a submission ring. So the target can post every
 * work request, valid or not, that an application can post to its QPs.
 *
 * One shard sends to itself over pairs of RC, UC and UD QPs, with a shared receive queue and memory
 * windows. Between two posts, frames arrive or are lost, time passes, and QPs change state.
 *
 * Checks:
 * - Each request completes at most once.
 * - Memory of another protection domain does not change.
 * - Every sent frame parses. */
#include <string.h>

#include "wire/frame.h"
#include "fuzz.h"
#include "shard/shard.h"
#include "queue/srq.h"
#include "port/submit.h"

#define PD     1u
#define CQ     1u
#define SRQ    1u
#define PAIRS  3u
#define QPS    (2 * PAIRS)
#define DEPTH  64u /* more requests than an input can post, so no queue is ever full */
#define POSTS  60u
#define ROOM   4096u
#define SGES   4u
#define INLINE 128u
#define QKEY   0x01234567u
#define RIGHTS                                                                    \
	(RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | \
	 RN_ACCESS_REMOTE_ATOMIC | RN_ACCESS_MW_BIND)

static const uint8_t type_of[PAIRS] = {RN_QPT_RC, RN_QPT_UC, RN_QPT_UD};

struct bench {
	const uint8_t *in, *end;
	rn_time now;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	struct rn_shard *sh;
	struct rn_submit ring;
	struct rn_srq *srq;
	struct rn_cq_shared cq_shared;
	struct rn_cq_ring *cq;
	struct rn_mw_shared mw_shared[2];
	struct rn_qp *qp[QPS];
	uint8_t *mem[2]; /* [0]: memory of the QPs' PD, [1]: memory of another PD */
	uint32_t key[2], rkey[2], window[2];
	unsigned posted, lose;
	uint64_t told; /* number of completions polled */
};

static uint8_t next(struct bench *b)
{
	return b->in < b->end ? *b->in++ : 0;
}

/* ---- set-up ---- */

static void run_command(struct bench *b, const struct rn_cmd *cmd, struct rn_rsp *rsp, void *mem)
{
	struct rn_exec x = {.cmd = cmd, .rsp = rsp, .mem = mem};

	memset(rsp, 0, sizeof(*rsp));
	rn_shard_exec(b->sh, &x, b->now);
	free(x.freed);
}

static int modify(struct bench *b, unsigned i, uint32_t mask, const struct rn_qp_attr *a)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp;

	cmd.modify_qp.qpn = b->qp[i]->qpn;
	cmd.modify_qp.gen = b->qp[i]->gen;
	cmd.modify_qp.mask = mask;
	cmd.modify_qp.attr = *a;
	run_command(b, &cmd, &rsp, NULL);
	return rsp.err;
}

static struct rn_av address(const struct bench *b)
{
	struct rn_av av = {.sgid = b->port.gids[0], .dgid = b->port.gids[0], .hop_limit = 64};

	memcpy(av.dmac, b->port.mac, 6);
	return av;
}

static void make_qp(struct bench *b, const struct rn_core_cfg *cfg, unsigned i)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_rsp rsp;

	cmd.create_qp.pd = PD;
	cmd.create_qp.type = type_of[i / 2];
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = CQ;
	cmd.create_qp.srq = i == 1 ? SRQ : 0;
	cmd.create_qp.sq_depth = DEPTH;
	cmd.create_qp.rq_depth = i == 1 ? 0 : DEPTH;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = SGES;
	cmd.create_qp.inline_bytes = INLINE;
	size_t bytes = RN_ALIGN_UP(rn_exec_bytes(&cmd, cfg), 64);
	b->qp[i] = aligned_alloc(64, bytes);
	CHECK(b->qp[i]);
	memset(b->qp[i], 0, bytes);
	run_command(b, &cmd, &rsp, b->qp[i]);
	CHECK(rsp.err == 0);
}

static void connect_qp(struct bench *b, unsigned i)
{
	struct rn_qp_attr a = {.port = 1,
			       .path_mtu = 1,
			       .timeout = 8,
			       .retry_cnt = 3,
			       .rnr_retry = 3,
			       .min_rnr_timer = 1,
			       .max_rd_atomic = 2,
			       .max_dest_rd_atomic = 2,
			       .access = RIGHTS & ~RN_ACCESS_LOCAL_WRITE & ~RN_ACCESS_MW_BIND,
			       .dest_qpn = b->qp[i ^ 1]->qpn,
			       .qkey = QKEY,
			       .rq_psn = 0xFFFFF0,
			       .sq_psn = 0xFFFFF0,
			       .av = address(b)};

	for (a.state = RN_QPS_INIT; a.state <= RN_QPS_RTS; a.state++)
		CHECK(modify(b, i,
			     RN_QP_STATE |
				     rn_qp_move(type_of[i / 2], a.state - 1, a.state)->mandatory,
			     &a) == 0);
}

static void make_memory(struct bench *b)
{
	b->mrs = rn_mr_table_create(8, &(struct rn_secret){{1}});
	CHECK(b->mrs);
	for (unsigned i = 0; i < 2; i++) {
		b->mem[i] = malloc(ROOM);
		CHECK(b->mem[i]);
		memset(b->mem[i], i ? 0xA0 : 0x11, ROOM);
		struct rn_mr_attr a = {b->mem[i], (uintptr_t)b->mem[i], ROOM, PD + i, RIGHTS};
		CHECK(rn_mr_add(b->mrs, &a, &b->key[i], &b->rkey[i]) == 0);
		CHECK(rn_mw_add(b->mrs, PD + i, &b->mw_shared[i], &b->window[i]) == 0);
	}
}

static void make_queues(struct bench *b)
{
	struct rn_srq_ring *ring = calloc(1, rn_srq_ring_bytes(DEPTH, SGES));

	b->srq = aligned_alloc(64, RN_ALIGN_UP(sizeof(*b->srq), 64));
	b->cq = aligned_alloc(64, RN_ALIGN_UP(rn_cq_ring_bytes(1024), 64));
	CHECK(ring && b->srq && b->cq && rn_submit_create(&b->ring, 64) == 0);
	memset(b->srq, 0, sizeof(*b->srq));
	rn_srq_init(b->srq, ring, DEPTH, SGES, PD);
	rn_cq_ring_init(b->cq, 1024);
	rn_shard_cq_link(b->sh, CQ, &b->cq_shared, b->cq, 0);
	rn_shard_srq_link(b->sh, SRQ, b->srq, 0);
}

static void make_bench(struct bench *b)
{
	struct rn_core_cfg cfg;

	rn_core_defaults(&cfg);
	cfg.nshards = 1;
	cfg.max_qp = 2 * QPS;
	cfg.max_cq = cfg.max_srq = 2;
	cfg.max_cm = cfg.max_timewait = 2;
	cfg.max_neigh = 4;
	cfg.secrets = rn_secrets_of_seed(1);
	b->now = RN_S(1);
	b->port = (struct rn_port_attr){
		.mac = {2, 0, 0, 0, 0, 1},
		.mtu = 1500,
		.max_path_mtu = 3,
		.ngids = 1,
		.gids = {{{[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = 1}}},
		.prefix_len = {24},
		.check_source = true};
	make_memory(b);
	b->sh = rn_shard_create(&cfg, &b->port, b->mrs, &rn_mem_plain, b->now);
	CHECK(b->sh);
	make_queues(b);
	for (unsigned i = 0; i < QPS; i++)
		make_qp(b, &cfg, i);
	for (unsigned i = 0; i < QPS; i++)
		connect_qp(b, i);
}

/* ---- steps that the input selects ---- */

union slots {
	struct rn_wqe wqe;
	uint8_t byte[RN_WQE_MAX_SLOTS][RN_SLOT_BYTES];
};

/* Sets fields of a work request to valid values, which random bytes would rarely hit. Each bit of
 * `how` selects fields. */
static void mend(struct bench *b, union slots *s, unsigned how)
{
	struct rn_wqe *w = &s->wqe;
	struct rn_sge *sge = (struct rn_sge *)&s->byte[0][offsetof(struct rn_wqe, sge)];
	unsigned pd = how >> 7 & 1, remote_pd = w->imm >> 7 & 1, sum = 0;

	if (how & 1) /* bit 0 selects the number of SGEs and the number of slots */
		w->num_sge = w->num_sge % (SGES + 1),
		w->slots = (uint8_t)rn_wqe_slots_sge(w->num_sge);
	for (unsigned i = 0; i < SGES && how & 2; i++) {
		sge[i] = (struct rn_sge){(uintptr_t)b->mem[pd] + (sge[i].addr & 0x7FF),
					 sge[i].length & 0x3FF, b->key[pd]};
		sum += i < w->num_sge ? sge[i].length : 0;
	}
	if (how & 2 && how & 1)
		w->length = sum;
	if (how & 4) {
		w->rkey = w->rkey & 0x100 ? b->rkey[remote_pd]
					  : (b->window[remote_pd] & ~0xFFu) | (w->rkey & 0xFF);
		w->remote_va = (uintptr_t)b->mem[remote_pd] + (w->remote_va & 0x7FF);
	}
	if (how & 8 && w->kind == RN_WQE_BIND) {
		w->bind =
			(struct rn_bind){w->bind.length & 0x3FF, b->key[pd], w->bind.access & 0x1F};
		w->length = w->num_sge = 0;
		w->slots = 1;
	}
	if (how & 16 && (w->kind == RN_WQE_CMP_SWAP || w->kind == RN_WQE_FETCH_ADD)) {
		w->length = sge[0].length = RN_ATOMIC_BYTES;
		w->num_sge = 1;
		w->slots = RN_ATOMIC_SLOTS;
		w->remote_va &= ~7ull;
	}
	if (how & 32 && w->slots && w->slots < RN_WQE_MAX_SLOTS) {
		w->slots++;
		*rn_wqe_ud(w) = (struct rn_ud){
			.av = address(b), .qpn = b->qp[4 + (w->imm & 1)]->qpn, .qkey = QKEY};
	}
}

/* Posts a request. The bytes of its first slot come from the input. Each further slot is filled
 * with copies of one input byte.
 *
 * The request takes one of three ways:
 * - A receive may go to the shared receive queue.
 * - If the input says so or the submission ring would reject the slot count, the request goes
 *   directly to the shard.
 * - Otherwise the request goes through the submission ring. */
static void post(struct bench *b)
{
	union slots s = {0};
	uint8_t which = next(b), how = next(b), fields = next(b);

	if (b->posted++ >= POSTS)
		return;
	for (unsigned i = 0; i < RN_SLOT_BYTES && b->in < b->end; i++)
		s.byte[0][i] = next(b);
	for (unsigned i = 1; i < RN_WQE_MAX_SLOTS && fields & 128; i++)
		memset(s.byte[i], next(b), RN_SLOT_BYTES);
	s.wqe.kind = fields & 64 ? s.wqe.kind : s.wqe.kind % (RN_WQE_RECV + 1);
	s.wqe.qpn = b->qp[which % QPS]->qpn;
	s.wqe.qp_gen = b->qp[which % QPS]->gen + (which >= 240);
	mend(b, &s, how);
	if (s.wqe.kind == RN_WQE_RECV && how & 64 && rn_srq_post(b->srq, &s.wqe))
		return;
	if (fields & 32 || s.wqe.slots == 0 || s.wqe.slots > RN_WQE_MAX_SLOTS) {
		rn_shard_post(b->sh, &s.wqe, b->now);
		return;
	}
	CHECK(rn_submit_put(&b->ring, &s.wqe, 1));
	while (rn_submit_drain(&b->ring, b->sh, RN_WQE_MAX_SLOTS, b->now))
		;
}

static void poll(struct bench *b)
{
	uint32_t head = atomic_load(&b->cq->head), tail;

	rn_shard_done(b->sh, b->now);
	tail = atomic_load(&b->cq->tail);
	for (; head != tail; head++, b->told++)
		CHECK(b->cq->cqe[head & b->cq->mask].status <= RN_STATUS_GENERAL_ERR);
	atomic_store(&b->cq->head, head);
	CHECK(!atomic_load(&b->cq_shared.overrun));
}

/* Lets the shard send up to n frames. The first b->lose frames are dropped; all others are
 * delivered to the same shard. Returns true if n frames were sent. */
static bool move(struct bench *b, unsigned n)
{
	static uint8_t data[2048];
	struct rn_event ev;
	struct rn_pkt pkt;
	enum rn_verdict v;

	for (; n; n--) {
		struct rn_txbuf buf = {data, sizeof(data), 0, false};
		if (rn_shard_tx(b->sh, &buf, 1, b->now) == 0)
			break;
		CHECK(rn_frame_parse(data, buf.len, &pkt) == RN_V_OK);
		if (b->lose)
			b->lose--;
		else if (!rn_shard_rx_short(b->sh, data, buf.len, &v, b->now))
			rn_shard_rx(b->sh, &pkt, b->now);
	}
	poll(b);
	while (rn_shard_events(b->sh, &ev, 1))
		;
	return n == 0;
}

static void change(struct bench *b)
{
	uint8_t which = next(b), what = next(b);
	struct rn_qp_attr a = {.state = what % 9,
			       .max_rd_atomic = what % 18,
			       .max_dest_rd_atomic = what % 17,
			       .access = what & 30};
	static const uint32_t masks[] = {RN_QP_STATE, RN_QP_STATE, RN_QP_ACCESS,
					 RN_QP_MAX_RD_ATOMIC, RN_QP_MAX_DEST_RD_ATOMIC};

	modify(b, which % QPS, masks[which / QPS % RN_ARRAY_SIZE(masks)], &a);
	poll(b);
}

/* ---- end of a run, with checks ---- */

static void pass_time(struct bench *b, unsigned rounds)
{
	for (; rounds; rounds--) {
		while (move(b, 64))
			;
		rn_time when = rn_shard_next(b->sh);
		if (when == RN_TIME_NEVER)
			return;
		b->now = RN_MAX(b->now, when);
		rn_shard_tick(b->sh, b->now);
	}
}

static void check_counts(const struct bench *b)
{
	const struct rn_stats *s = rn_shard_stats(b->sh);
	uint64_t retired = 0;

	for (unsigned i = 0; i < QPS; i++) {
		CHECK(b->qp[i]->sq.head == b->qp[i]->sq.tail &&
		      b->qp[i]->rq.head == b->qp[i]->rq.tail);
		retired += b->qp[i]->sq_retired + b->qp[i]->rq_retired;
	}
	CHECK(retired <= s->posts && retired + s->posts_dropped >= s->posts);
	CHECK(b->told <= s->posts + s->srq_taken);
}

static void drop_bench(struct bench *b)
{
	struct rn_srq_ring *ring;
	uint32_t qpn;

	for (unsigned i = 0; i < QPS; i++) {
		struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {b->qp[i]->qpn, b->qp[i]->gen}};
		struct rn_rsp rsp;

		run_command(b, &cmd, &rsp, NULL);
		CHECK(rsp.err == 0);
	}
	CHECK(rn_shard_leftovers(b->sh) == 0);
	rn_shard_destroy(b->sh);
	for (unsigned i = 0; i < 2; i++) {
		CHECK(rn_mw_remove(b->mrs, b->window[i], &qpn) == 0);
		CHECK(rn_mr_remove(b->mrs, b->key[i]) == 0);
		free(b->mem[i]);
	}
	CHECK(rn_mr_count(b->mrs) == 0);
	rn_mr_table_destroy(b->mrs);
	rn_submit_destroy(&b->ring);
	while ((ring = rn_srq_next_ring(b->srq)))
		free(ring);
	free(b->srq);
	free(b->cq);
}

static void farewell(struct bench *b)
{
	struct rn_qp_attr error = {.state = RN_QPS_ERR};

	pass_time(b, 300);
	for (unsigned i = 0; i < QPS; i++)
		CHECK(modify(b, i, RN_QP_STATE, &error) == 0);
	poll(b);
	check_counts(b);
	for (unsigned i = 0; i < ROOM; i++)
		CHECK(b->mem[1][i] == 0xA0);
	drop_bench(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bench b = {.in = data, .end = data + len};

	make_bench(&b);
	for (unsigned steps = 0; b.in < b.end && steps < 400; steps++) {
		uint8_t what = next(&b);

		if (what < 150)
			post(&b);
		else if (what < 200)
			move(&b, 1 + what % 16);
		else if (what < 216)
			change(&b);
		else if (what < 232)
			b.lose = what % 8;
		else {
			b.now += RN_US(1) << (what & 15);
			rn_shard_tick(b.sh, b.now);
		}
	}
	farewell(&b);
	return 0;
}
