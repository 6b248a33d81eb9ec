/* How a work request or a receive that succeeded is completed: the counters, the CQE, and the count
 * of free places in the queue. These functions are inline because nearly every packet needs one.
 * rn_qp_complete_send() and rn_qp_complete_recv() (qp.h) call them too. Runs on the shard's
 * thread. */
#ifndef RN_COMPLETE_H
#define RN_COMPLETE_H

#include <string.h>

#include "qp/lane.h"
#include "qp/qp.h"

/* Notes that this CQ has no room for a CQE. rn_shard_done() puts the QPs of an overrun CQ into
 * ERR. */
__attribute__((noinline)) void rn_complete_overran(struct rn_qp *qp, const struct rn_cq *cq);
/* Completes what only some kinds of work request need, when e succeeds: releases the memory window
 * of an INVALIDATE, and counts kinds other than SEND, WRITE and READ. */
__attribute__((noinline)) void rn_complete_rare_kind(struct rn_qp *qp, const struct rn_sqe *e);

/* Returns the next CQE to fill; the caller then calls rn_complete_written(). Returns NULL if the CQ
 * is full. */
static inline struct rn_cqe *rn_complete_claim(struct rn_qp *qp, struct rn_cq *cq)
{
	struct rn_cqe *cqe = rn_cq_claim(cq);

	if (rn_unlikely(!cqe))
		rn_complete_overran(qp, cq);
	return cqe;
}

/* Fills the CQE of a success, all of it. status, kind and the members behind them are stored as one
 * word. */
static inline void rn_complete_fill(struct rn_cqe *cqe, const struct rn_qp *qp, uint64_t wr_id,
				    uint8_t kind, const struct rn_arrival *a, rn_time now)
{
	uint64_t word = (uint64_t)kind << 8 | (uint64_t)a->flags << 16 | (uint64_t)a->sl << 48;

	static_assert(RN_STATUS_SUCCESS == 0 && offsetof(struct rn_cqe, status) == 32 &&
			      offsetof(struct rn_cqe, kind) == 33 &&
			      offsetof(struct rn_cqe, flags) == 34 &&
			      offsetof(struct rn_cqe, sl) == 38 &&
			      offsetof(struct rn_cqe, time_ns) == 40,
		      "the members of the word");
	cqe->wr_id = wr_id;
	cqe->qp_ctx = qp->ctx;
	cqe->qpn = qp->qpn;
	cqe->byte_len = a->bytes;
	cqe->imm = a->imm;
	cqe->src_qpn = a->src_qpn;
	memcpy(&cqe->status, &word, sizeof(word));
	cqe->time_ns = now;
	cqe->reserved[0] = cqe->reserved[1] = 0;
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
	rn_complete_fill(cqe, qp, e->wr_id, e->kind, &(struct rn_arrival){.bytes = e->length}, now);
	rn_complete_written(qp, qp->send_cq, 0);
}

/* rn_complete_request() for the requests from sq.head on, up to `end` or to the first that is not a
 * SEND or WRITE whose PSNs are all before una, or for which the CQ may lack room. Removes them from
 * the queue. The counters advance once. Returns their number. */
static inline uint32_t rn_complete_run(struct rn_qp *qp, uint32_t una, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;
	struct rn_sq *sq = &qp->sq;
	struct rn_cq *cq = qp->send_cq;
	struct rn_cqe *cqes = cq->ring->cqe;
	uint32_t head = sq->head, end = sq->send, tail = cq->tail, mask = cq->ring->mask;
	uint32_t size = cq->overrun ? 0 : cq->ring->size;
	uint32_t writes = 0, n;
	uint64_t bytes = 0;

	for (; head != end; head++) {
		const struct rn_sqe *e = rn_sq_at(sq, head);

		if (rn_psn_steps(e->first_psn, una) < e->npkts)
			break;
		if (rn_unlikely(e->kind != RN_WQE_SEND && e->kind != RN_WQE_WRITE))
			break;
		if (e->flags & RN_WQE_SIGNALED) {
			if (rn_unlikely(tail - cq->head_seen >= size))
				break;
			rn_complete_fill(&cqes[tail & mask], qp, e->wr_id, e->kind,
					 &(struct rn_arrival){.bytes = e->length}, now);
			tail++;
		}
		writes += e->kind == RN_WQE_WRITE;
		bytes += e->length;
	}
	n = head - sq->head;
	st->done_send += n - writes;
	st->done_write += writes;
	st->bytes_sent += bytes;
	sq->head = head;
	if (tail != cq->tail) {
		cq->tail = tail - 1;
		rn_complete_written(qp, cq, 0);
	}
	return n;
}

/* Writes the CQE of e, the oldest receive, which message `a` has filled, and removes e from the
 * receive queue. */
static inline void rn_complete_receive(struct rn_qp *qp, const struct rn_rqe *e,
				       struct rn_arrival a, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;
	struct rn_cqe *cqe = rn_complete_claim(qp, qp->recv_cq);

	st->done_recv++;
	/* The data of a WRITE did not go into this receive, so do not count its bytes here. */
	st->bytes_received += a.flags & RN_CQE_WRITE ? 0 : a.bytes;
	if (rn_likely(cqe)) {
		uint16_t flags = a.flags;

		a.flags |= RN_CQE_RECV;
		rn_complete_fill(cqe, qp, e->wr_id, RN_WQE_RECV, &a, now);
		rn_complete_written(qp, qp->recv_cq, flags);
	}
	qp->rq.head++; /* as rn_rq_retire() */
	/* A receive from an SRQ is counted in the SRQ (`taken`). rq_retired counts only receives of
	 * the QP's own receive queue. */
	if (rn_unlikely(qp->srq))
		return;
	qp->rq_retired++;
	rn_lane_mark_dirty(qp);
}

#endif
