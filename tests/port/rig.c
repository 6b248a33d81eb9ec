/* Implements rig.h: a minimal client of struct rn_link, the interface between a front end and an
 * adapter. */
#include "rig.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 20000

uint64_t rig_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static char paths[64][64];
static unsigned npaths;

static void remove_files(void)
{
	for (unsigned i = 0; i < npaths; i++)
		unlink(paths[i]);
}

const char *rig_config(const char *fmt, ...)
{
	char *path = paths[npaths];
	va_list ap;

	if (npaths++ == 0)
		atexit(remove_files);
	assert_true(npaths < 64);
	snprintf(path, sizeof(paths[0]), "/tmp/rn-test-XXXXXX");
	FILE *f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
	return path;
}

const char *rig_pair(unsigned shards, unsigned mtu, const char *more)
{
	return rig_config(
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
		"  ipv4 = [ \"192.0.2.1/24\" ]; mtu = %u; shards = %u; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
		"  ipv4 = [ \"192.0.2.2/24\" ]; mtu = %u; shards = %u; });\n"
		"eal = { hugepages = \"no\"; };\n%s",
		mtu, shards, mtu, shards, more);
}

struct rn_link *rig_open(const char *path, unsigned index)
{
	char err[256] = "";
	struct rn_link *l = NULL;
	int rc = rn_link_open(path, index, &l, err, sizeof(err));

	if (rc != 0)
		fail_msg("open: %s", err);
	return l;
}

int rig_exec(struct rn_link *l, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_rsp mine;

	return l->ops->exec(l, cmd, rsp != NULL ? rsp : &mine);
}

uint32_t rig_pd(struct rn_link *l)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_PD};
	struct rn_rsp rsp;

	assert_int_equal(rig_exec(l, &cmd, &rsp), 0);
	return rsp.id;
}

struct rig_cq rig_cq(struct rn_link *l, uint32_t depth)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_CQ, .create_cq.depth = depth};
	struct rig_cq cq = {.link = l};
	struct rn_rsp rsp;

	assert_int_equal(rig_exec(l, &cmd, &rsp), 0);
	cq.id = rsp.id;
	cq.view = l->ops->cq_view(l, cq.id);
	assert_non_null(cq.view);
	return cq;
}

struct rig_qp rig_qp(struct rn_link *l, uint32_t pd, const struct rig_cq *scq,
		     const struct rig_cq *rcq, uint32_t depth)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP,
			     .create_qp = {.pd = pd,
					   .type = RN_QPT_RC,
					   .send_cq = scq->id,
					   .recv_cq = rcq->id,
					   .sq_depth = depth,
					   .rq_depth = depth,
					   .sq_sge = 4,
					   .rq_sge = 4,
					   .inline_bytes = 64,
					   .qp_ctx = 77}};
	struct rig_qp qp = {.link = l, .psn = 0xfffff0};
	struct rn_rsp rsp;

	assert_int_equal(rig_exec(l, &cmd, &rsp), 0);
	qp.qpn = rsp.id;
	qp.gen = rsp.gen;
	qp.shared = (struct rn_qp_shared *)(uintptr_t)rsp.qp.shared;
	l->ops->info(l, &qp.info);
	assert_int_equal(l->ops->shard_of(l, qp.qpn), rsp.shard);
	return qp;
}

void rig_reg(struct rn_link *l, uint32_t pd, void *addr, size_t len, uint32_t access,
	     uint32_t *lkey, uint32_t *rkey)
{
	struct rn_cmd cmd = {.op = RN_CMD_REG_MR,
			     .reg_mr = {.addr = (uintptr_t)addr,
					.length = len,
					.iova = (uintptr_t)addr,
					.pd = pd,
					.access = access}};
	struct rn_rsp rsp;

	assert_int_equal(rig_exec(l, &cmd, &rsp), 0);
	*lkey = rsp.id;
	if (rkey != NULL)
		*rkey = rsp.gen;
}

static void modify(struct rig_qp *q, const struct rn_qp_attr *attr, uint32_t mask)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_MODIFY_QP,
		.modify_qp = {.qpn = q->qpn, .gen = q->gen, .mask = mask, .attr = *attr}};

	assert_int_equal(rig_exec(q->link, &cmd, NULL), 0);
}

static void to_rtr(struct rig_qp *q, const struct rig_qp *peer, uint8_t mtu)
{
	struct rn_qp_attr a = {.state = RN_QPS_INIT,
			       .port = 1,
			       .access = RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ};

	modify(q, &a, RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS);
	a.state = RN_QPS_RTR;
	a.path_mtu = mtu;
	a.dest_qpn = peer->qpn;
	a.rq_psn = peer->psn;
	a.max_dest_rd_atomic = 16;
	a.min_rnr_timer = 1;
	a.av.sgid = q->info.gids[0];
	a.av.dgid = peer->info.gids[0];
	memcpy(a.av.dmac, peer->info.mac, 6);
	a.av.hop_limit = 64;
	modify(q, &a,
	       RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN |
		       RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER);
}

static void to_rts(struct rig_qp *q)
{
	/* Timeout code 17 is 537 ms, and the QP retries 7 times. On a loaded machine a thread once
	 * waited 770 ms for a CPU, so a shorter timeout could fail the test. */
	struct rn_qp_attr a = {.state = RN_QPS_RTS,
			       .timeout = 17,
			       .retry_cnt = 7,
			       .rnr_retry = 7,
			       .sq_psn = q->psn,
			       .max_rd_atomic = 16};

	modify(q, &a,
	       RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY | RN_QP_SQ_PSN |
		       RN_QP_MAX_RD_ATOMIC);
}

static uint8_t largest(const struct rig_qp *a, const struct rig_qp *b)
{
	return a->info.max_path_mtu < b->info.max_path_mtu ? a->info.max_path_mtu
							   : b->info.max_path_mtu;
}

void rig_connect_one(struct rig_qp *q, const struct rig_qp *peer)
{
	to_rtr(q, peer, largest(q, peer));
	to_rts(q);
}

void rig_connect(struct rig_qp *a, struct rig_qp *b, uint8_t mtu)
{
	uint8_t most = largest(a, b);

	to_rtr(a, b, mtu != 0 ? mtu : most);
	if (a != b)
		to_rtr(b, a, mtu != 0 ? mtu : most);
	to_rts(a);
	if (a != b)
		to_rts(b);
}

void rig_post(struct rig_qp *q, enum rn_wqe_kind kind, uint64_t wr_id, void *addr, uint32_t len,
	      uint32_t lkey, uint64_t remote, uint32_t rkey)
{
	struct rn_wqe w = {.kind = (uint8_t)kind,
			   .slots = 1,
			   .flags = RN_WQE_SIGNALED,
			   .qpn = q->qpn,
			   .qp_gen = q->gen,
			   .num_sge = 1,
			   .wr_id = wr_id,
			   .remote_va = remote,
			   .rkey = rkey,
			   .length = len,
			   .sge = {{(uintptr_t)addr, len, lkey}}};

	uint32_t shard = q->link->ops->shard_of(q->link, q->qpn);

	if (!q->link->ops->submit(q->link, shard, &w))
		q->link->ops->doorbell(q->link, shard);
}

static bool take(struct rig_cq *cq, struct rn_cqe *out)
{
	for (unsigned s = 0; s < RN_MAX_SHARDS; s++) {
		struct rn_cq_ring **at = &cq->at[s];
		if (*at == NULL)
			*at = atomic_load_explicit(&cq->view->first[s], memory_order_acquire);
		while (*at != NULL) {
			struct rn_cq_ring *ring = *at, *next = atomic_load_explicit(
							       &ring->next, memory_order_acquire);
			uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
			if (head != atomic_load_explicit(&ring->tail, memory_order_acquire)) {
				*out = ring->cqe[head & ring->mask];
				atomic_store_explicit(&ring->head, head + 1, memory_order_release);
				return true;
			}
			if (next == NULL)
				break;
			*at = next;
			cq->link->ops->cq_ring_done(cq->link, cq->id, ring);
		}
	}
	return false;
}

bool rig_poll(struct rig_cq *cq, struct rn_cqe *out, unsigned ms)
{
	uint64_t until = rig_now_ns() + (uint64_t)ms * 1000000;

	for (unsigned i = 0; !take(cq, out); i++) {
		assert_int_equal(atomic_load(&cq->view->shared->overrun), 0);
		cq->link->ops->progress(cq->link);
		if (i % 64 == 63)
			sched_yield();
		if (i % 64 == 0 && rig_now_ns() > until)
			return false;
	}
	return true;
}

struct rn_cqe rig_wait(struct rig_cq *cq)
{
	struct rn_cqe cqe;

	if (!rig_poll(cq, &cqe, PATIENCE_MS))
		fail_msg("no completion within %d ms", PATIENCE_MS);
	return cqe;
}

struct wanted {
	const char *name;
	uint64_t value;
};

static void pick(void *arg, const char *name, uint64_t value)
{
	struct wanted *w = arg;

	if (strcmp(name, w->name) == 0)
		w->value = value;
}

uint64_t rig_stat(struct rn_link *l, const char *name)
{
	struct wanted w = {name, UINT64_MAX};

	l->ops->stats(l, pick, &w);
	assert_true(w.value != UINT64_MAX);
	return w.value;
}
