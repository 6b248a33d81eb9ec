/* Which requests does one call of rn_short_tx() send? They are a run of new SENDs and WRITEs, each
 * of one packet and one SGE with a valid L_Key. There is no run while packets are being
 * retransmitted, replies are owed, or credits or congestion control limit the QP. The counters and
 * positions of the send window advance once per run. */
#include "qp/short_tx.h"

#include "memory/mem_ops.h"
#include "memory/mr_check.h"
#include "qp/lane.h"
#include "wire/hdr.h"

/* The flags that a request of a run may have. Any other flag needs more than a copy of one SGE. */
#define ORDINARY_FLAGS (RN_WQE_SIGNALED | RN_WQE_SOLICITED)

/* Returns how many new requests this QP may send as a run; 0: no run is possible now. The window's
 * `cur` differs from `next` while packets are being retransmitted and during an RNR wait. */
static inline uint32_t room_for_run(const struct rn_qp *qp)
{
	const struct rn_window *w = &qp->win;
	uint32_t in_flight = rn_window_requests(w);

	if (rn_unlikely(qp->state != RN_QPS_RTS || qp->rx.nowed ||
			qp->credit.mode || qp->cc.limited || w->cur != w->next ||
			in_flight >= w->size))
		return 0;
	return RN_MIN(qp->quota, w->size - in_flight);
}

static inline bool is_ordinary(const struct rn_sqe *e, uint32_t mtu)
{
	return (e->kind == RN_WQE_SEND || e->kind == RN_WQE_WRITE) && e->num_sge == 1 &&
	       !e->status && !(e->flags & ~(unsigned)ORDINARY_FLAGS) && e->length &&
	       e->length <= mtu;
}

/* Builds the packet of request e, a WRITE or a SEND. Returns the packet's length, or 0 if the
 * memory is not accessible: rn_qp_tx() then checks the memory again and fails the request. */
static inline unsigned build(struct rn_qp *qp, const struct rn_sqe *e, bool write, uint32_t psn,
			     uint8_t *buf)
{
	const struct rn_lane *lane = qp->lane;
	unsigned ext = write ? RN_RETH_BYTES : 0, flags = RN_TMPL_ACK_REQ;
	uint32_t n = e->length;
	uint8_t *p = buf + qp->tmpl.bytes;
	const struct rn_region *r;
	uint32_t *icrc;
	void *from;

	r = rn_mr_published_again(lane->mrs, &qp->tx_key, e->sge[0].lkey);
	if (rn_unlikely(rn_mr_allows(r, qp->pd, e->sge[0].addr, n, 0, &from) != RN_V_OK))
		return 0;
	if (!write && e->flags & RN_WQE_SOLICITED)
		flags |= RN_TMPL_SE;
	rn_tmpl_put(&qp->tmpl, buf, write ? RN_OP_WRITE_ONLY : RN_OP_SEND_ONLY, psn, flags, ext, n);
	if (write)
		rn_store_reth(p, e->remote_va, e->rkey, n);
	icrc = rn_tmpl_icrc(&qp->tmpl, buf, ext, n);
	if (rn_unlikely(!rn_mem_gather(lane->mem, p + ext, from, n, icrc)))
		return 0;
	return rn_tmpl_close_icrc(&qp->tmpl, buf, ext, n, icrc);
}

unsigned rn_short_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now)
{
	struct rn_sq *sq = &qp->sq;
	struct rn_window *w = &qp->win;
	uint32_t first = w->cur, psn = first, mtu = rn_qp_mtu(qp);
	struct rn_txbuf *b = bufs;
	unsigned k, room = room_for_run(qp);

	n = RN_MIN(n, RN_MIN(room, sq->tail - sq->send));
	n = RN_MIN(n, RN_PSN_WINDOW - rn_psn_steps(w->una, w->next));
	for (k = 0; k < n; k++, b++, psn = rn_psn_add(psn, 1)) {
		struct rn_sqe *e = rn_sq_at(sq, sq->send + k);

		if (rn_unlikely(!is_ordinary(e, mtu)))
			break;
		b->len = e->kind == RN_WQE_WRITE ? build(qp, e, true, psn, b->data)
						 : build(qp, e, false, psn, b->data);
		if (rn_unlikely(!b->len))
			break;
		e->first_psn = psn;
		e->npkts = 1;
		/* Seal the previous packet only now, as rn_tmpl_seal() recommends. */
		if (k)
			rn_tmpl_seal(&qp->tmpl, b[-1].data, b[-1].len);
	}
	if (!k)
		return 0;
	rn_tmpl_seal(&qp->tmpl, bufs[k - 1].data, bufs[k - 1].len);
	sq->send += k;
	sq->started += k;
	w->cur = w->next = w->high = psn;
	w->send_pkt = w->unasked = 0;
	qp->own_turn = false; /* the last packet sent is no READ response */
	qp->lane->stats.tx_requests += k;
	rn_retry_packet_sent(&qp->retry, &qp->lane->wheel, first, true, now);
	return k;
}
