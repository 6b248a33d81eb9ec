/* Executes the commands of the control plane (create, modify, connect and so on) in a shard. A
 * table has one function per command. No command is on the fast path. Memory for new objects comes
 * with the command (struct rn_exec). Runs on the shard's thread. */
#include <errno.h>
#include <string.h>

#include "qp/qp_modify.h"
#include "shard/resolve.h"
#include "shard/shard.h"
#include "wire/hdr.h"

#define MAX_DEPTH (1u << 16)
/* new_qpn() tries at least this many QPNs. At least half of the table of QPs is free. So the
 * probability that all tries find used slots is at most 2^-64. */
#define QPN_TRIES 64u

/* ---- QP commands ---- */

static bool is_cq(const struct rn_shard *sh, uint32_t id)
{
	return id < sh->lane.cfg.max_cq && sh->lane.cq[id].ring;
}

static bool is_srq(const struct rn_shard *sh, uint32_t id)
{
	return id < sh->lane.cfg.max_srq && sh->lane.srq[id].srq;
}

/* Are the sizes in a CREATE_QP command within limits? A QP on an SRQ must not have a receive
 * queue. */
static bool form_fits(const struct rn_cmd *cmd)
{
	return (!cmd->create_qp.srq || !cmd->create_qp.rq_depth) &&
	       cmd->create_qp.sq_depth <= MAX_DEPTH && cmd->create_qp.rq_depth <= MAX_DEPTH &&
	       cmd->create_qp.sq_sge <= RN_WQE_MAX_SGE && cmd->create_qp.rq_sge <= RN_WQE_MAX_SGE &&
	       cmd->create_qp.inline_bytes <= RN_WQE_MAX_INLINE;
}

size_t rn_exec_bytes(const struct rn_cmd *cmd, const struct rn_core_cfg *cfg)
{
	return cmd->op == RN_CMD_CREATE_QP && form_fits(cmd) ? rn_qp_bytes(cmd) : 0;
}

/* Returns a QPN for a new QP, or 0 if no QPN is free. A shard uses its QPNs in the order of a
 * secret permutation. So other hosts cannot guess the next QPN, and a QPN is reused as late as
 * possible. At least half of the table of QPs is free, so a free slot is soon found. */
static uint32_t new_qpn(struct rn_shard *sh)
{
	for (uint32_t tries = 2 * sh->qp_mask + QPN_TRIES; tries; tries--) {
		uint32_t k = sh->qpn_first +
			     rn_secret_permute(&sh->qpn_order, sh->qpn_next, sh->qpn_count);
		uint32_t qpn = k * sh->lane.cfg.nshards + sh->lane.cfg.index;

		/* After the last QPN of the permutation, start again with the first QPN. */
		if (++sh->qpn_next == sh->qpn_count)
			sh->qpn_next = 0;
		if (!sh->qp[k & sh->qp_mask] && !(sh->lane.cm && rn_cm_qpn_waits(sh->lane.cm, qpn)))
			return qpn;
	}
	return 0;
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
	    !is_cq(sh, cmd->create_qp.recv_cq) ||
	    (cmd->create_qp.srq && !is_srq(sh, cmd->create_qp.srq)))
		return -EINVAL;
	if (sh->nqp == sh->lane.cfg.max_qp || !(qpn = new_qpn(sh)))
		return -ENOSPC;
	rn_qp_init(qp, &sh->lane, cmd);
	qp->qpn = qpn;
	/* The generation tells this QP from former QPs with the same QPN. Generation 0 is not
	 * used. */
	qp->gen = ++sh->gen ? sh->gen : ++sh->gen;
	*rn_shard_slot(sh, qpn) = qp;
	sh->nqp++;
	x->rsp->id = qpn;
	x->rsp->gen = qp->gen;
	x->rsp->shard = sh->lane.cfg.index;
	x->rsp->qp.shared = (uint64_t)(uintptr_t)&qp->shared;
	return 0;
}

/* Returns the QP that a command names. Returns NULL if there is no such QP, or if the generation is
 * that of a former QP with the same QPN. */
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
	/* rn_qp_fini() does not free the memory of the QP: the caller gets this memory in
	 * x->freed. */
	rn_qp_fini(qp);
	*rn_shard_slot(sh, qp->qpn) = NULL;
	sh->nqp--;
	x->freed = qp;
	return 0;
}

/* ---- multicast groups ---- */

static int change_group(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	struct rn_qp *qp = find(sh, x->cmd->group.qpn, x->cmd->group.gen);

	if (!qp)
		return -ENOENT;
	/* A detach needs no check of the QP's type: only UD QPs can have attached to a group. */
	if (x->cmd->op == RN_CMD_DETACH_GROUP)
		return rn_mcast_detach(&sh->lane.mcast, qp, &x->cmd->group.gid);
	return qp->type == RN_QPT_UD ? rn_mcast_attach(&sh->lane.mcast, qp, &x->cmd->group.gid)
				     : -EINVAL;
}

/* ---- connection manager commands ---- */

static int cm_command(struct rn_shard *sh, struct rn_exec *x, rn_time now)
{
	if (!sh->lane.cm)
		return -EINVAL;
	rn_cm_exec(sh->lane.cm, x->cmd, x->rsp, now);
	return x->rsp->err;
}

/* ---- the table of commands ---- */

static int (*const commands[RN_CMD_MAX])(struct rn_shard *, struct rn_exec *, rn_time) = {
	[RN_CMD_CREATE_QP] = create_qp,	      [RN_CMD_MODIFY_QP] = modify_qp,
	[RN_CMD_QUERY_QP] = query_qp,	      [RN_CMD_DESTROY_QP] = destroy_qp,
	[RN_CMD_CM_BIND] = cm_command,	      [RN_CMD_CM_LISTEN] = cm_command,
	[RN_CMD_CM_CONNECT] = cm_command,     [RN_CMD_CM_ESTABLISH] = cm_command,
	[RN_CMD_CM_ACCEPT] = cm_command,      [RN_CMD_CM_REJECT] = cm_command,
	[RN_CMD_CM_DISCONNECT] = cm_command,  [RN_CMD_CM_DESTROY] = cm_command,
	[RN_CMD_CM_DELAY] = cm_command,	      [RN_CMD_RESOLVE] = rn_resolve_exec,
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
		x->rsp->err = -ENODEV; /* the DPDK port was removed since the command was sent */
	else
		x->rsp->err =
			op < RN_CMD_MAX && commands[op] ? commands[op](sh, x, now) : -EOPNOTSUPP;
}
