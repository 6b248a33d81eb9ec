/* The send window: which PSNs of which work requests are in flight, and how many may be in flight.
 * PSNs are ordered una <= cur <= high <= next (modulo 2^24).
 *
 *	una   oldest PSN not acknowledged; everything before it is complete
 *	cur   next PSN to send: packet send_pkt of work request sq->send; below high while resending
 *	high  one beyond the highest PSN ever sent (a READ request uses all PSNs of its responses)
 *	next  PSN of the next work request to start
 *
 * Works on the QP's send queue. Runs on the shard's thread. */
#ifndef RN_WINDOW_H
#define RN_WINDOW_H

#include "ground/core_cfg.h"
#include "wire/psn.h"
#include "queue/sq.h"

struct rn_window {
	uint32_t una, cur, high, next;
	uint32_t send_pkt; /* how many PSNs of work request sq->send lie before cur */
	uint32_t size;	   /* how many packets may be in flight */
	uint32_t max;	   /* upper bound of size */
	uint32_t knee;	 /* up to the knee, size doubles per round trip; above, size grows slowly */
	uint32_t acked;	 /* packets acknowledged since the last growth step */
	uint8_t unasked; /* packets sent since the last packet with AckReq, at most 64 */
	/* A patch (rn_window_patch()) is the packet before patch_end, sent again alone. `probing`:
	 * it was sent on suspicion (rn_window_probe()). `reading`: it is a request for the missing
	 * responses from una up to patch_end (rn_window_patch_read()). `patches` counts ACKs in a
	 * row that covered a patch and no more. */
	bool patching;
	bool probing : 1, reading : 1;
	uint8_t patches : 4;
	uint8_t peer_keeps : 4; /* enum rn_window_peer */
	/* number of PSNs in [una, cur) that belong to missing responses to READs and atomics */
	uint32_t responses;
	uint16_t piece; /* maximum responses per READ request packet; a power of two */
	/* A loss that costs no more than this leaves the size as it is. A loss costs as much as the
	 * size, and each packet that is acknowledged while the size is below `max` adds 1. */
	uint16_t allowance;
	uint8_t nreads, read_head;
	uint8_t nbig;	     /* how many READs in read[] are longer than one piece */
	bool maybe_spurious; /* the last timeout may have occurred without a loss */
	/* Value of `high` at the timeout or loss, if maybe_spurious or patching is set. At most one
	 * of the two is. */
	uint32_t recover;
	union {
		uint32_t size_before; /* size before the timeout, if maybe_spurious is set */
		uint32_t patch_end;   /* if patching is set */
	};
	uint32_t knee_before; /* knee before the timeout */
	/* ring of incomplete READs and atomics: positions in the send queue */
	uint32_t read[RN_MAX_RD_ATOMIC];
};

/* Does the peer keep packets that arrive ahead of a lost one? */
enum rn_window_peer { RN_PEER_UNKNOWN, RN_PEER_KEEPS, RN_PEER_DROPS };

/* Initialises the window. psn is the PSN of the first packet. max is the largest window in packets.
 * depth is how many READs and atomics the peer accepts at a time. */
void rn_window_init(struct rn_window *w, uint32_t psn, uint32_t max, unsigned depth);

/* Notes that the READ or atomic at position `at` of the send queue has started. Its PSNs and
 * `nbig` are the caller's business. */
static inline void rn_window_note_read(struct rn_window *w, uint32_t at)
{
	rn_assert(w->nreads < RN_MAX_RD_ATOMIC);
	w->read[(w->read_head + w->nreads++) % RN_MAX_RD_ATOMIC] = at;
}
/* Starts the work request at position sq->started of the send queue: gives the work request npkts
 * PSNs. */
void rn_window_start(struct rn_window *w, struct rn_sq *sq, uint32_t npkts);
/* Returns true if a work request of npkts packets can start. All unacknowledged PSNs must fit into
 * half of the PSN space (2^23), because the order of PSNs further apart is undefined. */
static inline bool rn_window_fits(const struct rn_window *w, uint32_t npkts)
{
	return rn_psn_steps(w->una, w->next) + npkts <= RN_PSN_WINDOW;
}

/* Returns how many responses READ e has from response pkt, counted from 0, to the end of the piece
 * of this response. A READ consists of pieces of w->piece responses. */
static inline uint32_t rn_window_rest(const struct rn_window *w, const struct rn_sqe *e,
				      uint32_t pkt)
{
	uint32_t left = e->npkts - pkt;

	return rn_likely(e->npkts <= w->piece) ? left
					       : RN_MIN(left, w->piece - (pkt & (w->piece - 1)));
}
/* Returns how many responses the next READ request packet of READ e asks for: all up to the end of
 * the piece, also when the READ is sent again from the middle of a piece, or only those that are
 * missing (rn_window_patch_read()). e is the work request sq->send. */
static inline uint32_t rn_window_piece(const struct rn_window *w, const struct rn_sqe *e)
{
	uint32_t n = rn_window_rest(w, e, w->send_pkt);

	return rn_likely(!w->reading || !rn_psn_before(w->cur, w->patch_end))
		       ? n
		       : RN_MIN(n, rn_psn_steps(w->cur, w->patch_end));
}

/* Returns true if response pkt of a READ, counted from 0, ends a full piece. The last piece of a
 * READ may be shorter, so the caller also checks for the READ's last response. */
static inline bool rn_window_ends_piece(const struct rn_window *w, uint32_t pkt)
{
	return !((pkt + 1) & (w->piece - 1));
}

/* Returns the number of READ and atomic request packets that are not fully answered. The peer keeps
 * a record of each and has room for max_rd_atomic records. */
unsigned rn_window_asked(const struct rn_window *w, const struct rn_sq *sq);

/* Accounts for the packet at cur, which was sent and uses n PSNs of work request sq->send. */
void rn_window_sent(struct rn_window *w, struct rn_sq *sq, uint32_t n);

/* Handles the acknowledgement of all packets before psn (una <= psn <= high). Grows the window. The
 * caller completes the work requests. */
void rn_window_ack(struct rn_window *w, struct rn_sq *sq, uint32_t psn);
/* The same as rn_window_ack(w, sq, psn) if nothing is special: the window has its full size, no
 * READ or atomic is incomplete, and no packet before psn waits to be sent again. Otherwise returns
 * false and changes nothing. */
static inline bool rn_window_ack_plain(struct rn_window *w, uint32_t psn)
{
	if (rn_unlikely(w->size != w->max || w->maybe_spurious || w->nreads ||
			rn_psn_steps(w->una, psn) > rn_psn_steps(w->una, w->cur)))
		return false;
	w->una = psn;
	return true;
}
/* The same as rn_window_ack(w, sq, una + 1) if una is a PSN of the oldest incomplete READ, which
 * has the npkts PSNs from first_psn on, and if nothing is special: the window has its full size,
 * and the response at una is not being requested again. Otherwise returns false and changes
 * nothing. */
static inline bool rn_window_ack_read(struct rn_window *w, uint32_t first_psn, uint32_t npkts)
{
	uint32_t at = rn_psn_steps(first_psn, w->una);

	if (rn_unlikely(at >= npkts || w->size != w->max || w->maybe_spurious || w->cur == w->una ||
			!w->responses))
		return false;
	w->una = rn_psn_add(w->una, 1);
	w->responses--;
	if (at + 1 == npkts) {
		w->read_head = (w->read_head + 1) % RN_MAX_RD_ATOMIC;
		w->nreads--;
		w->nbig -= npkts > 1 && npkts > w->piece;
	}
	return true;
}
/* Goes back N: all packets from una on are sent again. */
void rn_window_rewind(struct rn_window *w, struct rn_sq *sq);

/* A patch is the packet at una, sent again alone and followed by new packets. A peer that keeps
 * packets then acknowledges more than the patch, and a peer that drops them does not: this is how
 * the window finds out.
 *
 * rn_window_may_patch() returns false if the peer drops packets or a READ or atomic is incomplete;
 * the caller then goes back N. rn_window_patch() is for the first loss after progress. A patch
 * makes the window smaller by an eighth if losses are many, or by a quarter, but not below 64
 * packets, if packets spend more than a fifth of the round trip in queues (`queued`): a smaller
 * window is as fast then, a gap is closed earlier, and fewer packets are kept. */
static inline bool rn_window_may_patch(const struct rn_window *w)
{
	return w->peer_keeps != RN_PEER_DROPS && !w->nreads;
}
void rn_window_patch(struct rn_window *w, struct rn_sq *sq, bool queued);
/* To be called after rn_window_ack() while w->patching is set. If packets that were sent before the
 * patch are still missing, sends the next one again, or all of them if the peer drops packets.
 * Returns true if packets are to be sent again. */
bool rn_window_patched(struct rn_window *w, struct rn_sq *sq, bool queued);
/* Sends the packet at una again alone, because no acknowledgement has come for longer than usual:
 * this packet, or a patch, or the NAK may be lost, or the peer is only slow. The size stays.
 * Returns false, and does nothing, if packets are being sent again anyway, or if a READ or atomic
 * is incomplete. */
bool rn_window_probe(struct rn_window *w, struct rn_sq *sq);
/* Requests the responses from una up to `end` again, which are missing, and then goes on at `high`.
 * una belongs to the oldest incomplete READ or atomic, and `end` lies at most at the end of the
 * piece. `lost`: later responses have shown the loss, which makes the window smaller like a patch.
 * Until rn_window_read_patched(), the size stays below `max`, so that each response takes the
 * general way (rn_window_ack_read()). */
void rn_window_patch_read(struct rn_window *w, struct rn_sq *sq, uint32_t end, bool lost,
			  bool queued);
static inline void rn_window_read_patched(struct rn_window *w)
{
	w->patching = w->reading = false;
}
/* Returns true if the packet at cur is a patch, which must request an ACK. */
static inline bool rn_window_at_patch(const struct rn_window *w)
{
	return w->patching && rn_psn_add(w->cur, 1) == w->patch_end;
}

/* Returns true if work request e is complete. e must be the oldest work request (sq->head). */
static inline bool rn_window_done(const struct rn_window *w, const struct rn_sqe *e)
{
	return rn_psn_steps(e->first_psn, w->una) >= e->npkts;
}

/* Returns the oldest incomplete READ or atomic, or NULL if there is none. Sets *expect to the PSN
 * of the next missing response. */
struct rn_sqe *rn_window_read(const struct rn_window *w, const struct rn_sq *sq, uint32_t *expect);
/* Returns the started work request whose PSNs include psn (una <= psn < next). */
struct rn_sqe *rn_window_find(const struct rn_window *w, const struct rn_sq *sq, uint32_t psn);

/* Returns the number of request packets in flight. Responses to READs and atomics do not count. */
static inline uint32_t rn_window_requests(const struct rn_window *w)
{
	return rn_psn_steps(w->una, w->cur) - w->responses;
}

/* Returns the largest number of packets from one AckReq bit to the next. */
static inline uint32_t rn_window_ask_every(const struct rn_window *w)
{
	uint32_t half = w->size / 2;
	return RN_MAX(RN_MIN(half, 64u), 1u);
}

/* rn_window_lost() is for a loss after which all packets are sent again: it takes a quarter of the
 * window if losses are many, or half, but not below 32 packets, if `queued` (as above), since a
 * smaller window repeats fewer packets. On a path without queues the window stays as it is while at
 * most one packet per window is lost.
 * rn_window_timed_out() reduces the window to one packet after a timeout. If an acknowledgement
 * then shows that no packet was lost, rn_window_ack() restores the previous window. */
void rn_window_lost(struct rn_window *w, bool queued);
void rn_window_timed_out(struct rn_window *w);

/* Returns true if psn was sent and is not acknowledged. */
static inline bool rn_window_in_flight(const struct rn_window *w, uint32_t psn)
{
	return rn_psn_steps(w->una, psn) < rn_psn_steps(w->una, w->high);
}

#endif
