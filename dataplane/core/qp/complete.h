/* How a work request or a receive that succeeded is completed: the counters, the CQE, and the count
 * of free places in the queue. These functions are inline because nearly every packet needs one.
 * rn_qp_complete_send() and rn_qp_complete_recv() (qp.h) call them too. Runs on the shard's
 * thread. */
#ifndef RN_COMPLETE_H
#define RN_COMPLETE_H

#include "qp/lane.h"
#include "qp/qp.h"

/* Notes that this CQ has no room for a CQE. rn_shard_done() puts the QPs of an overrun CQ into
 * ERR. */
void rn_complete_overran(struct rn_qp *qp, const struct rn_cq *cq);
/* Completes what only some kinds of work request need, when e succeeds: releases the memory window
 * of an INVALIDATE, and counts kinds other than SEND, WRITE and READ. */
void rn_complete_rare_kind(struct rn_qp *qp, const struct rn_sqe *e);

/* Returns the next CQE to fill; the caller then calls rn_complete_written(). Returns NULL if the CQ
 * is full. */
static inline struct rn_cqe *rn_complete_claim(struct rn_qp *qp, struct rn_cq *cq)
{
	struct rn_cqe *cqe = rn_cq_claim(cq);

	if (rn_unlikely(!cqe))
		rn_complete_overran(qp, cq);
	return cqe;
}

/* Counts the CQE and puts its CQ on the dirty list. rn_shard_done() publishes the CQE to the
 * application. */
static inline void rn_complete_written(struct rn_qp *qp, struct rn_cq *cq, uint16_t flags)
{
	rn_cq_written(cq, flags);
	if (rn_list_empty(&cq->dirty))
		rn_list_add_tail(&qp->lane->dirty_cq, &cq->dirty);
}

/* Counts e, a work request that succeeded, and writes its CQE if it is signaled. The caller removes
 * e from the send queue. */
static inline void rn_complete_request(struct rn_qp *qp, const struct rn_sqe *e, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;
	struct rn_cqe *cqe;

	if (rn_likely(e->kind == RN_WQE_SEND || e->kind == RN_WQE_WRITE)) {
		st->done_send += e->kind == RN_WQE_SEND;
		st->done_write += e->kind == RN_WQE_WRITE;
		st->bytes_sent += e->length;
	} else if (rn_likely(e->kind == RN_WQE_READ)) {
		/* READs and atomics count as received bytes, SENDs and WRITEs as sent bytes. */
		st->done_read++;
		st->bytes_received += e->length;
	} else {
		rn_complete_rare_kind(qp, e);
	}
	if (!(e->flags & RN_WQE_SIGNALED))
		return;
	cqe = rn_complete_claim(qp, qp->send_cq);
	if (rn_unlikely(!cqe))
		return;
	*cqe = (struct rn_cqe){
		.wr_id = e->wr_id,
		.qp_ctx = qp->ctx,
		.qpn = qp->qpn,
		.byte_len = e->length,
		.kind = e->kind,
		.time_ns = now,
	};
	rn_complete_written(qp, qp->send_cq, 0);
}

/* Writes the CQE of e, the oldest receive, which message `a` has filled, and removes e from the
 * receive queue. */
static inline void rn_complete_receive(struct rn_qp *qp, const struct rn_rqe *e,
				       const struct rn_arrival *a, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;
	struct rn_cqe *cqe = rn_complete_claim(qp, qp->recv_cq);

	st->done_recv++;
	/* The data of a WRITE did not go into this receive, so do not count its bytes here. */
	st->bytes_received += a->flags & RN_CQE_WRITE ? 0 : a->bytes;
	if (rn_likely(cqe)) {
		*cqe = (struct rn_cqe){
			.wr_id = e->wr_id,
			.qp_ctx = qp->ctx,
			.qpn = qp->qpn,
			.byte_len = a->bytes,
			.imm = a->imm,
			.src_qpn = a->src_qpn,
			.sl = a->sl,
			.kind = RN_WQE_RECV,
			.flags = RN_CQE_RECV | a->flags,
			.time_ns = now,
		};
		rn_complete_written(qp, qp->recv_cq, a->flags);
	}
	rn_rq_retire(&qp->rq);
	/* A receive from an SRQ is counted in the SRQ (`taken`). rq_retired counts only receives of
	 * the QP's own receive queue. */
	if (rn_unlikely(qp->srq))
		return;
	qp->rq_retired++;
	rn_lane_mark_dirty(qp);
}

#endif
