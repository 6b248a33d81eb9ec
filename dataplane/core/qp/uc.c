/* Unreliable connections: what is different about a packet that nobody asks to be answered?
 *
 * A message is delivered whole or not at all. Its first packet is taken with any PSN, the others in
 * their order; what breaks the order, or is refused, gives up the message, whose receive waits for
 * the next one. No packet is ever answered (docs/spec/rocev2.md 4.13). Checks and placing are the
 * responder's. The other direction is the requester's: a request is complete when its last packet
 * has been built, with no window to wait for, no timer, nothing to send again. Owned by the shard's
 * thread.
 */
#include "qp/lane.h"
#include "qp/qp.h"
#include "qp/uc.h"
#include "qp/responder.h"

static void give_up(struct rn_qp *qp)
{
	qp->rx.message = RN_RX_IDLE;
	qp->lane->stats.uc_given_up++;
}

/* Is the packet the next of the open message? Whether it is of its kind is for the responder to say. */
static enum rn_verdict check_follows(const struct rn_rx *rx, const struct rn_pkt *pkt)
{
	if (rx->message == RN_RX_IDLE)
		return RN_V_REQ_UC_REST;
	return pkt->psn == rx->epsn ? RN_V_OK : RN_V_REQ_GAP;
}

/* Makes the packet the one that the responder expects, or objects. */
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
		rn_responder_fail(qp, v, now); /* not the peer's doing, and no next message would fare better */
	else
		give_up(qp);
	return v;
}
