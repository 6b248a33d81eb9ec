/* The responder checks and executes the requests of the peer and answers them. Runs on the shard's
 * thread. */
#ifndef RN_RESPONDER_H
#define RN_RESPONDER_H

#include "qp/lane.h"
#include "qp/qp.h"

/* Initialises the responder. psn is the first expected PSN, max_reads the attribute
 * max_dest_rd_atomic. */
void rn_responder_init(struct rn_qp *qp, uint32_t psn, uint8_t max_reads);
/* Changes max_dest_rd_atomic. If there are more READ and atomic records than the new limit allows,
 * drops the oldest records. */
void rn_responder_reads(struct rn_qp *qp, uint8_t max_reads);
/* Accepts request packets: moves the expected PSN on by npsn, and the MSN by 1 if the message is
 * complete. Clears nak_sent, so that the next gap causes a NAK. */
static inline void rn_responder_commit(struct rn_rx *rx, uint32_t npsn, bool message_done)
{
	rx->epsn = rn_psn_add(rx->epsn, npsn);
	rx->taken += npsn;
	rx->msn = rn_psn_add(rx->msn, message_done);
	rx->nak_sent = false;
	rx->rnr_naks = 0;
}
/* Drops the packets that were kept because an earlier one was lost. To be called when the QP leaves
 * a state in which requests are accepted. */
static inline void rn_responder_drop_kept(struct rn_qp *qp)
{
	rn_keep_clear(&qp->lane->keep, &qp->keep);
	qp->rx.keeping = false;
}
/* Processes a received request for this QP and owes the reply, if any. Returns the verdict on the
 * packet. */
enum rn_verdict rn_responder_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Returns the receive of the current message, or the next posted receive when a message begins.
 * Returns NULL if no receive is posted. A receive taken from an SRQ stays with the QP until a
 * message uses it or the QP fails. */
const struct rn_rqe *rn_responder_receive(struct rn_qp *qp);
/* Builds the packet of the oldest owed reply, without the ICRC. Returns the packet's length, or 0
 * if no reply is owed. */
unsigned rn_responder_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* Returns true if a single ACK is all that the responder owes, and no rate limit needs an account
 * of the packet. */
static inline bool rn_responder_owes_only_ack(const struct rn_qp *qp)
{
	return qp->rx.nowed == 1 && qp->rx.owed[0].kind == RN_OWE_ACK && !qp->cc.limited;
}
/* The same as rn_qp_tx() if rn_responder_owes_only_ack() is true. With many queue pairs this is one
 * packet in two, and the general function first finds out what is owed. */
unsigned rn_responder_tx_ack(struct rn_qp *qp, struct rn_txbuf *buf);
/* Completes the current receive with the error of verdict v, and puts the QP into ERR. */
void rn_responder_fail(struct rn_qp *qp, enum rn_verdict v, rn_time now);

/* ---- for short_rx.c and short_read.c ---- */

/* rn_responder_owe_ack() if replies are owed, and the newest is not an ACK that the new one
 * replaces. */
void rn_responder_insert_ack(struct rn_qp *qp, uint32_t psn);
/* Owes an ACK for all requests up to psn. */
static inline void rn_responder_owe_ack(struct rn_qp *qp, uint32_t psn)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_owe *last;

	/* Common cases: nothing is owed, or the newest entry is an ACK, and the new ACK replaces
	 * it. */
	if (!rx->nowed) {
		rx->owed[0] = (struct rn_owe){.kind = RN_OWE_ACK, .psn = psn, .msn = rx->msn};
		rx->nowed = 1;
		rn_lane_activate(qp->lane, qp);
		return;
	}
	last = &rx->owed[rx->nowed - 1];
	if (rn_unlikely(last->kind != RN_OWE_ACK || rn_psn_before(psn, last->psn))) {
		rn_responder_insert_ack(qp, psn);
		return;
	}
	last->psn = psn;
	last->msn = rx->msn;
}
/* Returns the syndrome of an ACK: the number of receives that the peer may use. */
uint8_t rn_responder_syndrome(const struct rn_qp *qp);

/* Returns RN_V_OK if another READ or atomic may be accepted: fewer than max_dest_rd_atomic are
 * unanswered, and the QP grants `right`. */
static inline enum rn_verdict rn_responder_may_fetch(const struct rn_qp *qp, uint32_t right)
{
	const struct rn_read_rec *oldest = &qp->rx.rec[qp->rx.rec_next];

	if (!(qp->access & right))
		return RN_V_REQ_QP_ACCESS;
	if (!qp->rx.nrec || (oldest->npkts && !oldest->answered))
		return RN_V_REQ_READ_LIMIT;
	return RN_V_OK;
}
/* Accepts the READ request with the expected PSN: keeps its record and owes the response. The
 * caller has called rn_responder_may_fetch() and has checked the access to memory. */
void rn_responder_accept_read(struct rn_qp *qp, uint64_t va, uint32_t rkey, uint32_t length);
/* To be called when the responses to READs and atomics that head the list of owed replies have been
 * sent in full: removes these n entries from the list. */
void rn_responder_answered(struct rn_rx *rx, unsigned n);

#endif
