/* How do queued work requests become packets, and responses become completions, in order? Runs on
 * the shard's thread.
 *
 * Sending: rn_requester_tx() builds the packet with the PSN `cur` of the send window. The packet is
 * a retransmission, the next packet of the present work request, or the first packet of the next
 * work request.
 *
 * Receiving: a response moves `una`, the oldest unacknowledged PSN, forward
 * (rn_requester_advance()), which completes work requests. A NAK or a gap in the READ responses
 * sets `cur` back to `una` (rn_requester_go_back()). With rn_core_cfg.keep_packets, a NAK makes the
 * requester send the missing packet alone again (rn_window_patch()), and a gap makes it request the
 * missing responses alone (read_gap.h).
 *
 * Kinds of work requests:
 * - READ: only READ responses complete it. A large READ is requested in pieces (window.h).
 * - Atomic: sent like a READ of one packet. The ATOMIC ACK carries the value before the
 *   operation.
 * - BIND and INVALIDATE: send no packet. They take effect as soon as all earlier work requests have
 *   been sent once. They complete after all earlier work requests.
 * - A work request that fails locally completes after all earlier work requests, and puts the QP
 *   into the error state.
 *
 * The requester ignores the peer's end-to-end credits (credit.h) unless the configuration enables
 * credits. Without credits, a SEND may reach a peer that has posted no receive. The peer then sends
 * an RNR NAK. */
#include <string.h>

#include "wire/hdr.h"
#include "qp/complete.h"
#include "qp/lane.h"
#include "qp/qp.h"
#include "qp/read_gap.h"
#include "qp/requester.h"

/* With a rate limit, a packet with AckReq is sent at least this often. */
#define ASK_NS RN_US(100)
/* A peer that gets no further CNP has its full rate again after about this time. */
#define CNP_LASTS RN_MS(50)
/* After a NAK the shortest time until a probe is this part of the usual one: a path that loses
 * packets loses NAKs and patches too, and the send window is used up meanwhile. Each probe doubles
 * the time, until the next NAK. */
#define PROBE_HASTE 5

/* ---- sending requests ---- */

/* Returns true if these three conditions let the work request start:
 * - With a fence, all earlier READs and atomics are complete.
 * - READ or atomic: fewer than max_rd_atomic earlier READs and atomics are incomplete.
 * - All PSNs in flight fit into half of the PSN space. */
static bool may_start(struct rn_qp *qp, struct rn_sqe *e, uint32_t npkts)
{
	if (e->flags & RN_WQE_FENCE && qp->win.nreads)
		return false;
	if (rn_sq_is_fetch(e->kind) && qp->win.nreads >= qp->attr.max_rd_atomic)
		return false;
	return rn_window_fits(&qp->win, npkts);
}

/* If the peer's credits let a work request of npkts packets start, counts the work request as
 * started and returns true. To be called after all other checks. Credits count messages: a work
 * request is one message, but a large READ is one message per READ request packet. */
static bool has_credit(struct rn_qp *qp, const struct rn_sqe *e, uint32_t npkts)
{
	bool needs = rn_sq_is_send(e->kind) || e->kind == RN_WQE_WRITE_IMM, first;
	uint32_t n = rn_sq_is_fetch(e->kind) ? RN_DIV_UP(npkts, qp->win.piece) : 1;

	if (rn_credit_start(&qp->credit, needs, n, qp->win.una == qp->win.next, &first))
		return true;
	qp->lane->stats.credit_waits += first;
	return false;
}

/* Starts the next work request of the send queue, which gets its PSNs. Returns false if the work
 * request may not start now. */
static bool start_next(struct rn_qp *qp)
{
	struct rn_sqe *e = rn_sq_at(&qp->sq, qp->sq.started);
	uint32_t npkts;

	if (!rn_qp_states[qp->state].start)
		return false;
	npkts = e->kind == RN_WQE_NOP || rn_sq_is_local(e->kind) ? 0 : rn_qp_packets(qp, e->length);
	if (!may_start(qp, e, npkts))
		return false;
	if (rn_unlikely(qp->credit.mode) && npkts && !has_credit(qp, e, npkts))
		return false;
	rn_window_start(&qp->win, &qp->sq, npkts);
	return true;
}

/* Returns true if the send window has room for one more packet of work request e:
 * - READ or atomic: fewer responses than the window size are expected (w->responses). While a READ
 *   of several request packets is incomplete, fewer than max_rd_atomic request packets of READs and
 *   atomics may be unanswered.
 * - Any other: fewer request packets than the window size are in flight. */
static bool has_room(const struct rn_qp *qp, const struct rn_sqe *e)
{
	const struct rn_window *w = &qp->win;

	if (!rn_sq_is_fetch(e->kind))
		return rn_window_requests(w) < w->size;
	return w->responses < w->size &&
	       (rn_likely(!w->nbig) || rn_window_asked(w, &qp->sq) < qp->attr.max_rd_atomic);
}

static uint8_t opcode_of(uint8_t kind, bool first, bool last)
{
	static const struct {
		uint8_t first, middle, last, only;
	} ops[] = {
		[RN_WQE_SEND] = {RN_OP_SEND_FIRST, RN_OP_SEND_MIDDLE, RN_OP_SEND_LAST,
				 RN_OP_SEND_ONLY},
		[RN_WQE_SEND_IMM] = {RN_OP_SEND_FIRST, RN_OP_SEND_MIDDLE, RN_OP_SEND_LAST_IMM,
				     RN_OP_SEND_ONLY_IMM},
		[RN_WQE_SEND_INVAL] = {RN_OP_SEND_FIRST, RN_OP_SEND_MIDDLE, RN_OP_SEND_LAST_INV,
				       RN_OP_SEND_ONLY_INV},
		[RN_WQE_WRITE] = {RN_OP_WRITE_FIRST, RN_OP_WRITE_MIDDLE, RN_OP_WRITE_LAST,
				  RN_OP_WRITE_ONLY},
		[RN_WQE_WRITE_IMM] = {RN_OP_WRITE_FIRST, RN_OP_WRITE_MIDDLE, RN_OP_WRITE_LAST_IMM,
				      RN_OP_WRITE_ONLY_IMM},
	};

	if (first)
		return last ? ops[kind].only : ops[kind].first;
	return last ? ops[kind].last : ops[kind].middle;
}

/* Returns the number of bytes of extension headers: a RETH in the first packet of a WRITE, and
 * immediate data or an R_Key in the last packet of a message. */
static unsigned extension_bytes(uint8_t kind, bool first, bool last)
{
	bool extra = last && kind != RN_WQE_SEND && kind != RN_WQE_WRITE;

	return (first && rn_sq_is_write(kind) ? RN_RETH_BYTES : 0) + (extra ? RN_IMM_BYTES : 0);
}

static void put_extensions(const struct rn_sqe *e, uint8_t *p, bool first, bool last)
{
	if (first && rn_sq_is_write(e->kind)) {
		rn_store_reth(p, e->remote_va, e->rkey, e->length);
		p += RN_RETH_BYTES;
	}
	if (last && e->kind == RN_WQE_SEND_INVAL)
		rn_store32(p, e->imm);
	else if (last && (e->kind == RN_WQE_SEND_IMM || e->kind == RN_WQE_WRITE_IMM))
		memcpy(p, &e->imm, RN_IMM_BYTES);
}

/* Builds a READ request for the next n response packets. */
static unsigned build_read(struct rn_qp *qp, const struct rn_sqe *e, uint32_t n, uint8_t *buf)
{
	uint32_t off = qp->win.send_pkt << qp->mtu_shift,
		 length = RN_MIN(e->length - off, n << qp->mtu_shift);

	rn_tmpl_put(&qp->tmpl, buf, RN_OP_READ_REQUEST, qp->win.cur, RN_TMPL_ACK_REQ, RN_RETH_BYTES,
		    0);
	rn_store_reth(buf + qp->tmpl.bytes, e->remote_va + off, e->rkey, length);
	return rn_tmpl_close(&qp->tmpl, buf, RN_RETH_BYTES, 0);
}

static unsigned build_atomic(struct rn_qp *qp, const struct rn_sqe *e, uint8_t *buf)
{
	const struct rn_atomic *operands = rn_sq_operands(e);
	bool swap = e->kind == RN_WQE_CMP_SWAP;
	uint8_t *p = buf + qp->tmpl.bytes;

	rn_tmpl_put(&qp->tmpl, buf, swap ? RN_OP_CMP_SWAP : RN_OP_FETCH_ADD, qp->win.cur,
		    RN_TMPL_ACK_REQ, RN_ATOMIC_ETH_BYTES, 0);
	rn_store64(p, e->remote_va);
	rn_store32(p + 8, e->rkey);
	rn_store64(p + 12, operands->swap_add);
	rn_store64(p + 20, swap ? operands->compare : 0);
	return rn_tmpl_close(&qp->tmpl, buf, RN_ATOMIC_ETH_BYTES, 0);
}

/* Returns the largest number of packets from one AckReq bit to the next. With a rate limit, this is
 * at most the number of packets sent in ASK_NS. The retransmission timer could otherwise expire
 * before any packet requests an ACK. */
static uint32_t ask_every(const struct rn_qp *qp)
{
	uint32_t n = rn_window_ask_every(&qp->win);
	uint64_t limit;

	if (rn_likely(!qp->cc.limited))
		return n;
	limit = (qp->cc.rate / 8 * ASK_NS / RN_S(1)) >> qp->mtu_shift;
	return (uint32_t)RN_MIN(n, limit);
}

/* Returns RN_TMPL_ACK_REQ if the next packet of a SEND or WRITE must request an ACK, otherwise 0.
 * The last packet of a message requests an ACK, and so does a patch. At least one in every
 * ask_every() packets also requests an ACK. */
static unsigned ask(struct rn_qp *qp, const struct rn_sqe *e)
{
	struct rn_window *w = &qp->win;

	if (w->send_pkt + 1 == e->npkts || w->unasked + 1u >= ask_every(qp) ||
	    rn_window_at_patch(w)) {
		w->unasked = 0;
		return RN_TMPL_ACK_REQ;
	}
	w->unasked++;
	return 0;
}

/* Builds a packet of a SEND or WRITE. Returns the packet's length, or 0 if local memory is not
 * accessible. *why is then the verdict. */
static unsigned build_data(struct rn_qp *qp, const struct rn_sqe *e, uint8_t *buf, unsigned flags,
			   enum rn_verdict *why)
{
	struct rn_window *w = &qp->win;
	uint32_t off = w->send_pkt << qp->mtu_shift;
	bool first = w->send_pkt == 0, last = w->send_pkt + 1 == e->npkts;
	uint32_t n = last ? e->length - off : rn_qp_mtu(qp);
	unsigned ext = extension_bytes(e->kind, first, last);
	uint8_t *p = buf + qp->tmpl.bytes;
	uint32_t *icrc;

	if (last && e->kind != RN_WQE_WRITE && e->flags & RN_WQE_SOLICITED)
		flags |= RN_TMPL_SE;
	rn_tmpl_put(&qp->tmpl, buf, qp->transport | opcode_of(e->kind, first, last), w->cur, flags,
		    ext, n);
	if (ext)
		put_extensions(e, p, first, last);
	icrc = rn_tmpl_icrc(&qp->tmpl, buf, ext, n);
	*why = rn_sq_gather(e, qp->lane->mrs, qp->lane->mem, qp->pd, off, n, p + ext, icrc);
	return *why == RN_V_OK ? rn_tmpl_close_icrc(&qp->tmpl, buf, ext, n, icrc) : 0;
}

/* Accounts for a sent RC request packet that uses npsn PSNs. */
static void account_sent(struct rn_qp *qp, struct rn_sqe *e, uint32_t npsn, rn_time now)
{
	struct rn_window *w = &qp->win;
	uint32_t psn = w->cur;
	bool fresh = psn == w->high;

	if (fresh)
		qp->lane->stats.tx_requests++;
	else
		qp->lane->stats.tx_retransmitted++;
	if (!fresh && e->kind == RN_WQE_READ)
		rn_retry_asked_again(&qp->retry, npsn);
	rn_window_sent(w, &qp->sq, npsn);
	/* Measure the round trip of a packet that is new and requests a response. w->unasked is 0
	 * if this packet requests a response. Otherwise w->unasked is the number of packets since
	 * the last request for a response. */
	rn_retry_packet_sent(&qp->retry, &qp->lane->wheel, psn, fresh && !w->unasked, now);
}

/* Executes a BIND, INVALIDATE or NOP, which send no packets. e->ran prevents a second execution
 * after a loss. Returns false and sets e->status if the work request failed. */
static bool run_local(struct rn_qp *qp, struct rn_sqe *e)
{
	struct rn_mr_table *mrs = qp->lane->mrs;
	bool done = true;

	if (e->ran)
		return true;
	if (e->kind == RN_WQE_BIND && e->flags & RN_WQE_REBIND)
		done = rn_mw_rebind(mrs, e->rkey, rn_qp_via(qp), e->remote_va, &e->bind,
				    &qp->bound);
	else if (e->kind == RN_WQE_BIND)
		done = rn_mw_bind(mrs, e->rkey, rn_qp_via(qp), e->remote_va, &e->bind, &qp->bound);
	else if (e->kind == RN_WQE_INVALIDATE)
		done = rn_mw_invalidate(mrs, e->imm, rn_qp_via(qp));
	e->ran = done;
	if (!done)
		e->status = RN_STATUS_MW_BIND_ERR;
	return done;
}

static void retire_done(struct rn_qp *qp, rn_time now);

/* Returns the work request of the next packet and gives the work request its PSNs. Returns NULL if
 * nothing may be sent now. */
static struct rn_sqe *pick(struct rn_qp *qp, rn_time now)
{
	struct rn_sq *sq = &qp->sq;

	while (sq->send != sq->tail) {
		struct rn_sqe *e = rn_sq_at(sq, sq->send);

		if (rn_unlikely(e->status)) {
			/* A failed work request completes after all earlier work requests. */
			if (sq->head == sq->send)
				rn_qp_send_failed(qp, e->status, e->verdict, now);
			return NULL;
		}
		if (rn_unlikely(rn_sq_is_fetch(e->kind) && !qp->attr.max_rd_atomic)) {
			e->status = RN_STATUS_LOC_QP_OP_ERR;
			continue;
		}
		if (sq->send == sq->started && !start_next(qp))
			return NULL;
		if (rn_likely(e->npkts))
			return has_room(qp, e) ? e : NULL;
		if (!run_local(qp, e))
			continue;
		rn_window_sent(&qp->win, sq, 0);
		retire_done(qp, now);
	}
	return NULL;
}

/* Accounts for a sent UC packet. UC has no acknowledgements, so each packet counts as acknowledged
 * at once. */
static void hand_over(struct rn_qp *qp, rn_time now)
{
	qp->lane->stats.tx_requests++;
	rn_window_sent(&qp->win, &qp->sq, 1);
	rn_window_ack(&qp->win, &qp->sq, qp->win.cur);
	retire_done(qp, now);
}

unsigned rn_requester_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	struct rn_sqe *e;
	enum rn_verdict why = RN_V_OK;
	uint32_t npsn = 1;
	unsigned len;

	if (qp->retry.rnr_wait)
		return 0;
	e = pick(qp, now);
	if (!e)
		return 0;
	rn_assert(buf->cap >=
		  rn_tmpl_frame_bytes(&qp->tmpl, RN_RETH_BYTES + RN_IMM_BYTES, rn_qp_mtu(qp)));
	if (e->kind == RN_WQE_READ) {
		npsn = rn_window_piece(&qp->win, e);
		qp->win.unasked = 0;
		len = build_read(qp, e, npsn, buf->data);
	} else if (rn_unlikely(rn_sq_is_atomic(e->kind))) {
		qp->win.unasked = 0;
		len = build_atomic(qp, e, buf->data);
	} else {
		unsigned flags = rn_likely(qp->type == RN_QPT_RC) ? ask(qp, e) : 0;

		len = build_data(qp, e, buf->data, flags, &why);
	}
	if (rn_unlikely(!len)) {
		e->status = RN_STATUS_LOC_PROT_ERR;
		e->verdict = why;
		if (qp->sq.head == qp->sq.send)
			rn_qp_send_failed(qp, e->status, why, now);
		return 0;
	}
	if (rn_likely(qp->type == RN_QPT_RC))
		account_sent(qp, e, npsn, now);
	else
		hand_over(qp, now);
	return len;
}

/* ---- progress, and going back after a loss ---- */

/* Completes the oldest work requests of the send queue whose PSNs are all acknowledged. */
static void retire_done(struct rn_qp *qp, rn_time now)
{
	struct rn_sq *sq = &qp->sq;
	uint32_t first = sq->head;
	const struct rn_sqe *e;

	while (sq->head != sq->send) {
		e = rn_sq_at(sq, sq->head);
		if (!rn_window_done(&qp->win, e))
			break;
		if (rn_likely(!rn_sq_is_fetch(e->kind)) && rn_complete_run(qp, qp->win.una, now))
			continue;
		rn_complete_request(qp, e, now);
		sq->head++;
	}
	if (sq->head != first) {
		qp->sq_retired += sq->head - first;
		rn_lane_mark_dirty(qp);
	}
	if (rn_unlikely(qp->state == RN_QPS_SQD))
		rn_qp_drained(qp);
}

void rn_requester_progress(struct rn_qp *qp, rn_time now)
{
	const struct rn_window *w = &qp->win;

	rn_retry_progress(&qp->retry, &qp->lane->wheel, w->una, w->una != w->high, now);
	retire_done(qp, now);
	if (qp->sq.send != qp->sq.tail)
		rn_lane_activate(qp->lane, qp);
}

/* Handles the acknowledgement of all PSNs before psn. Moves una, restarts the timer and completes
 * work requests. */
void rn_requester_advance(struct rn_qp *qp, uint32_t psn, rn_time now)
{
	struct rn_window *w = &qp->win;
	bool again = false;

	if (psn == w->una)
		return;
	if (!rn_window_ack_plain(w, psn)) {
		rn_window_ack(w, &qp->sq, psn);
		again = w->patching && rn_window_patched(w, &qp->sq, rn_retry_queued(&qp->retry));
	}
	rn_requester_progress(qp, now);
	/* The packets that are sent again need no NAK, so ignore the NAK for them. */
	if (rn_unlikely(again)) {
		qp->lane->stats.tx_patches += w->patching;
		rn_retry_implied(&qp->retry, now);
		rn_lane_activate(qp->lane, qp);
	}
}

void rn_requester_go_back(struct rn_qp *qp)
{
	rn_read_gap_forget(qp);
	rn_window_rewind(&qp->win, &qp->sq);
	rn_lane_activate(qp->lane, qp);
}

/* Handles an implied NAK: a later response shows that the response with the PSN `expect` was lost.
 * `expect` belongs to the oldest READ or atomic. Goes back to `expect` once. Further calls do
 * nothing until there is progress or a timeout, unless the missing responses alone have been
 * requested since. */
static enum rn_verdict imply_nak(struct rn_qp *qp, uint32_t expect, rn_time now)
{
	rn_requester_advance(qp, expect, now);
	if (!qp->retry.acted || qp->win.reading) {
		rn_retry_implied(&qp->retry, now);
		rn_window_lost(&qp->win, rn_retry_queued(&qp->retry));
		rn_requester_go_back(qp);
	}
	return RN_V_RSP_IMPLIED_NAK;
}

/* Handles a response, or an ACK if pkt is NULL, beyond the missing response with the PSN
 * `expect`. */
static enum rn_verdict take_gap(struct rn_qp *qp, const struct rn_pkt *pkt, uint32_t psn,
				uint32_t expect, rn_time now)
{
	return rn_read_gap_found(qp, pkt, psn, expect, now) ? RN_V_RSP_IMPLIED_NAK
							    : imply_nak(qp, expect, now);
}

/* Returns the distance from una to psn, modulo 2^24. PSNs in flight are compared by this distance,
 * because PSNs wrap to 0. */
static uint32_t ahead(const struct rn_qp *qp, uint32_t psn)
{
	return rn_psn_steps(qp->win.una, psn);
}

/* ---- received responses ---- */

/* Handles an ACK of all PSNs up to psn. If an incomplete READ or atomic is among these PSNs, its
 * responses were lost (implied NAK). */
static enum rn_verdict take_ack(struct rn_qp *qp, uint32_t psn, rn_time now)
{
	uint32_t expect;

	if (rn_unlikely(rn_window_read(&qp->win, &qp->sq, &expect) &&
			ahead(qp, psn) >= ahead(qp, expect)))
		return take_gap(qp, NULL, psn, expect, now);
	rn_requester_advance(qp, rn_psn_add(psn, 1), now);
	return RN_V_OK;
}

/* A NAK for psn also acknowledges all PSNs before psn: handles this acknowledgement. Returns true
 * if the caller must handle the NAK itself. Returns false if an earlier READ or atomic is
 * incomplete and is requested again. */
static bool ack_before_nak(struct rn_qp *qp, uint32_t psn, rn_time now)
{
	uint32_t expect;

	if (rn_window_read(&qp->win, &qp->sq, &expect) && ahead(qp, expect) < ahead(qp, psn)) {
		imply_nak(qp, expect, now);
		return false;
	}
	rn_requester_advance(qp, psn, now);
	return true;
}

static enum rn_verdict take_nak_seq(struct rn_qp *qp, uint32_t psn, rn_time now)
{
	if (!ack_before_nak(qp, psn, now))
		return RN_V_RSP_IMPLIED_NAK;
	/* Ignore this NAK: the packets from una on are already being sent again (acted), or will be
	 * sent again after the RNR wait. */
	if (qp->retry.rnr_wait || qp->retry.acted)
		return RN_V_RSP_NAK_AGAIN;
	if (!rn_retry_nak(&qp->retry, now)) {
		qp->lane->stats.retry_exceeded++;
		rn_qp_send_failed(qp, RN_STATUS_RETRY_EXC_ERR, RN_V_RSP_NAK_SEQ, now);
		return RN_V_RSP_NAK_SEQ;
	}
	if (qp->lane->cfg.keep_packets)
		rn_retry_hasten(&qp->retry, &qp->lane->wheel,
				rn_requester_floor(&qp->lane->cfg) / PROBE_HASTE, now);
	if (qp->lane->cfg.keep_packets && rn_window_may_patch(&qp->win)) {
		rn_window_patch(&qp->win, &qp->sq, rn_retry_queued(&qp->retry));
		qp->lane->stats.tx_patches++;
		rn_lane_activate(qp->lane, qp);
	} else {
		rn_window_lost(&qp->win, rn_retry_queued(&qp->retry));
		rn_requester_go_back(qp);
	}
	return RN_V_RSP_NAK_SEQ;
}

static enum rn_verdict take_rnr(struct rn_qp *qp, uint32_t psn, uint8_t code, rn_time now)
{
	if (!ack_before_nak(qp, psn, now))
		return RN_V_RSP_IMPLIED_NAK;
	if (qp->retry.rnr_wait)
		return RN_V_RSP_NAK_AGAIN;
	if (!rn_retry_rnr(&qp->retry, &qp->lane->wheel, code, now)) {
		qp->lane->stats.rnr_retry_exceeded++;
		rn_qp_send_failed(qp, RN_STATUS_RNR_RETRY_EXC_ERR, RN_V_RSP_RNR, now);
		return RN_V_RSP_RNR;
	}
	qp->lane->stats.rnr_waits++;
	/* The peer lacks receives, and no packet was lost. Go back to `una`, but keep the size of
	 * the send window. */
	rn_read_gap_forget(qp);
	rn_window_rewind(&qp->win, &qp->sq);
	return RN_V_RSP_RNR;
}

/* Entry [c] is for the fatal NAK with code c. The work request that contains the NAK's PSN
 * completes with `status`. The NAK packet itself gets `verdict`. */
static const struct {
	uint8_t status;
	uint8_t verdict;
} fatal_naks[] = {
	[1] = {RN_STATUS_REM_INV_REQ_ERR, RN_V_RSP_NAK_INV},
	[2] = {RN_STATUS_REM_ACCESS_ERR, RN_V_RSP_NAK_ACC},
	[3] = {RN_STATUS_REM_OP_ERR, RN_V_RSP_NAK_OP},
};

/* Returns true if psn, the PSN of a fatal NAK, is any PSN of e, the READ in progress. Some
 * responders report the PSN of the READ request, others the PSN of the response that they cannot
 * send. Requesting again would be useless, because the peer's QP is in the error state. */
static bool concerns_read(const struct rn_sqe *e, uint32_t psn)
{
	return e && rn_psn_steps(e->first_psn, psn) < e->npkts;
}

static enum rn_verdict take_fatal(struct rn_qp *qp, uint32_t psn, uint8_t code, rn_time now)
{
	uint32_t expect;

	if (concerns_read(rn_window_read(&qp->win, &qp->sq, &expect), psn))
		rn_requester_advance(qp, expect, now);
	else if (!ack_before_nak(qp, psn, now))
		return RN_V_RSP_IMPLIED_NAK;
	rn_qp_send_failed(qp, fatal_naks[code].status, fatal_naks[code].verdict, now);
	return fatal_naks[code].verdict;
}

static bool is_fatal(uint8_t syndrome)
{
	return syndrome >= 0x61 && syndrome <= 0x63;
}

static enum rn_verdict take_acknowledge(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	uint8_t class = pkt->syndrome >> 5, code = pkt->syndrome & 0x1F;

	if (rn_likely(class == 0))
		return take_ack(qp, pkt->psn, now);
	if (class == 1)
		return take_rnr(qp, pkt->psn, code, now);
	if (pkt->syndrome == 0x60)
		return take_nak_seq(qp, pkt->psn, now);
	if (is_fatal(pkt->syndrome))
		return take_fatal(qp, pkt->psn, code, now);
	return RN_V_RSP_RESERVED;
}

/* Handles a response with a PSN before una. Two kinds matter:
 * - A fatal NAK for an earlier PSN of the READ in progress.
 * - A READ response, which shows that the peer is alive. rn_retry_stale() limits how many of these
 *   count. */
static enum rn_verdict take_old(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	uint32_t expect;

	if (pkt->op->family == RN_F_READ_RESP)
		rn_retry_stale(&qp->retry, &qp->lane->wheel, now);
	if (pkt->op->family != RN_F_ACK || !is_fatal(pkt->syndrome) ||
	    !concerns_read(rn_window_read(&qp->win, &qp->sq, &expect), pkt->psn))
		return RN_V_RSP_STALE;
	return take_fatal(qp, pkt->psn, pkt->syndrome & 0x1F, now);
}

/* Fails the oldest work request and the QP. The response does not match the work requests in
 * flight, or its data cannot be placed. */
static enum rn_verdict refuse(struct rn_qp *qp, uint8_t status, enum rn_verdict why, rn_time now)
{
	rn_qp_send_failed(qp, status, why, now);
	return why;
}

/* Returns true if this READ response has `want` bytes and the right opcode and syndrome. `last`
 * says that the response ends the READ or a piece of the READ. The opcode must then be Last or
 * Only, otherwise First or Middle. `parts` says that missing responses in the middle may have been
 * requested, which also end with Last or Only. */
static bool fits(const struct rn_pkt *pkt, uint32_t want, bool last, bool parts)
{
	return pkt->payload_len == want && (pkt->op->ends == last || (pkt->op->ends && parts)) &&
	       (!pkt->op->has_aeth || pkt->syndrome >> 5 == 0);
}

/* Returns true if the work request at psn expects this kind of response: an ATOMIC ACK if `atomic`
 * is set, otherwise a READ response. e is the oldest READ or atomic, which waits for the PSN
 * `expect`. */
static bool answers(const struct rn_qp *qp, uint32_t psn, const struct rn_sqe *e, uint32_t expect,
		    bool atomic)
{
	if (ahead(qp, psn) < ahead(qp, expect))
		return false;
	if (psn != expect)
		e = rn_window_find(&qp->win, &qp->sq, psn);
	return rn_sq_is_fetch(e->kind) && rn_sq_is_atomic(e->kind) == atomic;
}

/* Handles a READ response with the PSN `expect`, for which e waits. The response acknowledges
 * everything before the READ. */
static enum rn_verdict take_read_data(struct rn_qp *qp, const struct rn_pkt *pkt, struct rn_sqe *e,
				      uint32_t expect, rn_time now)
{
	uint32_t off = rn_psn_steps(e->first_psn, expect) << qp->mtu_shift, left, want;
	enum rn_verdict v;
	bool last;

	rn_requester_advance(qp, expect, now);
	left = e->length - off;
	want = RN_MIN(left, rn_qp_mtu(qp));
	last = left == want || rn_window_ends_piece(&qp->win, off >> qp->mtu_shift);
	if (!fits(pkt, want, last, qp->gap.any_part))
		return refuse(qp, RN_STATUS_BAD_RESP_ERR, RN_V_RSP_BAD, now);
	if (rn_unlikely(pkt->op->ends != last))
		rn_read_gap_answered(qp);
	v = rn_sq_place(e, qp->lane->mrs, qp->lane->mem, qp->pd, off, want, pkt->payload);
	if (v != RN_V_OK)
		return refuse(qp, RN_STATUS_LOC_PROT_ERR, RN_V_RSP_LOCAL, now);
	rn_requester_advance(qp, rn_psn_add(expect, 1), now);
	return RN_V_OK;
}

/* Handles the ATOMIC ACK with the PSN `expect`, for which e waits. */
static enum rn_verdict take_atomic_data(struct rn_qp *qp, const struct rn_pkt *pkt,
					struct rn_sqe *e, uint32_t expect, rn_time now)
{
	uint8_t old[RN_ATOMIC_BYTES];

	rn_requester_advance(qp, expect, now);
	if (pkt->syndrome >> 5)
		return refuse(qp, RN_STATUS_BAD_RESP_ERR, RN_V_RSP_BAD, now);
	memcpy(old, &pkt->orig, sizeof(old)); /* old[] gets the value in host byte order */
	if (rn_sq_place(e, qp->lane->mrs, qp->lane->mem, qp->pd, 0, sizeof(old), old) != RN_V_OK)
		return refuse(qp, RN_STATUS_LOC_PROT_ERR, RN_V_RSP_LOCAL, now);
	rn_requester_advance(qp, rn_psn_add(expect, 1), now);
	return RN_V_OK;
}

enum rn_verdict rn_requester_take_due(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	uint32_t expect;
	struct rn_sqe *e = rn_window_read(&qp->win, &qp->sq, &expect);

	return pkt->op->family == RN_F_ATOMIC_ACK ? take_atomic_data(qp, pkt, e, expect, now)
						  : take_read_data(qp, pkt, e, expect, now);
}

/* Handles a READ response or an ATOMIC ACK. */
static enum rn_verdict take_data(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	bool atomic = pkt->op->family == RN_F_ATOMIC_ACK;
	uint32_t expect;
	struct rn_sqe *e = rn_window_read(&qp->win, &qp->sq, &expect);
	enum rn_verdict v;

	if (!e || !answers(qp, pkt->psn, e, expect, atomic))
		return refuse(qp, RN_STATUS_BAD_RESP_ERR, RN_V_RSP_BAD, now);
	if (pkt->psn != expect) {
		/* An earlier response is missing. When a long READ was requested again, responses
		 * to its first READ request may arrive for many timeouts. They show that the peer
		 * is alive, so restart the timer. */
		if (!atomic)
			rn_retry_alive(&qp->retry, &qp->lane->wheel, now);
		return take_gap(qp, pkt, pkt->psn, expect, now);
	}
	v = rn_requester_take_due(qp, pkt, now);
	rn_read_gap_fill(qp, now);
	return v;
}

/* Stores the credit count of a positive acknowledgement, even if no new PSN is acknowledged: the
 * peer may have posted receives meanwhile. Ignores PSNs that were never sent. */
static void look_for_credits(struct rn_qp *qp, const struct rn_pkt *pkt)
{
	const struct rn_window *w = &qp->win;

	if (!pkt->op->has_aeth || pkt->syndrome >> 5 ||
	    rn_psn_steps(w->una, pkt->psn + 1) > rn_psn_steps(w->una, w->high))
		return;
	rn_credit_take(&qp->credit, pkt->syndrome & 0x1F, pkt->msn);
	if (qp->sq.send != qp->sq.tail)
		rn_lane_activate(qp->lane, qp);
}

enum rn_verdict rn_requester_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	if (rn_unlikely(qp->credit.mode))
		look_for_credits(qp, pkt);
	if (rn_unlikely(!rn_window_in_flight(&qp->win, pkt->psn)))
		return rn_psn_before(pkt->psn, qp->win.una) ? take_old(qp, pkt, now)
							    : RN_V_RSP_UNSENT;
	switch (pkt->op->family) {
	case RN_F_ACK:
		return take_acknowledge(qp, pkt, now);
	case RN_F_READ_RESP:
	case RN_F_ATOMIC_ACK:
		return take_data(qp, pkt, now);
	default:
		return refuse(qp, RN_STATUS_BAD_RESP_ERR, RN_V_RSP_BAD, now);
	}
}

/* ---- expiry of the retransmission timer ---- */

/* Returns true if a rate limit makes packets of this QP wait, or did so lately. READ responses wait
 * at the peer, whose rate this end has limited by a CNP; so the time of the last CNP counts. */
static bool is_limited(const struct rn_qp *qp, rn_time now)
{
	return qp->cc.limited ||
	       (qp->win.nreads && qp->cnp_after && now < qp->cnp_after + CNP_LASTS);
}

/* Sends the oldest unacknowledged packet again alone, or requests the oldest missing responses,
 * unless no ACK is due. With a rate limit, the queue that caused it makes a round trip longer than
 * those before, so wait longer. If the packets in flight request no ACK, a later one will. */
static void probe(struct rn_qp *qp, rn_time now)
{
	if (is_limited(qp, now) && now - qp->retry.base < 4 * ASK_NS)
		return;
	if (qp->win.unasked && !qp->retry.sampling && !qp->retry.acted)
		return;
	if (qp->win.nreads ? !rn_read_gap_probe(qp) : !rn_window_probe(&qp->win, &qp->sq))
		return;
	qp->retry.floor = RN_MIN(2 * qp->retry.floor, rn_requester_floor(&qp->lane->cfg));
	qp->lane->stats.timeouts_early++;
	qp->lane->stats.tx_patches++;
	rn_retry_implied(&qp->retry, now);
	rn_lane_activate(qp->lane, qp);
}

void rn_requester_expired(struct rn_qp *qp, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;

	switch (rn_retry_expired(&qp->retry, &qp->lane->wheel, qp->lane->cfg.rto_floor, now)) {
	case RN_RETRY_NOTHING:
		return;
	case RN_RETRY_PROBE:
		probe(qp, now);
		return;
	case RN_RETRY_RNR_OVER:
		rn_lane_activate(qp->lane, qp);
		return;
	case RN_RETRY_EXCEEDED:
		st->timeouts++;
		st->retry_exceeded++;
		rn_qp_send_failed(qp, RN_STATUS_RETRY_EXC_ERR, 0, now);
		return;
	case RN_RETRY_RESEND:
		st->timeouts++;
		/* The peer did not answer within the local ACK timeout (4.096 us << code). The MAC
		 * address of the peer may have changed. */
		rn_lane_probe_peer(qp->lane, &qp->peer, now);
		break;
	case RN_RETRY_RESEND_EARLY:
		st->timeouts_early++;
		break;
	}
	rn_read_gap_timed_out(qp);
	rn_window_timed_out(&qp->win);
	rn_requester_go_back(qp);
}
