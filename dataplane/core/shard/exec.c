/* Commands: one function each, found in a table. Also the shard's beginning and end. Everything
 * here is the slow path; memory for objects comes with the command (struct rn_exec). Owned by the
 * shard's thread.
 */
#include "shard/exec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "shard/shard.h"

#define MAX_DEPTH (1u << 16)
#define FIRST_QPN 16u
#define LAST_QPN  0xFFFFFEu
#define QPN_TRIES 64u /* with a table that is half full, none of so many is free once in 2^64 times */

/* ---- birth and death of a shard ---- */

/* Each shard has an order of its own: otherwise the numbers of one would tell those of the others. */
static struct rn_secret qpn_order(const struct rn_core_cfg *cfg)
{
	struct rn_secret order;
	struct rn_stream draws;

	rn_stream_init(&draws, &cfg->secrets.of[RN_SECRET_QPNS], cfg->index);
	const uint64_t key[2] = {rn_stream_next(&draws), rn_stream_next(&draws)};
	static_assert(sizeof(key) == sizeof(order), "two numbers are a key");
	memcpy(&order, key, sizeof(order));
	return order;
}

static void set_up_numbers(struct rn_shard *sh)
{
	struct rn_stream generations;
	uint32_t n = sh->cfg.nshards;

	sh->qp_mask = rn_pow2_up(2 * sh->cfg.max_qp) - 1;
	sh->qpn_inv = ((uint64_t)1 << 32) / n + 1;
	sh->qpn_first = RN_DIV_UP(FIRST_QPN, n);
	sh->qpn_count = (LAST_QPN - sh->cfg.index) / n + 1 - sh->qpn_first;
	sh->qpn_order = qpn_order(&sh->cfg);
	rn_stream_init(&generations, &sh->cfg.secrets.of[RN_SECRET_GENERATIONS], sh->cfg.index);
	sh->gen = (uint32_t)rn_stream_next(&generations);
}

struct rn_shard *rn_shard_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 struct rn_mr_table *mrs, const struct rn_mem_ops *mem, rn_time now)
{
	struct rn_shard *sh = calloc(1, sizeof(*sh));

	if (!sh)
		return NULL;
	rn_assert(cfg->index < cfg->nshards && cfg->quota_packets);
	sh->cfg = *cfg;
	sh->port = *port;
	sh->mrs = mrs;
	sh->mem = mem;
	rn_wheel_init(&sh->wheel, now);
	rn_wheel_init(&sh->pace, now);
	rn_list_init(&sh->active);
	rn_list_init(&sh->cnp);
	rn_list_init(&sh->dirty_qp);
	rn_list_init(&sh->dirty_cq);
	rn_list_init(&sh->tell_qp);
	rn_list_init(&sh->tell_cq);
	rn_list_init(&sh->tell_srq);
	set_up_numbers(sh);
	sh->qp = calloc(sh->qp_mask + 1, sizeof(struct rn_qp *));
	sh->cq = calloc(cfg->max_cq, sizeof(*sh->cq));
	sh->srq = calloc(cfg->max_srq, sizeof(*sh->srq));
	if (!rn_mcast_init(&sh->mcast) || !sh->qp || !sh->cq || !sh->srq)
		goto no_memory;
	if (cfg->index)
		return sh;
	sh->neigh = rn_neigh_create(&sh->cfg, &sh->port, now);
	if (!sh->neigh)
		goto no_memory;
	sh->cm = rn_cm_create(&sh->cfg, &sh->port, sh->neigh, now);
	if (sh->cm)
		return sh;
no_memory:
	rn_shard_destroy(sh);
	return NULL;
}

void rn_shard_destroy(struct rn_shard *sh)
{
	if (!sh)
		return;
	if (sh->cm)
		rn_cm_destroy(sh->cm);
	if (sh->neigh)
		rn_neigh_destroy(sh->neigh);
	rn_mcast_fini(&sh->mcast);
	free(sh->qp);
	free(sh->cq);
	free(sh->srq);
	free(sh);
}

/* ---- the port and its neighbours ---- */

void rn_shard_port(struct rn_shard *sh, const struct rn_port_attr *port, rn_time now)
{
	sh->port = *port;
	if (sh->neigh) {
		rn_neigh_port(sh->neigh, &sh->port, now);
		rn_exec_resolved(sh, now); /* some will not be answered any more */
	}
	for (uint32_t i = 0; i <= sh->qp_mask; i++) {
		struct rn_qp *qp = sh->qp[i];

		if (qp && rn_qp_has_peer(qp))
			rn_qp_make_headers(qp);
	}
}

void rn_shard_link_up(struct rn_shard *sh)
{
	if (sh->neigh)
		rn_neigh_announce(sh->neigh);
}

void rn_shard_new_mac(struct rn_shard *sh, const struct rn_gid *addr, const uint8_t mac[6])
{
	struct rn_gid hop;

	for (uint32_t i = 0; i <= sh->qp_mask; i++) {
		struct rn_qp *qp = sh->qp[i];

		if (!qp || !rn_qp_has_peer(qp) || !rn_port_next_hop(&sh->port, &qp->peer, &hop) || !rn_gid_equal(&hop, addr))
			continue;
		memcpy(qp->attr.av.dmac, mac, 6);
		rn_qp_make_headers(qp);
	}
}

/* ---- CQs ---- */

void rn_shard_cq_link(struct rn_shard *sh, uint32_t cq_id, struct rn_cq_shared *shared,
		      struct rn_cq_ring *ring, uint64_t user)
{
	rn_assert(cq_id < sh->cfg.max_cq);
	rn_cq_link(&sh->cq[cq_id], cq_id, shared, ring, user);
}

void rn_shard_cq_unlink(struct rn_shard *sh, uint32_t cq_id)
{
	struct rn_cq *cq = &sh->cq[cq_id];

	rn_assert(cq_id < sh->cfg.max_cq);
	if (!cq->ring)
		return;
	rn_cq_publish(cq);
	rn_list_del(&cq->dirty);
	rn_list_del(&cq->tell);
	cq->ring = NULL;
}

/* ---- SRQs ---- */

void rn_shard_srq_link(struct rn_shard *sh, uint32_t srq_id, struct rn_srq *srq, uint64_t user)
{
	struct rn_srq_ref *ref = &sh->srq[srq_id];

	rn_assert(srq_id < sh->cfg.max_srq);
	if (ref->srq)
		return;
	*ref = (struct rn_srq_ref){.srq = srq, .id = srq_id, .user = user};
	rn_list_init(&ref->tell);
}

void rn_shard_srq_unlink(struct rn_shard *sh, uint32_t srq_id)
{
	struct rn_srq_ref *ref = &sh->srq[srq_id];

	rn_assert(srq_id < sh->cfg.max_srq);
	if (!ref->srq)
		return;
	rn_list_del(&ref->tell);
	ref->srq = NULL;
}

/* ---- QP commands ---- */

static bool is_cq(const struct rn_shard *sh, uint32_t id)
{
	return id < sh->cfg.max_cq && sh->cq[id].ring;
}

static bool is_srq(const struct rn_shard *sh, uint32_t id)
{
	return id < sh->cfg.max_srq && sh->srq[id].srq;
}

static bool form_fits(const struct rn_cmd *cmd)
{
	return (!cmd->create_qp.srq || !cmd->create_qp.rq_depth) && cmd->create_qp.sq_depth <= MAX_DEPTH && cmd->create_qp.rq_depth <= MAX_DEPTH &&
	       cmd->create_qp.sq_sge <= RN_WQE_MAX_SGE && cmd->create_qp.rq_sge <= RN_WQE_MAX_SGE &&
	       cmd->create_qp.inline_bytes <= RN_WQE_MAX_INLINE;
}

size_t rn_exec_bytes(const struct rn_cmd *cmd, const struct rn_core_cfg *cfg)
{
	return cmd->op == RN_CMD_CREATE_QP && form_fits(cmd) ? rn_qp_bytes(cmd) : 0;
}

/* A QPN that nobody can guess, and that was not in use for as long as possible: the numbers of this shard come round in a
 * secret order. Half of the table is free, so that a place in it is soon hit. 0: none. */
static uint32_t new_qpn(struct rn_shard *sh)
{
	for (uint32_t tries = 2 * sh->qp_mask + QPN_TRIES; tries; tries--) {
		uint32_t k = sh->qpn_first + rn_secret_permute(&sh->qpn_order, sh->qpn_next, sh->qpn_count);
		uint32_t qpn = k * sh->cfg.nshards + sh->cfg.index;

		if (++sh->qpn_next == sh->qpn_count)
			sh->qpn_next = 0;
		if (!sh->qp[k & sh->qp_mask] && !(sh->cm && rn_cm_qpn_waits(sh->cm, qpn)))
			return qpn;
	}
	return 0;
}

static struct rn_qp **slot_of(struct rn_shard *sh, uint32_t qpn)
{
	return &sh->qp[(uint32_t)((uint64_t)qpn * sh->qpn_inv >> 32) & sh->qp_mask];
}

static int create_qp(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	const struct rn_cmd *cmd = x->cmd;
	struct rn_qp *qp = x->mem;
	uint32_t qpn;

	if (cmd->create_qp.type != RN_QPT_RC && cmd->create_qp.type != RN_QPT_UC &&
	    cmd->create_qp.type != RN_QPT_UD)
		return -EOPNOTSUPP;
	if (!qp || !form_fits(cmd) || !is_cq(sh, cmd->create_qp.send_cq) ||
	    !is_cq(sh, cmd->create_qp.recv_cq) || (cmd->create_qp.srq && !is_srq(sh, cmd->create_qp.srq)))
		return -EINVAL;
	if (sh->nqp == sh->cfg.max_qp || !(qpn = new_qpn(sh)))
		return -ENOSPC;
	rn_qp_init(qp, sh, cmd);
	qp->qpn = qpn;
	qp->gen = ++sh->gen ? sh->gen : ++sh->gen;
	*slot_of(sh, qpn) = qp;
	sh->nqp++;
	x->rsp->id = qpn;
	x->rsp->gen = qp->gen;
	x->rsp->shard = sh->cfg.index;
	x->rsp->qp.shared = (uint64_t)(uintptr_t)&qp->shared;
	return 0;
}

static struct rn_qp *find(struct rn_shard *sh, uint32_t qpn, uint32_t gen)
{
	struct rn_qp *qp = rn_shard_qp(sh, qpn & RN_PSN_MASK);

	return qp && qp->gen == gen ? qp : NULL;
}

static int modify_qp(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_qp *qp = find(sh, x->cmd->modify_qp.qpn, x->cmd->modify_qp.gen);

	return qp ? rn_qp_modify(qp, x->cmd->modify_qp.mask, &x->cmd->modify_qp.attr, now)
		  : -ENOENT;
}

static int query_qp(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_qp *qp = find(sh, x->cmd->qp.qpn, x->cmd->qp.gen);

	if (!qp)
		return -ENOENT;
	rn_qp_query(qp, &x->rsp->query.attr);
	x->rsp->query.send_rate = qp->cc.limited ? qp->cc.rate : 0;
	return 0;
}

static int destroy_qp(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_qp *qp = find(sh, x->cmd->qp.qpn, x->cmd->qp.gen);

	if (!qp)
		return -ENOENT;
	rn_qp_fini(qp);
	*slot_of(sh, qp->qpn) = NULL;
	sh->nqp--;
	x->freed = qp;
	return 0;
}

void rn_shard_forget_window(struct rn_shard *sh, uint32_t key, uint32_t qpn)
{
	struct rn_qp *qp = rn_shard_qp(sh, qpn & RN_PSN_MASK);

	if (qp)
		rn_qp_forget_window(qp, key);
}

/* ---- multicast groups ---- */

static int change_group(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_qp *qp = find(sh, x->cmd->group.qpn, x->cmd->group.gen);

	if (!qp)
		return -ENOENT;
	if (x->cmd->op == RN_CMD_DETACH_GROUP)
		return rn_mcast_detach(&sh->mcast, qp, &x->cmd->group.gid);
	return qp->type == RN_QPT_UD ? rn_mcast_attach(&sh->mcast, qp, &x->cmd->group.gid) : -EINVAL;
}

void rn_shard_group(struct rn_shard *sh, const struct rn_gid *gid, uint32_t shards)
{
	rn_mcast_shards(&sh->mcast, gid, shards);
}

bool rn_shard_group_here(const struct rn_shard *sh, const struct rn_gid *gid)
{
	const struct rn_mcast_group *g = rn_mcast_find(&sh->mcast, gid);

	return g && g->nmembers;
}

uint32_t rn_shard_group_shards(const struct rn_shard *sh, const struct rn_gid *gid)
{
	const struct rn_mcast_group *g = rn_mcast_find(&sh->mcast, gid);

	return g ? g->shards : 0;
}

/* ---- connections and neighbours ---- */

static int cm_command(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	if (!sh->cm)
		return -EINVAL;
	rn_cm_exec(sh->cm, x->cmd, x->rsp, now);
	return x->rsp->err;
}

/* What packets from `local`, or from the address of ours that fits if it is a wildcard, to `peer` carry; without the MAC. */
static int fill_av(const struct rn_shard *sh, const struct rn_gid *local, const struct rn_gid *peer, struct rn_av *av)
{
	static const struct rn_gid any;

	*av = rn_port_av(&sh->port, &(struct rn_av){.sgid = *local, .dgid = *peer});
	if (rn_gid_equal(local, &any) && !rn_port_source(&sh->port, peer, &av->sgid))
		return -EAFNOSUPPORT;
	if (rn_port_own(&sh->port, &av->sgid) < 0)
		return -EADDRNOTAVAIL;
	return rn_gid_same_family(&av->sgid, peer) ? 0 : -EAFNOSUPPORT;
}

static int resolve(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_resolving r = {.user = x->cmd->user};
	int err;

	if (!sh->cm)
		return -EINVAL;
	err = fill_av(sh, &x->cmd->cm.local, &x->cmd->cm.peer, &r.av);
	if (err)
		return err;
	switch (rn_neigh_resolve(sh->neigh, &r.av.sgid, &r.av.dgid, r.av.dmac, now)) {
	case RN_NEIGH_READY:
		x->rsp->query.attr.av = r.av;
		return 0;
	case RN_NEIGH_FAILED:
		return -EHOSTUNREACH;
	case RN_NEIGH_PENDING:
		break;
	}
	if (sh->nresolving == RN_RESOLVING)
		return -EAGAIN;
	sh->resolving[sh->nresolving++] = r;
	return -EINPROGRESS;
}

void rn_exec_resolved(struct rn_shard *sh, rn_time now)
{
	for (unsigned i = 0; i < sh->nresolving; i++) {
		struct rn_resolving *r = &sh->resolving[i];
		enum rn_neigh_state s;

		if (r->known)
			continue;
		s = rn_neigh_resolve(sh->neigh, &r->av.sgid, &r->av.dgid, r->av.dmac, now);
		r->known = s != RN_NEIGH_PENDING;
		r->err = s == RN_NEIGH_READY ? 0 : -EHOSTUNREACH;
	}
}

bool rn_exec_resolved_event(struct rn_shard *sh, struct rn_event *ev)
{
	for (unsigned i = 0; i < sh->nresolving; i++) {
		struct rn_resolving *r = &sh->resolving[i];

		if (!r->known)
			continue;
		*ev = (struct rn_event){.kind = RN_EVENT_RESOLVED,
					.user = r->user,
					.err = r->err,
					.local = r->av.sgid,
					.peer = r->av.dgid,
					.attr.av = r->av};
		*r = sh->resolving[--sh->nresolving];
		return true;
	}
	return false;
}

/* ---- the table ---- */

static int (*const commands[RN_CMD_MAX])(struct rn_shard *, struct rn_exec *, rn_time) = {
	[RN_CMD_CREATE_QP] = create_qp,	     [RN_CMD_MODIFY_QP] = modify_qp,
	[RN_CMD_QUERY_QP] = query_qp,	     [RN_CMD_DESTROY_QP] = destroy_qp,
	[RN_CMD_CM_BIND] = cm_command,	     [RN_CMD_CM_LISTEN] = cm_command,
	[RN_CMD_CM_CONNECT] = cm_command,    [RN_CMD_CM_ESTABLISH] = cm_command,
	[RN_CMD_CM_ACCEPT] = cm_command,     [RN_CMD_CM_REJECT] = cm_command,
	[RN_CMD_CM_DISCONNECT] = cm_command, [RN_CMD_CM_DESTROY] = cm_command,
	[RN_CMD_CM_DELAY] = cm_command,	     [RN_CMD_RESOLVE] = resolve,
	[RN_CMD_ATTACH_GROUP] = change_group, [RN_CMD_DETACH_GROUP] = change_group,
};

bool rn_cmd_outlives_port(const struct rn_cmd *cmd)
{
	switch (cmd->op) {
	case RN_CMD_QUERY_PORT:
	case RN_CMD_DESTROY_PD:
	case RN_CMD_DESTROY_CQ:
	case RN_CMD_DEREG_MR:
	case RN_CMD_DESTROY_MW:
	case RN_CMD_DESTROY_QP:
	case RN_CMD_DESTROY_SRQ:
	case RN_CMD_DETACH_GROUP:
	case RN_CMD_CM_DESTROY:
	case RN_CMD_STATS:
		return true;
	case RN_CMD_MODIFY_QP:
		return cmd->modify_qp.mask & RN_QP_STATE && cmd->modify_qp.attr.state == RN_QPS_ERR;
	default:
		return false;
	}
}

void rn_shard_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	uint16_t op = x->cmd->op;

	x->freed = NULL;
	memset(x->rsp, 0, sizeof(*x->rsp));
	if (sh->gone && !rn_cmd_outlives_port(x->cmd))
		x->rsp->err = -ENODEV; /* it was on its way when the port went */
	else
		x->rsp->err =
			op < RN_CMD_MAX && commands[op] ? commands[op](sh, x, now) : -EOPNOTSUPP;
}

void rn_shard_port_gone(struct rn_shard *sh, rn_time now)
{
	sh->gone = true;
	for (uint32_t i = 0; i <= sh->qp_mask; i++)
		if (sh->qp[i])
			rn_qp_error(sh->qp[i], 0, false, now);
}

unsigned rn_shard_leftovers(const struct rn_shard *sh)
{
	unsigned n = sh->nqp + (sh->cm ? rn_cm_live(sh->cm) : 0);

	for (uint32_t i = 0; i <= sh->qp_mask; i++) {
		const struct rn_qp *qp = sh->qp[i];

		if (qp)
			n += qp->rx.nowed + (qp->sq.tail - qp->sq.head) + qp->retry.running +
			     rn_timer_armed(&qp->pace) + !rn_list_empty(&qp->cnp);
	}
	return n;
}
