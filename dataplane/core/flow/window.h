/* The send window: which PSNs of which requests are in flight, and how many may be.
 *
 *	una <= cur <= high (modulo 2^24), next >= high
 *	una   oldest PSN not acknowledged; everything before it is complete
 *	cur   next PSN to send (packet send_pkt of request sq->send); below high while resending
 *	high  one beyond the highest PSN ever sent (a READ request uses all PSNs of its responses)
 *	next  PSN of the next request to start
 * Works on the QP's send queue. Runs on the shard's thread. */
#ifndef RN_WINDOW_H
#define RN_WINDOW_H

#include "ground/core_cfg.h"
#include "wire/psn.h"
#include "queue/sq.h"

struct rn_window {
	uint32_t una, cur, high, next;
	uint32_t send_pkt; /* number of PSNs of request sq->send that are before cur */
	uint32_t size;	   /* how many packets may be in flight */
	uint32_t max;	   /* upper bound of size */
	uint32_t knee;	/* threshold: below, size doubles per round trip; above, it grows slowly */
	uint32_t acked; /* packets acknowledged since the last growth step */
	uint32_t unasked; /* packets sent since the last one with AckReq */
	uint32_t recover; /* while maybe_spurious: value of `high` at the timeout */
	uint32_t size_before, knee_before; /* while maybe_spurious: values before the timeout */
	bool maybe_spurious;		   /* the last timeout may have occurred without a loss */
	/* number of PSNs in [una, cur) that belong to READ and atomic responses not yet received */
	uint32_t responses;
	uint32_t piece; /* responses per READ request at most; a power of two */
	uint8_t nreads, read_head;
	uint8_t nbig; /* how many of the READs in read[] need several READ requests */
	/* ring of incomplete READs and atomics: positions in the send queue */
	uint32_t read[RN_MAX_RD_ATOMIC];
};

/* psn: PSN of the first packet. max: largest window in packets. depth: how many READs and atomics
 * the peer accepts at a time. */
void rn_window_init(struct rn_window *w, uint32_t psn, uint32_t max, unsigned depth);

/* Starts the request at position sq->started of the send queue: assigns its npkts PSNs. */
void rn_window_start(struct rn_window *w, struct rn_sq *sq, uint32_t npkts);
/* Can a request of npkts packets start so that all unacknowledged PSNs fit into half of the PSN
 * space (2^23)? The order of PSNs further apart is undefined. */
static inline bool rn_window_fits(const struct rn_window *w, uint32_t npkts)
{
	return rn_psn_steps(w->una, w->next) + npkts <= RN_PSN_WINDOW;
}

/* Returns how many responses the next READ request packet of request sq->send asks for: those up to
 * the end of the piece. The ends of the pieces depend only on the READ's first PSN. So the
 * responses that a repeated request asks for all belong to one earlier request. */
static inline uint32_t rn_window_piece(const struct rn_window *w, const struct rn_sqe *e)
{
	uint32_t left = e->npkts - w->send_pkt;

	return rn_likely(e->npkts <= w->piece)
		       ? left
		       : RN_MIN(left, w->piece - (w->send_pkt & (w->piece - 1)));
}

/* Is response pkt of a READ, counted from 0, the last one of a full piece? The READ's last piece
 * may be shorter: the caller checks for the last response of the READ. */
static inline bool rn_window_ends_piece(const struct rn_window *w, uint32_t pkt)
{
	return !((pkt + 1) & (w->piece - 1));
}

/* Number of READ and atomic request packets that are not yet fully answered. The peer keeps a
 * record of each, max_rd_atomic at most. */
unsigned rn_window_asked(const struct rn_window *w, const struct rn_sq *sq);

/* Accounts for the packet at cur as sent. The packet uses n PSNs of request sq->send. */
void rn_window_sent(struct rn_window *w, struct rn_sq *sq, uint32_t n);

/* Handles the acknowledgement of everything before psn (una <= psn <= high). Grows the window. The
 * caller completes the requests. */
void rn_window_ack(struct rn_window *w, struct rn_sq *sq, uint32_t psn);
/* Goes back N: the packets from una on are sent again. */
void rn_window_rewind(struct rn_window *w, struct rn_sq *sq);

/* Is this request complete? e must be the oldest request, that at sq->head. */
static inline bool rn_window_done(const struct rn_window *w, const struct rn_sqe *e)
{
	return rn_psn_steps(e->first_psn, w->una) >= e->npkts;
}

/* Returns the oldest incomplete READ or atomic; *expect is the PSN of its next response. Returns
 * NULL if no READ or atomic is incomplete. */
struct rn_sqe *rn_window_read(const struct rn_window *w, const struct rn_sq *sq, uint32_t *expect);
/* Returns the started request that contains psn (una <= psn < next). */
struct rn_sqe *rn_window_find(const struct rn_window *w, const struct rn_sq *sq, uint32_t psn);

/* Number of request packets in flight. The PSNs of responses to READs and atomics do not count. */
static inline uint32_t rn_window_requests(const struct rn_window *w)
{
	return rn_psn_steps(w->una, w->cur) - w->responses;
}

/* Largest number of packets from one AckReq bit to the next. */
static inline uint32_t rn_window_ask_every(const struct rn_window *w)
{
	uint32_t half = w->size / 2;
	return RN_MAX(RN_MIN(half, 64u), 1u);
}

/* rn_window_lost(): a NAK or a missing response halves the window. rn_window_timed_out(): a timeout
 * reduces it to one packet. If a later acknowledgement covers packets that were sent only once, the
 * timeout was spurious, and the former window is restored. */
void rn_window_lost(struct rn_window *w);
void rn_window_timed_out(struct rn_window *w);

/* Has psn been sent and not been acknowledged? */
static inline bool rn_window_in_flight(const struct rn_window *w, uint32_t psn)
{
	return rn_psn_steps(w->una, psn) < rn_psn_steps(w->una, w->high);
}

#endif
