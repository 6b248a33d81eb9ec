/* How are the requests of the peer checked, executed and answered? To owe a reply means to record
 * that the reply must be sent. Runs on the shard's thread.
 *
 * Receiving: rn_responder_rx() sorts a request by its PSN: expected, duplicate (earlier) or gap
 * (later). take_in_order() checks an expected request and changes state only at the end
 * (rn_responder_commit()). The verdict table (wire/verdict.h) names the reply for each outcome.
 *
 * Sending: rn_responder_tx() sends the oldest owed reply: an ACK, a NAK, or the next packet of a
 * READ response. Owed replies are sorted by PSN. Neighbouring ACKs merge, but no ACK overtakes an
 * unsent READ response.
 *
 * Each READ leaves a record in a ring of max_dest_rd_atomic records, so that the READ can be
 * answered again. An atomic is handled like a READ of one packet. Its record holds the value before
 * the operation, so a duplicate atomic touches no memory. */
#include <string.h>

#include "wire/hdr.h"
#include "qp/lane.h"
#include "qp/qp.h"
#include "qp/responder.h"

#define SYNDROME_RNR 0x20

void rn_responder_init(struct rn_qp *qp, uint32_t psn, uint8_t max_reads)
{
	memset(&qp->rx, 0, sizeof(qp->rx));
	qp->rx.epsn = psn;
	qp->rx.nrec = max_reads;
}

/* The credit count is the number of posted receives, including the receive that the current message
 * uses. A QP with an SRQ reports "no credits", because other QPs share the receives. */
uint8_t rn_responder_syndrome(const struct rn_qp *qp)
{
	if (rn_likely(!qp->lane->cfg.credits) || qp->srq)
		return RN_CREDIT_NONE;
	return rn_credit_code(qp->rq.tail - qp->rq.head);
}

/* ---- the list of owed replies ---- */

/* Removes entry i of the list of owed replies. */
static void forget(struct rn_rx *rx, unsigned i)
{
	if (rx->owed[i].kind == RN_OWE_READ) {
		rx->rec[rx->owed[i].rec].owed = false;
		rx->nowed_reads--;
	}
	rx->nowed--;
	memmove(&rx->owed[i], &rx->owed[i + 1], (rx->nowed - i) * sizeof(rx->owed[0]));
	/* ACKs are cumulative, so the later one of two adjacent ACKs is enough. */
	if (i && i < rx->nowed && rx->owed[i].kind == RN_OWE_ACK &&
	    rx->owed[i - 1].kind == RN_OWE_ACK) {
		rx->owed[i - 1] = rx->owed[i];
		rx->nowed--;
		memmove(&rx->owed[i], &rx->owed[i + 1], (rx->nowed - i) * sizeof(rx->owed[0]));
	}
}

void rn_responder_answered(struct rn_rx *rx, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rn_responder_note_answer(&rx->rec[rx->owed[i].rec]);
	rn_responder_forget_answered(rx, n);
}

/* Inserts a reply into the list of owed replies, after all entries with the same or an earlier PSN.
 * Merges an ACK with an adjacent ACK. */
static void insert(struct rn_qp *qp, const struct rn_owe *o)
{
	struct rn_rx *rx = &qp->rx;
	unsigned i = rx->nowed;

	while (i && rn_psn_before(o->psn, rx->owed[i - 1].psn))
		i--;
	if (o->kind == RN_OWE_ACK && i && rx->owed[i - 1].kind == RN_OWE_ACK) {
		rx->owed[i - 1] = *o;
	} else if (o->kind == RN_OWE_ACK && i < rx->nowed && rx->owed[i].kind == RN_OWE_ACK) {
		/* The ACK in the list has a later PSN and covers the new ACK. */
	} else {
		rn_assert(rx->nowed < RN_OWED_MAX);
		if (rn_unlikely(i < rx->nowed))
			memmove(&rx->owed[i + 1], &rx->owed[i],
				(rx->nowed - i) * sizeof(rx->owed[0]));
		rx->owed[i] = *o;
		rx->nowed++;
		rx->nowed_reads += o->kind == RN_OWE_READ;
	}
	rn_lane_activate(qp->lane, qp);
}

void rn_responder_insert_ack(struct rn_qp *qp, uint32_t psn)
{
	insert(qp, &(struct rn_owe){.kind = RN_OWE_ACK, .psn = psn, .msn = qp->rx.msn});
}

static void owe_nak(struct rn_qp *qp, uint8_t syndrome, uint32_t psn)
{
	struct rn_rx *rx = &qp->rx;

	/* A new NAK makes an older NAK obsolete, so at most one NAK is owed. */
	for (unsigned i = rx->nowed; i--;)
		if (rx->owed[i].kind == RN_OWE_NAK)
			forget(rx, i);
	insert(qp, &(struct rn_owe){
			   .kind = RN_OWE_NAK, .syndrome = syndrome, .psn = psn, .msn = rx->msn});
}

/* Owes the response to a READ or atomic. The list is sorted by PSN. The entry has the last PSN of
 * the response and not the PSN after the last, which can be 2^23 away from the first PSN: too far
 * for rn_psn_before(). */
static void owe_read(struct rn_qp *qp, uint8_t rec)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_read_rec *read = &rx->rec[rec];

	read->owed = true;
	insert(qp, &(struct rn_owe){.kind = RN_OWE_READ,
				    .rec = rec,
				    .psn = rn_psn_add(read->first_psn, read->npkts - 1),
				    .msn = rx->msn});
}

/* ---- number of READ and atomic records ---- */

/* Sets the size of the ring of READ and atomic records (max_dest_rd_atomic). If the new ring is too
 * small, the oldest records and their owed replies are dropped. The peer's max_rd_atomic must
 * therefore be lowered first. */
void rn_responder_reads(struct rn_qp *qp, uint8_t max_reads)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_read_rec old[RN_MAX_RD_ATOMIC];
	uint8_t n = rx->nrec, from = rx->rec_next, kept = 0;

	if (max_reads == n)
		return;
	memcpy(old, rx->rec, sizeof(old));
	memset(rx->rec, 0, sizeof(rx->rec));
	rx->nrec = max_reads;
	/* Visit the records from the oldest to the newest. Unused slots come first. */
	for (unsigned age = 0; age < n; age++) {
		unsigned was = (from + age) % n;

		if (!old[was].npkts)
			continue;
		if (n - age > max_reads) {
			for (unsigned k = rx->nowed; old[was].owed && k--;)
				if (rx->owed[k].kind == RN_OWE_READ && rx->owed[k].rec == was)
					forget(rx, k);
			continue;
		}
		rx->rec[kept] = old[was];
		for (unsigned k = 0; k < rx->nowed; k++)
			if (rx->owed[k].kind == RN_OWE_READ && rx->owed[k].rec == was)
				/* 0x80 marks an entry that has its new index, so that a later
				 * iteration skips the entry. */
				rx->owed[k].rec = 0x80 | kept;
		kept++;
	}
	for (unsigned k = 0; k < rx->nowed; k++)
		rx->owed[k].rec &= 0x7F;
	rx->rec_next = kept < max_reads ? kept : 0;
}

/* ---- requests with the expected PSN ---- */

static bool in_sequence(const struct rn_rx *rx, const struct rn_opcode_row *op)
{
	if (op->starts)
		return rx->message == RN_RX_IDLE;
	return rx->message == (op->family == RN_F_SEND ? RN_RX_SEND : RN_RX_WRITE);
}

/* Returns true if the packet has the length that its opcode demands. First and Middle packets carry
 * exactly the path MTU. Last and Only packets carry at most the path MTU. A Last packet carries at
 * least one byte. */
static bool length_fits(const struct rn_qp *qp, const struct rn_pkt *pkt)
{
	if (!pkt->op->ends)
		return pkt->payload_len == rn_qp_mtu(qp) && !pkt->pad;
	return pkt->payload_len <= rn_qp_mtu(qp) && (pkt->op->starts || pkt->payload_len);
}

/* Returns the receive of the current message, or the next posted receive when a message begins.
 * Returns NULL if no receive is posted. A receive taken from an SRQ never goes back. It stays with
 * this QP until a message uses it or the QP fails. */
static const struct rn_rqe *receive_for(struct rn_qp *qp)
{
	const struct rn_rqe *e = rn_rq_first(&qp->rq);
	bool low;

	if (rn_likely(e || !qp->srq))
		return e;
	if (!rn_srq_take(qp->srq->srq, rn_rq_at(&qp->rq, qp->rq.tail), &low))
		return NULL;
	qp->rq.tail++;
	qp->lane->stats.srq_taken++;
	if (rn_unlikely(low))
		rn_lane_report_srq(qp->lane, qp->srq);
	return rn_rq_first(&qp->rq);
}

const struct rn_rqe *rn_responder_receive(struct rn_qp *qp)
{
	return receive_for(qp);
}

/* Completes the oldest receive, whose message ended with this packet. */
static void deliver(struct rn_qp *qp, const struct rn_pkt *pkt, uint32_t bytes, rn_time now)
{
	const struct rn_opcode_row *op = pkt->op;
	struct rn_arrival a = {
		.bytes = bytes,
		.imm = op->has_imm    ? pkt->imm
		       : op->has_ieth ? pkt->inv_rkey
				      : 0,
		.flags = (pkt->se ? RN_CQE_SOLICITED : 0) | (op->has_imm ? RN_CQE_IMM : 0) |
			 (op->has_ieth ? RN_CQE_INVAL : 0) |
			 (op->family == RN_F_WRITE ? RN_CQE_WRITE : 0),
	};

	rn_qp_complete_recv(qp, RN_STATUS_SUCCESS, 0, &a, now);
}

/* Invalidates `key`, the R_Key in a SEND with Invalidate. Returns false if no window is bound on
 * this QP with exactly this key. Releases the window at once, so that the window can be bound
 * again. */
static bool invalidate(struct rn_qp *qp, uint32_t key)
{
	if (!rn_mw_invalidate(qp->lane->mrs, key, rn_qp_via(qp)))
		return false;
	rn_mw_release(qp->lane->mrs, key, rn_qp_via(qp), &qp->bound);
	return true;
}

static enum rn_verdict take_send(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_rx *rx = &qp->rx;
	uint32_t off = pkt->op->starts ? 0 : rx->done;
	const struct rn_rqe *e;

	if (!length_fits(qp, pkt))
		return RN_V_REQ_LENGTH;
	e = receive_for(qp);
	if (!e)
		return RN_V_REQ_RNR;
	if (e->bad)
		return RN_V_REQ_LOCAL;
	if (pkt->payload_len > e->length - off)
		return RN_V_REQ_TOO_LONG;
	if (rn_rq_place(e, qp->lane->mrs, qp->lane->mem, qp->recv_pd, off, pkt->payload_len,
			pkt->payload) != RN_V_OK)
		return RN_V_REQ_LOCAL;
	/* The key is invalidated after the data have been placed. */
	if (rn_unlikely(pkt->op->has_ieth) && !invalidate(qp, pkt->inv_rkey))
		return RN_V_REQ_INVALIDATE;
	rx->done = off + pkt->payload_len;
	rx->message = pkt->op->ends ? RN_RX_IDLE : RN_RX_SEND;
	if (pkt->op->ends)
		deliver(qp, pkt, rx->done, now);
	rn_responder_commit(rx, 1, pkt->op->ends);
	return RN_V_OK;
}

static enum rn_verdict check_write_target(const struct rn_qp *qp, const struct rn_pkt *pkt)
{
	void *ptr;

	if (pkt->dma_len > RN_MSG_MAX)
		return RN_V_REQ_LENGTH;
	if (!pkt->dma_len)
		return RN_V_OK;
	return rn_mr_check_remote(qp->lane->mrs, pkt->rkey, rn_qp_via(qp), pkt->va, pkt->dma_len,
				  RN_ACCESS_REMOTE_WRITE, &ptr);
}

/* Checks the receive that a WRITE with immediate data consumes. To be called before the packet's
 * data are placed: without a receive, the packet gets an RNR NAK, and the peer sends the packet
 * again. */
static enum rn_verdict check_receive(struct rn_qp *qp)
{
	const struct rn_rqe *e = receive_for(qp);

	if (!e)
		return RN_V_REQ_RNR;
	return e->bad ? RN_V_REQ_LOCAL : RN_V_OK;
}

static enum rn_verdict take_write(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_rx *rx = &qp->rx;
	bool starts = pkt->op->starts;
	uint64_t va = starts ? pkt->va : rx->va;
	uint32_t rkey = starts ? pkt->rkey : rx->rkey, length = starts ? pkt->dma_len : rx->length;
	uint32_t off = starts ? 0 : rx->done, n = pkt->payload_len;
	enum rn_verdict v;

	if (!(qp->access & RN_ACCESS_REMOTE_WRITE))
		return RN_V_REQ_QP_ACCESS;
	if (!length_fits(qp, pkt))
		return RN_V_REQ_LENGTH;
	/* The last packet of a message must carry all remaining bytes. After any other packet, at
	 * least one byte must remain. */
	if (pkt->op->ends ? n != length - off : n >= length - off)
		return RN_V_REQ_LENGTH;
	v = starts ? check_write_target(qp, pkt) : RN_V_OK;
	if (v != RN_V_OK)
		return v;
	v = pkt->op->has_imm ? check_receive(qp) : RN_V_OK;
	if (v != RN_V_OK)
		return v;
	if (n) {
		v = rn_place_remote(qp->lane->mrs, qp->lane->mem, rkey, rn_qp_via(qp), va + off, n,
				    RN_ACCESS_REMOTE_WRITE, pkt->payload);
		if (v != RN_V_OK)
			return v;
	}
	rx->va = va;
	rx->rkey = rkey;
	rx->length = length;
	rx->done = off + n;
	rx->message = pkt->op->ends ? RN_RX_IDLE : RN_RX_WRITE;
	if (pkt->op->has_imm)
		deliver(qp, pkt, length, now);
	rn_responder_commit(rx, 1, pkt->op->ends);
	return RN_V_OK;
}

/* Drops the owed response of record i, which repeats an earlier response. */
void rn_responder_drop_repetition(struct rn_rx *rx, uint8_t i)
{
	for (unsigned k = rx->nowed; rx->rec[i].owed && k--;)
		if (rx->owed[k].kind == RN_OWE_READ && rx->owed[k].rec == i)
			forget(rx, k);
}

static enum rn_verdict take_read(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	enum rn_verdict v = rn_responder_may_fetch(qp, RN_ACCESS_REMOTE_READ);
	void *ptr;

	if (v != RN_V_OK)
		return v;
	if (pkt->dma_len > RN_MSG_MAX || pkt->payload_len)
		return RN_V_REQ_LENGTH;
	v = pkt->dma_len ? rn_mr_check_remote(qp->lane->mrs, pkt->rkey, rn_qp_via(qp), pkt->va,
					      pkt->dma_len, RN_ACCESS_REMOTE_READ, &ptr)
			 : RN_V_OK;
	if (v != RN_V_OK)
		return v;
	rn_responder_accept_read(qp, pkt->va, pkt->rkey, pkt->dma_len,
				 rn_qp_packets(qp, pkt->dma_len));
	return RN_V_OK;
}

/* Executes an atomic. A duplicate of the atomic is answered from its record and not executed
 * again. */
static enum rn_verdict take_atomic(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	struct rn_rx *rx = &qp->rx;
	const struct rn_atomic operands = {.swap_add = pkt->swap_add, .compare = pkt->compare};
	uint8_t op = pkt->opcode - RN_T_RC;
	enum rn_verdict v = rn_responder_may_fetch(qp, RN_ACCESS_REMOTE_ATOMIC);
	uint64_t orig;
	uint8_t rec;

	if (v != RN_V_OK)
		return v;
	if (pkt->payload_len)
		return RN_V_REQ_LENGTH;
	v = rn_atomic_remote(qp->lane->mrs, qp->lane->mem, pkt->rkey, rn_qp_via(qp), pkt->va,
			     op == RN_OP_CMP_SWAP, &operands, &orig);
	if (v != RN_V_OK)
		return v;
	rec = rn_responder_next_record(rx);
	rx->rec[rec] = (struct rn_read_rec){.first_psn = pkt->psn,
					    .npkts = 1,
					    .end = rx->taken + 1,
					    .orig = orig,
					    .op = op,
					    .owed = true};
	rn_responder_commit(rx, 1, true);
	rn_responder_owe_newest(qp, rec);
	return RN_V_OK;
}

static enum rn_verdict take_in_order(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	const struct rn_opcode_row *op = pkt->op;

	if (!op->known)
		return RN_V_REQ_UNSUPPORTED;
	if (!in_sequence(&qp->rx, op))
		return RN_V_REQ_SEQUENCE;
	switch (op->family) {
	case RN_F_SEND:
		return take_send(qp, pkt, now);
	case RN_F_WRITE:
		return take_write(qp, pkt, now);
	case RN_F_READ_REQ:
		return take_read(qp, pkt);
	case RN_F_ATOMIC:
		return take_atomic(qp, pkt);
	default:
		return RN_V_REQ_UNSUPPORTED;
	}
}

/* ---- repeated requests ---- */

/* Returns true if the peer can still repeat the request of this record. After RN_PSN_WINDOW further
 * accepted PSNs, the PSNs of the record may belong to other requests. */
static bool is_current(const struct rn_rx *rx, const struct rn_read_rec *rec)
{
	return rec->npkts && rx->taken - rec->end <= RN_PSN_WINDOW;
}

/* Returns the record of the READ or atomic whose PSNs include psn, or NULL if there is no such
 * record. */
static struct rn_read_rec *record_of(struct rn_rx *rx, uint32_t psn)
{
	for (unsigned i = 0; i < rx->nrec; i++) {
		struct rn_read_rec *rec = &rx->rec[i];

		if (is_current(rx, rec) && rn_psn_steps(rec->first_psn, psn) < rec->npkts)
			return rec;
	}
	return NULL;
}

/* Owes n packets of the response of `rec` from packet `skip` on, which are not its last ones. The
 * peer has all other packets, or is still getting them: a response that is being sent goes on
 * behind the part. */
static void owe_part(struct rn_read_rec *rec, uint32_t skip, uint32_t n)
{
	uint32_t on = !rec->owed ? 0 : rec->part_end ? rec->resume : rec->next;

	if (rec->owed && on <= skip && (on || !rec->part_end))
		return; /* the packets have not been sent yet, and will be */
	rec->next = rec->start = skip;
	rec->part_end = skip + n;
	rec->resume = on;
}

/* Handles a repeated READ request: for the whole READ, for its rest from a later packet on, or for
 * some packets in the middle. Checks the R_Key again, because the memory may have been deregistered
 * in the meantime. */
static enum rn_verdict replay_read(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_read_rec *rec = record_of(rx, pkt->psn);
	uint32_t skip, rest;
	void *ptr;

	if (!rec || rec->op != RN_OP_READ_REQUEST)
		return RN_V_REQ_DUP_STALE;
	skip = rn_psn_steps(rec->first_psn, pkt->psn);
	rest = rec->length - (skip << qp->mtu_shift);
	if (pkt->rkey != rec->rkey || pkt->va != rec->va + ((uint64_t)skip << qp->mtu_shift) ||
	    pkt->dma_len > rest)
		return RN_V_REQ_DUP_STALE;
	/* A part ends where a packet of the original response ends. */
	if (pkt->dma_len < rest && (!pkt->dma_len || pkt->dma_len & (rn_qp_mtu(qp) - 1)))
		return RN_V_REQ_DUP_STALE;
	if (pkt->dma_len &&
	    rn_mr_check_remote(qp->lane->mrs, pkt->rkey, rn_qp_via(qp), pkt->va, pkt->dma_len,
			       RN_ACCESS_REMOTE_READ, &ptr) != RN_V_OK)
		return RN_V_REQ_REPLAY_GONE;
	/* A request for the rest restarts the response at the requested packet, even if the first
	 * response is still being sent. A request for a part interrupts that response. */
	if (rn_unlikely(pkt->dma_len < rest)) {
		owe_part(rec, skip, pkt->dma_len >> qp->mtu_shift);
	} else {
		rec->start = rec->next = skip;
		rec->part_end = rec->resume = 0;
	}
	if (!rec->owed)
		owe_read(qp, rec - rx->rec);
	return RN_V_REQ_DUP_READ;
}

/* Handles a repeated atomic. The response comes from the record, and no memory is accessed. So only
 * the opcode is compared with the record, and not the R_Key and the address. */
static enum rn_verdict replay_atomic(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_read_rec *rec = record_of(rx, pkt->psn);

	if (!rec || rec->op != pkt->opcode - RN_T_RC)
		return RN_V_REQ_DUP_STALE;
	if (!rec->owed)
		owe_read(qp, rec - rx->rec);
	return RN_V_REQ_DUP_READ;
}

/* Returns the PSN of the ACK for a duplicate at psn: the newest accepted PSN, or the PSN before the
 * first READ or atomic after psn. The requester would take an ACK for the READ's own PSN as an
 * implied NAK if the response was lost. */
static uint32_t ack_for_duplicate(const struct rn_rx *rx, uint32_t psn)
{
	uint32_t to = rn_psn_add(rx->epsn, -1u);

	for (unsigned i = 0; i < rx->nrec; i++)
		if (is_current(rx, &rx->rec[i]) && rn_psn_before(psn, rx->rec[i].first_psn) &&
		    !rn_psn_before(to, rx->rec[i].first_psn))
			to = rn_psn_add(rx->rec[i].first_psn, -1u);
	return to;
}

static enum rn_verdict take_duplicate(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	if (pkt->op->known && pkt->op->family == RN_F_READ_REQ)
		return replay_read(qp, pkt);
	if (pkt->op->known && pkt->op->family == RN_F_ATOMIC)
		return replay_atomic(qp, pkt);
	/* A SEND or WRITE whose PSN belongs to a READ or atomic is no repetition: drop the
	 * packet. */
	if (record_of(&qp->rx, pkt->psn))
		return RN_V_REQ_DUP_STALE;
	return RN_V_REQ_DUPLICATE;
}

/* ---- errors, replies to requests, receiving ---- */

/* Returns the status with which verdict v completes the current receive, or SUCCESS if v does not
 * concern the receive. */
static uint8_t recv_status(const struct rn_qp *qp, enum rn_verdict v)
{
	if (v == RN_V_REQ_TOO_LONG)
		return RN_STATUS_LOC_LEN_ERR;
	if (v == RN_V_REQ_LOCAL)
		return RN_STATUS_LOC_PROT_ERR;
	if (v == RN_V_REQ_INVALIDATE)
		return RN_STATUS_LOC_QP_OP_ERR;
	return qp->rx.message == RN_RX_SEND ? RN_STATUS_LOC_QP_OP_ERR : RN_STATUS_SUCCESS;
}

void rn_responder_fail(struct rn_qp *qp, enum rn_verdict v, rn_time now)
{
	uint8_t status = recv_status(qp, v);

	if (status)
		rn_qp_complete_recv(qp, status, v, NULL, now);
	rn_qp_note_error(qp, rn_verdicts[v].text);
	rn_qp_error(qp,
		    rn_verdicts[v].reply == RN_REPLY_NAK_ACC ? RN_QPE_ACCESS_ERR : RN_QPE_REQ_ERR,
		    true, now);
}

/* Returns the RNR timer code of the next RNR NAK: min_rnr_timer, raised by rnr_step with each
 * consecutive RNR NAK. The first wait is short, and yet a peer with few RNR retries waits long
 * enough in total. Code 0 is the longest wait and never rises. */
static uint8_t rnr_code(struct rn_qp *qp)
{
	unsigned code = qp->attr.min_rnr_timer;

	if (code && qp->attr.rnr_step)
		code = RN_MIN(code + qp->attr.rnr_step * qp->rx.rnr_naks, 31u);
	qp->rx.rnr_naks = (uint8_t)RN_MIN(qp->rx.rnr_naks + 1u, 31u);
	return (uint8_t)code;
}

/* Queues the reply that the table rn_verdicts names for verdict v. Puts the QP into ERR if the
 * table demands this. */
static void reply(struct rn_qp *qp, enum rn_verdict v, uint32_t psn, rn_time now)
{
	switch (rn_verdicts[v].reply) {
	case RN_REPLY_NONE:
		break;
	case RN_REPLY_ACK:
		rn_responder_owe_ack(qp, ack_for_duplicate(&qp->rx, psn));
		break;
	case RN_REPLY_NAK_SEQ:
		owe_nak(qp, 0x60, qp->rx.epsn);
		break;
	case RN_REPLY_NAK_INV:
		owe_nak(qp, 0x61, psn);
		break;
	case RN_REPLY_NAK_ACC:
		owe_nak(qp, 0x62, psn);
		break;
	case RN_REPLY_NAK_OP:
		owe_nak(qp, 0x63, psn);
		break;
	case RN_REPLY_RNR:
		/* Owe an RNR NAK and set nak_sent. Packets after epsn are then dropped without a
		 * NAK until a packet with epsn arrives. */
		owe_nak(qp, SYNDROME_RNR | rnr_code(qp), psn);
		qp->rx.nak_sent = qp->rx.nak_rnr = true;
		break;
	}
	if (rn_verdicts[v].qp == RN_QP_ERROR)
		rn_responder_fail(qp, v, now);
}

/* Handles a packet beyond epsn. Only the first packet after a gap causes a NAK, because each
 * further NAK would make the peer send the same packets again. */
static enum rn_verdict take_gap(struct rn_rx *rx)
{
	if (rx->nak_sent)
		return rx->nak_rnr ? RN_V_REQ_RNR_AGAIN : RN_V_REQ_GAP_AGAIN;
	rx->nak_sent = true;
	rx->nak_rnr = false;
	return RN_V_REQ_GAP;
}

static bool is_answered_with_data(const struct rn_opcode_row *op)
{
	return op->family == RN_F_READ_REQ || op->family == RN_F_ATOMIC;
}

/* Handles a request with the expected PSN. While packets are kept, each request gets an ACK, so
 * that the last one names the next missing packet exactly: the peer sends that one again. */
static enum rn_verdict take_expected(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	enum rn_verdict v = take_in_order(qp, pkt, now);

	if (rn_unlikely(qp->type == RN_QPT_UC))
		return v; /* UC sends no replies */
	if (rn_unlikely(v != RN_V_OK))
		reply(qp, v, pkt->psn, now);
	else if ((pkt->ack_req || qp->rx.keeping) && !is_answered_with_data(pkt->op))
		rn_responder_owe_ack(qp, pkt->psn);
	return v;
}

/* Handles the kept packets that are expected now, up to the next missing packet. If one of them
 * fails, the peer sends it and the later ones again, so the rest is dropped. */
static __attribute__((noinline)) void take_kept(struct rn_qp *qp, rn_time now)
{
	struct rn_keep_pool *pool = &qp->lane->keep;
	uint32_t slot;

	while ((slot = rn_keep_take(pool, &qp->keep, qp->rx.epsn))) {
		if (take_expected(qp, rn_keep_at(pool, slot), now) != RN_V_OK)
			rn_keep_clear(pool, &qp->keep);
		rn_keep_free(pool, slot);
	}
	qp->rx.keeping = qp->keep.n != 0;
}

enum rn_verdict rn_responder_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	enum rn_verdict v;

	if (rn_unlikely(!qp->rx.peer_seen)) {
		qp->rx.peer_seen = true;
		rn_lane_comm_est(qp->lane, qp, now);
	}
	if (rn_likely(pkt->psn == qp->rx.epsn)) {
		v = take_expected(qp, pkt, now);
		if (rn_unlikely(qp->rx.keeping))
			take_kept(qp, now);
		return v;
	}
	v = rn_psn_before(pkt->psn, qp->rx.epsn) ? take_duplicate(qp, pkt) : take_gap(&qp->rx);
	/* After an RNR NAK the peer sends all packets again, so none is kept. */
	if (v == RN_V_REQ_GAP || v == RN_V_REQ_GAP_AGAIN)
		rn_responder_keep(qp, pkt);
	reply(qp, v, pkt->psn, now);
	return v;
}

/* ---- building of owed replies ---- */

static inline unsigned build_acknowledge(struct rn_qp *qp, const struct rn_owe *o, uint8_t *buf)
{
	struct rn_stats *st = &qp->lane->stats;
	uint8_t syndrome = o->kind == RN_OWE_ACK ? rn_responder_syndrome(qp) : o->syndrome;

	rn_tmpl_put(&qp->tmpl, buf, RN_OP_ACK, o->psn, 0, RN_AETH_BYTES, 0);
	rn_store32(buf + qp->tmpl.bytes, (uint32_t)syndrome << 24 | o->msn);
	if (o->kind == RN_OWE_ACK)
		st->tx_acks++;
	else if (o->syndrome >> 5 == 1)
		st->tx_rnr_naks++;
	else
		st->tx_naks++;
	return rn_tmpl_close(&qp->tmpl, buf, RN_AETH_BYTES, 0);
}

static uint8_t response_opcode(bool first, bool last)
{
	if (first)
		return last ? RN_OP_READ_RESP_ONLY : RN_OP_READ_RESP_FIRST;
	return last ? RN_OP_READ_RESP_LAST : RN_OP_READ_RESP_MIDDLE;
}

/* Ends a READ response whose memory is no longer accessible. If the whole response was sent once
 * before, only this repetition is dropped. Otherwise all owed replies are dropped, a NAK for the
 * first unsent PSN is owed, and the QP enters ERR. */
static void give_up_read(struct rn_qp *qp, struct rn_read_rec *rec, enum rn_verdict why,
			 rn_time now)
{
	uint32_t psn = rn_psn_add(rec->first_psn, rec->next);

	/* Verdicts count received packets, and this READ request was counted when it arrived. A
	 * READ that is given up therefore has its own counter. */
	qp->lane->stats.tx_reads_given_up++;
	if (rec->answered) {
		forget(&qp->rx, 0);
		return;
	}
	while (qp->rx.nowed)
		forget(&qp->rx, qp->rx.nowed - 1);
	reply(qp, why, psn, now);
}

/* The last packet of the response that heads the list, or of a part of it, has been built. A
 * response that the part has interrupted goes on, and begins anew with First or Only. */
static void end_response(struct rn_rx *rx, struct rn_read_rec *rec)
{
	rec->start = rec->next = rec->resume;
	if (!rec->resume)
		rn_responder_answered(rx, 1);
	rec->part_end = rec->resume = 0;
}

/* Builds the next packet of the READ response that heads the list of owed replies. Returns the
 * packet's length, or 0 if the memory is no longer accessible. */
static unsigned build_read_response(struct rn_qp *qp, uint8_t *buf, rn_time now)
{
	struct rn_rx *rx = &qp->rx;
	const struct rn_owe *o = &rx->owed[0];
	struct rn_read_rec *rec = &rx->rec[o->rec];
	uint32_t off = rec->next << qp->mtu_shift;
	uint32_t end = rec->part_end ? rec->part_end : rec->npkts;
	bool first = rec->next == rec->start, last = rec->next + 1 == end;
	uint32_t n = RN_MIN(rec->length - off, rn_qp_mtu(qp));
	unsigned ext = first || last ? RN_AETH_BYTES : 0;
	uint8_t *p = buf + qp->tmpl.bytes;
	uint32_t *icrc;
	enum rn_verdict v;

	rn_tmpl_put(&qp->tmpl, buf, response_opcode(first, last),
		    rn_psn_add(rec->first_psn, rec->next), 0, ext, n);
	if (ext)
		rn_store32(p, (uint32_t)rn_responder_syndrome(qp) << 24 | o->msn);
	icrc = rn_tmpl_icrc(&qp->tmpl, buf, ext, n);
	v = n ? rn_gather_remote(qp->lane->mrs, qp->lane->mem, rec->rkey, rn_qp_via(qp),
				 rec->va + off, n, RN_ACCESS_REMOTE_READ, p + ext, icrc)
	      : RN_V_OK;
	if (v != RN_V_OK) {
		give_up_read(qp, rec, v, now);
		return 0;
	}
	if (last)
		end_response(rx, rec);
	else
		rec->next++;
	qp->lane->stats.tx_read_responses++;
	return rn_tmpl_close_icrc(&qp->tmpl, buf, ext, n, icrc);
}

/* Builds the response to the atomic that heads the list of owed replies. */
static unsigned build_atomic_ack(struct rn_qp *qp, uint8_t *buf)
{
	const struct rn_owe o = qp->rx.owed[0];
	const struct rn_read_rec *rec = &qp->rx.rec[o.rec];
	uint8_t *p = buf + qp->tmpl.bytes;

	rn_tmpl_put(&qp->tmpl, buf, RN_OP_ATOMIC_ACK, rec->first_psn, 0,
		    RN_AETH_BYTES + RN_ATOMIC_ACK_BYTES, 0);
	rn_store32(p, (uint32_t)rn_responder_syndrome(qp) << 24 | o.msn);
	rn_store64(p + RN_AETH_BYTES, rec->orig);
	rn_responder_answered(&qp->rx, 1);
	qp->lane->stats.tx_atomic_acks++;
	return rn_tmpl_close(&qp->tmpl, buf, RN_AETH_BYTES + RN_ATOMIC_ACK_BYTES, 0);
}

unsigned rn_responder_tx_ack(struct rn_qp *qp, struct rn_txbuf *buf)
{
	qp->rx.nowed = 0;     /* its entry, which is read below, stays as it is */
	qp->own_turn = false; /* as in rn_qp_tx(): the packet is no READ response */
	return build_acknowledge(qp, &qp->rx.owed[0], buf->data);
}

unsigned rn_responder_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	struct rn_rx *rx = &qp->rx;

	rn_assert(buf->cap >= rn_tmpl_frame_bytes(&qp->tmpl, RN_AETH_BYTES, rn_qp_mtu(qp)));
	while (rx->nowed) {
		struct rn_owe o = rx->owed[0];
		unsigned n;

		if (o.kind != RN_OWE_READ) {
			forget(rx, 0);
			return build_acknowledge(qp, &o, buf->data);
		}
		if (rx->rec[o.rec].op != RN_OP_READ_REQUEST)
			return build_atomic_ack(qp, buf->data);
		n = build_read_response(qp, buf->data, now);
		if (n)
			return n;
	}
	return 0;
}
