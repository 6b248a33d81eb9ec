/* Which requests does one call of rn_short_tx() send? They are a run of new SENDs and WRITEs, each
 * of one packet and one SGE with a valid L_Key. There is no run while packets are being
 * retransmitted, replies are owed, or credits or congestion control limit the QP. The counters and
 * positions of the send window advance once per run. */
#include "qp/short_tx.h"

#include "memory/mem_ops.h"
#include "memory/mr_check.h"
#include "qp/lane.h"
#include "wire/hdr.h"
#include "wire/icrc_parts.h"

/* The flags that a request of a run may have. Any other flag needs more than a copy of one SGE. */
#define ORDINARY_FLAGS (RN_WQE_SIGNALED | RN_WQE_SOLICITED)

/* Returns how many new requests this QP may send as a run; 0: no run is possible now. The window's
 * `cur` differs from `next` while packets are being retransmitted and during an RNR wait. */
static inline uint32_t room_for_run(const struct rn_qp *qp)
{
	const struct rn_window *w = &qp->win;
	uint32_t in_flight = rn_window_requests(w);

	if (rn_unlikely(qp->state != RN_QPS_RTS || qp->rx.nowed || qp->credit.mode ||
			qp->cc.limited || w->cur != w->next || in_flight >= w->size))
		return 0;
	return RN_MIN(qp->quota, w->size - in_flight);
}

/* Returns true if a run can send request e, a SEND or WRITE. The caller checks the kind. */
static inline bool is_ordinary(const struct rn_sqe *e, uint32_t mtu)
{
	return e->num_sge == 1 && !e->status && !(e->flags & ~(unsigned)ORDINARY_FLAGS) &&
	       e->length - 1 < mtu; /* 0 bytes are more than any MTU here */
}

/* The region with the L_Key of the last request of a run. Its key and rights have been checked, and
 * cannot change before the shard's next quiescent point (mr.h). */
struct source {
	const struct rn_region *region;
	uint32_t lkey;
};

/* Sets *from to the memory that request e sends. Returns false if the memory is not accessible. */
static inline bool find_memory(struct rn_qp *qp, struct source *s, const struct rn_sqe *e,
			       void **from)
{
	const struct rn_sge *sge = &e->sge[0];

	if (rn_likely(sge->lkey == s->lkey))
		return rn_mr_region_allows(s->region, sge->addr, e->length, 0, from) == RN_V_OK;
	s->region = rn_mr_published_again(qp->lane->mrs, &qp->tx_key, sge->lkey);
	if (rn_mr_allows(s->region, qp->pd, sge->addr, e->length, 0, from) != RN_V_OK)
		return false;
	s->lkey = sge->lkey;
	return true;
}

/* Copies n bytes of payload and computes the ICRC in one pass. Returns the packet's length, or 0 if
 * the memory is not accessible. */
static __attribute__((noinline)) unsigned copy_long(struct rn_qp *qp, uint32_t n, const void *from,
						    uint8_t *buf, unsigned ext)
{
	uint32_t *icrc = rn_tmpl_icrc(&qp->tmpl, buf, ext, n);

	if (rn_unlikely(!rn_mem_gather(qp->lane->mem, buf + qp->tmpl.bytes + ext, from, n, icrc)))
		return 0;
	return rn_tmpl_close_icrc(&qp->tmpl, buf, ext, n, icrc);
}

/* Builds the packet of request e, a WRITE or a SEND. Returns the packet's length, or 0 if the
 * memory is not accessible: rn_qp_tx() then checks the memory again and fails the request. */
RN_FOLDING static inline unsigned build(struct rn_qp *qp, struct source *s, const struct rn_sqe *e,
					bool write, uint32_t psn, uint8_t *buf)
{
	unsigned ext = write ? RN_RETH_BYTES : 0, flags = RN_TMPL_ACK_REQ;
	unsigned head = qp->tmpl.bytes;
	uint32_t n = e->length;
	void *from;

	if (rn_unlikely(!find_memory(qp, s, e, &from)))
		return 0;
	if (!write && e->flags & RN_WQE_SOLICITED)
		flags |= RN_TMPL_SE;
	rn_tmpl_put_folded(&qp->tmpl, buf, write ? RN_OP_WRITE_ONLY : RN_OP_SEND_ONLY, psn, flags,
			   ext, n);
	if (write)
		rn_store_reth(buf + head, e->remote_va, e->rkey, n);
	if (rn_unlikely(n >= RN_TMPL_ONE_PASS))
		return copy_long(qp, n, from, buf, ext);
	if (rn_unlikely(!qp->lane->mem->gather(buf + head + ext, from, n)))
		return 0;
	return rn_tmpl_close(&qp->tmpl, buf, ext, n);
}

/* Builds the packets of a run of at most n requests, without ICRC. Returns their number. */
RN_FOLDING static unsigned build_run(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n)
{
	const struct rn_sq *sq = &qp->sq;
	uint8_t *ring_end = sq->mem + ((size_t)sq->mask + 1) * sq->stride;
	struct rn_sqe *e = rn_sq_at(sq, sq->send);
	uint32_t psn = qp->win.cur, mtu = rn_qp_mtu(qp);
	/* no key yet: find_memory() looks for the first one */
	struct source s = {.lkey = ~e->sge[0].lkey};
	struct rn_txbuf *b = bufs, *end = bufs + n;
	uint64_t bytes = 0;

	for (; b != end; b++) {
		if (rn_unlikely(!is_ordinary(e, mtu)))
			break;
		if (e->kind == RN_WQE_SEND)
			b->len = build(qp, &s, e, false, psn, b->data);
		else if (rn_likely(e->kind == RN_WQE_WRITE))
			b->len = build(qp, &s, e, true, psn, b->data);
		else
			break;
		if (rn_unlikely(!b->len))
			break;
		bytes += b->len;
		e->first_psn = psn;
		e->npkts = 1;
		psn = rn_psn_add(psn, 1);
		e = (struct rn_sqe *)((uint8_t *)e + sq->stride);
		if (rn_unlikely((uint8_t *)e == ring_end))
			e = rn_sq_at(sq, 0);
	}
	qp->lane->stats.tx_bytes += bytes;
	return (unsigned)(b - bufs);
}

unsigned rn_short_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now)
{
	struct rn_sq *sq = &qp->sq;
	struct rn_window *w = &qp->win;
	uint32_t first = w->cur;
	unsigned room = room_for_run(qp);

	n = RN_MIN(n, RN_MIN(room, sq->tail - sq->send));
	n = RN_MIN(n, RN_PSN_WINDOW - rn_psn_steps(w->una, w->next));
	if (n)
		n = build_run(qp, bufs, n);
	if (!n)
		return 0;
	rn_tmpl_seal_run(&qp->tmpl, bufs, n);
	sq->send += n;
	sq->started += n;
	w->cur = w->next = w->high = rn_psn_add(first, n);
	w->send_pkt = w->unasked = 0;
	qp->own_turn = false; /* the last packet sent is no READ response */
	qp->lane->stats.tx_requests += n;
	rn_retry_packet_sent(&qp->retry, &qp->lane->wheel, first, true, now);
	return n;
}
