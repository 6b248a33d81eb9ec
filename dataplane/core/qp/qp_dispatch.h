/* Calls the code that handles a work request or a packet of a QP, by the QP's type and state. Runs
 * on the shard's thread. */
#ifndef RN_QP_DISPATCH_H
#define RN_QP_DISPATCH_H

#include "qp/lane.h"
#include "qp/qp.h"

/* Does the QP's state permit that a work request, a receive or another one, enters its queue? A QP
 * with an SRQ has no receive queue: its receives are posted to the SRQ. */
static inline bool rn_qp_takes(const struct rn_qp *qp, bool recv)
{
	return recv ? rn_qp_takes_recvs >> qp->state & 1 && rn_likely(!qp->srq)
		    : rn_qp_takes_sends >> qp->state & 1;
}

/* Puts a work request of the application into the send or receive queue. Returns false, without any
 * effect, if the QP's state does not permit the work request or the queue is full. The caller need
 * not check the fields of *wqe. */
bool rn_qp_take(struct rn_qp *qp, const struct rn_wqe *wqe);
/* rn_qp_take() for a work request of the most frequent form, without a call. Returns false, without
 * any effect, for any other; rn_qp_take() then decides. recv: the work request is a receive. */
static inline bool rn_qp_take_plain(struct rn_qp *qp, const struct rn_wqe *wqe, bool recv)
{
	if (recv)
		return rn_qp_takes(qp, true) && rn_rq_push_plain(&qp->rq, wqe);
	if (!rn_qp_takes(qp, false) || !rn_sq_push_plain(&qp->sq, wqe))
		return false;
	rn_lane_activate(qp->lane, qp);
	return true;
}
/* Takes a work request of the application for this QP. If the QP's state does not permit the work
 * request, completes the work request with an error at once. The caller need not check the fields
 * of *wqe. */
void rn_qp_post(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now);
/* Processes a received packet, whose addresses and P_Key the caller has checked. Returns the
 * verdict on the packet. */
enum rn_verdict rn_qp_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Builds one packet of this QP. Returns the packet's length, or 0 if there is nothing to send. The
 * caller then writes the ICRC with rn_tmpl_seal(). A UD packet has its ICRC already. */
unsigned rn_qp_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* Like rn_qp_tx(), but for a QP with a rate limit. Requests and READ responses wait until the rate
 * permits; meanwhile the QP is off the active list, and its timer runs in rn_lane.pace. ACKs, NAKs
 * and ATOMIC ACKs wait only behind a READ response. */
unsigned rn_qp_tx_limited(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

#endif
