/* Which file handles a work request or a packet, and is a reply or a request sent next? The QP's
 * type and state decide, by the tables of qp.h. rn_qp_tx_limited() sends for a QP whose rate is
 * limited. Owns nothing. Runs on the shard's thread. */
#include "qp/qp_dispatch.h"

#include "qp/lane.h"
#include "qp/pace.h"
#include "qp/requester.h"
#include "qp/responder.h"
#include "qp/uc.h"
#include "qp/ud.h"
#include "wire/hdr.h"

const struct rn_qp_state_row rn_qp_states[] = {
#define X(name, recv, send, request_in, start, go_on, response_in)            \
	[RN_QPS_##name] = {#name, RN_POST_##recv, RN_POST_##send, request_in, \
			   start, go_on,	  response_in},
	RN_QP_STATE_ROWS(X)
#undef X
};

/* ---- posting of work requests ---- */

/* Drops or completes a work request that the QP did not take. */
static __attribute__((noinline)) void refuse(struct rn_qp *qp, const struct rn_wqe *wqe,
					     rn_time now)
{
	const struct rn_qp_state_row *row = &rn_qp_states[qp->state];
	bool recv = wqe->kind == RN_WQE_RECV;
	enum rn_qp_posting how = recv ? row->post_recv : row->post_send;

	/* The queue is full, or the receive belongs in the SRQ: the application has broken the
	 * rules of posting. */
	if (how == RN_POST_TAKE || (recv && qp->srq)) {
		qp->lane->stats.posts_dropped++;
		return;
	}
	/* Cancel a refused BIND, so that the client can bind the window again. */
	if (wqe->kind == RN_WQE_BIND)
		rn_mw_cancel_bind(qp->lane->mrs, wqe->rkey, rn_qp_via(qp));
	rn_qp_complete_unqueued(
		qp, recv ? qp->recv_cq : qp->send_cq, wqe->kind, wqe->wr_id,
		how == RN_POST_FLUSH ? RN_STATUS_WR_FLUSH_ERR : RN_STATUS_LOC_QP_OP_ERR, now);
	if (recv)
		qp->rq_retired++;
	else
		qp->sq_retired++;
	rn_lane_mark_dirty(qp);
}

bool rn_qp_take(struct rn_qp *qp, const struct rn_wqe *wqe)
{
	bool recv = wqe->kind == RN_WQE_RECV;

	if (!rn_qp_takes(qp, recv))
		return false;
	if (recv)
		return rn_rq_push(&qp->rq, wqe);
	if (!rn_sq_push(&qp->sq, wqe))
		return false;
	rn_lane_activate(qp->lane, qp);
	return true;
}

void rn_qp_post(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now)
{
	if (rn_unlikely(!rn_qp_take(qp, wqe)))
		refuse(qp, wqe, now);
}

/* ---- receiving and sending packets ---- */

enum rn_verdict rn_qp_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	const struct rn_qp_state_row *row = &rn_qp_states[qp->state];

	/* UC and UD have no responses, so each packet is a request. */
	if (rn_unlikely(qp->type != RN_QPT_RC)) {
		if (!row->request_in)
			return RN_V_QP_STATE;
		return qp->type == RN_QPT_UD ? rn_ud_rx(qp, pkt, now) : rn_uc_rx(qp, pkt, now);
	}
	if (pkt->op->known && pkt->op->response)
		return row->response_in ? rn_requester_rx(qp, pkt, now) : RN_V_QP_STATE;
	return row->request_in ? rn_responder_rx(qp, pkt, now) : RN_V_QP_STATE;
}

static unsigned request_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	if (!rn_qp_states[qp->state].go_on)
		return 0;
	return qp->type == RN_QPT_UD ? rn_ud_tx(qp, buf, now) : rn_requester_tx(qp, buf, now);
}

static bool answers_read(const struct rn_qp *qp)
{
	return qp->rx.nowed && qp->rx.owed[0].kind == RN_OWE_READ;
}

/* Sends replies before requests. READ responses, however, alternate with requests: a long series of
 * READ responses would otherwise block the QP's own requests. */
unsigned rn_qp_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	unsigned n = qp->own_turn && answers_read(qp) ? request_tx(qp, buf, now) : 0;

	qp->own_turn = !n && answers_read(qp);
	if (!n && qp->rx.nowed)
		n = rn_responder_tx(qp, buf, now);
	return n ? n : request_tx(qp, buf, now);
}

/* ---- sending with a rate limit ---- */

/* Returns true if the oldest owed reply is an ACK, a NAK or an ATOMIC ACK. The rate limit does not
 * delay such replies. */
static bool owes_small(const struct rn_qp *qp)
{
	const struct rn_rx *rx = &qp->rx;

	return rx->nowed && (rx->owed[0].kind != RN_OWE_READ ||
			     rx->rec[rx->owed[0].rec].op != RN_OP_READ_REQUEST);
}

/* Returns true if the QP has a READ response or a request to send, which counts against the rate
 * limit. To be called only if owes_small() is false. */
static bool has_data(const struct rn_qp *qp)
{
	return qp->rx.nowed ||
	       (rn_qp_states[qp->state].go_on && !qp->retry.rnr_wait && qp->sq.send != qp->sq.tail);
}

/* Returns true if `frame`, which the QP has just built, counts against the rate limit. ACKs, NAKs
 * and ATOMIC ACKs do not count. */
static bool is_data(const struct rn_qp *qp, const uint8_t *frame)
{
	const struct rn_opcode_row *op = rn_opcode_row(frame[qp->tmpl.bytes - RN_BTH_BYTES]);

	return op->family != RN_F_ACK && op->family != RN_F_ATOMIC_ACK;
}

/* Arms the timer that puts the QP back on the active list. The caller then returns 0, so
 * rn_shard_tx() takes the QP off the active list until the timer expires. */
static void hold_back(struct rn_qp *qp)
{
	rn_time when = rn_cc_wake_at(&qp->cc);

	if (qp->pace.when == when)
		return;
	qp->lane->stats.cc_waits++;
	rn_timer_arm(&qp->lane->pace, &qp->pace, when);
}

unsigned rn_qp_tx_limited(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	uint64_t was = qp->cc.rate;
	rn_time at = rn_cc_send_at(&qp->cc, &qp->lane->cfg.cc, now);
	unsigned n = 0;

	if (at > now) {
		if (owes_small(qp))
			n = rn_responder_tx(qp, buf, now);
		else if (has_data(qp))
			hold_back(qp);
	} else {
		n = rn_qp_tx(qp, buf, now);
		if (!n)
			rn_cc_idle(&qp->cc);
		else if (qp->cc.limited && is_data(qp, buf->data))
			rn_cc_sent(&qp->cc, &qp->lane->cfg.cc, n, now);
	}
	rn_pace_note_rate(qp, was);
	return n;
}
