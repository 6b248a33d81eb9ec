/* How does a command or a new CQ ring get into a shard? A control thread makes a "call": the shard
 * runs a function between two bursts while the control thread waits. Runs in control threads. A
 * caller that also changes the tables of objects holds the control lock. */
#include "nic/shard_call.h"

#include <stdlib.h>

#include "nic/cq_rings.h"
#include "nic/nic.h"

static void run_exec(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	struct rn_nic_exec_call *c = (struct rn_nic_exec_call *)call;

	for (unsigned i = 0; i < 2; i++)
		if (c->ring[i] != NULL)
			rn_shard_cq_link(lc->shard, c->cq[i]->id, &c->cq[i]->shared, c->ring[i],
					 c->cq[i]->user);
	if (c->srq != NULL) {
		rn_shard_srq_link(lc->shard, c->srq->id, &c->srq->srq, c->srq->user);
		c->srq->linked[lc->index] = true;
	}
	rn_shard_exec(lc->shard, &c->x, now);
	/* Publish the completions written so far: the client may look for those of a QP that it has
	 * reset or destroyed. */
	rn_shard_done(lc->shard, now);
}

static void run_nothing(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
}

/* The memory of an object that the command destroys is freed after a grace period, because no shard
 * can then use the object any more. */
int rn_nic_exec_call(struct rn_nic *nic, unsigned shard, struct rn_nic_exec_call *c,
		     const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	c->call.run = run_exec;
	c->x.cmd = cmd;
	c->x.rsp = rsp;
	rn_lcore_call(&nic->lcore[shard], &c->call);
	if (c->x.freed != NULL) {
		rn_nic_grace(nic);
		free(c->x.freed);
	}
	return rsp->err;
}

int rn_nic_exec_in(struct rn_nic *nic, unsigned shard, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_exec_call c = {0};

	return rn_nic_exec_call(nic, shard, &c, cmd, rsp);
}

/* Makes the other shards take the work requests that are in their submission rings. Shard 0 may
 * then end connections of QPs on these shards. Each shard runs a call that does nothing
 * (run_nothing): a shard runs a call only after the work requests submitted before the call. */
void rn_nic_drain_other_shards(struct rn_nic *nic)
{
	for (unsigned i = 1; i < nic->nshards; i++) {
		struct rn_call c = {.run = run_nothing};
		if (!rn_submit_idle(&nic->lcore[i].submit))
			rn_lcore_call(&nic->lcore[i], &c);
	}
}

/* ---- linking CQ rings to a shard ---- */

struct link_call {
	struct rn_call call; /* first member: run_link() casts `call` to this struct */
	struct rn_nic_cq *cq;
	struct rn_cq_ring *ring;
};

static void run_link(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	const struct link_call *c = (struct link_call *)call;

	rn_shard_cq_link(lc->shard, c->cq->id, &c->cq->shared, c->ring, c->cq->user);
}

void rn_nic_link_ring(struct rn_nic *nic, unsigned shard, struct rn_nic_cq *cq,
		      struct rn_cq_ring *ring)
{
	struct link_call c = {.call.run = run_link, .cq = cq, .ring = ring};

	rn_lcore_call(&nic->lcore[shard], &c.call);
	rn_cq_rings_linked(cq, shard, ring);
}

int rn_nic_cq_room(struct rn_nic *nic, struct rn_nic_cq *cq, unsigned shard, uint64_t more)
{
	struct rn_cq_ring *ring = NULL;
	int rc = rn_cq_rings_grow(cq, shard, more, &ring);

	if (ring != NULL)
		rn_nic_link_ring(nic, shard, cq, ring);
	return rc;
}
