/* Executes the commands of clients (CREATE_QP, REG_MR and so on), and keeps the adapter's tables of
 * objects.
 * RN_CMD_ROWS (rn/abi.h) says where a command runs. CONTROL commands run in the calling thread
 * under the control lock. All other commands run in a shard, between two bursts.
 * REG_MR, DEREG_MR, REREG_MR and DESTROY_MW hold the control lock for only a part of their work. A
 * command that changes the tables and also calls a shard holds the lock until both are done. */
#include "nic/nic.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "nic/cq_rings.h"
#include "nic/daemon_service.h"
#include "nic/nic_srq.h"
#include "nic/shard_call.h"
#include "port/flow_rule.h"
#include "port/probe.h"
#include "nic/settings.h"

enum where { NOWHERE, CONTROL, QP_SHARD, SHARD_0 };

static const enum where where_runs[RN_CMD_MAX] = {
#define X(name, number, where) [RN_CMD_##name] = where,
	RN_CMD_ROWS(X)
#undef X
};

/* ---- protection domains and memory regions ---- */

static int create_pd(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_objects *o = &nic->objects;
	uint32_t id = rn_idpool_get(&o->pd_ids);

	if (id == RN_ID_NONE)
		return -ENOSPC;
	o->pd[id] = (struct rn_nic_pd){.live = true};
	o->npd++;
	rsp->id = id;
	return 0;
}

/* Fails with -EBUSY while memory regions, memory windows, QPs or SRQs belong to the PD. */
static int destroy_pd(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_objects *o = &nic->objects;
	struct rn_nic_pd *pd = rn_objects_pd(o, cmd->obj.id);

	if (pd == NULL)
		return -ENOENT;
	if (pd->users > 0)
		return -EBUSY;
	pd->live = false;
	o->npd--;
	rn_idpool_put(&o->pd_ids, cmd->obj.id);
	return 0;
}

static struct rn_mr_attr mr_attr(const struct rn_cmd *cmd)
{
	return (struct rn_mr_attr){
		/* The client runs in this process, so the address in the client's command is valid
		 * here unchanged. */
		.ptr = (void *)(uintptr_t)cmd->reg_mr.addr,
		.iova = cmd->reg_mr.iova,
		.length = cmd->reg_mr.length,
		.pd = cmd->reg_mr.pd,
		.access = cmd->reg_mr.access,
	};
}

static int add_mr(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_pd *pd = rn_objects_pd(&nic->objects, cmd->reg_mr.pd);
	struct rn_mr_attr attr = mr_attr(cmd);

	if (pd == NULL)
		return -ENOENT;
	struct rn_nic_mr *mr = calloc(1, sizeof(*mr));
	if (mr == NULL)
		return -ENOMEM;
	int rc = rn_mr_add(nic->mrs, &attr, &rsp->id, &rsp->gen);
	if (rc != 0) {
		free(mr);
		return rc;
	}
	mr->lkey = rsp->id;
	mr->pd = attr.pd;
	pd->users++;
	rn_htab_add(&nic->objects.mrs, &mr->node, rn_hash_u64(mr->lkey));
	return 0;
}

/* Probes the client's buffer. To be called before taking the control lock: the time for probing
 * grows with the number of mappings of the process. */
static int probe(const struct rn_cmd *cmd)
{
	/* Probe for write access only if the NIC may write: the client may register a read-only
	 * buffer. */
	uint32_t writes = RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_ATOMIC;

	return rn_probe(cmd->reg_mr.addr, cmd->reg_mr.length, (cmd->reg_mr.access & writes) != 0);
}

static int reg_mr(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	int rc = probe(cmd);

	if (rc != 0)
		return rc;
	pthread_mutex_lock(&nic->control);
	rc = add_mr(nic, cmd, rsp);
	pthread_mutex_unlock(&nic->control);
	return rc;
}

/* Removes a memory region in three steps:
 * - Under the control lock, removes the region from the table that the shards read.
 * - Without the lock, waits for the grace period. Other threads can create and register objects
 *   meanwhile. A second DEREG_MR of the same region fails in rn_mr_remove().
 * - Under the lock again, frees the entry. */
static int dereg_mr(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_objects *o = &nic->objects;

	pthread_mutex_lock(&nic->control);
	struct rn_nic_mr *mr = rn_objects_mr(o, cmd->obj.id);
	int rc = mr != NULL ? rn_mr_remove(nic->mrs, mr->lkey) : -ENOENT;
	pthread_mutex_unlock(&nic->control);
	if (rc != 0)
		return rc;
	/* The grace period is enough. Frames built earlier may still be unsent, but they contain
	 * copies of the data. */
	rn_nic_grace(nic);
	pthread_mutex_lock(&nic->control);
	rn_mr_reclaim(nic->mrs, mr->lkey);
	rn_objects_pd(o, mr->pd)->users--;
	rn_htab_del(&o->mrs, &mr->node);
	pthread_mutex_unlock(&nic->control);
	free(mr);
	return 0;
}

/* Makes the keys of the region invalid. The new PD counts the region from now on. */
static int suspend_mr(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_nic_mr **mr)
{
	struct rn_nic_pd *pd = rn_objects_pd(&nic->objects, cmd->reg_mr.pd);
	const struct rn_mr_attr attr = mr_attr(cmd);
	int rc;

	*mr = rn_objects_mr(&nic->objects, cmd->reg_mr.lkey);
	if (*mr == NULL || pd == NULL)
		return -ENOENT;
	rc = rn_mr_suspend(nic->mrs, (*mr)->lkey, &attr);
	if (rc == 0)
		pd->users++;
	return rc;
}

/* Changes a memory region in steps like those of dereg_mr(): the grace period ends all accesses to
 * the former memory. */
static int rereg_mr(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	const struct rn_mr_attr attr = mr_attr(cmd);
	struct rn_nic_mr *mr;
	int rc = probe(cmd);

	if (rc != 0)
		return rc;
	pthread_mutex_lock(&nic->control);
	rc = suspend_mr(nic, cmd, &mr);
	pthread_mutex_unlock(&nic->control);
	if (rc != 0)
		return rc;
	rn_nic_grace(nic);
	pthread_mutex_lock(&nic->control);
	rn_mr_resume(nic->mrs, mr->lkey, &attr);
	rn_objects_pd(&nic->objects, mr->pd)->users--;
	mr->pd = attr.pd;
	pthread_mutex_unlock(&nic->control);
	rsp->id = rsp->gen = mr->lkey;
	return 0;
}

/* ---- memory windows ---- */

/* Creates a memory window. The response carries the address of the window's shared state, which the
 * client reads directly. */
static int create_mw(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_pd *pd = rn_objects_pd(&nic->objects, cmd->create_mw.pd);

	if (pd == NULL)
		return -ENOENT;
	struct rn_nic_mw *mw = calloc(1, sizeof(*mw));
	if (mw == NULL)
		return -ENOMEM;
	int rc = rn_mw_add(nic->mrs, cmd->create_mw.pd, &mw->shared, &mw->id);
	if (rc != 0) {
		free(mw);
		return rc;
	}
	mw->pd = cmd->create_mw.pd;
	pd->users++;
	rn_htab_add(&nic->objects.mws, &mw->node, rn_hash_u64(mw->id));
	rsp->id = mw->id;
	rsp->mw.shared = (uint64_t)(uintptr_t)&mw->shared;
	return 0;
}

struct unbind_call {
	struct rn_call call; /* first member: run_unbind() casts `call` to this struct */
	uint32_t key, qpn;
};

/* Unbinds the memory window. Runs in the shard of the QP. */
static void run_unbind(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	const struct unbind_call *c = (struct unbind_call *)call;

	rn_shard_unbind_window(lc->shard, c->key, c->qpn);
}

static void forget_window(struct rn_nic *nic, uint32_t key, uint32_t qpn)
{
	struct unbind_call c = {.call.run = run_unbind, .key = key, .qpn = qpn};

	rn_lcore_call(&nic->lcore[rn_qpn_shard(qpn, nic->nshards)], &c.call);
}

/* Removes the memory window from the key table. A bound window must be unbound first. The first try
 * unbinds the window from the QP that the client named. If rn_mw_remove() reports another QP, the
 * next try unbinds the window from that QP. Returns -EBUSY if the client binds the window again
 * before each try. */
static int remove_window_key(struct rn_nic *nic, uint32_t id, uint32_t qpn)
{
	int rc = -EBUSY;

	for (unsigned tries = 0; rc == -EBUSY && tries < 4; tries++) {
		if (rn_objects_qp(&nic->objects, qpn) != NULL)
			forget_window(nic, id, qpn);
		rc = rn_mw_remove(nic->mrs, id, &qpn);
	}
	return rc;
}

/* Removes the memory window under the control lock, waits for a grace period without the lock, and
 * frees the entry under the lock again (as in dereg_mr()). */
static int destroy_mw(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_objects *o = &nic->objects;

	pthread_mutex_lock(&nic->control);
	struct rn_nic_mw *mw = rn_objects_mw(o, cmd->destroy_mw.id);
	int rc = mw != NULL ? remove_window_key(nic, mw->id, cmd->destroy_mw.qpn) : -ENOENT;
	pthread_mutex_unlock(&nic->control);
	if (rc != 0)
		return rc;
	rn_nic_grace(nic);
	pthread_mutex_lock(&nic->control);
	rn_mr_reclaim(nic->mrs, mw->id);
	rn_objects_pd(o, mw->pd)->users--;
	rn_htab_del(&o->mws, &mw->node);
	pthread_mutex_unlock(&nic->control);
	free(mw);
	return 0;
}

/* ---- completion queues ---- */

/* Allocates the CQ without rings. A shard gets a ring of the CQ when the first QP on that shard
 * uses the CQ. */
static int create_cq(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_objects *o = &nic->objects;

	if (cmd->create_cq.depth > RN_SETTINGS_MAX_CQE)
		return -EINVAL;
	struct rn_nic_cq *cq = aligned_alloc(64, RN_ALIGN_UP(sizeof(*cq), (size_t)64));
	if (cq == NULL)
		return -ENOMEM;
	memset(cq, 0, sizeof(*cq));
	cq->id = rn_idpool_get(&o->cq_ids);
	if (cq->id == RN_ID_NONE) {
		free(cq);
		return -ENOSPC;
	}
	cq->view.shared = &cq->shared;
	cq->depth = cmd->create_cq.depth;
	cq->affinity = cmd->create_cq.affinity;
	cq->user = cmd->user;
	o->cq[cq->id] = cq;
	o->ncq++;
	rsp->id = cq->id;
	return 0;
}

struct unlink_call {
	struct rn_call call; /* first member: run_unlink() casts `call` to this struct */
	uint32_t cq;
};

static void run_unlink(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	rn_shard_cq_unlink(lc->shard, ((struct unlink_call *)call)->cq);
}

/* Makes every shard that has a ring of the CQ unlink the ring. Then frees the rings and the CQ. */
static int destroy_cq(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_cq *cq = rn_objects_cq(&nic->objects, cmd->obj.id);

	if (cq == NULL)
		return -ENOENT;
	if (cq->users > 0)
		return -EBUSY;
	for (unsigned s = 0; s < nic->nshards; s++) {
		struct unlink_call c = {.call.run = run_unlink, .cq = cq->id};
		if (cq->feed[s].newest != NULL)
			rn_lcore_call(&nic->lcore[s], &c.call);
	}
	rn_nic_grace(nic);
	rn_objects_free_cq(&nic->objects, cq);
	return 0;
}

/* Changes the depth of a CQ. Allocates the new rings of all shards before linking the first ring,
 * so a failed allocation changes nothing. */
static int resize_cq(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_cq *cq = rn_objects_cq(&nic->objects, cmd->resize_cq.id);
	struct rn_cq_ring *ring[RN_MAX_SHARDS] = {NULL};
	uint32_t depth = cmd->resize_cq.depth;
	int rc = 0;

	if (cq == NULL)
		return -ENOENT;
	if (depth == 0 || depth > RN_SETTINGS_MAX_CQE)
		return -EINVAL;
	for (unsigned s = 0; s < nic->nshards && rc == 0; s++)
		rc = rn_cq_rings_resize(cq, s, depth, &ring[s]);
	for (unsigned s = 0; s < nic->nshards && rc != 0; s++)
		free(ring[s]);
	if (rc != 0)
		return rc;
	cq->depth = depth;
	for (unsigned s = 0; s < nic->nshards; s++) {
		if (ring[s] != NULL)
			rn_nic_link_ring(nic, s, cq, ring[s]);
	}
	return 0;
}

/* ---- queue pairs ---- */

/* Returns the smallest difference between `cpu` and a CPU number in the mask. */
static unsigned distance(int cpu, uint64_t mask)
{
	unsigned best = 64;

	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			best = RN_MIN(best, (unsigned)abs(cpu - (int)i));
	return best;
}

/* Returns the shard whose CPU number is nearest to one of the wanted CPUs. Among equally near
 * shards the shard with the fewest QPs wins. The wanted CPUs are:
 * - the affinity mask of the receive CQ
 * - if that mask is 0, the affinity mask of the QP
 * - if both masks are 0, the caller's CPU */
static unsigned place_qp(const struct rn_nic *nic, const struct rn_nic_cq *recv_cq,
			 uint64_t affinity)
{
	int here = sched_getcpu();
	uint64_t wish = recv_cq->affinity != 0 ? recv_cq->affinity : affinity;
	unsigned best = 0, best_cost = UINT32_MAX;

	if (wish == 0 && here >= 0 && here < 64)
		wish = UINT64_C(1) << here;
	for (unsigned i = 0; i < nic->nshards; i++) {
		const struct rn_lcore *lc = &nic->lcore[i];
		unsigned d = lc->cpu >= 0 && wish != 0 ? distance(lc->cpu, wish) : 0;
		unsigned cost = d << 20 | RN_MIN(nic->objects.qps_of[i], (1u << 20) - 1);
		if (cost < best_cost) {
			best = i;
			best_cost = cost;
		}
	}
	return best;
}

/* Checks the sizes and ids that depend on the adapter's limits and tables. The shard checks the
 * rest of the command. */
static int check_create_qp(struct rn_nic *nic, const struct rn_cmd *cmd)
{
	const struct rn_config_limits *l = &nic->cfg->limits;

	if (cmd->create_qp.sq_depth > l->max_depth || cmd->create_qp.rq_depth > l->max_depth ||
	    cmd->create_qp.sq_sge > RN_WQE_MAX_SGE || cmd->create_qp.rq_sge > RN_WQE_MAX_SGE ||
	    cmd->create_qp.inline_bytes > RN_WQE_MAX_INLINE)
		return -EINVAL;
	if (rn_objects_pd(&nic->objects, cmd->create_qp.pd) == NULL ||
	    rn_objects_cq(&nic->objects, cmd->create_qp.send_cq) == NULL ||
	    rn_objects_cq(&nic->objects, cmd->create_qp.recv_cq) == NULL ||
	    (cmd->create_qp.srq != 0 && rn_objects_srq(&nic->objects, cmd->create_qp.srq) == NULL))
		return -ENOENT;
	return 0;
}

/* Enters the QP in the tables, and counts its queues and its references to CQs, PD and SRQ.
 * unrecord_qp() is the reverse. */
static void record_qp(struct rn_nic *nic, struct rn_nic_qp *qp)
{
	struct rn_objects *o = &nic->objects;

	qp->send_cq->feed[qp->shard].depths += qp->sq_depth;
	qp->recv_cq->feed[qp->shard].depths += qp->rq_depth;
	qp->send_cq->users++;
	qp->recv_cq->users++;
	if (qp->share != NULL)
		rn_nic_share_join(qp->share);
	rn_objects_pd(o, qp->pd)->users++;
	o->qps_of[qp->shard]++;
	rn_htab_add(&o->qps, &qp->node, rn_hash_u64(qp->qpn));
}

static void unrecord_qp(struct rn_nic *nic, struct rn_nic_qp *qp)
{
	struct rn_objects *o = &nic->objects;
	struct rn_nic_feed *s = &qp->send_cq->feed[qp->shard], *r = &qp->recv_cq->feed[qp->shard];

	s->depths -= qp->sq_depth;
	s->gone += qp->sq_depth;
	r->depths -= qp->rq_depth;
	r->gone += qp->rq_depth;
	qp->send_cq->users--;
	qp->recv_cq->users--;
	if (qp->share != NULL)
		rn_nic_share_leave(qp->share);
	rn_objects_pd(o, qp->pd)->users--;
	o->qps_of[qp->shard]--;
	rn_htab_del(&o->qps, &qp->node);
	free(qp);
}

/* Allocates larger CQ rings for the queues of a QP that is being created. A CQ that serves both
 * queues of the QP needs room for both queues. */
static int grow_cqs(struct rn_nic_qp *qp, struct rn_nic_exec_call *c)
{
	bool same = qp->send_cq == qp->recv_cq;
	uint64_t room = qp->rq_depth;

	if (c->srq != NULL) {
		qp->share = rn_nic_share_find(c->srq, qp->recv_cq, qp->shard, &room);
		if (qp->share == NULL)
			return -ENOMEM;
	}
	c->cq[0] = qp->send_cq;
	c->cq[1] = qp->recv_cq;
	int rc = rn_cq_rings_grow(qp->send_cq, qp->shard, qp->sq_depth + (same ? room : 0),
				  &c->ring[0]);
	return rc != 0 || same ? rc : rn_cq_rings_grow(qp->recv_cq, qp->shard, room, &c->ring[1]);
}

static int create_qp(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_exec_call c = {0};
	size_t bytes = RN_ALIGN_UP(rn_exec_bytes(cmd, &nic->core), (size_t)64);
	int rc = check_create_qp(nic, cmd);

	if (rc != 0)
		return rc;
	struct rn_nic_qp *qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return -ENOMEM;
	qp->pd = cmd->create_qp.pd;
	qp->sq_depth = cmd->create_qp.sq_depth;
	qp->rq_depth = cmd->create_qp.rq_depth;
	qp->send_cq = rn_objects_cq(&nic->objects, cmd->create_qp.send_cq);
	qp->recv_cq = rn_objects_cq(&nic->objects, cmd->create_qp.recv_cq);
	qp->shard = place_qp(nic, qp->recv_cq, cmd->create_qp.affinity);
	c.srq = rn_objects_srq(&nic->objects, cmd->create_qp.srq);
	qp->mem = c.x.mem = bytes > 0 ? aligned_alloc(64, bytes) : NULL;
	rc = bytes > 0 && c.x.mem == NULL ? -ENOMEM : grow_cqs(qp, &c);
	if (rc != 0) {
		rn_nic_share_drop(qp->share);
		free(c.ring[0]);
		free(c.x.mem);
		free(qp);
		return rc;
	}
	rn_nic_exec_call(nic, qp->shard, &c, cmd, rsp);
	for (unsigned i = 0; i < 2; i++)
		if (c.ring[i] != NULL)
			rn_cq_rings_linked(c.cq[i], qp->shard, c.ring[i]);
	if (rsp->err != 0) {
		if (c.x.freed == NULL)
			free(qp->mem);
		rn_nic_share_drop(qp->share);
		free(qp);
		return rsp->err;
	}
	qp->qpn = rsp->id;
	qp->gen = rsp->gen;
	rsp->shard = (uint16_t)qp->shard;
	record_qp(nic, qp);
	return 0;
}

static int create_qp_of_port(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	return nic->daemon != NULL
		       ? rn_daemon_service_create_qp(nic->daemon, nic, cmd, rsp, create_qp)
		       : create_qp(nic, cmd, rsp);
}

static int destroy_qp(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_qp *qp = rn_objects_qp(&nic->objects, cmd->qp.qpn);
	struct rn_nic_exec_call c = {0};

	if (qp == NULL || qp->gen != cmd->qp.gen)
		return -ENOENT;
	unsigned shard = qp->shard;
	int rc = rn_nic_exec_call(nic, shard, &c, cmd, rsp);
	if (rc == 0) {
		unrecord_qp(nic, qp);
		rn_flow_rule_end(nic->port->rules, cmd->qp.qpn);
		if (nic->daemon != NULL)
			rn_daemon_service_forget_qp(nic->daemon, cmd->qp.qpn);
		rn_nic_groups_changed(nic, shard);
	}
	return rc;
}

static int exec_in_shard_of_qpn(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	return rn_nic_exec_in(nic, rn_qpn_shard(cmd->modify_qp.qpn, nic->nshards), cmd, rsp);
}

/* Runs MODIFY_QP or QUERY_QP in the shard, which checks the command's QPN and generation number.
 * The generation number excludes an earlier QP with the same QPN. */
static int exec_in_shard_of_qp(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	int rc = nic->daemon != NULL && cmd->op == RN_CMD_MODIFY_QP
			 ? rn_daemon_service_modify_qp(nic->daemon, nic, cmd, rsp,
						       exec_in_shard_of_qpn)
			 : exec_in_shard_of_qpn(nic, cmd, rsp);

	/* A QP that leaves RTS may next be connected with another peer, so the card's rule for its
	 * packets ends. */
	if (rc == 0 && cmd->op == RN_CMD_MODIFY_QP && (cmd->modify_qp.mask & RN_QP_STATE) != 0 &&
	    cmd->modify_qp.attr.state != RN_QPS_RTS)
		rn_flow_rule_end(nic->port->rules, cmd->modify_qp.qpn);
	return rc;
}

/* ---- choosing how a command is executed ---- */

static int query_port(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	rsp->id = atomic_load(&nic->link_up);
	return 0;
}

static int nothing(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	return 0;
}

/* Commands that run entirely under the control lock. STATS does nothing here: clients read the
 * counters through rn_link_ops.stats. */
static int (*const locked[RN_CMD_MAX])(struct rn_nic *, const struct rn_cmd *, struct rn_rsp *) = {
	[RN_CMD_QUERY_PORT] = query_port,
	[RN_CMD_CREATE_PD] = create_pd,
	[RN_CMD_DESTROY_PD] = destroy_pd,
	[RN_CMD_CREATE_CQ] = create_cq,
	[RN_CMD_DESTROY_CQ] = destroy_cq,
	[RN_CMD_CREATE_QP] = create_qp_of_port,
	[RN_CMD_DESTROY_QP] = destroy_qp,
	[RN_CMD_RESIZE_CQ] = resize_cq,
	[RN_CMD_CREATE_MW] = create_mw,
	[RN_CMD_STATS] = nothing,
	[RN_CMD_CREATE_SRQ] = rn_nic_srq_create,
	[RN_CMD_MODIFY_SRQ] = rn_nic_srq_modify,
	[RN_CMD_DESTROY_SRQ] = rn_nic_srq_destroy,
	[RN_CMD_ATTACH_GROUP] = rn_nic_group_change,
	[RN_CMD_DETACH_GROUP] = rn_nic_group_change,
};

/* Commands whose functions take the control lock themselves, for a part of their work. */
static int (*const unlocked[RN_CMD_MAX])(struct rn_nic *, const struct rn_cmd *,
					 struct rn_rsp *) = {
	[RN_CMD_REG_MR] = reg_mr,
	[RN_CMD_DEREG_MR] = dereg_mr,
	[RN_CMD_REREG_MR] = rereg_mr,
	[RN_CMD_DESTROY_MW] = destroy_mw,
};

/* Runs RESOLVE or a command of the connection manager. */
static int exec_in_shard_0(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	if (cmd->op == RN_CMD_CM_DISCONNECT || cmd->op == RN_CMD_CM_DESTROY)
		rn_nic_drain_other_shards(nic);
	return rn_nic_exec_in(nic, 0, cmd, rsp);
}

static int dispatch(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	int rc;

	if (cmd->op >= RN_CMD_MAX || where_runs[cmd->op] == NOWHERE)
		return -ENOSYS;
	if (atomic_load(&nic->link.gone) && !rn_cmd_outlives_port(cmd))
		return -ENODEV;
	if (unlocked[cmd->op] != NULL)
		return unlocked[cmd->op](nic, cmd, rsp);
	if (locked[cmd->op] != NULL) {
		pthread_mutex_lock(&nic->control);
		rc = locked[cmd->op](nic, cmd, rsp);
		pthread_mutex_unlock(&nic->control);
		return rc;
	}
	if (where_runs[cmd->op] == SHARD_0)
		return nic->daemon != NULL && cmd->op != RN_CMD_RESOLVE
			       ? rn_daemon_service_cm(nic->daemon, nic, cmd, rsp, exec_in_shard_0)
			       : exec_in_shard_0(nic, cmd, rsp);
	/* Only MODIFY_QP and QUERY_QP remain. */
	return exec_in_shard_of_qp(nic, cmd, rsp);
}

/* Executes a copy of the command: the client may change its command between check and execution. */
int rn_nic_exec(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_cmd copy = *cmd;

	memset(rsp, 0, sizeof(*rsp));
	rsp->err = dispatch(nic, &copy, rsp);
	if (rsp->err == -ENOSPC)
		rn_journal_full(nic, copy.op);
	return rsp->err;
}
