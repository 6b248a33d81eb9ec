/* Which received packets are ordinary, and what is done with them?
 *
 * rn_short_rx() compares the frame with qp->match and checks the ICRC. Then a function for the
 * opcode handles the packet if the packet is ordinary (short_rx.h). Otherwise the function returns
 * false and has changed nothing. In this case, and for an opcode without such a function,
 * rn_short_rx() parses the packet and passes it to rn_qp_rx(). */
#include "qp/short_rx.h"

#include <string.h>

#include "memory/mem_ops.h"
#include "memory/mr_check.h"
#include "qp/complete.h"
#include "qp/lane.h"
#include "qp/qp_dispatch.h"
#include "qp/requester.h"
#include "qp/responder.h"
#include "qp/short_read.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/icrc.h"
#include "wire/icrc_parts.h"

void rn_short_rx_make(struct rn_qp *qp)
{
	const struct rn_lane *lane = qp->lane;

	rn_match_none(&qp->match);
	if (qp->type == RN_QPT_RC && !lane->port.has_vlan && !lane->cfg.no_short_way)
		rn_match_make(&qp->match, lane->port.mac, &qp->own, &qp->peer, qp->qpn);
}

/* ---- requests ---- */

/* Returns true if this request packet has the expected PSN, the peer has sent packets before, no
 * later packets wait for this one, and the kind of the message being received is `message` (enum
 * rn_rx_message). */
static inline bool is_next(const struct rn_qp *qp, const struct rn_brief *b, uint8_t message)
{
	return b->psn == qp->rx.epsn && qp->rx.peer_seen && !qp->rx.keeping &&
	       qp->rx.message == message;
}

/* Accepts a request packet, and owes an ACK if the packet asks for one. done: the message is
 * complete. */
static inline void accept_packet(struct rn_qp *qp, const struct rn_brief *b, bool done)
{
	rn_responder_commit(&qp->rx, 1, done);
	if (b->ack_req)
		rn_responder_owe_ack(qp, b->psn);
}

/* Handles a SEND of one packet if the receive has one SGE. Returns false if the packet is not
 * ordinary. */
static inline __attribute__((always_inline)) bool
take_send_only(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	const struct rn_rqe *e = rn_rq_first(&qp->rq);
	uint32_t n = (uint32_t)(b->end - b->ext) - rn_brief_pad(b);
	struct rn_lane *lane = qp->lane;
	struct rn_arrival a = {.bytes = n, .flags = b->flags & RN_BTH_SE ? RN_CQE_SOLICITED : 0};
	const struct rn_region *r;
	void *to;

	if (rn_unlikely(!is_next(qp, b, RN_RX_IDLE) || !e || qp->srq || e->num_sge != 1 || e->bad ||
			!n || n > e->length || n > rn_qp_mtu(qp)))
		return false;
	r = rn_mr_published_again(lane->mrs, &qp->rx_key, e->sge[0].lkey);
	if (rn_mr_allows(r, qp->recv_pd, e->sge[0].addr, n, RN_ACCESS_LOCAL_WRITE, &to) !=
		    RN_V_OK ||
	    !lane->mem->place(to, b->ext, n))
		return false;
	rn_complete_receive(qp, e, &a, now);
	accept_packet(qp, b, true);
	return true;
}

/* Handles a packet of a WRITE. `starts`: this is the first packet, with a RETH. `ends`: this is the
 * last packet. Returns false if the packet is not ordinary. */
static inline __attribute__((always_inline)) bool
take_write_packet(struct rn_qp *qp, const struct rn_brief *b, bool starts, bool ends)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_lane *lane = qp->lane;
	const uint8_t *data = b->ext + (starts ? RN_RETH_BYTES : 0);
	uint32_t n = (uint32_t)(b->end - data) - rn_brief_pad(b), mtu = rn_qp_mtu(qp);
	uint64_t va = rx->va;
	uint32_t rkey = rx->rkey, length = rx->length, done = rx->done;
	const struct rn_region *r;
	void *to;

	if (starts) {
		/* Tested without the pad count, which may exceed the number of bytes. */
		if (rn_unlikely(data >= b->end))
			return false;
		va = rn_load64(b->ext);
		rkey = rn_load32(b->ext + 8);
		length = rn_load32(b->ext + 12);
		done = 0;
	}
	if (rn_unlikely(!is_next(qp, b, starts ? RN_RX_IDLE : RN_RX_WRITE) || !n ||
			!(qp->access & RN_ACCESS_REMOTE_WRITE) || length > RN_MSG_MAX ||
			(ends ? n != length - done || n > mtu
			      : n != mtu || n >= length - done || rn_brief_pad(b))))
		return false;
	/* The first packet checks the target range of the whole message. */
	r = rn_mr_published_again(lane->mrs, &qp->rx_key, rkey);
	if (rn_mr_allows_remote(lane->mrs, r, rn_qp_via(qp), va + done, starts ? length : n,
				RN_ACCESS_REMOTE_WRITE, &to) != RN_V_OK ||
	    !lane->mem->place(to, data, n))
		return false;
	rx->va = va;
	rx->rkey = rkey;
	rx->length = length;
	rx->done = done + n;
	rx->message = ends ? RN_RX_IDLE : RN_RX_WRITE;
	accept_packet(qp, b, ends);
	return true;
}

/* ---- responses ---- */

/* Handles an ACK that acknowledges at least one new PSN. Returns false if the packet is not
 * ordinary. It is not ordinary while a READ or atomic is incomplete, while the last timeout may
 * have been spurious, or if credits are used. */
static inline bool take_plain_ack(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	struct rn_window *w = &qp->win;
	uint32_t una = rn_psn_add(b->psn, 1), n = rn_psn_steps(w->una, una);

	if (rn_unlikely(b->end - b->ext != RN_AETH_BYTES || rn_brief_pad(b) || b->ext[0] >> 5 ||
			qp->credit.mode || w->nreads || w->maybe_spurious || !n ||
			n > rn_psn_steps(w->una, w->cur)))
		return false;
	rn_requester_advance(qp, una, now);
	return true;
}

/* ---- all packets ---- */

static inline bool take_ordinary(struct rn_qp *qp, const struct rn_brief *b, rn_time now)
{
	/* The frequent opcodes first: comparisons are faster than a jump through a table. */
	if (b->opcode == RN_OP_SEND_ONLY)
		return take_send_only(qp, b, now);
	if (b->opcode == RN_OP_WRITE_ONLY)
		return take_write_packet(qp, b, true, true);
	if (b->opcode == RN_OP_ACK)
		return take_plain_ack(qp, b, now);
	if (b->opcode == RN_OP_WRITE_MIDDLE)
		return take_write_packet(qp, b, false, false);
	if (b->opcode == RN_OP_WRITE_FIRST)
		return take_write_packet(qp, b, true, false);
	if (b->opcode == RN_OP_WRITE_LAST)
		return take_write_packet(qp, b, false, true);
	return rn_short_read_rx(qp, b, now);
}

static inline void count(struct rn_qp *qp, enum rn_verdict v, uint32_t len)
{
	struct rn_stats *st = &qp->lane->stats;

	st->verdict[v]++;
	st->rx_packets++;
	st->rx_bytes += len;
}

/* Handles a packet that is not ordinary: parses the packet for rn_qp_rx(). `bth` and `end` are the
 * positions of its BTH and ICRC. */
static __attribute__((noinline)) bool take_other(struct rn_qp *qp, const uint8_t *frame,
						 uint32_t len, const uint8_t *bth,
						 const uint8_t *end, enum rn_verdict *v,
						 rn_time now)
{
	struct rn_pkt pkt;

	if (!rn_frame_parse_matched(frame, len, bth, end, &pkt))
		return false;
	*v = rn_qp_rx(qp, &pkt, now);
	count(qp, *v, len);
	return true;
}

/* Returns true and fills *b if the frame matches and its ICRC is right. */
static inline bool is_from_peer(struct rn_qp *qp, const uint8_t *frame, uint32_t len, bool ipv4,
				struct rn_brief *b)
{
	uint32_t crc, icrc;

	if (rn_likely(rn_match_again(&qp->match, frame, len, ipv4, b, &crc))) {
		const uint8_t *bth = b->ext - RN_BTH_BYTES;

		memcpy(&icrc, b->end, sizeof(icrc));
		return icrc == rn_icrc_tail(crc, bth, (size_t)(b->end - bth));
	}
	if (rn_unlikely(!rn_match_frame(&qp->match, frame, len, ipv4, b)))
		return false;
	memcpy(&icrc, b->end, sizeof(icrc));
	if (rn_unlikely(icrc != rn_icrc_packet(b->ip, (size_t)(b->end - b->ip))))
		return false;
	rn_match_remember(&qp->match, frame, b->ip, b->ext - RN_BTH_BYTES, b->end);
	return true;
}

bool rn_short_rx(struct rn_qp *qp, const uint8_t *frame, uint32_t len, bool ipv4,
		 enum rn_verdict *v, rn_time now)
{
	struct rn_brief b;

	if (rn_unlikely(qp->state != RN_QPS_RTS || !is_from_peer(qp, frame, len, ipv4, &b)))
		return false;
	if (rn_unlikely(!take_ordinary(qp, &b, now)))
		return take_other(qp, frame, len, b.ext - RN_BTH_BYTES, b.end, v, now);
	*v = RN_V_OK;
	count(qp, RN_V_OK, len);
	return true;
}
