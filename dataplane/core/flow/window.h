/* The send window: which PSNs of which requests are in flight, and how many may be.
 *
 *	una <= cur <= high (modulo 2^24), next >= high
 *	una   oldest PSN not acknowledged; everything before it is complete
 *	cur   next PSN to send: packet send_pkt of request sq->send; before high while sending again
 *	high  one beyond the highest PSN ever sent (a READ request uses all PSNs of its responses)
 *	next  PSN of the next request to start
 * Works on the QP's send queue. Shard thread. */
#ifndef RN_WINDOW_H
#define RN_WINDOW_H

#include "ground/core_cfg.h"
#include "wire/psn.h"
#include "queue/sq.h"

struct rn_window {
	uint32_t una, cur, high, next;
	uint32_t send_pkt; /* packets of sq->send already sent (or sent again) */
	uint32_t size;	   /* packets that may be in flight */
	uint32_t max;	   /* upper bound of size */
	uint32_t knee;	   /* below it size doubles per round trip, above it grows slowly */
	uint32_t acked;	   /* packets acknowledged towards the next step of growth */
	uint32_t unasked;  /* packets sent since the last one with AckReq */
	uint32_t recover;  /* doubt: high at that timeout */
	uint32_t size_before, knee_before; /* doubt: size and knee before that timeout */
	bool doubt;			   /* the last timeout may have been a mistake */
	uint32_t responses;		   /* PSNs before cur for which responses are awaited */
	uint32_t piece;			   /* most responses per READ request; a power of two */
	uint8_t nreads, read_head;
	uint8_t nbig;			 /* of nreads, those sent as several requests */
	uint32_t read[RN_MAX_RD_ATOMIC]; /* positions of incomplete READs and atomics */
};

/* psn: of the first packet. max: packets. depth: how many READs and atomics the peer accepts at
 * a time. */
void rn_window_init(struct rn_window *w, uint32_t psn, uint32_t max, unsigned depth);

/* Assigns PSNs to request sq->started. */
void rn_window_start(struct rn_window *w, struct rn_sq *sq, uint32_t npkts);
/* True when, with a request of npkts started, the order of all PSNs in flight can still be
 * determined: fewer than 2^23 are unacknowledged, or 2^23 of a single request. */
static inline bool rn_window_fits(const struct rn_window *w, uint32_t npkts)
{
	return rn_psn_steps(w->una, w->next) + npkts <= RN_PSN_WINDOW;
}

/* How many responses the next packet of READ sq->send requests: up to the end of its piece.
 * Where pieces end depends on the READ's first PSN only, so that what is requested again is part
 * of what was requested before. */
static inline uint32_t rn_window_piece(const struct rn_window *w, const struct rn_sqe *e)
{
	uint32_t left = e->npkts - w->send_pkt;

	return rn_likely(e->npkts <= w->piece)
		       ? left
		       : RN_MIN(left, w->piece - (w->send_pkt & (w->piece - 1)));
}

/* Does a piece end with packet pkt of a READ, other than its last packet? */
static inline bool rn_window_ends_piece(const struct rn_window *w, uint32_t pkt)
{
	return !((pkt + 1) & (w->piece - 1));
}

/* How many requests for READs and atomics are in flight; the peer keeps a record of each. */
unsigned rn_window_asked(const struct rn_window *w, const struct rn_sq *sq);

/* The packet at cur was sent: it uses n PSNs of request sq->send. */
void rn_window_sent(struct rn_window *w, struct rn_sq *sq, uint32_t n);

/* Everything before psn is acknowledged (una <= psn <= high). Grows the window. The caller
 * completes the requests. */
void rn_window_ack(struct rn_window *w, struct rn_sq *sq, uint32_t psn);
/* Goes back: sends again from una on. */
void rn_window_rewind(struct rn_window *w, struct rn_sq *sq);

/* Is this request complete? Valid for sq->head only. */
static inline bool rn_window_done(const struct rn_window *w, const struct rn_sqe *e)
{
	return rn_psn_steps(e->first_psn, w->una) >= e->npkts;
}

/* The oldest incomplete READ or atomic; *expect is the PSN of the response it waits for. NULL:
 * none. */
struct rn_sqe *rn_window_read(const struct rn_window *w, const struct rn_sq *sq, uint32_t *expect);
/* The started request that contains psn (una <= psn < next). */
struct rn_sqe *rn_window_find(const struct rn_window *w, const struct rn_sq *sq, uint32_t psn);

/* Request packets in flight, without the responses to READs and atomics. */
static inline uint32_t rn_window_requests(const struct rn_window *w)
{
	return rn_psn_steps(w->una, w->cur) - w->responses;
}

/* How many packets at most may pass between two AckReq bits. */
static inline uint32_t rn_window_ask_every(const struct rn_window *w)
{
	uint32_t half = w->size / 2;
	return RN_MAX(RN_MIN(half, 64u), 1u);
}

/* rn_window_lost(): a NAK or a missing response halves the window. rn_window_timed_out(): a
 * timeout reduces it to one packet. An acknowledgement of packets that were sent only once shows
 * that the timeout was a mistake, and restores the former window. */
void rn_window_lost(struct rn_window *w);
void rn_window_timed_out(struct rn_window *w);

/* Has psn been sent and not been acknowledged? */
static inline bool rn_window_in_flight(const struct rn_window *w, uint32_t psn)
{
	return rn_psn_steps(w->una, psn) < rn_psn_steps(w->una, w->high);
}

#endif
