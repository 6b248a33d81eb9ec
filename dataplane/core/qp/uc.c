/* How are packets of unreliable connections (UC) received? No packet is ever answered. Runs on the
 * shard's thread.
 *
 * A message is delivered whole or not at all (docs/spec/rocev2.md 4.13). Its first packet may have
 * any PSN; further packets must be in order. Any other packet discards the message, and the next
 * message uses the same receive. responder.c checks packets and places data. requester.c sends
 * packets, and completes a work request when its last packet is built. */
#include "qp/lane.h"
#include "qp/qp.h"
#include "qp/uc.h"
#include "qp/responder.h"

static void give_up(struct rn_qp *qp)
{
	qp->rx.message = RN_RX_IDLE;
	qp->lane->stats.uc_given_up++;
}

/* Checks that a packet that begins no message has the next PSN of the current message. Returns
 * RN_V_OK, or the verdict that refuses the packet. rn_responder_rx() checks the opcode later. */
static enum rn_verdict check_follows(const struct rn_rx *rx, const struct rn_pkt *pkt)
{
	if (rx->message == RN_RX_IDLE)
		return RN_V_REQ_UC_REST;
	return pkt->psn == rx->epsn ? RN_V_OK : RN_V_REQ_GAP;
}

/* Prepares the QP for rn_responder_rx(), which accepts only the expected PSN. If the packet begins
 * a message, an incomplete earlier message is discarded, and the packet's PSN becomes the expected
 * PSN. */
static enum rn_verdict put_in_order(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	struct rn_rx *rx = &qp->rx;

	if (!pkt->op->starts)
		return check_follows(rx, pkt);
	if (rx->message != RN_RX_IDLE)
		give_up(qp);
	rx->epsn = pkt->psn;
	return RN_V_OK;
}

enum rn_verdict rn_uc_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	enum rn_verdict v;

	if (!pkt->op->known)
		return RN_V_REQ_UNSUPPORTED;
	v = put_in_order(qp, pkt);
	if (rn_likely(v == RN_V_OK))
		v = rn_responder_rx(qp, pkt, now);
	if (rn_likely(v == RN_V_OK) || v == RN_V_REQ_UC_REST)
		return v;
	if (v == RN_V_REQ_LOCAL)
		/* The receive is malformed, or its memory is not accessible. The next message would
		 * use the same receive, so complete the receive with an error and put the QP into
		 * ERR. */
		rn_responder_fail(qp, v, now);
	else
		give_up(qp);
	return v;
}
