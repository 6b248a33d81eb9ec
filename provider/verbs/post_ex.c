/* The extended post calls, ibv_wr_start() to ibv_wr_complete(): a program drafts requests one after
 * another, and then posts all of them or none. A QP that is created for these calls has one draft,
 * with room for as many requests as its send queue; drafting and posting allocate nothing.
 *
 * start() takes the lock of the draft, complete() and abort() release it; between them the draft
 * belongs to the thread that called start(). The calls between them return nothing, so the draft
 * keeps the first error for complete(), and the requests drafted after it are dropped. */
#include "verbs/post.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_INLINE                                                           \
	(1u << RN_WQE_SEND | 1u << RN_WQE_SEND_IMM | 1u << RN_WQE_SEND_INVAL | \
	 1u << RN_WQE_WRITE | 1u << RN_WQE_WRITE_IMM)
#define KINDS_DATA \
	(KINDS_INLINE | 1u << RN_WQE_READ | 1u << RN_WQE_CMP_SWAP | 1u << RN_WQE_FETCH_ADD)

/* The operations of each type of QP that softrnic has: enum ibv_qp_create_send_ops_flags. */
#define OPS_UD (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define OPS_UC                                                                     \
	(OPS_UD | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
	 IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV)
#define OPS_RC                                                              \
	(OPS_UC | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_READ | \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* What a request refers to, besides its data. */
union operands {
	struct rn_atomic atomic;
	struct rn_client_wr_bind bind;
	struct rn_ud ud;
};

struct vb_draft {
	pthread_mutex_t lock;
	uint64_t ops; /* the operations that the program asked for */
	uint32_t depth, max_sge, max_inline;
	int error;  /* errno; 0: none */
	uint32_t n; /* number of requests drafted without an error */
	/* What the requests refer to: for each max_sge SGEs and then max_inline bytes. */
	uint8_t *data;
	size_t stride;		  /* bytes of `data` for one request */
	union operands *operands; /* of each request */
	struct rn_client_wr wr[]; /* depth, and one that takes what is drafted after an error */
};

static struct vb_draft *draft_of(struct ibv_qp_ex *ex)
{
	return ((struct vb_qp *)ex)->draft;
}

static struct rn_sge *sges_of(const struct vb_draft *d, const struct rn_client_wr *wr)
{
	return (struct rn_sge *)(d->data + (size_t)(wr - d->wr) * d->stride);
}

static union operands *operands_of(const struct vb_draft *d, const struct rn_client_wr *wr)
{
	return &d->operands[wr - d->wr];
}

static void fail(struct vb_draft *d, int error)
{
	if (d->error == 0)
		d->error = error;
}

/* ---- the region of drafting ---- */

static void start(struct ibv_qp_ex *ex)
{
	struct vb_draft *d = draft_of(ex);

	/* The lock of a forked child may be held by a thread that the child does not have. */
	if (os_child)
		return;
	pthread_mutex_lock(&d->lock);
	d->n = 0;
	d->error = 0;
}

static int complete(struct ibv_qp_ex *ex)
{
	struct vb_qp *qp = (struct vb_qp *)ex;
	struct vb_draft *d = qp->draft;
	int rc;

	OS_REFUSE_CHILD(EIO);
	rc = d->error;
	if (rc == 0 && vb_engine.qp_state(qp->nic) < RN_QPS_RTS)
		rc = EINVAL;
	if (rc == 0)
		rc = vb_post_errno(vb_engine.qp_post_all(qp->nic, d->wr, d->n));
	pthread_mutex_unlock(&d->lock);
	return rc;
}

static void abandon(struct ibv_qp_ex *ex)
{
	if (!os_child)
		pthread_mutex_unlock(&draft_of(ex)->lock);
}

/* ---- requests ---- */

/* Drafts a request without data. After an error it is not counted, and the next one replaces it. */
static struct rn_client_wr *begin(struct ibv_qp_ex *ex, uint64_t op, uint8_t kind)
{
	struct vb_qp *qp = (struct vb_qp *)ex;
	struct vb_draft *d = qp->draft;
	struct rn_client_wr *wr = &d->wr[d->n];

	if (!(d->ops & op) || ex->wr_flags & ~VB_SEND_FLAGS)
		fail(d, EOPNOTSUPP);
	if (d->n == d->depth)
		fail(d, ENOMEM);
	if (d->error == 0)
		d->n++;
	*wr = (struct rn_client_wr){
		.kind = kind,
		/* The calls that set data decide whether it is inline. */
		.flags = vb_wqe_flags(ex->wr_flags & ~(unsigned)IBV_SEND_INLINE, qp->send_flags),
		.wr_id = ex->wr_id,
	};
	return wr;
}

static struct rn_client_wr *begin_rdma(struct ibv_qp_ex *ex, uint64_t op, uint8_t kind,
				       uint32_t rkey, uint64_t remote_addr)
{
	struct rn_client_wr *wr = begin(ex, op, kind);

	wr->rkey = rkey;
	wr->remote_va = remote_addr;
	return wr;
}

static void begin_atomic(struct ibv_qp_ex *ex, uint64_t op, uint8_t kind, uint32_t rkey,
			 uint64_t remote_addr, struct rn_atomic operands)
{
	struct rn_client_wr *wr = begin_rdma(ex, op, kind, rkey, remote_addr);
	struct rn_atomic *place = &operands_of(draft_of(ex), wr)->atomic;

	*place = operands;
	wr->atomic = place;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_QP_EX_WITH_SEND, RN_WQE_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm_data)
{
	begin(ex, IBV_QP_EX_WITH_SEND_WITH_IMM, RN_WQE_SEND_IMM)->imm = imm_data;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin(ex, IBV_QP_EX_WITH_SEND_WITH_INV, RN_WQE_SEND_INVAL)->imm = rkey;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	begin_rdma(ex, IBV_QP_EX_WITH_RDMA_WRITE, RN_WQE_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
			      __be32 imm_data)
{
	begin_rdma(ex, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, RN_WQE_WRITE_IMM, rkey, remote_addr)
		->imm = imm_data;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	begin_rdma(ex, IBV_QP_EX_WITH_RDMA_READ, RN_WQE_READ, rkey, remote_addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
			      uint64_t compare, uint64_t swap)
{
	begin_atomic(ex, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, RN_WQE_CMP_SWAP, rkey, remote_addr,
		     (struct rn_atomic){.swap_add = swap, .compare = compare});
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
				uint64_t add)
{
	begin_atomic(ex, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, RN_WQE_FETCH_ADD, rkey, remote_addr,
		     (struct rn_atomic){.swap_add = add});
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct rn_client_wr *wr = begin(ex, IBV_QP_EX_WITH_BIND_MW, RN_WQE_BIND);
	struct vb_draft *d = draft_of(ex);

	if (d->error == 0)
		fail(d, vb_bind_request((struct vb_qp *)ex, mw, rkey, info, wr,
					&operands_of(d, wr)->bind));
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin(ex, IBV_QP_EX_WITH_LOCAL_INV, RN_WQE_INVALIDATE)->imm = rkey;
}

/* ---- data and destination of the request that was drafted last ---- */

/* Returns the request that was drafted last, or NULL after an error. A last request whose kind is
 * not in `kinds`, and no last request, are errors (EINVAL). */
static struct rn_client_wr *last(struct vb_draft *d, uint32_t kinds)
{
	if (d->error == 0 && (d->n == 0 || !(kinds >> d->wr[d->n - 1].kind & 1)))
		d->error = EINVAL;
	return d->error == 0 ? &d->wr[d->n - 1] : NULL;
}

static void set_sge_list(struct ibv_qp_ex *ex, size_t num_sge, const struct ibv_sge *list)
{
	struct vb_draft *d = draft_of(ex);
	struct rn_client_wr *wr = last(d, KINDS_DATA);

	if (num_sge > d->max_sge)
		fail(d, EINVAL);
	if (wr == NULL || d->error != 0)
		return;
	wr->flags &= (uint16_t)~RN_WQE_INLINE;
	wr->sge = sges_of(d, wr);
	wr->num_sge = (uint32_t)num_sge;
	for (size_t i = 0; i < num_sge; i++)
		sges_of(d, wr)[i] = (struct rn_sge){list[i].addr, list[i].length, list[i].lkey};
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};

	set_sge_list(ex, 1, &sge);
}

/* Copies the data: programs reuse their buffers at once. */
static void set_inline_data_list(struct ibv_qp_ex *ex, size_t num_buf,
				 const struct ibv_data_buf *list)
{
	struct vb_draft *d = draft_of(ex);
	struct rn_client_wr *wr = last(d, KINDS_INLINE);
	uint8_t *to;
	uint32_t used = 0;

	if (wr == NULL)
		return;
	to = (uint8_t *)(sges_of(d, wr) + d->max_sge);
	for (size_t i = 0; i < num_buf; i++) {
		if (list[i].length > d->max_inline - used) {
			fail(d, EINVAL);
			return;
		}
		if (list[i].length > 0)
			memcpy(to + used, list[i].addr, list[i].length);
		used += (uint32_t)list[i].length;
	}
	wr->flags |= RN_WQE_INLINE;
	wr->sge = sges_of(d, wr);
	wr->num_sge = 1;
	sges_of(d, wr)[0] = (struct rn_sge){.addr = (uintptr_t)to, .length = used};
}

static void set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	const struct ibv_data_buf buf = {.addr = addr, .length = length};

	set_inline_data_list(ex, 1, &buf);
}

/* Sets the destination of the datagram that was drafted last. */
static void set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct vb_qp *qp = (struct vb_qp *)ex;
	struct rn_client_wr *wr = last(qp->draft, KINDS_INLINE);

	if (wr == NULL)
		return;
	wr->ud = &operands_of(qp->draft, wr)->ud;
	if (qp->qp.qp_type != IBV_QPT_UD ||
	    !vb_ud_of(qp, ah, qpn, qkey, &operands_of(qp->draft, wr)->ud))
		fail(qp->draft, EINVAL);
}

/* ---- what softrnic does not have ---- */

static void no_send_tso(struct ibv_qp_ex *ex, void *hdr, uint16_t hdr_sz, uint16_t mss)
{
	fail(draft_of(ex), EOPNOTSUPP);
}

static void no_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	fail(draft_of(ex), EOPNOTSUPP);
}

static void no_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
			    const void *data)
{
	fail(draft_of(ex), EOPNOTSUPP);
}

/* ---- creation ---- */

static void offer(struct ibv_qp_ex *ex)
{
	ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	ex->wr_bind_mw = wr_bind_mw;
	ex->wr_local_inv = wr_local_inv;
	ex->wr_rdma_read = wr_rdma_read;
	ex->wr_rdma_write = wr_rdma_write;
	ex->wr_rdma_write_imm = wr_rdma_write_imm;
	ex->wr_send = wr_send;
	ex->wr_send_imm = wr_send_imm;
	ex->wr_send_inv = wr_send_inv;
	ex->wr_send_tso = no_send_tso;
	ex->wr_set_ud_addr = set_ud_addr;
	ex->wr_set_xrc_srqn = no_set_xrc_srqn;
	ex->wr_set_inline_data = set_inline_data;
	ex->wr_set_inline_data_list = set_inline_data_list;
	ex->wr_set_sge = set_sge;
	ex->wr_set_sge_list = set_sge_list;
	ex->wr_start = start;
	ex->wr_complete = complete;
	ex->wr_abort = abandon;
	ex->wr_atomic_write = no_atomic_write;
}

static uint64_t ops_of(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? OPS_RC : type == IBV_QPT_UC ? OPS_UC : OPS_UD;
}

/* Pages of these arrays that no request has used take no memory, so the arrays may be large. */
static struct vb_draft *allocate(const struct ibv_qp_cap *cap)
{
	const size_t n = (size_t)cap->max_send_wr + 1, sges = cap->max_send_sge;
	struct vb_draft *d = calloc(1, sizeof(*d) + n * sizeof(d->wr[0]));

	if (d == NULL)
		return NULL;
	d->depth = cap->max_send_wr;
	d->max_sge = cap->max_send_sge;
	d->max_inline = cap->max_inline_data;
	d->stride = (sges + (d->max_inline + sizeof(struct rn_sge) - 1) / sizeof(struct rn_sge)) *
		    sizeof(struct rn_sge);
	d->data = calloc(n, d->stride);
	d->operands = calloc(n, sizeof(*d->operands));
	if (d->data != NULL && d->operands != NULL)
		return d;
	free(d->data);
	free(d->operands);
	free(d);
	return NULL;
}

int vb_draft_create(struct vb_qp *qp, uint64_t ops)
{
	if (ops & ~ops_of(qp->init.qp_type))
		return EOPNOTSUPP;
	qp->draft = allocate(&qp->init.cap);
	if (qp->draft == NULL)
		return ENOMEM;
	qp->draft->ops = ops;
	pthread_mutex_init(&qp->draft->lock, NULL);
	offer(&qp->ex);
	return 0;
}

void vb_draft_destroy(struct vb_qp *qp)
{
	struct vb_draft *d = qp->draft;

	if (d == NULL)
		return;
	pthread_mutex_destroy(&d->lock);
	free(d->data);
	free(d->operands);
	free(d);
}
