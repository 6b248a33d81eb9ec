/* Which received packets are ordinary, and what is done with them?
 *
 * rn_short_rx() compares the frame with qp->match and checks the ICRC. Then a function for the
 * opcode handles the packet if the packet is ordinary (short_rx.h). Otherwise, and for an opcode
 * without such a function, take_other() parses the packet and passes it to rn_qp_rx(); nothing has
 * changed before.
 *
 * The functions for the opcodes are the last calls of rn_short_rx(), and have the same parameters:
 * rn_short_rx() itself saves no registers. */
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
	if (qp->type == RN_QPT_RC && !lane->port.has_vlan && !lane->cfg.no_short_way &&
	    rn_fold_usable())
		rn_match_make(&qp->match, lane->port.mac, &qp->own, &qp->peer, qp->qpn);
	qp->short_way = rn_match_on(&qp->match);
}

/* ---- requests ---- */

/* Returns true if this request packet has the expected PSN, the peer has sent packets before, no
 * later packets wait for this one, and the kind of the message being received is `message` (enum
 * rn_rx_message). */
static inline bool is_next(const struct rn_qp *qp, struct rn_brief b, uint8_t message)
{
	return b.psn == qp->rx.epsn && qp->rx.peer_seen && !qp->rx.keeping &&
	       qp->rx.message == message;
}

/* Counts a packet that is handled here, except its bytes: those are counted elsewhere, so that the
 * compiler does not combine both counters in a vector, which takes more instructions. */
static inline void count_ordinary(struct rn_qp *qp)
{
	qp->lane->stats.verdict[RN_V_OK]++;
	qp->lane->stats.rx_packets++;
}

/* Accepts a request packet with the expected PSN, and owes an ACK if the packet asks for one. done:
 * the message is complete. */
static inline void accept_packet(struct rn_qp *qp, const uint8_t *bth, bool done)
{
	struct rn_rx *rx = &qp->rx;
	struct rn_owe *last;
	uint32_t psn = rx->epsn;

	count_ordinary(qp);
	rn_responder_commit(rx, 1, done);
	if (!(bth[RN_BTH_ACKREQ_BYTE] & 0x80))
		return;
	last = rx->owed + rx->nowed;
	/* If the last owed reply is an ACK, rn_responder_owe_ack() would replace that ACK too,
	 * because its PSN is earlier than that of this packet. */
	if (rn_likely(rx->nowed && last[-1].kind == RN_OWE_ACK)) {
		last[-1].psn = psn;
		last[-1].msn = rx->msn;
	} else {
		rn_responder_owe_ack(qp, psn);
	}
}

static inline uint16_t solicited(const uint8_t *bth)
{
	return bth[RN_BTH_FLAGS] & RN_BTH_SE ? RN_CQE_SOLICITED : 0;
}

/* Handles a SEND of one packet if the receive has one SGE. Returns false if the packet is not
 * ordinary. After the payload is placed, fields of the packet are read from the frame again: this
 * is faster than keeping them. */
static inline __attribute__((always_inline)) bool take_send_only(struct rn_qp *qp,
								 struct rn_brief b, rn_time now)
{
	const uint8_t *bth = b.ext - RN_BTH_BYTES;
	const struct rn_rqe *e = rn_rq_first(&qp->rq);
	uint32_t n = (uint32_t)(b.end - b.ext) - rn_brief_pad(&b);
	const struct rn_lane *lane = qp->lane;
	const struct rn_region *r;
	uint64_t addr;

	if (rn_unlikely(!is_next(qp, b, RN_RX_IDLE) || !e || qp->srq || e->num_sge != 1 || e->bad ||
			n > e->length || n - 1 >= rn_qp_mtu(qp))) /* or 0 bytes */
		return false;
	r = rn_mr_published_again(lane->mrs, &qp->rx_key, e->sge[0].lkey);
	addr = e->sge[0].addr;
	if (rn_mr_local_check(r, qp->recv_pd, addr, n, RN_ACCESS_LOCAL_WRITE) != RN_V_OK ||
	    !lane->mem->place(rn_mr_region_at(r, addr), b.ext, n))
		return false;
	rn_complete_receive(qp, e, (struct rn_arrival){.bytes = n, .flags = solicited(bth)}, now);
	accept_packet(qp, bth, true);
	return true;
}

/* write_target() for a range that is not a region's: that of a memory window, or refused. */
static __attribute__((noinline)) void *window_target(struct rn_qp *qp, const struct rn_region *r,
						     uint64_t va, uint32_t length)
{
	void *to;

	return rn_mr_allows_remote(qp->lane->mrs, r, rn_qp_via(qp), va, length,
				   RN_ACCESS_REMOTE_WRITE, &to) == RN_V_OK
		       ? to
		       : NULL;
}

/* Returns where the range of a WRITE begins in this process, if the peer may write the range.
 * Returns NULL otherwise. */
static inline void *write_target(struct rn_qp *qp, uint32_t rkey, uint64_t va, uint32_t length)
{
	const struct rn_region *r = rn_mr_published_again(qp->lane->mrs, &qp->rx_key, rkey);

	if (rn_likely(rn_mr_local_check(r, qp->pd, va, length, RN_ACCESS_REMOTE_WRITE) == RN_V_OK))
		return rn_mr_region_at(r, va);
	return window_target(qp, r, va, length);
}

/* Handles a packet of a WRITE. `starts`: this is the first packet, with a RETH. `ends`: this is the
 * last packet. Returns false if the packet is not ordinary. */
static inline __attribute__((always_inline)) bool
take_write_packet(struct rn_qp *qp, struct rn_brief b, bool starts, bool ends)
{
	struct rn_rx *rx = &qp->rx;
	const uint8_t *data = b.ext + (starts ? RN_RETH_BYTES : 0);
	uint32_t n = (uint32_t)(b.end - data) - rn_brief_pad(&b), mtu = rn_qp_mtu(qp);
	uint64_t va = rx->va;
	uint32_t rkey = rx->rkey, length = rx->length, done = rx->done;
	void *to;

	if (starts) {
		/* Tested without the pad count, which may exceed the number of bytes. */
		if (rn_unlikely(data >= b.end))
			return false;
		va = rn_load64(b.ext);
		rkey = rn_load32(b.ext + 8);
		length = rn_load32(b.ext + 12);
		done = 0;
	}
	if (rn_unlikely(!is_next(qp, b, starts ? RN_RX_IDLE : RN_RX_WRITE) || !n ||
			!(qp->access & RN_ACCESS_REMOTE_WRITE) || length > RN_MSG_MAX ||
			(ends ? n != length - done || n > mtu
			      : n != mtu || n >= length - done || rn_brief_pad(&b))))
		return false;
	/* The first packet checks the target range of the whole message. */
	to = write_target(qp, rkey, va + done, starts ? length : n);
	if (!to || !qp->lane->mem->place(to, data, n))
		return false;
	if (!ends) { /* what the next packet of the message needs */
		rx->va = va;
		rx->rkey = rkey;
		rx->length = length;
		rx->done = done + n;
	}
	if (!starts || !ends)
		rx->message = ends ? RN_RX_IDLE : RN_RX_WRITE;
	accept_packet(qp, b.ext - RN_BTH_BYTES, ends);
	return true;
}

/* ---- responses ---- */

/* Handles an ACK that acknowledges at least one new PSN. Returns false if the packet is not
 * ordinary. It is not ordinary while a READ or atomic is incomplete, while the last timeout may
 * have been spurious, or if credits are used. */
static inline bool take_plain_ack(struct rn_qp *qp, struct rn_brief b, rn_time now)
{
	struct rn_window *w = &qp->win;
	uint32_t una = rn_psn_add(b.psn, 1), n = rn_psn_steps(w->una, una);

	if (rn_unlikely(b.end - b.ext != RN_AETH_BYTES || rn_brief_pad(&b) || b.ext[0] >> 5 ||
			qp->credit.mode || w->nreads || w->maybe_spurious || !n ||
			n > rn_psn_steps(w->una, w->cur)))
		return false;
	count_ordinary(qp);
	rn_requester_advance(qp, una, now);
	return true;
}

/* ---- all packets ---- */

/* Handles a packet that is not ordinary: parses the packet for rn_qp_rx(). The parameters are those
 * of the functions KINDS. Returns false if the packet cannot be parsed. The UDP length is right,
 * because the frame matches. */
static __attribute__((noinline)) bool take_other(struct rn_qp *qp, const uint8_t *bth, uint32_t len,
						 enum rn_verdict *v, rn_time now)
{
	const uint8_t *frame = bth - rn_match_bth(qp->match.blocks == RN_MATCH_V4);
	const uint8_t *udp = bth - RN_UDP_BYTES;
	const uint8_t *end = udp + rn_load16(udp + RN_UDP_LENGTH) - RN_ICRC_BYTES;
	struct rn_stats *st = &qp->lane->stats;
	struct rn_pkt pkt;

	if (!rn_frame_parse_matched(frame, len, bth, end, &pkt))
		return false;
	*v = rn_qp_rx(qp, &pkt, now);
	st->verdict[*v]++;
	st->rx_packets++;
	st->rx_bytes += len;
	return true;
}

static __attribute__((noinline)) bool take_read(struct rn_qp *qp, struct rn_brief b, rn_time now)
{
	if (!rn_short_read_rx(qp, &b, now))
		return false;
	count_ordinary(qp);
	return true;
}

/* Two kinds of packets of READs are frequent, and are inlined. */
static inline bool take_read_request(struct rn_qp *qp, struct rn_brief b)
{
	if (rn_unlikely(!rn_short_read_request_rx(qp, &b)))
		return false;
	count_ordinary(qp);
	return true;
}

static inline bool take_only_response(struct rn_qp *qp, struct rn_brief b, rn_time now)
{
	if (rn_unlikely(!rn_short_read_only_rx(qp, &b, now)))
		return take_read(qp, b, now);
	count_ordinary(qp);
	return true;
}

/* clang-format off */
/* A function for each kind of ordinary packet: its name, and what handles a packet of this kind with
 * the fields b. Parameters: the positions of BTH and ICRC, the length of the frame, and those of
 * rn_short_rx(). */
#define KINDS(X) \
	X(send_only, take_send_only(qp, b, now)) \
	X(write_only, take_write_packet(qp, b, true, true)) \
	X(write_first, take_write_packet(qp, b, true, false)) \
	X(write_middle, take_write_packet(qp, b, false, false)) \
	X(write_last, take_write_packet(qp, b, false, true)) \
	X(ack, take_plain_ack(qp, b, now)) \
	X(read_request, take_read_request(qp, b)) \
	X(read_only, take_only_response(qp, b, now)) \
	X(read, take_read(qp, b, now))
#define X(kind, taken) \
	static __attribute__((noinline)) bool rx_##kind(struct rn_qp *qp, const uint8_t *bth, \
		uint32_t len, const uint8_t *end, enum rn_verdict *v, rn_time now) \
	{ \
		struct rn_brief b = rn_brief_of(NULL, bth, end); \
\
		if (rn_unlikely(!(taken))) \
			return take_other(qp, bth, len, v, now); \
		qp->lane->stats.rx_bytes += len; \
		*v = RN_V_OK; \
		return true; \
	}
KINDS(X)
#undef X
/* clang-format on */

/* Finds the peer's frames that rn_match_again() does not find, since they are long or their headers
 * are not remembered: returns true and fills *b if the frame matches and its ICRC is right.
 * Remembers headers that are new. */
RN_FOLDING static __attribute__((noinline)) bool
is_from_peer(struct rn_qp *qp, const uint8_t *frame, uint32_t len, bool ipv4, struct rn_brief *b)
{
	const uint8_t *bth = frame + rn_match_bth(ipv4);
	bool large = rn_match_large(&qp->match, frame, len, ipv4, b);
	uint32_t icrc, right;

	if (rn_unlikely(!large && !rn_match_frame(&qp->match, frame, len, ipv4, b)))
		return false;
	memcpy(&icrc, b->end, sizeof(icrc));
	if (rn_likely(large))
		right = rn_icrc_add(qp->match.large.crc, bth, (size_t)(b->end - bth)) ^
			qp->match.large_masked;
	else
		right = rn_icrc_packet(b->ip, (size_t)(b->end - b->ip));
	if (rn_unlikely(icrc != right))
		return false;
	if (!large)
		rn_match_remember(&qp->match, frame, b->ip, bth, b->end);
	return true;
}

/* Handles a frame that matches, and whose ICRC is right. */
static inline bool take(struct rn_qp *qp, const uint8_t *bth, uint32_t len, const uint8_t *end,
			enum rn_verdict *v, rn_time now)
{
	uint8_t opcode = *bth;

	/* The frequent opcodes first: comparisons are faster than a jump through a table. */
	if (opcode == RN_OP_SEND_ONLY)
		return rx_send_only(qp, bth, len, end, v, now);
	if (opcode == RN_OP_WRITE_ONLY)
		return rx_write_only(qp, bth, len, end, v, now);
	if (opcode == RN_OP_ACK)
		return rx_ack(qp, bth, len, end, v, now);
	if (opcode == RN_OP_READ_REQUEST)
		return rx_read_request(qp, bth, len, end, v, now);
	if (opcode == RN_OP_READ_RESP_ONLY)
		return rx_read_only(qp, bth, len, end, v, now);
	if (opcode == RN_OP_WRITE_MIDDLE)
		return rx_write_middle(qp, bth, len, end, v, now);
	if (opcode == RN_OP_WRITE_FIRST)
		return rx_write_first(qp, bth, len, end, v, now);
	if (opcode == RN_OP_WRITE_LAST)
		return rx_write_last(qp, bth, len, end, v, now);
	return rx_read(qp, bth, len, end, v, now);
}

static __attribute__((noinline)) bool rx_first(struct rn_qp *qp, const uint8_t *frame, uint32_t len,
					       bool ipv4, enum rn_verdict *v, rn_time now)
{
	struct rn_brief b;

	return is_from_peer(qp, frame, len, ipv4, &b) &&
	       take(qp, b.ext - RN_BTH_BYTES, len, b.end, v, now);
}

/* The CRC of the bytes before the BTH is known: is the ICRC right? */
RN_FOLDING static inline bool icrc_fits(const struct rn_brief *b, uint32_t crc)
{
	const uint8_t *bth = b->ext - RN_BTH_BYTES;
	uint32_t icrc;

	memcpy(&icrc, b->end, sizeof(icrc));
	return icrc == rn_icrc_tail_folded(crc, bth, (size_t)(b->end - bth));
}

/* rn_short_rx() for one IP version. */
RN_FOLDING static inline bool rx_again(struct rn_qp *qp, const uint8_t *frame, uint32_t len,
				       bool ipv4, enum rn_verdict *v, rn_time now)
{
	struct rn_brief b;
	uint32_t crc;

	if (rn_unlikely(!rn_match_again(&qp->match, frame, len, ipv4, &b, &crc)))
		return rx_first(qp, frame, len, ipv4, v, now);
	if (rn_unlikely(!icrc_fits(&b, crc)))
		return false;
	return take(qp, b.ext - RN_BTH_BYTES, len, b.end, v, now);
}

RN_FOLDING static __attribute__((noinline)) bool
rx_ipv6(struct rn_qp *qp, const uint8_t *frame, uint32_t len, enum rn_verdict *v, rn_time now)
{
	return rx_again(qp, frame, len, false, v, now);
}

RN_FOLDING bool rn_short_rx(struct rn_qp *qp, const uint8_t *frame, uint32_t len, bool ipv4,
			    enum rn_verdict *v, rn_time now)
{
	/* A QP that only receives may stay in RTR, as that of an ib_write_bw server. No request is
	 * in flight in RTR, so each function for a response refuses it, and take_other() passes the
	 * response to rn_qp_rx(). */
	if (rn_unlikely(qp->state != RN_QPS_RTS && qp->state != RN_QPS_RTR))
		return false;
	return rn_likely(ipv4) ? rx_again(qp, frame, len, true, v, now)
			       : rx_ipv6(qp, frame, len, v, now);
}
