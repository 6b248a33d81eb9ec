/* Completion queues and completion channels. provider/client decides when a CQ fires; a CQ that
 * fires puts its note into the mailbox of its channel. The order of locks is: lock of the NIC
 * (event thread), lock of the CQ, lock of the mailbox. Any thread may call these functions. */
#include "verbs/private.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 16
/* The members of a completion that an extended CQ offers. */
#define KNOWN_WC_FLAGS \
	((uint64_t)IBV_WC_STANDARD_FLAGS | (uint64_t)IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)

static struct vb_channel *channel_of(const struct vb_cq *cq)
{
	return (struct vb_channel *)cq->cq.channel;
}

/* ---- channels ---- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct vb_channel *c;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return vb_fail(ENOMEM);
	rc = vb_mailbox_init(&c->box);
	if (rc != 0) {
		free(c);
		return vb_fail(rc);
	}
	c->channel.context = context;
	c->channel.fd = c->box.fd;
	return &c->channel;
}

/* Adds `n` to the number of the channel's CQs, and returns the new number. */
static int count_cqs(struct ibv_comp_channel *channel, int n)
{
	struct vb_channel *c = (struct vb_channel *)channel;
	int count;

	pthread_mutex_lock(&c->box.lock);
	count = channel->refcnt += n;
	pthread_mutex_unlock(&c->box.lock);
	return count;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	OS_REFUSE_CHILD(EIO);
	if (count_cqs(channel, 0) != 0)
		return EBUSY;
	vb_mailbox_fini(&((struct vb_channel *)channel)->box);
	free(channel);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct vb_note *note;

	OS_REFUSE_CHILD((errno = EIO, -1));
	note = vb_mailbox_take(&((struct vb_channel *)channel)->box);
	if (note == NULL)
		return -1;
	*cq = note->object;
	*cq_context = (*cq)->cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	struct vb_cq *c = (struct vb_cq *)cq;

	if (!os_child && cq->channel != NULL)
		vb_mailbox_ack(&channel_of(c)->box, &c->done, nevents);
}

void vb_cq_post_event(struct vb_cq *cq)
{
	if (cq->cq.channel != NULL)
		vb_mailbox_send(&channel_of(cq)->box, &cq->done);
}

/* ---- creation and destruction ---- */

static void cq_event(struct vb_target *target, const struct rn_event *ev)
{
	struct vb_cq *cq = (struct vb_cq *)((char *)target - offsetof(struct vb_cq, target));

	if (ev->kind == RN_EVENT_CQ_OVERRUN) {
		vb_mailbox_send(&vb_context_of(cq->cq.context)->async, &cq->failed);
		return;
	}
	vb_engine.cq_lock(cq->nic);
	if (ev->kind == RN_EVENT_CQ && vb_engine.cq_fired(cq->nic))
		vb_cq_post_event(cq);
	vb_engine.cq_unlock(cq->nic);
}

static struct vb_cq *create(struct ibv_context *context, const struct ibv_cq_init_attr_ex *init)
{
	struct vb_nic *nic;
	struct vb_cq *cq;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	rc = vb_context_start(context);
	if (rc != 0)
		return vb_fail(rc);
	nic = vb_nic_of(context);
	if (init->cqe == 0 || init->cqe > nic->info.max_cqe ||
	    init->comp_vector >= (uint32_t)context->num_comp_vectors)
		return vb_fail(EINVAL);
	cq = calloc(1, sizeof(*cq));
	if (cq == NULL)
		return vb_fail(ENOMEM);
	cq->done = (struct vb_note){.object = cq};
	cq->failed = (struct vb_note){.object = cq, .kind = IBV_EVENT_CQ_ERR};
	cq->target.deliver = cq_event;
	cq->target.owner = vb_context_of(context);
	cq->cq.context = context;
	cq->cq.channel = init->channel;
	cq->cq.cq_context = init->cq_context;
	cq->cq.cqe = (int)init->cqe;
	vb_nic_add_target(nic, &cq->target);
	rc = vb_engine.cq_create(nic->client, init->cqe, 0, cq->target.number, &cq->nic);
	if (rc != 0) {
		vb_nic_remove_target(nic, &cq->target);
		free(cq);
		return vb_fail(vb_errno(rc));
	}
	cq->cq.handle = vb_engine.cq_id(cq->nic);
	pthread_mutex_init(&cq->cq.mutex, NULL);
	pthread_cond_init(&cq->cq.cond, NULL);
	pthread_mutex_init(&cq->reading, NULL);
	if (init->channel != NULL)
		count_cqs(init->channel, 1);
	return cq;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	const struct ibv_cq_init_attr_ex init = {
		.cqe = cqe > 0 ? (uint32_t)cqe : 0,
		.cq_context = cq_context,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};
	struct vb_cq *cq = create(context, &init);

	return cq != NULL ? &cq->cq : NULL;
}

struct ibv_cq_ex *vb_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init)
{
	struct vb_cq *cq;

	/* A parent domain is not available, so no program can name one. A CQ that overruns fails,
	 * so IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN is refused. */
	if (init->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS ||
	    init->wc_flags & ~KNOWN_WC_FLAGS)
		return vb_fail(EOPNOTSUPP);
	if (init->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    init->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return vb_fail(EOPNOTSUPP);
	cq = create(context, init);
	if (cq == NULL)
		return NULL;
	vb_cq_offer_reading(cq, init->wc_flags);
	return &cq->ex;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct vb_cq *c = (struct vb_cq *)cq;
	struct vb_context *context = vb_context_of(cq->context);
	int rc;

	OS_REFUSE_CHILD(EIO);
	if (atomic_load(&c->users) != 0)
		return EBUSY;
	/* Nothing sends notes of this CQ from here on: it has no QPs and gets no events. */
	vb_nic_remove_target(context->nic, &c->target);
	vb_mailbox_retire(&context->async, &c->failed);
	if (cq->channel != NULL) {
		vb_mailbox_retire(&channel_of(c)->box, &c->done);
		count_cqs(cq->channel, -1);
	}
	rc = vb_engine.cq_destroy(c->nic);
	pthread_cond_destroy(&cq->cond);
	pthread_mutex_destroy(&cq->mutex);
	pthread_mutex_destroy(&c->reading);
	free(c);
	return vb_errno(rc);
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	if (cqe <= 0)
		return EINVAL;
	/* Under the inline idle policy requests wait until a thread of the program drives the NIC.
	 * A card would have completed them by now, and unread completions need their places. */
	vb_engine.progress(vb_client_of(cq->context));
	rc = vb_engine.cq_resize(((struct vb_cq *)cq)->nic, (uint32_t)cqe);
	if (rc == 0)
		cq->cqe = cqe;
	return rc == -EMSGSIZE ? EINVAL : vb_errno(rc);
}

/* ---- polling and arming ---- */

static_assert((int)IBV_WC_GENERAL_ERR == (int)RN_STATUS_GENERAL_ERR, "statuses are the same");

enum ibv_wc_opcode vb_wc_opcode(const struct rn_cqe *cqe)
{
	static const uint8_t opcode[] = {
		[RN_WQE_SEND] = IBV_WC_SEND,
		[RN_WQE_SEND_IMM] = IBV_WC_SEND,
		[RN_WQE_SEND_INVAL] = IBV_WC_SEND,
		[RN_WQE_WRITE] = IBV_WC_RDMA_WRITE,
		[RN_WQE_WRITE_IMM] = IBV_WC_RDMA_WRITE,
		[RN_WQE_READ] = IBV_WC_RDMA_READ,
		[RN_WQE_CMP_SWAP] = IBV_WC_COMP_SWAP,
		[RN_WQE_FETCH_ADD] = IBV_WC_FETCH_ADD,
		[RN_WQE_BIND] = IBV_WC_BIND_MW,
		[RN_WQE_INVALIDATE] = IBV_WC_LOCAL_INV,
		[RN_WQE_RECV] = IBV_WC_RECV,
	};

	if (cqe->flags & RN_CQE_WRITE)
		return IBV_WC_RECV_RDMA_WITH_IMM;
	return (enum ibv_wc_opcode)opcode[cqe->kind < sizeof(opcode) ? cqe->kind : RN_WQE_SEND];
}

unsigned vb_wc_flags(const struct rn_cqe *cqe)
{
	return (cqe->flags & RN_CQE_IMM ? IBV_WC_WITH_IMM : 0u) |
	       (cqe->flags & RN_CQE_INVAL ? IBV_WC_WITH_INV : 0u) |
	       (cqe->flags & RN_CQE_GRH ? IBV_WC_GRH : 0u);
}

uint8_t vb_wc_sl(const struct rn_cqe *cqe)
{
	if (!(cqe->flags & RN_CQE_GRH))
		return 0;
	return cqe->flags & RN_CQE_IPV4 ? 2 : 1;
}

static inline void translate(const struct rn_cqe *cqe, struct ibv_wc *wc)
{
	wc->wr_id = cqe->wr_id;
	wc->status = (enum ibv_wc_status)cqe->status;
	wc->opcode = vb_wc_opcode(cqe);
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->imm;
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qpn;
	wc->wc_flags = vb_wc_flags(cqe);
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = vb_wc_sl(cqe);
	wc->dlid_path_bits = 0;
}

int vb_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct vb_cq *c = (struct vb_cq *)cq;
	struct rn_cqe cqe[BATCH];
	int got = 0;

	OS_REFUSE_CHILD(-1);
	vb_engine.cq_lock(c->nic);
	while (got < n) {
		unsigned want = n - got < BATCH ? (unsigned)(n - got) : BATCH;
		bool fired;
		unsigned found = vb_engine.cq_poll(c->nic, cqe, want, &fired);

		if (fired)
			vb_cq_post_event(c);
		for (unsigned i = 0; i < found; i++)
			translate(&cqe[i], &wc[got++]);
		if (found < want)
			break;
	}
	vb_engine.cq_unlock(c->nic);
	return got;
}

int vb_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct vb_cq *c = (struct vb_cq *)cq;

	OS_REFUSE_CHILD(EIO);
	vb_engine.cq_lock(c->nic);
	if (vb_engine.cq_arm(c->nic, solicited_only ? RN_CQ_ARM_SOLICITED : RN_CQ_ARM_ANY))
		vb_cq_post_event(c);
	vb_engine.cq_unlock(c->nic);
	return 0;
}
