/* The simulator: nodes, links, the heap of frames in flight, and virtual time; see sim.h. */
#include "sim.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "wire/psn.h"
#include "frame_owner.h"
#include "record.h"
#include "qp/qp.h"
#include "queue/srq.h"
#include "wire/stats.h"
#include "transcript.h"

#define SIM_CQ	    1u
#define SIM_SRQ	    1u
#define SIM_SRQ_SGE 4u
/* Added to the first PSN of the QP in the other protection domain (spec.foreign). Packets made for
 * the other QPs are then far outside this QP's range of valid PSNs. */
#define SIM_FOREIGN_PSN 0x400000u

struct sim_frame {
	rn_time when;
	uint64_t seq;
	unsigned to;
	uint32_t len;
	uint8_t data[];
};

static const uint8_t mac_of[SIM_NODES][6] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}};

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "sim: %s\n", what);
		abort();
	}
}

/* ---- heap of frames in flight, ordered by arrival time ---- */

static bool earlier(const struct sim_frame *a, const struct sim_frame *b)
{
	return a->when != b->when ? a->when < b->when : a->seq < b->seq;
}

static void heap_push(struct sim *sim, struct sim_frame *f)
{
	unsigned i = sim->nheap++;
	if (sim->nheap > sim->capheap) {
		sim->capheap = sim->capheap ? 2 * sim->capheap : 64;
		sim->heap = realloc(sim->heap, sim->capheap * sizeof(*sim->heap));
		must(sim->heap != NULL, "no memory");
	}
	while (i > 0 && earlier(f, sim->heap[(i - 1) / 2])) {
		sim->heap[i] = sim->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sim->heap[i] = f;
}

static struct sim_frame *heap_pop(struct sim *sim)
{
	struct sim_frame *top = sim->heap[0], *last = sim->heap[--sim->nheap];
	unsigned i = 0;
	for (;;) {
		unsigned c = 2 * i + 1;
		if (c >= sim->nheap)
			break;
		if (c + 1 < sim->nheap && earlier(sim->heap[c + 1], sim->heap[c]))
			c++;
		if (!earlier(sim->heap[c], last))
			break;
		sim->heap[i] = sim->heap[c];
		i = c;
	}
	sim->heap[i] = last;
	return top;
}

unsigned sim_frame_to(const struct sim_frame *frame)
{
	return frame->to;
}

/* ---- set-up, restart and end of the nodes ---- */

static void set_address(struct rn_gid *gid, bool ipv6, unsigned host)
{
	static const uint8_t v6[16] = {0x20, 0x01, 0x0d, 0xb8};
	static const uint8_t v4[16] = {[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2};
	memcpy(gid->b, ipv6 ? v6 : v4, 16);
	gid->b[15] = (uint8_t)host;
}

static void port_init(struct rn_port_attr *port, const struct sim_spec *spec, unsigned i)
{
	memset(port, 0, sizeof(*port));
	memcpy(port->mac, mac_of[i], 6);
	port->mtu = 9000;
	port->max_path_mtu = 5;
	port->has_vlan = spec->vlan;
	port->vlan_tci = spec->vlan ? 100 : 0;
	port->ngids = 2;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		set_address(&port->gids[v6], v6, i + 1);
		port->prefix_len[v6] = v6 ? 64 : 24;
	}
	port->guid = 0x0200000000000001ull + i;
	port->check_source = true;
}

static struct rn_cq_ring *new_ring(struct sim_node *n, struct rn_shard *sh)
{
	struct rn_cq_ring *ring = aligned_alloc(64, RN_ALIGN_UP(rn_cq_ring_bytes(SIM_CQ_SIZE), 64));
	must(ring != NULL, "no memory");
	rn_cq_ring_init(ring, SIM_CQ_SIZE);
	rn_shard_cq_link(sh, SIM_CQ, n->cq_shared, ring, 0);
	return ring;
}

static struct rn_srq_ring *new_srq_ring(uint32_t depth)
{
	struct rn_srq_ring *ring = calloc(1, rn_srq_ring_bytes(depth, SIM_SRQ_SGE));
	must(ring != NULL, "no memory");
	return ring;
}

static void share_receives(struct sim_node *n, uint32_t depth)
{
	n->srq = aligned_alloc(64, RN_ALIGN_UP(sizeof(*n->srq), 64));
	must(n->srq != NULL, "no memory");
	memset(n->srq, 0, sizeof(*n->srq));
	rn_srq_init(n->srq, new_srq_ring(depth), depth, SIM_SRQ_SGE, SIM_PD);
	rn_shard_srq_link(n->shard, SIM_SRQ, n->srq, 7);
	if (n->second)
		rn_shard_srq_link(n->second, SIM_SRQ, n->srq, 7);
}

static void free_srq(struct sim_node *n)
{
	struct rn_srq_ring *ring;
	while (n->srq && (ring = rn_srq_next_ring(n->srq)))
		free(ring);
	free(n->srq);
}

/* Creates a node. The two nodes differ in index, address and secrets. Some options apply only to
 * node 1 (a second shard, an SRQ). */
static void node_init(struct sim *sim, unsigned i)
{
	struct sim_node *n = &sim->node[i];
	rn_core_defaults(&n->cfg);
	n->cfg.nshards = sim->spec.two_shards && i == 1 ? 2 : 1;
	n->cfg.max_qp = 2 * SIM_MAX_QP;
	n->cfg.max_cq = 16;
	n->cfg.max_cm = 64;
	n->seed = sim->spec.seed * 2 + i + 1;
	n->cfg.secrets = rn_secrets_of_seed(n->seed);
	port_init(&n->port, &sim->spec, i);
	n->mrs = rn_mr_table_create(1024, &n->cfg.secrets.of[RN_SECRET_KEYS]);
	must(n->mrs != NULL, "no MR table");
	n->cfg.credits = sim->spec.credits;
	n->cfg.no_short_way = getenv("SIM_GENERAL_WAY") != NULL;
	n->cfg.keep_packets = sim_spec_keep(&sim->spec, i);
	n->cfg.lent_frames = true;
	if (sim->spec.quota)
		n->cfg.quota_packets = sim->spec.quota;
	if (sim->spec.cc)
		n->cfg.cc = *sim->spec.cc;
	if (sim->spec.window)
		n->cfg.window_packets = sim->spec.window;
	const struct rn_mem_ops *mem = sim->spec.mem ? sim->spec.mem : &rn_mem_plain;
	n->shard = rn_shard_create(&n->cfg, &n->port, n->mrs, mem, sim->now);
	must(n->shard != NULL, "no shard");
	if (n->cfg.nshards == 2) {
		struct rn_core_cfg cfg = n->cfg;
		cfg.index = 1;
		n->second = rn_shard_create(&cfg, &n->port, n->mrs, mem, sim->now);
		must(n->second != NULL, "no shard");
	}
	n->arena = calloc(1, SIM_ARENA);
	n->cq_shared = aligned_alloc(64, RN_ALIGN_UP(sizeof(*n->cq_shared), 64));
	must(n->arena && n->cq_shared, "no memory");
	memset(n->cq_shared, 0, sizeof(*n->cq_shared));
	n->cq = new_ring(n, n->shard);
	if (n->second)
		n->second_cq = new_ring(n, n->second);
	if (sim->spec.srq_depth && i == 1)
		share_receives(n, sim->spec.srq_depth);
	struct rn_mr_attr mr = {n->arena, (uint64_t)(uintptr_t)n->arena, SIM_ARENA, SIM_PD,
				RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE |
					RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC |
					RN_ACCESS_MW_BIND};
	must(rn_mr_add(n->mrs, &mr, &n->lkey, &n->rkey) == 0, "arena not registered");
}

void sim_init(struct sim *sim, const struct sim_spec *spec)
{
	memset(sim, 0, sizeof(*sim));
	sim->spec = *spec;
	sim->now = RN_MS(1);
	rn_rng_seed(&sim->rng, spec->seed);
	for (unsigned i = 0; i < SIM_NODES; i++)
		node_init(sim, i);
}

void sim_restart(struct sim *sim, unsigned i, uint64_t seed)
{
	struct sim_node *n = &sim->node[i];
	must(n->second == NULL && n->srq == NULL, "a node with one shard and no shared queue");
	for (unsigned q = 0; q < SIM_MAX_QP; q++)
		if (n->qp[q].live)
			sim_destroy_qp(sim, i, q);
	sim_frame_destroy(n, n->shard);
	free(n->cq);
	sim->nevents[i] = 0;
	n->seed = seed;
	n->cfg.secrets = rn_secrets_of_seed(seed);
	n->shard = rn_shard_create(&n->cfg, &n->port, n->mrs,
				   sim->spec.mem ? sim->spec.mem : &rn_mem_plain, sim->now);
	must(n->shard != NULL, "no shard");
	memset(n->cq_shared, 0, sizeof(*n->cq_shared));
	n->cq = new_ring(n, n->shard);
}

unsigned sim_fini(struct sim *sim)
{
	unsigned left = 0;
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct sim_node *n = &sim->node[i];
		for (unsigned q = 0; q < SIM_MAX_QP; q++)
			if (n->qp[q].live)
				sim_destroy_qp(sim, i, q);
		left += rn_shard_leftovers(n->shard) +
			(n->second ? rn_shard_leftovers(n->second) : 0);
		sim_frame_destroy(n, n->shard);
		sim_frame_destroy(n, n->second);
		must(n->lent == 0, "a frame that was not given back");
		free_srq(n);
		must(rn_mr_remove(n->mrs, n->lkey) == 0, "arena key lost");
		rn_mr_reclaim(n->mrs, n->lkey);
		left += rn_mr_count(n->mrs);
		rn_mr_table_destroy(n->mrs);
		free(n->arena);
		free(n->cq);
		free(n->second_cq);
		free(n->cq_shared);
		free(sim->events[i]);
	}
	while (sim->nheap)
		free(heap_pop(sim));
	free(sim->heap);
	return left;
}

/* ---- shards of a node ---- */

static struct rn_shard *owner(const struct sim_node *n, uint32_t qpn)
{
	return n->second && rn_qpn_shard(qpn, 2) ? n->second : n->shard;
}

void sim_stats(const struct sim_node *n, struct rn_stats *sum)
{
	memset(sum, 0, sizeof(*sum));
	rn_stats_add(sum, rn_shard_stats(n->shard));
	if (n->second)
		rn_stats_add(sum, rn_shard_stats(n->second));
}

/* Delivers the messages that the two shards of a node have sent each other, without delay. */
static void carry_messages(struct sim *sim, const struct sim_node *n)
{
	struct rn_msg msg;
	while (rn_shard_outbox(n->shard, &msg, 1)) {
		must(n->second != NULL, "a lone shard has nobody to send messages to");
		rn_shard_inbox(n->second, &msg, sim->now);
	}
	while (n->second && rn_shard_outbox(n->second, &msg, 1))
		rn_shard_inbox(n->shard, &msg, sim->now);
}

/* Publishes completions and exchanges messages between shards. An lcore does the same at the end of
 * a poll iteration. */
static void finish_turn(struct sim *sim, const struct sim_node *n)
{
	rn_shard_done(n->shard, sim->now);
	if (n->second)
		rn_shard_done(n->second, sim->now);
	carry_messages(sim, n);
}

/* Returns the shard that must run a command. For CREATE_QP, cmd->user holds the QP's index in
 * sim_node.qp[]. An odd index selects the second shard, if there is one. */
static struct rn_shard *shard_of(const struct sim_node *n, const struct rn_cmd *cmd)
{
	switch (cmd->op) {
	case RN_CMD_CREATE_QP:
		return n->second && cmd->user % 2 ? n->second : n->shard;
	case RN_CMD_MODIFY_QP:
		return owner(n, cmd->modify_qp.qpn);
	case RN_CMD_QUERY_QP:
	case RN_CMD_DESTROY_QP:
		return owner(n, cmd->qp.qpn);
	default:
		return n->shard;
	}
}

/* ---- commands and QPs ---- */

/* Executes a command as dataplane/nic/control.c does: allocates the memory that the command needs
 * and frees the memory that it released. */
void sim_exec(struct sim *sim, unsigned node, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct sim_node *n = &sim->node[node];
	size_t bytes = rn_exec_bytes(cmd, &n->cfg);
	struct rn_exec x = {.cmd = cmd, .rsp = rsp};
	memset(rsp, 0, sizeof(*rsp));
	if (bytes) {
		bytes = RN_ALIGN_UP(bytes, 64);
		x.mem = aligned_alloc(64, bytes);
		must(x.mem != NULL, "no memory");
		memset(x.mem, 0xA5, bytes); /* 0xA5: the core must not rely on zeroed memory */
	}
	rn_shard_exec(shard_of(n, cmd), &x, sim->now);
	if (rsp->err && x.mem && x.freed != x.mem)
		free(x.mem);
	free(x.freed);
}

/* Moves QP i to state a->state, with the attributes that are mandatory for this transition. */
static int move(struct sim *sim, unsigned node, unsigned i, const struct rn_qp_attr *a)
{
	uint8_t from = (uint8_t)atomic_load(&sim->node[node].qp[i].shared->state);
	const struct rn_qp_move_row *row = rn_qp_move(sim->spec.type, from, a->state);
	must(row != NULL, "no such move");
	return sim_modify(sim, node, i, RN_QP_STATE | row->mandatory, a);
}

static bool is_foreign(const struct sim *sim, unsigned i)
{
	return i && i == sim->spec.foreign;
}

void sim_create_qp(struct sim *sim, unsigned node, unsigned i)
{
	struct sim_qp *qp = &sim->node[node].qp[i];
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP, .user = i};
	struct rn_rsp rsp;
	cmd.create_qp.pd = is_foreign(sim, i) ? SIM_PD + 1 : SIM_PD;
	cmd.create_qp.type = sim->spec.type;
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = SIM_CQ;
	cmd.create_qp.sq_depth = sim->spec.sq_depth;
	cmd.create_qp.srq = sim->node[node].srq ? SIM_SRQ : 0;
	cmd.create_qp.rq_depth = sim->node[node].srq ? 0 : sim->spec.rq_depth;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 4;
	cmd.create_qp.inline_bytes = 64;
	cmd.create_qp.qp_ctx = i;
	sim_exec(sim, node, &cmd, &rsp);
	must(rsp.err == 0, "CREATE_QP refused");
	*qp = (struct sim_qp){.qpn = rsp.id, .gen = rsp.gen, .live = true};
	qp->shared = (struct rn_qp_shared *)(uintptr_t)rsp.qp.shared;
	struct rn_qp_attr attr = {
		.state = RN_QPS_INIT, .access = sim->spec.access, .qkey = SIM_QKEY};
	must(move(sim, node, i, &attr) == 0, "INIT refused");
}

int sim_modify(struct sim *sim, unsigned node, unsigned i, uint32_t mask,
	       const struct rn_qp_attr *attr)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp;
	cmd.modify_qp.qpn = sim->node[node].qp[i].qpn;
	cmd.modify_qp.gen = sim->node[node].qp[i].gen;
	cmd.modify_qp.mask = mask;
	cmd.modify_qp.attr = *attr;
	sim_exec(sim, node, &cmd, &rsp);
	return rsp.err;
}

/* Returns the attributes that connect QP i of a node with QP i of the other node. */
static struct rn_qp_attr attributes(const struct sim *sim, unsigned node, unsigned i)
{
	const struct sim_spec *s = &sim->spec;
	unsigned peer = 1 - node;
	uint32_t first = rn_psn_add(s->first_psn, is_foreign(sim, i) ? SIM_FOREIGN_PSN : 0);
	struct rn_qp_attr a = {
		.path_mtu = s->path_mtu,
		.timeout = s->timeout,
		.retry_cnt = s->retry_cnt,
		.rnr_retry = s->rnr_retry,
		.min_rnr_timer = s->min_rnr_timer,
		.max_rd_atomic = s->rd_atomic,
		.max_dest_rd_atomic = s->rd_atomic,
		.dest_qpn = sim->node[peer].qp[i].qpn,
		.rq_psn = rn_psn_add(first, peer * 1000),
		.sq_psn = rn_psn_add(first, node * 1000),
	};
	a.av.sgid = sim->node[node].port.gids[s->ipv6];
	a.av.dgid = sim->node[peer].port.gids[s->ipv6];
	memcpy(a.av.dmac, mac_of[peer], 6);
	a.av.hop_limit = 64;
	a.av.has_vlan = s->vlan;
	a.av.vlan_tci = s->vlan ? 100 : 0;
	return a;
}

void sim_connect_rtr(struct sim *sim, unsigned i)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		sim_create_qp(sim, node, i);
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_qp_attr a = attributes(sim, node, i);
		a.state = RN_QPS_RTR;
		must(move(sim, node, i, &a) == 0, "RTR refused");
	}
}

void sim_rts(struct sim *sim, unsigned node, unsigned i)
{
	struct rn_qp_attr a = attributes(sim, node, i);
	a.state = RN_QPS_RTS;
	must(move(sim, node, i, &a) == 0, "RTS refused");
}

void sim_connect(struct sim *sim, unsigned i)
{
	sim_connect_rtr(sim, i);
	sim_rts(sim, 0, i);
	sim_rts(sim, 1, i);
}

void sim_destroy_qp(struct sim *sim, unsigned node, unsigned i)
{
	struct sim_qp *qp = &sim->node[node].qp[i];
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};
	struct rn_rsp rsp;
	cmd.qp.qpn = qp->qpn;
	cmd.qp.gen = qp->gen;
	sim_exec(sim, node, &cmd, &rsp);
	must(rsp.err == 0, "DESTROY_QP refused");
	memset(qp, 0, sizeof(*qp));
}

/* ---- posting, completions and events ---- */

/* Fills in a work request that moves no data: BIND or INVALIDATE. */
static void post_local(struct sim_node *n, struct rn_wqe *w, const struct sim_op *op)
{
	w->length = 0;
	w->imm = op->rkey;
	w->remote_va = (uint64_t)(uintptr_t)n->arena + op->remote;
	w->bind = (struct rn_bind){op->length, op->lkey ? op->lkey : n->lkey, op->access};
}

static void build(struct sim_node *n, const struct sim_node *peer, const struct sim_op *op,
		  struct rn_wqe *w)
{
	*w = (struct rn_wqe){
		.kind = (uint8_t)op->kind,
		.slots = 1,
		.flags = (uint16_t)op->flags,
		.wr_id = op->wr_id,
		.length = op->length,
		.remote_va = (uint64_t)(uintptr_t)peer->arena + op->remote,
		.rkey = op->rkey ? op->rkey : peer->rkey,
		.imm = op->imm,
	};
	if (op->kind == RN_WQE_BIND || op->kind == RN_WQE_INVALIDATE) {
		post_local(n, w, op);
	} else if (op->flags & RN_WQE_INLINE) {
		memcpy(w->inl, n->arena + op->local, op->length);
		w->slots = (uint8_t)rn_wqe_slots_inline(op->length);
	} else if (op->length) {
		uint64_t base = (uint64_t)(uintptr_t)n->arena + op->local;
		uint32_t key = op->lkey ? op->lkey : n->lkey;
		/* Three pieces of unequal length, so that boundaries between SGEs fall inside
		 * packets. Every third work request has one SGE, as the short way demands. */
		bool split = op->length > 8 && op->wr_id % 3;
		uint32_t a = split ? op->length / 3 + 1 : op->length,
			 b = split ? op->length / 2 : 0;
		b = b > op->length - a ? op->length - a : b;
		struct rn_sge sge[3] = {{base, a, key},
					{base + a, b, key},
					{base + a + b, op->length - a - b, key}};
		w->num_sge = split ? 3 : 1;
		w->slots = (uint8_t)rn_wqe_slots_sge(w->num_sge);
		memcpy(w->sge, sge, w->num_sge * sizeof(sge[0]));
	}
	if (op->kind == RN_WQE_CMP_SWAP || op->kind == RN_WQE_FETCH_ADD) {
		*rn_wqe_atomic(w) = op->atomic;
		w->slots = RN_ATOMIC_SLOTS;
	}
	if (op->ud && (op->kind == RN_WQE_SEND || op->kind == RN_WQE_SEND_IMM)) {
		w->slots += RN_UD_SLOTS;
		*rn_wqe_ud(w) = *op->ud;
	}
}

struct rn_ud sim_ud(const struct sim *sim, unsigned node, unsigned i)
{
	struct rn_qp_attr a = attributes(sim, node, i);
	return (struct rn_ud){.av = a.av, .qpn = a.dest_qpn, .qkey = SIM_QKEY};
}

void sim_group(struct sim *sim, unsigned node, unsigned i, bool join, const struct rn_gid *gid)
{
	const struct sim_qp *qp = &sim->node[node].qp[i];
	struct rn_cmd cmd = {.op = join ? RN_CMD_ATTACH_GROUP : RN_CMD_DETACH_GROUP,
			     .group = {.qpn = qp->qpn, .gen = qp->gen, .gid = *gid}};
	struct rn_rsp rsp;
	sim_exec(sim, node, &cmd, &rsp);
	must(rsp.err == 0, "group refused");
}

void sim_post(struct sim *sim, unsigned node, unsigned i, const struct sim_op *op)
{
	struct sim_node *n = &sim->node[node];
	struct sim_qp *qp = &n->qp[i];
	uint8_t slots[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES] __attribute__((aligned(64))) = {0};
	struct rn_wqe *w = (struct rn_wqe *)slots;
	struct rn_ud to = sim_ud(sim, node, i);
	struct sim_op with = *op;
	with.ud = sim->spec.type != RN_QPT_UD ? NULL : op->ud ? op->ud : &to;
	build(n, &sim->node[1 - node], &with, w);
	w->qpn = qp->qpn;
	w->qp_gen = qp->gen;
	if (op->kind == RN_WQE_RECV)
		qp->rq_posted++;
	else
		qp->sq_posted++;
	rn_shard_post(owner(n, qp->qpn), w, sim->now);
}

void sim_post_shared(struct sim *sim, const struct sim_op *op)
{
	uint8_t slots[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES] __attribute__((aligned(64))) = {0};
	struct rn_wqe *w = (struct rn_wqe *)slots;
	build(&sim->node[1], &sim->node[0], op, w);
	must(rn_srq_post(sim->node[1].srq, w), "no room in the shared queue");
}

void sim_grow_shared(struct sim *sim, uint32_t depth)
{
	struct rn_srq *srq = sim->node[1].srq;
	if (!rn_srq_fits(srq, depth))
		rn_srq_grow(srq, new_srq_ring(depth), depth);
}

static bool poll_ring(struct rn_cq_ring *r, struct rn_cqe *cqe)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
		return false;
	*cqe = r->cqe[head & r->mask];
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

bool sim_poll(struct sim *sim, unsigned node, struct rn_cqe *cqe)
{
	const struct sim_node *n = &sim->node[node];
	return poll_ring(n->cq, cqe) || (n->second_cq && poll_ring(n->second_cq, cqe));
}

bool sim_event(struct sim *sim, unsigned node, unsigned kind, struct rn_event *ev)
{
	for (unsigned i = 0; i < sim->nevents[node]; i++) {
		if (sim->events[node][i].kind != kind)
			continue;
		*ev = sim->events[node][i];
		memmove(&sim->events[node][i], &sim->events[node][i + 1],
			(sim->nevents[node] - i - 1) * sizeof(*ev));
		sim->nevents[node]--;
		return true;
	}
	return false;
}

/* ---- frames on the links ---- */

static void put_in_flight(struct sim *sim, unsigned to, const uint8_t *data, uint32_t len,
			  rn_time when)
{
	struct sim_frame *f = malloc(sizeof(*f) + len);
	must(f != NULL, "no memory");
	f->when = when;
	f->seq = sim->seq++;
	f->to = to;
	f->len = len;
	memcpy(f->data, data, len);
	heap_push(sim, f);
}

/* Returns when a frame with this delay arrives. Frames arrive in the order in which they were sent,
 * unless held_back is set to reorder this frame. */
static rn_time arrival(struct sim *sim, unsigned from, uint32_t len, rn_time delay, bool held_back)
{
	struct sim_node *n = &sim->node[from];
	const struct sim_link_spec *l = &sim->spec.link[from];
	n->link_free = RN_MAX(sim->now, n->link_free) +
		       (l->rate ? (rn_time)len * 8 * 1000000000u / l->rate : 0);
	rn_time when = n->link_free + delay;
	if (held_back)
		return when;
	if (l->nap && when % l->nap_every < l->nap)
		when += l->nap - when % l->nap_every;
	n->last_arrival = RN_MAX(when, n->last_arrival);
	return n->last_arrival;
}

/* Puts a frame on the link. First the filter sees the frame. Then the seed decides on loss,
 * duplication, corruption and delay. */
static void send_frame(struct sim *sim, unsigned from, uint8_t *data, uint32_t len)
{
	struct sim_node *n = &sim->node[from];
	struct rn_pkt pkt;
	/* The core's own parser must accept every frame that a shard sends. */
	must(rn_frame_parse(data, len, &pkt) == RN_V_OK,
	     "a shard sent a frame that its own parser refuses");
	n->frames++;
	if (sim->pcap)
		record_frame(sim->pcap, sim->now, data, len);
	bool wanted = sim->filter == NULL || sim->filter(sim, from, &pkt, sim->filter_arg);
	struct rn_fate fate = rn_impair_decide(&sim->spec.link[from].impair, &sim->rng, len);
	unsigned copies = wanted ? fate.copies : 0;
	/* Drop corrupted ARP, as a real link does by the Ethernet FCS: ARP has no checksum. */
	if (fate.corrupt && pkt.kind == RN_PKT_ARP)
		copies = 0;
	transcript_frame(sim, from, &pkt, copies != 0);
	n->dropped += copies == 0;
	n->duplicated += copies == 2;
	n->reordered += copies != 0 && fate.reordered;
	n->corrupted += copies != 0 && fate.corrupt;
	if (copies == 2)
		put_in_flight(sim, 1 - from, data, len,
			      arrival(sim, from, len, fate.delay_ns[1], true));
	if (copies == 0)
		return;
	if (fate.corrupt)
		data[fate.corrupt_bit / 8] ^= (uint8_t)(1u << fate.corrupt_bit % 8);
	put_in_flight(sim, 1 - from, data, len,
		      arrival(sim, from, len, fate.delay_ns[0], fate.reordered));
}

/* Delivers a frame as the port does. First each shard may take the frame by its short way
 * (qp/short_rx.h). If none does, the frame is parsed and goes to the shard that owns its QP. */
static enum rn_verdict receive(struct sim_node *n, const uint8_t *frame, uint32_t len, rn_time now)
{
	struct rn_pkt pkt;
	enum rn_verdict v;
	if (rn_shard_rx_short(n->shard, frame, len, &v, now) ||
	    (n->second && rn_shard_rx_short(n->second, frame, len, &v, now))) {
		n->short_way++;
		return v;
	}
	v = rn_frame_parse(frame, len, &pkt);
	if (v == RN_V_OK)
		return rn_shard_rx(pkt.kind == RN_PKT_IB ? owner(n, pkt.dest_qpn) : n->shard, &pkt,
				   now);
	rn_shard_refused(n->shard, v);
	return v;
}

enum rn_verdict sim_inject(struct sim *sim, unsigned node, const uint8_t *frame, uint32_t len)
{
	struct sim_node *n = &sim->node[node];
	/* A copy of the exact size, so that a sanitizer detects any read beyond the frame. */
	uint8_t *exact = malloc(len ? len : 1);
	must(exact != NULL, "no memory");
	memcpy(exact, frame, len);
	enum rn_verdict v = receive(n, exact, len, sim->now);
	sim->verdicts[v]++;
	n->injected++;
	sim_frame_part(n, exact);
	return v;
}

/* ---- sending, and the advance of virtual time ---- */

static void collect_from(struct sim *sim, unsigned i, struct rn_shard *sh)
{
	struct rn_event ev[16];
	unsigned n;
	bool silent = rn_shard_silent(sh);
	while ((n = rn_shard_events(sh, ev, RN_ARRAY_SIZE(ev))) != 0) {
		must(!silent, "an event of a shard that had none to report");
		if (sim->nevents[i] + n > sim->capevents[i]) {
			sim->capevents[i] = 2 * (sim->nevents[i] + n);
			sim->events[i] = realloc(sim->events[i], sim->capevents[i] * sizeof(ev[0]));
			must(sim->events[i] != NULL, "no memory");
		}
		memcpy(sim->events[i] + sim->nevents[i], ev, n * sizeof(ev[0]));
		sim->nevents[i] += n;
	}
}

static void collect_events(struct sim *sim, unsigned i)
{
	collect_from(sim, i, sim->node[i].shard);
	if (sim->node[i].second)
		collect_from(sim, i, sim->node[i].second);
}

/* Lets one shard send at most `max` frames, in bursts of 8. A DPDK port also takes frames in
 * bursts. */
static unsigned speak(struct sim *sim, unsigned i, struct rn_shard *sh, unsigned max)
{
	static _Thread_local uint8_t data[8][SIM_FRAME_MAX];
	struct rn_txbuf bufs[8];
	unsigned total = 0, n, want;
	do {
		want = RN_MIN(max - total, 8u);
		for (unsigned k = 0; k < want; k++)
			bufs[k] = (struct rn_txbuf){data[k], SIM_FRAME_MAX, 0};
		n = rn_shard_tx(sh, bufs, want, sim->now);
		for (unsigned k = 0; k < n; k++)
			send_frame(sim, i, bufs[k].data, bufs[k].len);
		total += n;
	} while (n == want && total < max);
	return total;
}

unsigned sim_send(struct sim *sim, unsigned i, unsigned max)
{
	const struct sim_node *node = &sim->node[i];
	unsigned total = speak(sim, i, node->shard, max);
	if (node->second && total < max)
		total += speak(sim, i, node->second, max - total);
	finish_turn(sim, node);
	collect_events(sim, i);
	return total;
}

void sim_settle(struct sim *sim)
{
	for (unsigned round = 0; sim_send(sim, 0, UINT_MAX) + sim_send(sim, 1, UINT_MAX) != 0;
	     round++)
		must(round < 100000, "a shard never stops sending at one instant");
}

/* Returns when the next timer of a node expires. */
static rn_time next_of(const struct sim_node *n)
{
	rn_time next = rn_shard_next(n->shard);
	return n->second ? RN_MIN(next, rn_shard_next(n->second)) : next;
}

bool sim_step(struct sim *sim, rn_time until)
{
	sim_settle(sim);
	rn_time next = sim->nheap ? sim->heap[0]->when : RN_TIME_NEVER;
	for (unsigned i = 0; i < SIM_NODES; i++)
		next = RN_MIN(next, next_of(&sim->node[i]));
	if (next > until || next == RN_TIME_NEVER) {
		if (until != RN_TIME_NEVER)
			sim->now = RN_MAX(sim->now, until);
		return false;
	}
	sim->now = RN_MAX(sim->now, next);
	while (sim->nheap && sim->heap[0]->when <= sim->now) {
		struct sim_frame *f = heap_pop(sim);
		sim->node[f->to].arrived++;
		sim_inject(sim, f->to, f->data, f->len);
		free(f);
	}
	for (unsigned i = 0; i < SIM_NODES; i++) {
		rn_shard_tick(sim->node[i].shard, sim->now);
		if (sim->node[i].second)
			rn_shard_tick(sim->node[i].second, sim->now);
		finish_turn(sim, &sim->node[i]);
		collect_events(sim, i);
	}
	return true;
}

void sim_run(struct sim *sim, rn_time until)
{
	while (sim_step(sim, until))
		;
}
