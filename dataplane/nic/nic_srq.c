/* The commands that create, resize and destroy shared receive queues (SRQs). These commands also
 * keep room in CQs for the completions of receives from an SRQ. Owns the SRQs, and for each SRQ a
 * list of shares: the QPs of one shard that use the SRQ and complete to one CQ (srq_share.h). Runs
 * in control threads, under the control lock. */
#include "nic/nic_srq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nic/nic.h"
#include "nic/shard_call.h"

/* Returns zeroed memory aligned to a cache line, or NULL if there is no memory. */
static void *zeroed(size_t bytes)
{
	void *mem = aligned_alloc(64, RN_ALIGN_UP(bytes, (size_t)64));

	if (mem != NULL)
		memset(mem, 0, RN_ALIGN_UP(bytes, (size_t)64));
	return mem;
}

/* Allocates a zeroed ring. For a large ring calloc() returns untouched pages, so memory is used
 * only as receives are posted. */
static struct rn_srq_ring *new_ring(uint32_t depth, uint32_t max_sge)
{
	return calloc(1, rn_srq_ring_bytes(depth, max_sge));
}

int rn_nic_srq_create(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_objects *o = &nic->objects;
	uint32_t depth = cmd->create_srq.depth, max_sge = cmd->create_srq.max_sge;
	struct rn_nic_pd *pd = rn_objects_pd(o, cmd->create_srq.pd);

	if (depth == 0 || depth > nic->cfg->limits.max_depth || max_sge > RN_WQE_MAX_SGE)
		return -EINVAL;
	if (pd == NULL)
		return -ENOENT;
	struct rn_nic_srq *srq = zeroed(sizeof(*srq));
	struct rn_srq_ring *ring = new_ring(depth, max_sge);
	/* Take an id last: a failed allocation then has no id to give back. */
	uint32_t id = srq != NULL && ring != NULL ? rn_idpool_get(&o->srq_ids) : RN_ID_NONE;
	if (id == RN_ID_NONE) {
		int rc = srq != NULL && ring != NULL ? -ENOSPC : -ENOMEM;
		free(ring);
		free(srq);
		return rc;
	}
	rn_srq_init(&srq->srq, ring, depth, max_sge, cmd->create_srq.pd);
	srq->id = id;
	srq->depth = srq->most = depth;
	srq->user = cmd->user;
	rn_list_init(&srq->shares);
	pd->users++;
	o->srq[id] = srq;
	o->nsrq++;
	rsp->id = id;
	rsp->srq.shared = (uint64_t)(uintptr_t)&srq->srq.shared;
	return 0;
}

struct unlink_call {
	struct rn_call call; /* first member: run_unlink() casts `call` to this struct */
	uint32_t srq;
};

static void run_unlink(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	rn_shard_srq_unlink(lc->shard, ((struct unlink_call *)call)->srq);
}

int rn_nic_srq_destroy(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_srq *srq = rn_objects_srq(&nic->objects, cmd->obj.id);

	if (srq == NULL)
		return -ENOENT;
	if (srq->users > 0)
		return -EBUSY;
	for (unsigned s = 0; s < nic->nshards; s++) {
		struct unlink_call c = {.call.run = run_unlink, .srq = srq->id};
		if (srq->linked[s])
			rn_lcore_call(&nic->lcore[s], &c.call);
	}
	rn_objects_free_srq(&nic->objects, srq);
	return 0;
}

/* ---- room in CQs for completions; changing the depth of an SRQ ---- */

/* Makes room for the completions of `more` further receives of the SRQ. Links a larger ring in each
 * receive CQ of a QP that uses the SRQ. If an allocation fails, the larger rings that are
 * already linked stay; their additional room does no harm. */
static int make_room(struct rn_nic *nic, struct rn_nic_srq *srq, uint32_t more)
{
	struct rn_list *e;
	int rc;

	rn_list_for_each(e, &srq->shares)
	{
		struct rn_nic_share *share = rn_container_of(e, struct rn_nic_share, of_srq);
		rc = rn_nic_cq_room(nic, share->cq, share->shard, more);
		if (rc != 0)
			return rc;
	}
	rn_list_for_each(e, &srq->shares)
	{
		struct rn_nic_share *share = rn_container_of(e, struct rn_nic_share, of_srq);
		share->cq->feed[share->shard].depths += more;
	}
	srq->most += more;
	return 0;
}

int rn_nic_srq_modify(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_srq *srq = rn_objects_srq(&nic->objects, cmd->modify_srq.id);
	uint32_t depth = cmd->modify_srq.depth;

	if (srq == NULL)
		return -ENOENT;
	if (depth == 0 || depth > nic->cfg->limits.max_depth)
		return -EINVAL;
	/* `posted` cannot change during this command, but shards may increase `taken`. Reading
	 * `taken` first gives an upper bound of the receives in the SRQ. */
	uint64_t taken = atomic_load(&srq->srq.shared.taken);
	if (atomic_load(&srq->srq.shared.posted) - taken > depth)
		return -EOVERFLOW;
	struct rn_srq_ring *ring = NULL;
	if (!rn_srq_fits(&srq->srq, depth)) {
		ring = new_ring(depth, srq->srq.max_sge);
		if (ring == NULL)
			return -ENOMEM;
	}
	/* The CQs keep room for the largest depth of the SRQ so far. Only a larger depth needs
	 * larger rings. */
	int rc = depth > srq->most ? make_room(nic, srq, depth - srq->most) : 0;
	if (rc != 0) {
		free(ring);
		return rc;
	}
	if (ring != NULL)
		rn_srq_grow(&srq->srq, ring, depth);
	srq->depth = depth;
	return 0;
}
