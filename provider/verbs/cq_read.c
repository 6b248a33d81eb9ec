/* The functions behind ibv_start_poll(), ibv_wc_read_byte_len() and so on: a program reads single
 * members of the completion that is its turn. start_poll() takes the lock `reading` of the CQ if it
 * finds a completion, end_poll() releases it: between the two, start_poll() of another thread
 * waits. The lock of the NIC's CQ is not held meanwhile: the event thread takes that one, and the
 * program may call any function between the two. */
#include "verbs/private.h"

static struct vb_cq *cq_of(struct ibv_cq_ex *cq)
{
	return (struct vb_cq *)cq;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	struct vb_cq *c = cq_of(cq);
	bool fired;
	unsigned n;

	vb_engine.cq_lock(c->nic);
	n = vb_engine.cq_poll(c->nic, &c->now, 1, &fired);
	if (fired)
		vb_cq_post_event(c);
	vb_engine.cq_unlock(c->nic);
	if (n == 0)
		return ENOENT;
	cq->wr_id = c->now.wr_id;
	cq->status = (enum ibv_wc_status)c->now.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	if (attr->comp_mask != 0)
		return EINVAL;
	pthread_mutex_lock(&cq_of(cq)->reading);
	rc = next_poll(cq);
	if (rc != 0)
		pthread_mutex_unlock(&cq_of(cq)->reading);
	return rc;
}

static void end_poll(struct ibv_cq_ex *cq)
{
	pthread_mutex_unlock(&cq_of(cq)->reading);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	return vb_wc_opcode(&cq_of(cq)->now);
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	return cq_of(cq)->now.vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return cq_of(cq)->now.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *cq)
{
	return cq_of(cq)->now.imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return cq_of(cq)->now.qpn;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq)
{
	return cq_of(cq)->now.src_qpn;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	return vb_wc_flags(&cq_of(cq)->now);
}

static uint32_t read_slid(struct ibv_cq_ex *cq)
{
	return 0;
}

static uint8_t read_sl(struct ibv_cq_ex *cq)
{
	return vb_wc_sl(&cq_of(cq)->now);
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *cq)
{
	return cq_of(cq)->now.time_ns;
}

void vb_cq_offer_reading(struct vb_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex->read_byte_len = read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ex->read_imm_data = read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ex->read_qp_num = read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ex->read_src_qp = read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		ex->read_slid = read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		ex->read_sl = read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ex->read_dlid_path_bits = read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ex->read_completion_ts = read_completion_ts;
}
