/* The NIC of the provider's unit tests, see fake_link.h. This file has queue pairs, regions and
 * windows; fake_cm.c has connections, fake_srq.c shared receive queues. */
#include "fake_link.h"

#include "fake_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RNR_PATIENCE_NS 900000000ull
#define RING		65536u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_adapter adapters[2];
static struct fake_cq cqs[256];
static struct fake_qp qps[1024];
static struct fake_mr mrs[4096];
static unsigned npds, opens;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void fake_tell(struct fake_adapter *a, const struct rn_event *ev)
{
	if (a->nevents == FAKE_EVENTS)
		abort();
	a->events[(a->first + a->nevents++) % FAKE_EVENTS] = *ev;
	pthread_cond_broadcast(&a->changed);
}

void fake_link_unplug(struct rn_link *link)
{
	pthread_mutex_lock(&lock);
	atomic_store(&link->gone, 1);
	fake_tell((struct fake_adapter *)link, &(struct rn_event){.kind = RN_EVENT_PORT_GONE});
	pthread_mutex_unlock(&lock);
}

static void complete(struct fake_qp *qp, const struct rn_wqe *wqe, enum rn_status status,
		     uint32_t len, uint16_t flags)
{
	bool recv = wqe->kind == RN_WQE_RECV;
	struct fake_cq *cq = recv ? qp->recv_cq : qp->send_cq;
	struct rn_cq_ring *ring = cq->ring;
	uint32_t tail = ring->tail, armed;

	if (recv || status != RN_STATUS_SUCCESS || (wqe->flags & RN_WQE_SIGNALED)) {
		flags |=
			(recv ? RN_CQE_RECV : 0) | (status != RN_STATUS_SUCCESS ? RN_CQE_ERROR : 0);
		ring->cqe[tail & ring->mask] = (struct rn_cqe){
			.wr_id = wqe->wr_id,
			.qp_ctx = qp->ctx,
			.qpn = qp->qpn,
			.byte_len = status == RN_STATUS_SUCCESS ? len : 0,
			.status = status,
			.kind = wqe->kind,
			.flags = flags,
		};
		atomic_store(&ring->tail, tail + 1);
		armed = atomic_load(&cq->shared.armed);
		if (armed == RN_CQ_ARM_ANY ||
		    (armed == RN_CQ_ARM_SOLICITED && (flags & (RN_CQE_SOLICITED | RN_CQE_ERROR)))) {
			atomic_store(&cq->shared.armed, RN_CQ_ARM_NONE);
			fake_tell(cq->adapter, &(struct rn_event){.kind = RN_EVENT_CQ,
								  .id = (uint32_t)(cq - cqs)});
		}
	}
	if (!recv || qp->srq == NULL)
		atomic_fetch_add(recv ? &qp->shared.rq_retired : &qp->shared.sq_retired, 1);
}

/* ---- windows, execution of requests, functions of rn/link.h ---- */

static struct fake_mr *window_of(struct fake_adapter *a, uint32_t key)
{
	struct fake_mr *mw = &mrs[(key >> 8) % (sizeof(mrs) / sizeof(mrs[0]))];

	return mw->adapter == a && mw->window ? mw : NULL;
}

static void end_binding(struct fake_mr *mw)
{
	mw->qpn = 0;
	atomic_store(&mw->shared.ended, mw->key);
}

static int run_bind(struct fake_qp *qp, const struct rn_wqe *wqe)
{
	struct fake_mr *mw = window_of(qp->adapter, wqe->rkey);

	if (mw == NULL)
		return RN_STATUS_SUCCESS; /* the window was released while the Bind waited */
	mw->key = wqe->rkey;
	mw->qpn = qp->qpn;
	mw->access = wqe->bind.access;
	mw->addr = wqe->remote_va;
	mw->len = wqe->bind.length;
	mw->lkey = wqe->bind.lkey;
	return RN_STATUS_SUCCESS;
}

static int run_invalidate(struct fake_qp *qp, const struct rn_wqe *wqe)
{
	struct fake_mr *mw = window_of(qp->adapter, wqe->imm);

	if (mw == NULL)
		return RN_STATUS_SUCCESS;
	if (mw->qpn != qp->qpn || mw->key != wqe->imm)
		return RN_STATUS_MW_BIND_ERR;
	end_binding(mw);
	return RN_STATUS_SUCCESS;
}

/* Unbinds the windows bound on this queue pair. Binds that still wait in its send queue will not
 * run, so their windows are marked as unbound too. */
static void end_windows(struct fake_qp *qp)
{
	for (unsigned i = 1; i < sizeof(mrs) / sizeof(mrs[0]); i++)
		if (mrs[i].adapter == qp->adapter && mrs[i].window && mrs[i].qpn == qp->qpn)
			end_binding(&mrs[i]);
	for (struct fake_work *w = qp->queue[0]; w != NULL; w = w->next) {
		struct fake_mr *mw = window_of(qp->adapter, w->wqe.head.rkey);

		if (w->wqe.head.kind == RN_WQE_BIND && mw != NULL && mw->qpn == 0)
			atomic_store(&mw->shared.ended, w->wqe.head.rkey);
	}
}

static void flush(struct fake_qp *qp)
{
	qp->shared.state = RN_QPS_ERR;
	end_windows(qp);
	for (int q = 0; q < 2; q++)
		while (qp->queue[q] != NULL) {
			struct fake_work *w = qp->queue[q];

			qp->queue[q] = w->next;
			complete(qp, &w->wqe.head, RN_STATUS_WR_FLUSH_ERR, 0, 0);
			free(w);
		}
}

static void die(struct fake_qp *qp, enum rn_event_kind why)
{
	flush(qp);
	fake_tell(qp->adapter, &(struct rn_event){.kind = why, .id = qp->qpn, .gen = qp->gen});
}

/* Returns true if the key belongs to a region that allows the access `need` to [addr, addr+len). */
static bool allowed(struct fake_adapter *a, uint32_t key, uint32_t pd, uint64_t addr, uint64_t len,
		    uint32_t need)
{
	for (unsigned i = 1; i < sizeof(mrs) / sizeof(mrs[0]); i++)
		if (mrs[i].adapter == a && mrs[i].key == key && !mrs[i].window)
			return mrs[i].pd == pd && (mrs[i].access & need) == need &&
			       addr >= mrs[i].addr && len <= mrs[i].len &&
			       addr - mrs[i].addr <= mrs[i].len - len;
	return false;
}

/* Like allowed(), for a remote request: qp is the responder, and wqe->rkey the key of a region or
 * window. */
static bool allowed_to_peer(struct fake_qp *qp, const struct rn_wqe *wqe, uint32_t need)
{
	struct fake_mr *mw = window_of(qp->adapter, wqe->rkey);

	if (mw == NULL)
		return allowed(qp->adapter, wqe->rkey, qp->pd, wqe->remote_va, wqe->length, need);
	return mw->key == wqe->rkey && mw->qpn == qp->qpn && (mw->access & need) == need &&
	       wqe->remote_va >= mw->addr && wqe->length <= mw->len &&
	       wqe->remote_va - mw->addr <= mw->len - wqe->length &&
	       allowed(qp->adapter, mw->lkey, qp->pd, wqe->remote_va, wqe->length, 0);
}

static struct rn_sge *sge_of(struct fake_work *w, unsigned i)
{
	return (struct rn_sge *)(w->wqe.bytes + offsetof(struct rn_wqe, sge)) + i;
}

static bool sges_allowed(struct fake_qp *qp, struct fake_work *w, uint32_t need)
{
	for (unsigned i = 0; i < w->wqe.head.num_sge; i++)
		if (!allowed(qp->adapter, sge_of(w, i)->lkey, qp->pd, sge_of(w, i)->addr,
			     sge_of(w, i)->length, need))
			return false;
	return true;
}

/* With `gather`, copies data from the SGEs or inline bytes of the work request to `flat`. Otherwise
 * copies from `flat` to the SGEs. */
static void copy(struct fake_work *w, uint8_t *flat, uint32_t len, bool gather)
{
	if (w->wqe.head.flags & RN_WQE_INLINE) {
		memcpy(flat, w->wqe.bytes + offsetof(struct rn_wqe, inl), len);
		return;
	}
	for (unsigned i = 0; i < w->wqe.head.num_sge && len != 0; i++) {
		uint32_t n = sge_of(w, i)->length < len ? sge_of(w, i)->length : len;
		void *mem = (void *)(uintptr_t)sge_of(w, i)->addr;

		if (gather)
			memcpy(flat, mem, n);
		else
			memcpy(mem, flat, n);
		flat += n;
		len -= n;
	}
}

static uint32_t capacity(struct fake_work *w)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < w->wqe.head.num_sge; i++)
		n += sge_of(w, i)->length;
	return n;
}

static struct fake_qp *find_qp(uint32_t qpn)
{
	for (unsigned i = 0; i < sizeof(qps) / sizeof(qps[0]); i++)
		if (qps[i].adapter != NULL && qps[i].qpn == qpn)
			return &qps[i];
	return NULL;
}

/* Returned by run() and run_send() instead of an rn_status. The peer queue pair is not connected
 * yet, has failed, or has no receive. So the work request is run again later. */
#define WAIT 255

static int run_send(struct fake_qp *qp, struct fake_qp *peer, struct fake_work *w)
{
	struct fake_work *r = peer->srq != NULL ? fake_srq_take(peer->srq) : peer->queue[1];
	uint32_t len = w->wqe.head.length;
	uint8_t *flat;

	if (r == NULL) {
		if (w->since == 0)
			w->since = now_ns();
		return peer->srq == NULL && now_ns() - w->since > RNR_PATIENCE_NS
			       ? RN_STATUS_RNR_RETRY_EXC_ERR
			       : WAIT;
	}
	if (peer->srq == NULL)
		peer->queue[1] = r->next;
	if (capacity(r) < len || !sges_allowed(peer, r, RN_ACCESS_LOCAL_WRITE)) {
		complete(peer, &r->wqe.head,
			 capacity(r) < len ? RN_STATUS_LOC_LEN_ERR : RN_STATUS_LOC_PROT_ERR, 0, 0);
		die(peer, RN_EVENT_QP_FATAL);
		free(r);
		return RN_STATUS_REM_INV_REQ_ERR;
	}
	flat = malloc(len + 1);
	copy(w, flat, len, true);
	copy(r, flat, len, false);
	free(flat);
	complete(peer, &r->wqe.head, RN_STATUS_SUCCESS, len,
		 w->wqe.head.flags & RN_WQE_SOLICITED ? RN_CQE_SOLICITED : 0);
	free(r);
	return RN_STATUS_SUCCESS;
}

static int run_rdma(struct fake_qp *peer, struct fake_work *w)
{
	const struct rn_wqe *wqe = &w->wqe.head;
	bool read = wqe->kind == RN_WQE_READ;

	if (wqe->length != 0 &&
	    !allowed_to_peer(peer, wqe, read ? RN_ACCESS_REMOTE_READ : RN_ACCESS_REMOTE_WRITE)) {
		die(peer, RN_EVENT_QP_ACCESS_ERR);
		return RN_STATUS_REM_ACCESS_ERR;
	}
	copy(w, (uint8_t *)(uintptr_t)wqe->remote_va, wqe->length, !read);
	return RN_STATUS_SUCCESS;
}

static int run(struct fake_qp *qp, struct fake_work *w)
{
	struct fake_qp *peer = find_qp(qp->attr.dest_qpn);
	const struct rn_wqe *wqe = &w->wqe.head;

	if (wqe->kind == RN_WQE_BIND)
		return run_bind(qp, wqe);
	if (wqe->kind == RN_WQE_INVALIDATE)
		return run_invalidate(qp, wqe);
	if (!(wqe->flags & RN_WQE_INLINE) &&
	    !sges_allowed(qp, w, wqe->kind == RN_WQE_READ ? RN_ACCESS_LOCAL_WRITE : 0))
		return RN_STATUS_LOC_PROT_ERR;
	if (peer == NULL || peer->shared.state == RN_QPS_ERR || peer->attr.dest_qpn != qp->qpn) {
		if (w->since == 0)
			w->since = now_ns();
		return now_ns() - w->since > RNR_PATIENCE_NS ? RN_STATUS_RETRY_EXC_ERR : WAIT;
	}
	if (peer->shared.state < RN_QPS_RTR)
		return WAIT;
	if (!peer->heard) {
		peer->heard = true;
		fake_cm_comm_est(peer->qpn);
	}
	return wqe->kind == RN_WQE_SEND ? run_send(qp, peer, w) : run_rdma(peer, w);
}

static void turn_qp(struct fake_qp *qp)
{
	while (qp->queue[0] != NULL && qp->shared.state == RN_QPS_RTS) {
		struct fake_work *w = qp->queue[0];
		int status = run(qp, w);

		if (status == WAIT)
			return;
		qp->queue[0] = w->next;
		complete(qp, &w->wqe.head, (enum rn_status)status, w->wqe.head.length, 0);
		if (status != RN_STATUS_SUCCESS)
			die(qp, RN_EVENT_QP_FATAL);
		free(w);
	}
	if (qp->shared.state == RN_QPS_ERR)
		flush(qp);
}

static void turn(void)
{
	for (unsigned i = 0; i < sizeof(qps) / sizeof(qps[0]); i++)
		if (qps[i].adapter != NULL && (qps[i].queue[0] != NULL || qps[i].queue[1] != NULL))
			turn_qp(&qps[i]);
}

bool fake_link_write_imm(uint32_t len)
{
	bool taken = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < sizeof(qps) / sizeof(qps[0]) && !taken; i++) {
		struct fake_work *r = qps[i].adapter != NULL ? qps[i].queue[1] : NULL;

		if (r == NULL)
			continue;
		qps[i].queue[1] = r->next;
		complete(&qps[i], &r->wqe.head, RN_STATUS_SUCCESS, len, RN_CQE_IMM | RN_CQE_WRITE);
		free(r);
		taken = true;
	}
	pthread_mutex_unlock(&lock);
	return taken;
}

static bool submit(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe)
{
	struct fake_qp *qp;
	struct fake_work *w = calloc(1, sizeof(*w)), **end;

	pthread_mutex_lock(&lock);
	qp = find_qp(wqe->qpn);
	if (qp == NULL || qp->gen != wqe->qp_gen) {
		free(w);
	} else {
		memcpy(w->wqe.bytes, wqe, (size_t)wqe->slots * RN_SLOT_BYTES);
		for (end = &qp->queue[wqe->kind == RN_WQE_RECV]; *end != NULL; end = &(*end)->next)
			;
		*end = w;
		turn();
	}
	pthread_mutex_unlock(&lock);
	return true;
}

static struct rn_cq_ring *new_ring(void)
{
	struct rn_cq_ring *ring =
		aligned_alloc(64, sizeof(struct rn_cq_ring) + RING * sizeof(struct rn_cqe));

	memset(ring, 0, sizeof(*ring));
	ring->size = RING;
	ring->mask = RING - 1;
	return ring;
}

static void srq_post(struct rn_link *link, uint32_t srq, const struct rn_wqe *wqe)
{
	struct fake_work *w = calloc(1, sizeof(*w));

	pthread_mutex_lock(&lock);
	memcpy(w->wqe.bytes, wqe, (size_t)wqe->slots * RN_SLOT_BYTES);
	fake_srq_put(srq, w);
	turn();
	pthread_mutex_unlock(&lock);
}

static int create_cq(struct fake_adapter *a, struct rn_rsp *rsp)
{
	for (unsigned i = 1; i < sizeof(cqs) / sizeof(cqs[0]); i++) {
		struct fake_cq *cq = &cqs[i];

		if (cq->adapter != NULL)
			continue;
		memset(cq, 0, sizeof(*cq));
		cq->ring = new_ring();
		cq->view.shared = &cq->shared;
		cq->adapter = a;
		rsp->id = i;
		return 0;
	}
	return -ENOSPC;
}

/* Adds a CQE ring at a resize, even if the depth stays the same, so that the reader has to move to
 * the new ring. While the reader is still on the older ring, a resize succeeds but adds no ring. */
static int resize_cq(struct fake_cq *cq)
{
	struct rn_cq_ring *ring;

	if (atomic_load(&cq->view.first[0]) != cq->ring)
		return 0;
	ring = new_ring();
	atomic_store(&cq->ring->next, ring);
	cq->ring = ring;
	return 0;
}

static void destroy_cq(struct fake_cq *cq)
{
	struct rn_cq_ring *ring = atomic_load(&cq->view.first[0]), *next;

	for (ring = ring != NULL ? ring : cq->ring; ring != NULL; ring = next) {
		next = atomic_load(&ring->next);
		free(ring);
	}
	cq->adapter = NULL;
}

static void attach(struct fake_cq *cq)
{
	if (atomic_load(&cq->view.first[0]) == NULL)
		atomic_store(&cq->view.first[0], cq->ring);
}

static int create_qp(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	static uint32_t last = 100;

	for (unsigned i = 0; i < sizeof(qps) / sizeof(qps[0]); i++) {
		struct fake_qp *qp = &qps[i];

		if (qp->adapter != NULL)
			continue;
		memset(qp, 0, sizeof(*qp));
		qp->adapter = a;
		qp->qpn = ++last;
		qp->gen = last * 7;
		qp->pd = cmd->create_qp.pd;
		qp->ctx = cmd->create_qp.qp_ctx;
		qp->send_cq = &cqs[cmd->create_qp.send_cq];
		qp->recv_cq = &cqs[cmd->create_qp.recv_cq];
		attach(qp->send_cq);
		attach(qp->recv_cq);
		qp->srq = fake_srq_of(cmd->create_qp.srq);
		if (qp->srq != NULL)
			qp->srq->users++;
		rsp->id = qp->qpn;
		rsp->gen = qp->gen;
		rsp->qp.shared = (uintptr_t)&qp->shared;
		return 0;
	}
	return -ENOSPC;
}

static int modify_qp(const struct rn_cmd *cmd)
{
	struct fake_qp *qp = find_qp(cmd->modify_qp.qpn);
	const struct rn_qp_attr *attr = &cmd->modify_qp.attr;

	if (qp == NULL)
		return -ENOENT;
	if (attr->state != RN_QPS_ERR && attr->state != qp->shared.state + 1)
		return -EINVAL;
	/* turn() completes every request that can run. The requests left in the send queue have not
	 * started, so the send queue counts as drained. */
	if (attr->state == RN_QPS_SQD) {
		turn();
		if (cmd->modify_qp.mask & RN_QP_SQD_NOTIFY && attr->sqd_notify)
			fake_tell(qp->adapter, &(struct rn_event){.kind = RN_EVENT_SQ_DRAINED,
								  .id = qp->qpn,
								  .gen = qp->gen});
	}
	if (cmd->modify_qp.mask & RN_QP_DEST_QPN)
		qp->attr = *attr;
	qp->shared.state = attr->state;
	turn_qp(qp);
	turn();
	return 0;
}

static int destroy_qp(const struct rn_cmd *cmd)
{
	struct fake_qp *qp = find_qp(cmd->qp.qpn);

	if (qp == NULL)
		return -ENOENT;
	flush(qp);
	if (qp->srq != NULL)
		qp->srq->users--;
	qp->adapter = NULL;
	return 0;
}

static struct fake_mr *new_key(struct fake_adapter *a)
{
	static uint32_t uses;

	for (unsigned i = 1; i < sizeof(mrs) / sizeof(mrs[0]); i++) {
		if (mrs[i].adapter != NULL)
			continue;
		memset(&mrs[i], 0, sizeof(mrs[i]));
		mrs[i].adapter = a;
		mrs[i].key = (i << 8) | (++uses & 0xff);
		return &mrs[i];
	}
	return NULL;
}

static int reg_mr(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct fake_mr *mr = new_key(a);

	if (mr == NULL)
		return -ENOSPC;
	mr->pd = cmd->reg_mr.pd;
	mr->access = cmd->reg_mr.access;
	mr->addr = cmd->reg_mr.addr;
	mr->len = cmd->reg_mr.length;
	rsp->id = rsp->gen = mr->key;
	return 0;
}

static int create_mw(struct fake_adapter *a, struct rn_rsp *rsp)
{
	struct fake_mr *mw = new_key(a);

	if (mw == NULL)
		return -ENOSPC;
	mw->window = true;
	atomic_store(&mw->shared.ended, mw->key);
	rsp->id = mw->key;
	rsp->mw.shared = (uintptr_t)&mw->shared;
	return 0;
}

static int dereg_mr(struct fake_adapter *a, uint32_t key)
{
	struct fake_mr *mr = &mrs[(key >> 8) % (sizeof(mrs) / sizeof(mrs[0]))];

	if (mr->adapter != a || mr->key != key)
		return -ENOENT;
	mr->adapter = NULL;
	return 0;
}

static int destroy_mw(struct fake_adapter *a, uint32_t id)
{
	struct fake_mr *mw = window_of(a, id);

	if (mw == NULL)
		return -ENOENT;
	mw->adapter = NULL;
	return 0;
}

static int exec_locked(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	switch (cmd->op) {
	case RN_CMD_CREATE_PD:
		npds++;
		rsp->id = a->next_pd++;
		return 0;
	case RN_CMD_DESTROY_PD:
		npds--;
		return 0;
	case RN_CMD_CREATE_CQ:
		return create_cq(a, rsp);
	case RN_CMD_DESTROY_CQ:
		destroy_cq(&cqs[cmd->obj.id]);
		return 0;
	case RN_CMD_RESIZE_CQ:
		return resize_cq(&cqs[cmd->resize_cq.id]);
	case RN_CMD_CREATE_SRQ:
	case RN_CMD_MODIFY_SRQ:
	case RN_CMD_DESTROY_SRQ:
		return fake_srq_exec(a, cmd, rsp);
	case RN_CMD_REG_MR:
		return reg_mr(a, cmd, rsp);
	case RN_CMD_DEREG_MR:
		return dereg_mr(a, cmd->obj.id);
	case RN_CMD_CREATE_MW:
		return create_mw(a, rsp);
	case RN_CMD_DESTROY_MW:
		return destroy_mw(a, cmd->destroy_mw.id);
	case RN_CMD_CREATE_QP:
		return create_qp(a, cmd, rsp);
	case RN_CMD_MODIFY_QP:
		return modify_qp(cmd);
	case RN_CMD_DESTROY_QP:
		return destroy_qp(cmd);
	default:
		return fake_cm_exec(a, adapters, cmd, rsp);
	}
}

static int exec(struct rn_link *link, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	memset(rsp, 0, sizeof(*rsp));
	pthread_mutex_lock(&lock);
	rsp->err = exec_locked((struct fake_adapter *)link, cmd, rsp);
	pthread_mutex_unlock(&lock);
	return rsp->err;
}

static void doorbell(struct rn_link *link, uint32_t shard)
{
}

static uint32_t shard_of(struct rn_link *link, uint32_t qpn)
{
	return 0;
}

static struct rn_cq_view *cq_view(struct rn_link *link, uint32_t cq)
{
	return &cqs[cq].view;
}

static void cq_ring_done(struct rn_link *link, uint32_t cq, struct rn_cq_ring *ring)
{
	pthread_mutex_lock(&lock);
	atomic_store(&cqs[cq].view.first[0], atomic_load(&ring->next));
	pthread_mutex_unlock(&lock);
	free(ring);
}

static void progress(struct rn_link *link)
{
	pthread_mutex_lock(&lock);
	turn();
	pthread_mutex_unlock(&lock);
}

static unsigned wait(struct rn_link *link, struct rn_event *ev, unsigned n, int timeout_ms)
{
	struct fake_adapter *a = (struct fake_adapter *)link;
	uint64_t end = now_ns() + (uint64_t)timeout_ms * 1000000u;
	unsigned got = 0;

	pthread_mutex_lock(&lock);
	while (a->nevents == 0 && !a->interrupted && now_ns() < end) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 10000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec++;
			t.tv_nsec -= 1000000000;
		}
		pthread_cond_timedwait(&a->changed, &lock, &t);
		turn();
	}
	for (; got < n && a->nevents != 0; a->nevents--) {
		ev[got++] = a->events[a->first];
		a->first = (a->first + 1) % FAKE_EVENTS;
	}
	a->interrupted = false;
	pthread_mutex_unlock(&lock);
	return got;
}

static void interrupt(struct rn_link *link)
{
	struct fake_adapter *a = (struct fake_adapter *)link;

	pthread_mutex_lock(&lock);
	a->interrupted = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&lock);
}

static void fill_info(unsigned index, struct rn_link_info *info)
{
	*info = (struct rn_link_info){
		.abi_version = RN_ABI_VERSION,
		.shards = 1,
		.features = RN_LINK_CQ_RESIZE,
		.guid = 0x1000 + index,
		.mtu = 1500,
		.max_path_mtu = 3,
		.ngids = 2,
		.link_up = 1,
		.max_rd_atomic = 16,
		.gids = {{{[10] = 0xff, [11] = 0xff, 192, 0, 2, (uint8_t)(index + 1)}},
			 {{0x20, 0x01, 0x0d, 0xb8, [15] = (uint8_t)(index + 1)}}},
		.max_qp = 1024,
		.max_cq = 255,
		.max_cm = 1024,
		.max_srq = 31,
		.max_mr = 4095,
		.max_queue_depth = 16384,
		.max_cqe = 65536,
		.max_sge = RN_WQE_MAX_SGE,
		.max_inline = RN_WQE_MAX_INLINE,
		.max_msg = RN_MSG_MAX,
		.max_mr_bytes = 1ull << 40,
		.name = {'f', 'a', 'k', 'e', (char)('0' + index)},
	};
}

static void info(struct rn_link *link, struct rn_link_info *out)
{
	fill_info((unsigned)((struct fake_adapter *)link - adapters), out);
}

static void stats(struct rn_link *link, void (*fn)(void *arg, const char *name, uint64_t value),
		  void *arg)
{
	fn(arg, "pds", npds);
}

static bool submit_list(struct rn_link *link, uint32_t shard, const struct rn_wqe *wqe, uint32_t n)
{
	bool at_once = true;

	for (; n > 0; n--, wqe += wqe->slots)
		at_once &= submit(link, shard, wqe);
	return at_once;
}

static const struct rn_link_ops ops = {
	exec,	      submit,	submit_list, doorbell,	shard_of, srq_post, cq_view,
	cq_ring_done, progress, wait,	     interrupt, info,	  stats,
};

int rn_link_list(const char *path, struct rn_link_info *out, unsigned n, char *err, size_t errlen)
{
	for (unsigned i = 0; i < 2 && i < n; i++)
		fill_info(i, &out[i]);
	return 2;
}

int rn_link_open(const char *path, unsigned index, struct rn_link **link, char *err, size_t errlen)
{
	struct fake_adapter *a = &adapters[index];

	pthread_mutex_lock(&lock);
	if (a->opens++ == 0) {
		pthread_cond_init(&a->changed, NULL);
		a->nevents = 0;
		a->next_pd = 1 + index * 100000;
	}
	opens++;
	a->link.ops = &ops;
	pthread_mutex_unlock(&lock);
	*link = &a->link;
	return 0;
}

void rn_link_close(struct rn_link *link)
{
	pthread_mutex_lock(&lock);
	opens--;
	((struct fake_adapter *)link)->opens--;
	pthread_mutex_unlock(&lock);
}

unsigned fake_link_objects(void)
{
	unsigned n = npds + opens + fake_cm_live() + fake_srq_live();

	for (unsigned i = 0; i < sizeof(qps) / sizeof(qps[0]); i++)
		n += qps[i].adapter != NULL;
	for (unsigned i = 0; i < sizeof(mrs) / sizeof(mrs[0]); i++)
		n += mrs[i].adapter != NULL;
	for (unsigned i = 0; i < sizeof(cqs) / sizeof(cqs[0]); i++)
		n += cqs[i].adapter != NULL;
	return n;
}
