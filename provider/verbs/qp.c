/* Queue pairs: creation, transitions by hand (ibv_modify_qp), attributes, destruction. The QP of
 * the NIC checks values and does the transitions; this file checks what the kernel checks before
 * that, translates, and remembers what was set. Any thread may call these functions. */
#include "verbs/private.h"
#include "verbs/qp_move.h"

#include <stdlib.h>
#include <string.h>

static_assert((int)IBV_QPT_RC == (int)RN_QPT_RC, "one number");
static_assert((int)IBV_QPT_UC == (int)RN_QPT_UC, "one number");
static_assert((int)IBV_QPT_UD == (int)RN_QPT_UD, "one number");
static_assert((int)IBV_QPS_SQD == (int)RN_QPS_SQD, "states are the same");
static_assert((int)IBV_QPS_ERR == (int)RN_QPS_ERR, "states are the same");
static_assert((int)IBV_QP_DEST_QPN == (int)RN_QP_DEST_QPN, "masks are the same");
static_assert((int)IBV_QP_MIN_RNR_TIMER == (int)RN_QP_MIN_RNR_TIMER, "masks are the same");
static_assert((int)IBV_QP_MAX_QP_RD_ATOMIC == (int)RN_QP_MAX_RD_ATOMIC, "masks are the same");

/* Attributes that the NIC does not know. */
#define NOT_OF_NIC (IBV_QP_PATH_MIG_STATE | IBV_QP_ALT_PATH)

static struct vb_qp *qp_of(struct ibv_qp *qp)
{
	return (struct vb_qp *)qp;
}

/* ---- events ---- */

static void qp_event(struct vb_target *target, const struct rn_event *ev)
{
	struct vb_qp *qp = (struct vb_qp *)((char *)target - offsetof(struct vb_qp, target));
	struct vb_mailbox *box = &vb_context_of(qp->qp.context)->async;

	/* Network cards raise QP_FATAL only for what no completion shows. */
	if (ev->kind == RN_EVENT_QP_FATAL && ev->reason == RN_FATAL_COMPLETED)
		return;
	switch (ev->kind) {
#define X(ours, theirs)                                             \
	case RN_EVENT_##ours:                                       \
		vb_mailbox_send(box, &qp->note[VB_QP_NOTE_##ours]); \
		break;
		VB_QP_EVENT_ROWS(X)
#undef X
	default:
		break;
	}
}

static void init_notes(struct vb_qp *qp)
{
#define X(ours, theirs) \
	qp->note[VB_QP_NOTE_##ours] = (struct vb_note){.object = qp, .kind = IBV_EVENT_##theirs};
	VB_QP_EVENT_ROWS(X)
#undef X
}

/* ---- creation and destruction ---- */

static uint32_t at_least_one(uint32_t n)
{
	return n > 0 ? n : 1;
}

/* Returns 0 or the errno with which the kernel refuses such a QP. */
static int check_init(const struct vb_context *c, const struct ibv_qp_init_attr *init)
{
	const struct rn_link_info *info = &c->nic->info;
	const struct ibv_qp_cap *cap = &init->cap;
	bool own_queue = init->srq == NULL; /* the sizes of the receive queue count */

	if (init->qp_type != IBV_QPT_RC && init->qp_type != IBV_QPT_UC &&
	    init->qp_type != IBV_QPT_UD)
		return EOPNOTSUPP;
	if (init->send_cq == NULL || vb_context_of(init->send_cq->context)->nic != c->nic)
		return EINVAL;
	if (init->recv_cq == NULL || vb_context_of(init->recv_cq->context)->nic != c->nic)
		return EINVAL;
	if (!own_queue && vb_context_of(init->srq->context)->nic != c->nic)
		return EINVAL;
	if (cap->max_send_wr > info->max_queue_depth || cap->max_send_sge > info->max_sge ||
	    cap->max_inline_data > info->max_inline)
		return EINVAL;
	if (own_queue &&
	    (cap->max_recv_wr > info->max_queue_depth || cap->max_recv_sge > info->max_sge))
		return EINVAL;
	return 0;
}

/* Sets the capacities that the QP will have from those that the program asked for. */
static void grant(struct ibv_qp_cap *cap, bool with_srq)
{
	cap->max_send_wr = at_least_one(cap->max_send_wr);
	cap->max_send_sge = at_least_one(cap->max_send_sge);
	/* A QP with an SRQ has no receive queue. */
	cap->max_recv_wr = with_srq ? 0 : at_least_one(cap->max_recv_wr);
	cap->max_recv_sge = with_srq ? 0 : at_least_one(cap->max_recv_sge);
}

static int create_in_nic(struct vb_context *c, struct vb_qp *qp, const struct vb_pd *pd)
{
	const struct ibv_qp_cap *cap = &qp->init.cap;
	struct rn_client_qp_init init = {
		.pd = pd->id, .user = qp->target.number, .qp_ctx = qp->target.number};

	init.type = (enum rn_qp_type)qp->init.qp_type;
	init.send_cq = ((struct vb_cq *)qp->init.send_cq)->nic;
	init.recv_cq = ((struct vb_cq *)qp->init.recv_cq)->nic;
	if (qp->init.srq != NULL)
		init.srq = ((struct vb_srq *)qp->init.srq)->nic;
	init.sq_depth = cap->max_send_wr;
	init.rq_depth = cap->max_recv_wr;
	init.sq_sge = cap->max_send_sge;
	init.rq_sge = cap->max_recv_sge;
	init.inline_bytes = cap->max_inline_data;
	return vb_engine.qp_create(c->nic->client, &init, &qp->nic);
}

static void fill_public(struct vb_qp *qp, struct ibv_pd *pd)
{
	qp->qp.context = pd->context;
	qp->qp.qp_context = qp->init.qp_context;
	qp->qp.pd = pd;
	qp->qp.send_cq = qp->init.send_cq;
	qp->qp.recv_cq = qp->init.recv_cq;
	qp->qp.srq = qp->init.srq;
	qp->qp.qp_num = qp->qp.handle = vb_engine.qp_number(qp->nic);
	qp->qp.state = IBV_QPS_RESET;
	qp->qp.qp_type = qp->init.qp_type;
	pthread_mutex_init(&qp->qp.mutex, NULL);
	pthread_cond_init(&qp->qp.cond, NULL);
	qp->send_flags = qp->init.sq_sig_all ? RN_WQE_SIGNALED : 0;
}

/* Counts the QP, or with n = -1 counts it no more, as a user of its CQs and its SRQ. */
static void use_queues(const struct vb_qp *qp, int n)
{
	atomic_fetch_add(&((struct vb_cq *)qp->qp.send_cq)->users, (uint32_t)n);
	atomic_fetch_add(&((struct vb_cq *)qp->qp.recv_cq)->users, (uint32_t)n);
	if (qp->qp.srq != NULL)
		atomic_fetch_add(&((struct vb_srq *)qp->qp.srq)->users, (uint32_t)n);
}

static void forget_in(struct ibv_cq *cq, const struct vb_qp *qp)
{
	struct rn_client_cq *nic = ((struct vb_cq *)cq)->nic;

	vb_engine.cq_lock(nic);
	vb_engine.cq_forget(nic, qp->target.number);
	vb_engine.cq_unlock(nic);
}

/* Removes the completions that nobody has polled. The drivers of network cards do so when a QP is
 * reset or destroyed, and programs rely on that. */
static void forget_completions(const struct vb_qp *qp)
{
	forget_in(qp->qp.send_cq, qp);
	if (qp->qp.recv_cq != qp->qp.send_cq)
		forget_in(qp->qp.recv_cq, qp);
}

/* Creates a QP; if `ops` is not NULL, with the extended post calls for these operations. */
static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_qp_init_attr *init, const uint64_t *ops)
{
	struct vb_context *c = vb_context_of(pd->context);
	struct vb_qp *qp;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	rc = check_init(c, init);
	if (rc != 0)
		return vb_fail(rc);
	qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return vb_fail(ENOMEM);
	qp->init = *init;
	qp->target.deliver = qp_event;
	qp->target.owner = c;
	init_notes(qp);
	grant(&qp->init.cap, init->srq != NULL);
	rc = ops != NULL ? vb_draft_create(qp, *ops) : 0;
	if (rc == 0) {
		vb_nic_add_target(c->nic, &qp->target);
		rc = vb_errno(create_in_nic(c, qp, (struct vb_pd *)pd));
		if (rc != 0)
			vb_nic_remove_target(c->nic, &qp->target);
	}
	if (rc != 0) {
		vb_draft_destroy(qp);
		free(qp);
		return vb_fail(rc);
	}
	fill_public(qp, pd);
	use_queues(qp, 1);
	init->cap = qp->init.cap;
	return &qp->qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	return create(pd, init, NULL);
}

#define EX_ALL ((unsigned)(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS << 1) - 1)
#define EX_KNOWN                                                          \
	((unsigned)(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | \
		    IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))

struct ibv_qp *vb_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init)
{
	struct ibv_qp_init_attr plain;
	struct ibv_qp *qp;
	bool draft = init->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	static_assert(offsetof(struct ibv_qp_init_attr, sq_sig_all) ==
			      offsetof(struct ibv_qp_init_attr_ex, sq_sig_all),
		      "the first members are the same");
	if (init->comp_mask & ~EX_ALL)
		return vb_fail(EINVAL);
	if (init->comp_mask & ~EX_KNOWN)
		return vb_fail(EOPNOTSUPP);
	if (init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && init->create_flags != 0)
		return vb_fail(EOPNOTSUPP);
	if (!(init->comp_mask & IBV_QP_INIT_ATTR_PD) || init->pd == NULL ||
	    init->pd->context != context)
		return vb_fail(EINVAL);
	memcpy(&plain, init, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
	qp = create(init->pd, &plain, draft ? &init->send_ops_flags : NULL);
	if (qp != NULL)
		init->cap = plain.cap;
	return qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct vb_qp *q = qp_of(qp);
	struct vb_context *c;
	int rc;

	OS_REFUSE_CHILD(EIO);
	/* qperf destroys the QP of its listener, which has no QP: librdmacm passes NULL. */
	if (qp == NULL)
		return EINVAL;
	if (q->groups != NULL)
		return EBUSY;
	c = vb_context_of(qp->context);
	/* The program may use the QP until it has acknowledged the events that it has taken, so
	 * the QP is destroyed in the NIC afterwards. */
	vb_nic_remove_target(c->nic, &q->target);
	for (unsigned i = 0; i < VB_QP_NOTES; i++)
		vb_mailbox_retire(&c->async, &q->note[i]);
	rc = vb_engine.qp_destroy(q->nic);
	if (rc != 0)
		return vb_errno(rc);
	forget_completions(q);
	use_queues(q, -1);
	pthread_cond_destroy(&qp->cond);
	pthread_mutex_destroy(&qp->mutex);
	vb_draft_destroy(q);
	free(q);
	return 0;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct vb_qp *q = qp_of(qp);

	return q->draft != NULL ? &q->ex : NULL;
}

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	return 0;
}

/* ---- transitions and attributes ---- */

static int to_nic(struct vb_qp *qp, const struct ibv_qp_attr *attr, int mask, struct rn_qp_attr *to)
{
	*to = (struct rn_qp_attr){
		.state = (uint8_t)attr->qp_state,
		.cur_state = (uint8_t)attr->cur_qp_state,
		.path_mtu = (uint8_t)attr->path_mtu,
		.timeout = attr->timeout,
		.retry_cnt = attr->retry_cnt,
		.rnr_retry = attr->rnr_retry,
		.min_rnr_timer = attr->min_rnr_timer,
		.max_rd_atomic = attr->max_rd_atomic,
		.max_dest_rd_atomic = attr->max_dest_rd_atomic,
		.sqd_notify = attr->en_sqd_async_notify,
		/* The kernel ignores flags that are for memory regions only. */
		.access = attr->qp_access_flags & RN_ACCESS_ALL,
		.dest_qpn = attr->dest_qp_num,
		/* The kernel cuts PSNs to 24 bits too: programs set random numbers of 32 bits. */
		.rq_psn = attr->rq_psn & VB_PSN_MASK,
		.sq_psn = attr->sq_psn & VB_PSN_MASK,
		.qkey = attr->qkey,
		.pkey_index = attr->pkey_index,
		.port = attr->port_num,
	};
	/* These are enums of the caller's, wider than what the NIC takes. */
	if ((mask & IBV_QP_PATH_MTU && (unsigned)attr->path_mtu > IBV_MTU_4096) ||
	    (mask & IBV_QP_CUR_STATE && (unsigned)attr->cur_qp_state > IBV_QPS_ERR) ||
	    (mask & IBV_QP_PORT && attr->port_num != VB_PORT))
		return EINVAL;
	if (mask & IBV_QP_PATH_MIG_STATE && attr->path_mig_state != IBV_MIG_MIGRATED)
		return EOPNOTSUPP;
	if (!(mask & IBV_QP_AV))
		return 0;
	return vb_ah_resolve(vb_context_of(qp->qp.context)->nic, &attr->ah_attr, &to->av);
}

/* Remembers what was set, for ibv_query_qp(). */
static void remember(struct vb_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
#define X(bit, member)           \
	if (mask & IBV_QP_##bit) \
		qp->attr.member = attr->member;
	VB_QP_ATTR_ROWS(X)
#undef X
	qp->attr.rq_psn &= VB_PSN_MASK;
	qp->attr.sq_psn &= VB_PSN_MASK;
	if (mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET)
		memset(&qp->attr, 0, sizeof(qp->attr));
}

static int modify(struct vb_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	enum ibv_qp_state from = (enum ibv_qp_state)vb_engine.qp_state(qp->nic);
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	struct rn_qp_attr ours;
	int rc;

	if ((unsigned)to > IBV_QPS_ERR)
		return EINVAL;
	if (mask & IBV_QP_CUR_STATE)
		from = attr->cur_qp_state;
	rc = vb_qp_move_check(qp->qp.qp_type, from, to, mask);
	if (rc == 0)
		rc = to_nic(qp, attr, mask, &ours);
	if (rc == 0)
		rc = vb_errno(vb_engine.qp_modify(qp->nic, &ours, (uint32_t)(mask & ~NOT_OF_NIC)));
	if (rc == 0) {
		remember(qp, attr, mask);
		qp->qp.state = to;
	}
	if (rc == 0 && to == IBV_QPS_RESET)
		forget_completions(qp);
	if (rc == 0 && to == IBV_QPS_RTS)
		atomic_store(&vb_context_of(qp->qp.context)->nic->talked, true);
	return rc;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	pthread_mutex_lock(&qp->mutex);
	rc = modify(qp_of(qp), attr, mask);
	pthread_mutex_unlock(&qp->mutex);
	return rc;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct vb_qp *q = qp_of(qp);
	struct rn_qp_attr now;
	int rc;

	OS_REFUSE_CHILD(EIO);
	pthread_mutex_lock(&qp->mutex);
	rc = vb_errno(vb_engine.qp_query(q->nic, &now));
	if (rc == 0) {
		*attr = q->attr;
		attr->qp_state = attr->cur_qp_state = (enum ibv_qp_state)now.state;
		attr->sq_draining = now.sq_draining;
		attr->sq_psn = now.sq_psn;
		attr->rq_psn = now.rq_psn;
		attr->cap = q->init.cap;
		*init = q->init;
		qp->state = attr->qp_state;
	}
	pthread_mutex_unlock(&qp->mutex);
	return rc;
}
