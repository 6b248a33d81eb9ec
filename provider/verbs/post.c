/* Translates work requests of verbs into those of rn/client.h and posts them. Any number of threads
 * may post to one QP or SRQ. Allocates nothing; only posts to an SRQ take a lock, inside
 * rn_client_srq_post_list(). */
#include "verbs/post.h"

#define BATCH 8

#define INLINE_KINDS                                                                   \
	(1u << IBV_WR_SEND | 1u << IBV_WR_SEND_WITH_IMM | 1u << IBV_WR_SEND_WITH_INV | \
	 1u << IBV_WR_RDMA_WRITE | 1u << IBV_WR_RDMA_WRITE_WITH_IMM)

#define UD_KINDS (1u << IBV_WR_SEND | 1u << IBV_WR_SEND_WITH_IMM)

/* Work requests on their way to the NIC. */
struct batch {
	struct rn_client_wr wr[BATCH];
	struct rn_atomic operands[BATCH];
	struct rn_client_wr_bind bind[BATCH];
	struct rn_ud ud[BATCH];
};

/* Kinds of work request; 0 (RN_WQE_NOP): not available. */
static const uint8_t kinds[] = {
	[IBV_WR_RDMA_WRITE] = RN_WQE_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = RN_WQE_WRITE_IMM,
	[IBV_WR_SEND] = RN_WQE_SEND,
	[IBV_WR_SEND_WITH_IMM] = RN_WQE_SEND_IMM,
	[IBV_WR_SEND_WITH_INV] = RN_WQE_SEND_INVAL,
	[IBV_WR_RDMA_READ] = RN_WQE_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = RN_WQE_CMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = RN_WQE_FETCH_ADD,
	[IBV_WR_LOCAL_INV] = RN_WQE_INVALIDATE,
	[IBV_WR_BIND_MW] = RN_WQE_BIND,
};

/* Returns 0 or the errno with which the work request is refused. */
static inline int translate(const struct vb_qp *qp, const struct ibv_send_wr *from,
			    struct rn_client_wr *to, struct rn_atomic *operands,
			    struct rn_client_wr_bind *bind, struct rn_ud *ud)
{
	unsigned flags = from->send_flags, opcode = from->opcode;

	if (opcode >= sizeof(kinds) || kinds[opcode] == RN_WQE_NOP)
		return EOPNOTSUPP;
	if (flags & ~VB_SEND_FLAGS)
		return EOPNOTSUPP;
	if (flags & IBV_SEND_INLINE &&
	    (!(INLINE_KINDS >> opcode & 1) || (uint32_t)from->num_sge > qp->init.cap.max_send_sge))
		return EINVAL;
	to->kind = kinds[opcode];
	to->flags = vb_wqe_flags(flags, qp->send_flags);
	to->wr_id = from->wr_id;
	to->imm = from->imm_data;
	to->sge = (const struct rn_sge *)from->sg_list;
	to->num_sge = (uint32_t)from->num_sge;
	to->atomic = NULL;
	to->ud = NULL;
	if (qp->qp.qp_type == IBV_QPT_UD) {
		if (!(UD_KINDS >> opcode & 1) ||
		    !vb_ud_of(qp, from->wr.ud.ah, from->wr.ud.remote_qpn, from->wr.ud.remote_qkey,
			      ud))
			return EINVAL;
		to->remote_va = 0;
		to->rkey = 0;
		to->ud = ud;
		return 0;
	}
	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		bool swap = opcode == IBV_WR_ATOMIC_CMP_AND_SWP;

		to->remote_va = from->wr.atomic.remote_addr;
		to->rkey = from->wr.atomic.rkey;
		operands->swap_add = swap ? from->wr.atomic.swap : from->wr.atomic.compare_add;
		operands->compare = from->wr.atomic.compare_add;
		to->atomic = operands;
	} else if (opcode == IBV_WR_BIND_MW) {
		return vb_bind_request(qp, from->bind_mw.mw, from->bind_mw.rkey,
				       &from->bind_mw.bind_info, to, bind);
	} else if (opcode == IBV_WR_LOCAL_INV) {
		to->num_sge = 0;
	} else {
		to->remote_va = from->wr.rdma.remote_addr;
		to->rkey = from->wr.rdma.rkey;
	}
	return 0;
}

/* Network cards write *bad only after an error. So programs may pass NULL, or the address of a list
 * that they use again. */
static int end_send(struct ibv_send_wr *wr, struct ibv_send_wr **bad, int rc)
{
	if (rc != 0 && bad != NULL)
		*bad = wr;
	return rc;
}

static int end_recv(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad, int rc)
{
	if (rc != 0 && bad != NULL)
		*bad = wr;
	return rc;
}

int vb_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct vb_qp *q = (struct vb_qp *)qp;
	int rc = 0;

	OS_REFUSE_CHILD(end_send(wr, bad, EIO));
	if (vb_engine.qp_state(q->nic) < RN_QPS_RTS)
		return end_send(wr, bad, EINVAL);
	while (wr != NULL && rc == 0) {
		struct ibv_send_wr *at = wr;
		struct batch b;
		uint32_t n = 0, posted;
		int refused;

		for (; at != NULL && n < BATCH; at = at->next, n++) {
			rc = translate(q, at, &b.wr[n], &b.operands[n], &b.bind[n], &b.ud[n]);
			if (rc != 0)
				break;
		}
		/* Those before the one that translate() refuses are posted first. */
		refused = vb_engine.qp_post_list(q->nic, b.wr, n, &posted);
		if (refused != 0)
			rc = vb_post_errno(refused);
		for (; posted > 0; posted--)
			wr = wr->next;
	}
	return end_send(wr, bad, rc);
}

/* Translates the first receives of a list, up to BATCH. Returns how many. */
static uint32_t translate_receives(const struct ibv_recv_wr *wr, struct rn_client_wr *list)
{
	uint32_t n = 0;

	for (; wr != NULL && n < BATCH; wr = wr->next, n++)
		list[n] = (struct rn_client_wr){
			.kind = RN_WQE_RECV,
			.wr_id = wr->wr_id,
			.sge = (const struct rn_sge *)wr->sg_list,
			.num_sge = (uint32_t)wr->num_sge,
		};
	return n;
}

int vb_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct vb_qp *q = (struct vb_qp *)qp;
	int rc = 0;

	OS_REFUSE_CHILD(end_recv(wr, bad, EIO));
	if (vb_engine.qp_state(q->nic) == RN_QPS_RESET)
		return end_recv(wr, bad, EINVAL);
	while (wr != NULL && rc == 0) {
		struct rn_client_wr list[BATCH];
		uint32_t posted, n = translate_receives(wr, list);

		rc = vb_engine.qp_post_list(q->nic, list, n, &posted);
		if (rc != 0)
			rc = vb_post_errno(rc);
		for (; posted > 0; posted--)
			wr = wr->next;
	}
	return end_recv(wr, bad, rc);
}

int vb_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct vb_srq *s = (struct vb_srq *)srq;
	int rc = 0;

	OS_REFUSE_CHILD(end_recv(wr, bad, EIO));
	while (wr != NULL && rc == 0) {
		struct rn_client_wr list[BATCH];
		uint32_t posted, n = translate_receives(wr, list);

		rc = vb_engine.srq_post_list(s->nic, list, n, &posted);
		if (rc != 0)
			rc = vb_post_errno(rc);
		for (; posted > 0; posted--)
			wr = wr->next;
	}
	return end_recv(wr, bad, rc);
}
