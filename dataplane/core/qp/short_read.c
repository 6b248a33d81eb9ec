/* Which packets of READs are ordinary, and what is done with them?
 *
 * The functions for received packets check everything, and only then change state, by the functions
 * of responder.c and requester.c. rn_short_read_tx() sends responses or requests as a run, as
 * rn_short_tx() sends SENDs and WRITEs. Owns nothing. Runs on the shard's thread. */
#include "qp/short_read.h"

#include "memory/mem_ops.h"
#include "memory/mr_check.h"
#include "qp/complete.h"
#include "qp/lane.h"
#include "qp/read_gap.h"
#include "qp/requester.h"
#include "qp/responder.h"
#include "wire/hdr.h"

/* ---- the responder ---- */

/* Handles a READ request. Returns false if the packet is not ordinary. */
static inline bool take_request(struct rn_qp *qp, const struct rn_brief *b)
{
	const struct rn_rx *rx = &qp->rx;
	const struct rn_region *r;
	uint64_t va;
	uint32_t rkey, length;
	void *from;

	if (rn_unlikely(b->psn != rx->epsn || !rx->peer_seen || rx->keeping ||
			rx->message != RN_RX_IDLE || b->end - b->ext != RN_RETH_BYTES ||
			rn_brief_pad(b) ||
			rn_responder_may_fetch(qp, RN_ACCESS_REMOTE_READ) != RN_V_OK))
		return false;
	va = rn_load64(b->ext);
	rkey = rn_load32(b->ext + 8);
	length = rn_load32(b->ext + 12);
	if (rn_unlikely(!length || length > rn_qp_mtu(qp)))
		return false;
	r = rn_mr_published_again(qp->lane->mrs, &qp->rx_key, rkey);
	if (rn_unlikely(rn_mr_allows_remote(qp->lane->mrs, r, rn_qp_via(qp), va, length,
					    RN_ACCESS_REMOTE_READ, &from) != RN_V_OK))
		return false;
	rn_responder_accept_read(qp, va, rkey, length, 1);
	return true;
}

/* Builds a packet of the response to READ `rec`: n bytes of memory from byte `off` on, behind an
 * AETH if `ext` is RN_AETH_BYTES. Returns the packet's length, or 0 if the memory is not
 * accessible: rn_qp_tx() then checks the memory again and gives up the READ. */
RN_FOLDING static inline __attribute__((always_inline)) unsigned
build(struct rn_qp *qp, const struct rn_read_rec *rec, uint8_t opcode, uint32_t psn, uint32_t off,
      uint32_t n, unsigned ext, uint32_t aeth, uint8_t *buf)
{
	const struct rn_lane *lane = qp->lane;
	uint8_t *p = buf + qp->tmpl.bytes;
	const struct rn_region *r;
	uint32_t *icrc;
	void *from;

	r = rn_mr_published_again(lane->mrs, &qp->rx_key, rec->rkey);
	if (rn_unlikely(rn_mr_allows_remote(lane->mrs, r, rn_qp_via(qp), rec->va + off, n,
					    RN_ACCESS_REMOTE_READ, &from) != RN_V_OK))
		return 0;
	rn_tmpl_put_folded(&qp->tmpl, buf, opcode, psn, 0, ext, n);
	if (ext)
		rn_store32(p, aeth);
	icrc = rn_tmpl_icrc(&qp->tmpl, buf, ext, n);
	return rn_mem_gather(lane->mem, p + ext, from, n, icrc)
		       ? rn_tmpl_close_icrc(&qp->tmpl, buf, ext, n, icrc)
		       : 0;
}

/* Accounts for k packets of responses that have been built. They complete the first `answered`
 * replies. */
static inline unsigned note_responses(struct rn_qp *qp, unsigned k, unsigned answered)
{
	if (answered)
		rn_responder_forget_answered(&qp->rx, answered);
	if (k)
		qp->own_turn = true; /* the last packet sent is a READ response */
	qp->lane->stats.tx_read_responses += k;
	return k;
}

/* Builds the next packet of `rec`, a READ of several packets. */
RN_FOLDING static inline unsigned build_part(struct rn_qp *qp, const struct rn_read_rec *rec,
					     uint32_t aeth, uint8_t *buf)
{
	uint32_t psn = rn_psn_add(rec->first_psn, rec->next), off = rec->next << qp->mtu_shift;
	bool first = rec->next == rec->start, last = rec->next + 1 == rec->npkts;

	if (rn_likely(!first && !last))
		return build(qp, rec, RN_OP_READ_RESP_MIDDLE, psn, off, rn_qp_mtu(qp), 0, aeth,
			     buf);
	return build(qp, rec,
		     !last   ? RN_OP_READ_RESP_FIRST
		     : first ? RN_OP_READ_RESP_ONLY
			     : RN_OP_READ_RESP_LAST,
		     psn, off, last ? rec->length - off : rn_qp_mtu(qp), RN_AETH_BYTES, aeth, buf);
}

/* The next packets of the response that heads the list of owed replies, to a READ of several
 * packets. */
RN_FOLDING static __attribute__((noinline)) unsigned
send_parts(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, uint32_t aeth)
{
	struct rn_read_rec *rec = &qp->rx.rec[qp->rx.owed[0].rec];
	bool done = false;
	unsigned k;

	if (rn_unlikely(rec->part_end))
		return 0;
	for (k = 0; k < n && !done; k++) {
		bufs[k].len = build_part(qp, rec, aeth | qp->rx.owed[0].msn, bufs[k].data);
		if (rn_unlikely(!bufs[k].len))
			break;
		done = rec->next + 1 == rec->npkts;
		if (done)
			rn_responder_note_answer(rec);
		else
			rec->next++;
	}
	rn_tmpl_seal_run(&qp->tmpl, bufs, k);
	return note_responses(qp, k, done);
}

/* The responses to READs of one packet at the head of the list of owed replies. */
RN_FOLDING static inline unsigned send_single_packets(struct rn_qp *qp, struct rn_txbuf *bufs,
						      unsigned n, uint32_t aeth)
{
	struct rn_rx *rx = &qp->rx;
	unsigned k;

	for (n = RN_MIN(n, rx->nowed), k = 0; k < n; k++) {
		const struct rn_owe *o = &rx->owed[k];
		struct rn_read_rec *rec = &rx->rec[o->rec];

		if (rn_unlikely(o->kind != RN_OWE_READ || rec->op != RN_OP_READ_REQUEST ||
				rec->npkts != 1 || !rec->length))
			break;
		bufs[k].len = build(qp, rec, RN_OP_READ_RESP_ONLY, rec->first_psn, 0, rec->length,
				    RN_AETH_BYTES, aeth | o->msn, bufs[k].data);
		if (rn_unlikely(!bufs[k].len))
			break;
		rn_responder_note_answer(rec);
	}
	rn_tmpl_seal_run(&qp->tmpl, bufs, k);
	return note_responses(qp, k, k);
}

/* Sends packets of the responses at the head of the list of owed replies, at most n: those of one
 * long READ, or those of READs of one packet. To be called only if the QP has no request to send,
 * or with n = 1 when it is the turn of a response: rn_qp_tx() sends responses and requests in
 * turns. */
RN_FOLDING static unsigned send_responses(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n)
{
	uint32_t aeth = (uint32_t)rn_responder_syndrome(qp) << 24;
	const struct rn_owe *o = &qp->rx.owed[0];

	if (o->kind == RN_OWE_READ && qp->rx.rec[o->rec].npkts > 1)
		return send_parts(qp, bufs, n, aeth);
	return send_single_packets(qp, bufs, n, aeth);
}

/* ---- the requester ---- */

/* Returns how many new READs of one packet the QP may start now. */
static inline uint32_t room_for_reads(const struct rn_qp *qp)
{
	const struct rn_window *w = &qp->win;
	uint32_t fits = RN_PSN_WINDOW - rn_psn_steps(w->una, w->next);

	if (rn_unlikely(qp->state != RN_QPS_RTS || qp->credit.mode || w->cur != w->next ||
			w->nbig || w->nreads >= qp->attr.max_rd_atomic || w->responses >= w->size))
		return 0;
	fits = RN_MIN(fits, w->size - w->responses);
	return RN_MIN(fits, (uint32_t)qp->attr.max_rd_atomic - w->nreads);
}

static inline bool is_ordinary(const struct rn_sqe *e, uint32_t mtu)
{
	return e->kind == RN_WQE_READ && !e->status && !(e->flags & RN_WQE_FENCE) && e->length &&
	       e->length <= mtu;
}

RN_FOLDING static unsigned send_requests(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n,
					 rn_time now)
{
	struct rn_sq *sq = &qp->sq;
	struct rn_window *w = &qp->win;
	uint32_t first = w->cur, psn = first, mtu = rn_qp_mtu(qp);
	unsigned k = 0, room = room_for_reads(qp);

	for (n = RN_MIN(n, RN_MIN(room, sq->tail - sq->send)); k < n; k++) {
		struct rn_sqe *e = rn_sq_at(sq, sq->send + k);

		if (rn_unlikely(!is_ordinary(e, mtu)))
			break;
		rn_tmpl_put_folded(&qp->tmpl, bufs[k].data, RN_OP_READ_REQUEST, psn,
				   RN_TMPL_ACK_REQ, RN_RETH_BYTES, 0);
		rn_store_reth(bufs[k].data + qp->tmpl.bytes, e->remote_va, e->rkey, e->length);
		bufs[k].len = rn_tmpl_frame_bytes(&qp->tmpl, RN_RETH_BYTES, 0);
		e->first_psn = psn;
		e->npkts = 1;
		rn_window_note_read(w, sq->send + k);
		psn = rn_psn_add(psn, 1);
	}
	if (!k)
		return 0;
	rn_tmpl_seal_run(&qp->tmpl, bufs, k);
	sq->send += k;
	sq->started += k;
	w->cur = w->next = w->high = psn;
	w->responses += k;
	w->send_pkt = w->unasked = 0;
	qp->own_turn = false; /* the last packet sent is no READ response */
	qp->lane->stats.tx_requests += k;
	rn_retry_packet_sent(&qp->retry, &qp->lane->wheel, first, true, now);
	return k;
}

/* Advances the send window by one PSN, `expect`, which the oldest incomplete READ e has received.
 * The same as rn_requester_advance(). */
static inline void advance_read(struct rn_qp *qp, const struct rn_sqe *e, uint32_t expect,
				rn_time now)
{
	struct rn_window *w = &qp->win;

	if (rn_unlikely(!rn_window_ack_read(w, e->first_psn, e->npkts))) {
		rn_requester_advance(qp, rn_psn_add(expect, 1), now);
		rn_read_gap_fill(qp, now);
	} else if (rn_window_done(w, e)) {
		rn_requester_progress(qp, now);
	} else {
		/* The READ and all work requests behind it are incomplete. */
		rn_retry_progress(&qp->retry, &qp->lane->wheel, w->una, w->una != w->high, now);
		if (qp->sq.send != qp->sq.tail)
			rn_lane_activate(qp->lane, qp);
	}
}

/* Handles a READ response of any kind. `ends`: its opcode is Last or Only. aeth: the bytes of its
 * AETH, if any. Returns false if the packet is not ordinary. */
static inline __attribute__((always_inline)) bool
take_response(struct rn_qp *qp, const struct rn_brief *b, bool ends, uint32_t aeth, rn_time now)
{
	struct rn_window *w = &qp->win;
	const struct rn_lane *lane = qp->lane;
	uint32_t ext = (uint32_t)(b->end - b->ext), expect, off, left, want;
	const struct rn_sqe *e = rn_window_read(w, &qp->sq, &expect);
	const struct rn_region *r;
	void *to;

	if (rn_unlikely(!e || expect != b->psn || !rn_window_in_flight(w, expect) ||
			qp->credit.mode || e->kind != RN_WQE_READ || e->num_sge != 1))
		return false;
	off = rn_psn_steps(e->first_psn, expect) << qp->mtu_shift;
	left = e->length - off;
	want = RN_MIN(left, rn_qp_mtu(qp));
	if (rn_unlikely(!want || ext != aeth + want + rn_brief_pad(b) || (aeth && b->ext[0] >> 5) ||
			ends != (left == want || rn_window_ends_piece(w, off >> qp->mtu_shift))))
		return false;
	r = rn_mr_published_again(lane->mrs, &qp->tx_key, e->sge[0].lkey);
	if (rn_unlikely(rn_mr_allows(r, qp->pd, e->sge[0].addr + off, want, RN_ACCESS_LOCAL_WRITE,
				     &to) != RN_V_OK ||
			!lane->mem->place(to, b->ext + aeth, want)))
		return false;
	/* The response acknowledges all requests before the READ, and then its own PSN. */
	if (rn_unlikely(expect != w->una))
		rn_requester_advance(qp, expect, now);
	advance_read(qp, e, expect, now);
	return true;
}

/* Handles a READ_RESP_MIDDLE. Most packets of a long READ are of this kind, so they have a function
 * of their own. */
static __attribute__((noinline)) bool take_middle(struct rn_qp *qp, const struct rn_brief *b,
						  rn_time now)
{
	return take_response(qp, b, false, 0, now);
}

/* Handles a response with an AETH. */
static __attribute__((noinline)) bool take_edge(struct rn_qp *qp, const struct rn_brief *b,
						bool ends, rn_time now)
{
	return take_response(qp, b, ends, RN_AETH_BYTES, now);
}

/* Completes e, the oldest work request, which is a READ whose only PSN has just been acknowledged:
 * the same as rn_requester_progress(). */
static inline void complete_read(struct rn_qp *qp, const struct rn_sqe *e, rn_time now)
{
	const struct rn_window *w = &qp->win;
	struct rn_sq *sq = &qp->sq;

	rn_retry_progress(&qp->retry, &qp->lane->wheel, w->una, w->una != w->high, now);
	rn_complete_request(qp, e, now);
	sq->head++;
	qp->sq_retired++;
	rn_lane_mark_dirty(qp);
	if (sq->send != sq->tail)
		rn_lane_activate(qp->lane, qp);
}

/* Returns true if e, the work request at position `at` of the send queue, is the oldest, and none
 * behind it is complete together with it: such a work request has no PSNs. */
static inline bool completes_alone(const struct rn_sq *sq, uint32_t at)
{
	return at == sq->head && (at + 1 == sq->send || rn_sq_at(sq, at + 1)->npkts);
}

/* Handles the response to a READ of one packet, if it is the oldest work request. Otherwise, or if
 * the packet is not ordinary, returns false. */
static inline bool take_only_response(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	struct rn_window *w = &qp->win;
	const struct rn_lane *lane = qp->lane;
	uint32_t at = w->read[w->read_head];
	const struct rn_sqe *e = rn_sq_at(&qp->sq, at);
	const struct rn_region *r;
	void *to;

	if (rn_unlikely(!w->nreads || e->npkts != 1 || b->psn != e->first_psn ||
			b->psn == w->high || !completes_alone(&qp->sq, at)))
		return false;
	if (rn_unlikely(qp->credit.mode || e->kind != RN_WQE_READ || e->num_sge != 1 ||
			!e->length || b->ext[0] >> 5 ||
			(uint32_t)(b->end - b->ext) != RN_AETH_BYTES + e->length + rn_brief_pad(b)))
		return false;
	r = rn_mr_published_again(lane->mrs, &qp->tx_key, e->sge[0].lkey);
	if (rn_unlikely(rn_mr_allows(r, qp->pd, e->sge[0].addr, e->length, RN_ACCESS_LOCAL_WRITE,
				     &to) != RN_V_OK ||
			!lane->mem->place(to, b->ext + RN_AETH_BYTES, e->length)))
		return false;
	if (rn_likely(rn_window_ack_read(w, b->psn, 1))) {
		complete_read(qp, e, now);
	} else {
		rn_requester_advance(qp, rn_psn_add(b->psn, 1), now);
		rn_read_gap_fill(qp, now);
	}
	return true;
}

/* Returns true if the next request certainly may not be sent now: there is none, or it is a READ or
 * atomic beyond max_rd_atomic. Only a received packet changes this. */
static inline bool no_request_may_go(const struct rn_qp *qp)
{
	const struct rn_sq *sq = &qp->sq;
	const struct rn_sqe *e = rn_sq_at(sq, sq->send);

	if (sq->send == sq->tail)
		return true;
	return sq->send == sq->started && rn_sq_is_fetch(e->kind) && qp->attr.max_rd_atomic &&
	       qp->win.nreads >= qp->attr.max_rd_atomic;
}

/* ---- both ---- */

bool rn_short_read_request_rx(struct rn_qp *qp, const struct rn_brief *b)
{
	return take_request(qp, b);
}

bool rn_short_read_only_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	return take_only_response(qp, b, now);
}

bool rn_short_read_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	if (b->opcode == RN_OP_READ_REQUEST)
		return take_request(qp, b);
	if (b->opcode == RN_OP_READ_RESP_ONLY)
		return take_only_response(qp, b, now) || take_edge(qp, b, true, now);
	if (b->opcode == RN_OP_READ_RESP_MIDDLE)
		return take_middle(qp, b, now);
	if (b->opcode == RN_OP_READ_RESP_FIRST || b->opcode == RN_OP_READ_RESP_LAST)
		return take_edge(qp, b, b->opcode == RN_OP_READ_RESP_LAST, now);
	return false;
}

RN_FOLDING unsigned rn_short_read_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n,
				     rn_time now)
{
	if (rn_unlikely(!qp->short_way || qp->cc.limited))
		return 0;
	n = RN_MIN(n, qp->quota);
	if (!qp->rx.nowed)
		return send_requests(qp, bufs, n, now);
	if (!qp->rx.nowed_reads)
		return 0;
	if (no_request_may_go(qp))
		return send_responses(qp, bufs, n);
	/* One of each in turns, as in rn_qp_tx(), which also decides if no request can be built
	 * here. */
	n = RN_MIN(n, 1u);
	return qp->own_turn ? send_requests(qp, bufs, n, now) : send_responses(qp, bufs, n);
}
