/* The responder checks and executes the requests of the peer and answers them. Runs on the shard's
 * thread. */
#ifndef RN_RESPONDER_H
#define RN_RESPONDER_H

#include <string.h>

#include "qp/lane.h"
#include "qp/qp.h"
#include "wire/hdr.h"

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
/* Keeps the packet, which arrived ahead of a lost one, if there is room. */
static inline void rn_responder_keep(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	qp->lane->stats.rx_kept += rn_keep_put(&qp->lane->keep, &qp->keep, pkt, qp->rx.epsn);
	qp->rx.keeping = qp->keep.n != 0;
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
__attribute__((noinline)) void rn_responder_insert_ack(struct rn_qp *qp, uint32_t psn);
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
/* Drops the owed response of record i, which repeats an earlier response. */
void rn_responder_drop_repetition(struct rn_rx *rx, uint8_t i);
/* Returns the index of the slot for the record of a new READ or atomic: the oldest slot. To be
 * called after rn_responder_may_fetch(): the slot is free, or its READ or atomic has been answered.
 */
static inline uint8_t rn_responder_next_record(struct rn_rx *rx)
{
	uint8_t i = rx->rec_next;
	const struct rn_read_rec *rec = &rx->rec[i];

	rn_assert(!rec->npkts || rec->answered);
	/* The old record in this slot may owe a repeated response. The requester must have received
	 * the first response already, because the new request would otherwise exceed
	 * max_rd_atomic. */
	if (rn_unlikely(rec->owed))
		rn_responder_drop_repetition(rx, i);
	rx->rec_next = i + 1 == rx->nrec ? 0 : i + 1;
	return i;
}
/* Owes the response to the READ or atomic that has just been accepted, and whose record is `rec`.
 * No owed reply has a later PSN, so the entry is the last of the list. */
static inline void rn_responder_owe_newest(struct rn_qp *qp, uint8_t rec)
{
	struct rn_rx *rx = &qp->rx;

	rn_assert(rx->nowed < RN_OWED_MAX);
	rx->owed[rx->nowed++] = (struct rn_owe){
		.kind = RN_OWE_READ, .rec = rec, .psn = rn_psn_add(rx->epsn, -1u), .msn = rx->msn};
	rx->nowed_reads++;
	rn_lane_activate(qp->lane, qp);
}
/* Accepts the READ request with the expected PSN: keeps its record and owes the response, which has
 * npkts packets. The caller has called rn_responder_may_fetch() and has checked the access to
 * memory. */
static inline void rn_responder_accept_read(struct rn_qp *qp, uint64_t va, uint32_t rkey,
					    uint32_t length, uint32_t npkts)
{
	struct rn_rx *rx = &qp->rx;
	uint8_t rec = rn_responder_next_record(rx);

	rx->rec[rec] = (struct rn_read_rec){.va = va,
					    .rkey = rkey,
					    .length = length,
					    .first_psn = rx->epsn,
					    .npkts = npkts,
					    .end = rx->taken + npkts,
					    .op = RN_OP_READ_REQUEST,
					    .owed = true};
	rn_responder_commit(rx, npkts, true);
	rn_responder_owe_newest(qp, rec);
}

/* The whole response to this READ or atomic has been sent. */
static inline void rn_responder_note_answer(struct rn_read_rec *rec)
{
	rec->answered = true;
	rec->owed = false;
}
/* Removes n entries from the head of the list of owed replies, after rn_responder_note_answer() for
 * each of them. */
static inline void rn_responder_forget_answered(struct rn_rx *rx, unsigned n)
{
	rx->nowed -= n;
	rx->nowed_reads -= n;
	if (rx->nowed)
		memmove(rx->owed, rx->owed + n, rx->nowed * sizeof(rx->owed[0]));
}
/* Both for the n entries at the head of the list. */
void rn_responder_answered(struct rn_rx *rx, unsigned n);

#endif
