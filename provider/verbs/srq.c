/* Shared receive queues (SRQ): creation, resizing, the limit event, destruction. The receives
 * themselves are in the SRQ of the NIC; post.c posts them.
 *
 * A limit is armed by ibv_modify_srq() and causes one event. `limit` is the armed limit; the caller
 * that finds it reached sets it to 0 and sends the event: the event thread, or a call that looks at
 * the limit. The order of locks is: lock of the NIC (event thread), `lock`, lock of the mailbox.
 * Any thread may call these functions. */
#include "verbs/private.h"

#include <stdlib.h>

static struct vb_srq *srq_of(struct ibv_srq *srq)
{
	return (struct vb_srq *)srq;
}

/* ---- the limit ---- */

static void send_event(struct vb_srq *srq)
{
	srq->limit = 0;
	vb_mailbox_send(&vb_context_of(srq->srq.context)->async, &srq->low);
}

static void srq_event(struct vb_target *target, const struct rn_event *ev)
{
	struct vb_srq *srq = (struct vb_srq *)((char *)target - offsetof(struct vb_srq, target));

	if (ev->kind != RN_EVENT_SRQ_LIMIT)
		return;
	pthread_mutex_lock(&srq->lock);
	if (vb_engine.srq_fired(srq->nic))
		send_event(srq);
	pthread_mutex_unlock(&srq->lock);
}

/* Replaces the limit. The event of the former limit is sent if that was reached before; the event
 * of the new one at once if fewer receives than that are posted. */
static void arm(struct vb_srq *srq, uint32_t limit)
{
	pthread_mutex_lock(&srq->lock);
	if (vb_engine.srq_fired(srq->nic))
		send_event(srq);
	vb_engine.srq_disarm(srq->nic);
	srq->limit = limit;
	if (vb_engine.srq_arm(srq->nic, limit))
		send_event(srq);
	pthread_mutex_unlock(&srq->lock);
}

/* ---- creation and destruction ---- */

static uint32_t at_least_one(uint32_t n)
{
	return n > 0 ? n : 1;
}

static int create_in_nic(struct vb_context *c, struct vb_srq *srq, const struct vb_pd *pd)
{
	const struct rn_client_srq_init init = {
		.pd = pd->id,
		.depth = srq->max_wr,
		.max_sge = srq->max_sge,
		.user = srq->target.number,
	};

	return vb_engine.srq_create(c->nic->client, &init, &srq->nic);
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
	struct vb_context *c = vb_context_of(pd->context);
	struct vb_srq *srq;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	if (init->attr.max_wr > c->nic->info.max_queue_depth ||
	    init->attr.max_sge > c->nic->info.max_sge)
		return vb_fail(EINVAL);
	srq = calloc(1, sizeof(*srq));
	if (srq == NULL)
		return vb_fail(ENOMEM);
	srq->max_wr = at_least_one(init->attr.max_wr);
	srq->max_sge = at_least_one(init->attr.max_sge);
	srq->low = (struct vb_note){.object = srq, .kind = IBV_EVENT_SRQ_LIMIT_REACHED};
	srq->target.deliver = srq_event;
	srq->target.owner = c;
	vb_nic_add_target(c->nic, &srq->target);
	rc = create_in_nic(c, srq, (struct vb_pd *)pd);
	if (rc != 0) {
		vb_nic_remove_target(c->nic, &srq->target);
		free(srq);
		return vb_fail(vb_errno(rc));
	}
	srq->srq.context = pd->context;
	srq->srq.srq_context = init->srq_context;
	srq->srq.pd = pd;
	srq->srq.handle = vb_engine.srq_id(srq->nic);
	pthread_mutex_init(&srq->srq.mutex, NULL);
	pthread_cond_init(&srq->srq.cond, NULL);
	pthread_mutex_init(&srq->lock, NULL);
	init->attr.max_wr = srq->max_wr;
	init->attr.max_sge = srq->max_sge;
	return &srq->srq;
}

/* Programs come here only with attributes that ibv_create_srq() does not have. XRC and tag matching
 * are not available; the members that only those use are ignored for a basic SRQ. */
struct ibv_srq *vb_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *init)
{
	if (init->comp_mask >= IBV_SRQ_INIT_ATTR_RESERVED)
		return vb_fail(EOPNOTSUPP);
	if (init->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && init->srq_type != IBV_SRQT_BASIC)
		return vb_fail(EOPNOTSUPP);
	if (!(init->comp_mask & IBV_SRQ_INIT_ATTR_PD) || init->pd == NULL)
		return vb_fail(EINVAL);
	return ibv_create_srq(init->pd, (struct ibv_srq_init_attr *)init);
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct vb_srq *s = srq_of(srq);
	struct vb_context *c = vb_context_of(srq->context);
	int rc;

	OS_REFUSE_CHILD(EIO);
	if (atomic_load(&s->users) != 0)
		return EBUSY;
	/* Nothing sends the note from here on: the SRQ has no QPs and gets no events. */
	vb_nic_remove_target(c->nic, &s->target);
	vb_mailbox_retire(&c->async, &s->low);
	rc = vb_engine.srq_destroy(s->nic);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&srq->cond);
	pthread_mutex_destroy(&srq->mutex);
	free(s);
	return vb_errno(rc);
}

int vb_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	*number = srq->handle;
	return 0;
}

/* ---- attributes ---- */

/* Checks all attributes before one of them is changed. */
static int check_change(const struct vb_srq *srq, const struct ibv_srq_attr *attr, int mask)
{
	uint32_t max_wr = mask & IBV_SRQ_MAX_WR ? attr->max_wr : srq->max_wr;

	if (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
		return EINVAL;
	if (max_wr == 0 || (mask & IBV_SRQ_LIMIT && attr->srq_limit > max_wr))
		return EINVAL;
	return 0;
}

static int change(struct vb_srq *srq, const struct ibv_srq_attr *attr, int mask)
{
	int rc = check_change(srq, attr, mask);

	if (rc == 0 && mask & IBV_SRQ_MAX_WR) {
		rc = vb_engine.srq_resize(srq->nic, attr->max_wr);
		if (rc == 0)
			srq->max_wr = attr->max_wr;
		/* More receives are posted than the new size has room for. */
		rc = rc == -EOVERFLOW ? EINVAL : vb_errno(rc);
	}
	if (rc == 0 && mask & IBV_SRQ_LIMIT)
		arm(srq, attr->srq_limit);
	return rc;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	pthread_mutex_lock(&srq->mutex);
	rc = change(srq_of(srq), attr, mask);
	pthread_mutex_unlock(&srq->mutex);
	return rc;
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct vb_srq *s = srq_of(srq);

	OS_REFUSE_CHILD(EIO);
	pthread_mutex_lock(&srq->mutex);
	attr->max_wr = s->max_wr;
	attr->max_sge = s->max_sge;
	pthread_mutex_lock(&s->lock);
	/* The limit may be reached while its event is still on the way. */
	if (vb_engine.srq_fired(s->nic))
		send_event(s);
	attr->srq_limit = s->limit;
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&srq->mutex);
	return 0;
}
