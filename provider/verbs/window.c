/* Memory windows. A window of type 1 is bound by ibv_bind_mw(), which chooses its new key; one of
 * type 2 by a work request with a key that the program chooses. The NIC checks keys, ranges and
 * rights when it executes the request. Any thread may call these functions. */
#include "verbs/private.h"

#include <stdlib.h>

#define REMOTE_ACCESS \
	((unsigned)(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC))

static struct vb_mw *mw_of(struct ibv_mw *mw)
{
	return (struct vb_mw *)mw;
}

struct ibv_mw *vb_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct vb_mw *mw;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return vb_fail(EINVAL);
	mw = calloc(1, sizeof(*mw));
	if (mw == NULL)
		return vb_fail(ENOMEM);
	rc = vb_engine.mw_create(vb_client_of(pd->context), ((struct vb_pd *)pd)->id, &mw->nic);
	if (rc != 0) {
		free(mw);
		return vb_fail(vb_errno(rc));
	}
	pthread_mutex_init(&mw->lock, NULL);
	mw->mw.context = pd->context;
	mw->mw.pd = pd;
	mw->mw.rkey = mw->mw.handle = vb_engine.mw_id(mw->nic);
	mw->mw.type = type;
	return &mw->mw;
}

/* The window may be bound: its key is invalid afterwards. */
int vb_dealloc_mw(struct ibv_mw *mw)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	rc = vb_engine.mw_destroy(mw_of(mw)->nic);
	if (rc != 0)
		return vb_errno(rc);
	pthread_mutex_destroy(&mw_of(mw)->lock);
	free(mw);
	return 0;
}

/* Fills all members of *to but wr_id and flags. */
static int fill(const struct vb_qp *qp, struct ibv_mw *mw, uint32_t rkey,
		const struct ibv_mw_bind_info *info, struct rn_client_wr *to,
		struct rn_client_wr_bind *bind)
{
	/* Local writes go through the region; programs name that right all the same. */
	unsigned access = info->mw_access_flags & ~(unsigned)IBV_ACCESS_LOCAL_WRITE;

	if (qp->qp.qp_type == IBV_QPT_UD)
		return EINVAL;
	if (access & IBV_ACCESS_ZERO_BASED)
		return EOPNOTSUPP;
	if (access & ~REMOTE_ACCESS || (info->mr == NULL && (info->addr || info->length)))
		return EINVAL;
	*bind = (struct rn_client_wr_bind){
		.mw = mw_of(mw)->nic,
		.length = info->length,
		.lkey = info->mr != NULL ? info->mr->lkey : 0,
		.access = access,
	};
	to->kind = RN_WQE_BIND;
	to->remote_va = info->addr;
	to->rkey = rkey;
	to->imm = 0;
	to->sge = NULL;
	to->num_sge = 0;
	to->atomic = NULL;
	to->ud = NULL;
	to->bind = bind;
	return 0;
}

int vb_bind_request(const struct vb_qp *qp, struct ibv_mw *mw, uint32_t rkey,
		    const struct ibv_mw_bind_info *info, struct rn_client_wr *to,
		    struct rn_client_wr_bind *bind)
{
	/* A window of type 2 ends by an invalidation, not by a bind of no bytes. */
	if (mw == NULL || mw->type != IBV_MW_TYPE_2 || info->mr == NULL || info->length == 0)
		return EINVAL;
	return fill(qp, mw, rkey, info, to, bind);
}

/* Posts a bind that replaces the last one. mw->rkey changes if it is posted. */
static int rebind(struct vb_qp *qp, struct ibv_mw *mw, const struct ibv_mw_bind *bind)
{
	struct rn_client_wr wr = {.wr_id = bind->wr_id};
	struct rn_client_wr_bind what;
	uint32_t rkey = ibv_inc_rkey(mw->rkey), posted;
	int rc = fill(qp, mw, rkey, &bind->bind_info, &wr, &what);

	if (rc != 0)
		return rc;
	wr.flags = (uint16_t)(RN_WQE_REBIND | qp->send_flags |
			      (bind->send_flags & IBV_SEND_SIGNALED ? RN_WQE_SIGNALED : 0u) |
			      (bind->send_flags & IBV_SEND_FENCE ? RN_WQE_FENCE : 0u));
	rc = vb_errno(vb_engine.qp_post_list(qp->nic, &wr, 1, &posted));
	if (rc == 0)
		mw->rkey = rkey;
	return rc;
}

/* The caller, an inline function of verbs.h, has checked type and PD. */
int vb_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct vb_qp *q = (struct vb_qp *)qp;
	int rc;

	OS_REFUSE_CHILD(EIO);
	if (bind->send_flags & ~(unsigned)(IBV_SEND_SIGNALED | IBV_SEND_FENCE))
		return EINVAL;
	if (vb_engine.qp_state(q->nic) < RN_QPS_RTS)
		return EINVAL;
	pthread_mutex_lock(&mw_of(mw)->lock);
	rc = rebind(q, mw, bind);
	pthread_mutex_unlock(&mw_of(mw)->lock);
	return rc;
}
