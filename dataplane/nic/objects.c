/* Which objects does an adapter have, and which other objects use them? Owns the tables of objects,
 * including the CQ rings. Runs in control threads, under the control lock. */
#include "nic/objects.h"

#include <errno.h>
#include <stdlib.h>

#include "config/config.h"

/* Returns the smallest power of two >= n, but at least 16. The number of buckets in a struct
 * rn_htab must be a power of two. */
static uint32_t pow2_at_least(uint32_t n)
{
	uint32_t p = 16;

	while (p < n)
		p *= 2;
	return p;
}

/* Allocates the buckets of a hash table for at most `objects` objects. There is at least one bucket
 * per object, so the chains stay short. */
static int init_htab(struct rn_htab *h, uint32_t objects)
{
	uint32_t n = pow2_at_least(objects);
	struct rn_hnode **bucket = calloc(n, sizeof(*bucket));

	if (bucket != NULL)
		rn_htab_init(h, bucket, n);
	return bucket != NULL ? 0 : -ENOMEM;
}

/* Ids start at 1, because 0 means "no object". */
static int init_ids(struct rn_idpool *p, uint32_t count)
{
	uint32_t *ring = calloc(count, sizeof(*ring));

	if (ring != NULL)
		rn_idpool_init(p, ring, 1, count);
	return ring != NULL ? 0 : -ENOMEM;
}

int rn_objects_init(struct rn_objects *o, const struct rn_config_limits *l, unsigned nshards)
{
	*o = (struct rn_objects){.max_pd = l->max_pd, .max_cq = l->max_cq, .max_srq = l->max_srq};
	/* Each table has one element more than its limit: ids start at 1, so index 0 is unused. The
	 * limit max_qp is per shard; the other limits are per adapter. */
	o->pd = calloc((size_t)l->max_pd + 1, sizeof(*o->pd));
	o->cq = calloc((size_t)l->max_cq + 1, sizeof(*o->cq));
	o->srq = calloc((size_t)l->max_srq + 1, sizeof(struct rn_nic_srq *));
	if (o->pd == NULL || o->cq == NULL || o->srq == NULL || init_ids(&o->pd_ids, l->max_pd) ||
	    init_ids(&o->cq_ids, l->max_cq) || init_ids(&o->srq_ids, l->max_srq) ||
	    init_htab(&o->mrs, l->max_mr) || init_htab(&o->mws, l->max_mr) ||
	    init_htab(&o->qps, l->max_qp * nshards)) {
		rn_objects_fini(o);
		return -ENOMEM;
	}
	return 0;
}

static void free_mr(struct rn_hnode *n)
{
	free(rn_container_of(n, struct rn_nic_mr, node));
}

static void free_mw(struct rn_hnode *n)
{
	free(rn_container_of(n, struct rn_nic_mw, node));
}

/* Frees a QP that the client has not destroyed. Also frees the QP's share (srq_share.h) if no other
 * QP belongs to the share. */
static void free_qp(struct rn_hnode *n)
{
	struct rn_nic_qp *qp = rn_container_of(n, struct rn_nic_qp, node);

	if (qp->share != NULL)
		rn_nic_share_leave(qp->share);
	free(qp->mem);
	free(qp);
}

/* Frees every object in a hash table, then the table's buckets. */
static void free_nodes(struct rn_htab *h, void (*free_one)(struct rn_hnode *))
{
	for (uint32_t i = 0; h->bucket != NULL && i <= h->mask; i++) {
		struct rn_hnode *n = h->bucket[i], *next;
		for (; n != NULL; n = next) {
			next = n->next;
			free_one(n);
		}
	}
	free(h->bucket);
	h->bucket = NULL;
}

void rn_objects_fini(struct rn_objects *o)
{
	/* Free the QPs first: free_qp() reads the SRQs and CQs through the QP's share. */
	free_nodes(&o->qps, free_qp);
	free_nodes(&o->mws, free_mw);
	free_nodes(&o->mrs, free_mr);
	for (uint32_t id = 1; o->srq != NULL && id <= o->max_srq; id++)
		if (o->srq[id] != NULL)
			rn_objects_free_srq(o, o->srq[id]);
	for (uint32_t id = 1; o->cq != NULL && id <= o->max_cq; id++)
		if (o->cq[id] != NULL)
			rn_objects_free_cq(o, o->cq[id]);
	free(o->pd);
	free(o->cq);
	free(o->srq);
	free(o->srq_ids.ring);
	free(o->pd_ids.ring);
	free(o->cq_ids.ring);
	*o = (struct rn_objects){0};
}

/* Ids come from clients, so every lookup checks the range of the id and that the object exists. */
struct rn_nic_pd *rn_objects_pd(struct rn_objects *o, uint32_t id)
{
	return id >= 1 && id <= o->max_pd && o->pd[id].live ? &o->pd[id] : NULL;
}

struct rn_nic_cq *rn_objects_cq(struct rn_objects *o, uint32_t id)
{
	return id >= 1 && id <= o->max_cq ? o->cq[id] : NULL;
}

struct rn_nic_srq *rn_objects_srq(struct rn_objects *o, uint32_t id)
{
	return id >= 1 && id <= o->max_srq ? o->srq[id] : NULL;
}

/* Memory regions, memory windows and QPs are found by hash, because their ids are random
 * numbers. */
struct rn_nic_mr *rn_objects_mr(struct rn_objects *o, uint32_t lkey)
{
	for (struct rn_hnode *n = rn_htab_first(&o->mrs, rn_hash_u64(lkey)); n != NULL;
	     n = rn_htab_next(n)) {
		struct rn_nic_mr *mr = rn_container_of(n, struct rn_nic_mr, node);
		if (mr->lkey == lkey)
			return mr;
	}
	return NULL;
}

struct rn_nic_mw *rn_objects_mw(struct rn_objects *o, uint32_t id)
{
	for (struct rn_hnode *n = rn_htab_first(&o->mws, rn_hash_u64(id)); n != NULL;
	     n = rn_htab_next(n)) {
		struct rn_nic_mw *mw = rn_container_of(n, struct rn_nic_mw, node);
		if (mw->id == id)
			return mw;
	}
	return NULL;
}

struct rn_nic_qp *rn_objects_qp(struct rn_objects *o, uint32_t qpn)
{
	for (struct rn_hnode *n = rn_htab_first(&o->qps, rn_hash_u64(qpn)); n != NULL;
	     n = rn_htab_next(n)) {
		struct rn_nic_qp *qp = rn_container_of(n, struct rn_nic_qp, node);
		if (qp->qpn == qpn)
			return qp;
	}
	return NULL;
}

void rn_objects_free_cq(struct rn_objects *o, struct rn_nic_cq *cq)
{
	/* Each shard has its own chain of rings, linked by `next` from the oldest ring to the
	 * newest. */
	for (unsigned s = 0; s < RN_MAX_SHARDS; s++) {
		struct rn_cq_ring *ring = atomic_load(&cq->view.first[s]), *next;
		for (; ring != NULL; ring = next) {
			next = atomic_load(&ring->next);
			free(ring);
		}
	}
	o->cq[cq->id] = NULL;
	o->ncq--;
	rn_idpool_put(&o->cq_ids, cq->id);
	free(cq);
}

void rn_objects_free_srq(struct rn_objects *o, struct rn_nic_srq *srq)
{
	struct rn_srq_ring *ring;

	/* Free all rings: an SRQ that was made deeper may still have older, smaller rings. */
	while ((ring = rn_srq_next_ring(&srq->srq)) != NULL)
		free(ring);
	o->pd[srq->srq.pd].users--;
	o->srq[srq->id] = NULL;
	o->nsrq--;
	rn_idpool_put(&o->srq_ids, srq->id);
	free(srq);
}
