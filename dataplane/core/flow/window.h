/* The send window: which PSNs of which requests are in flight, and how many may be.
 *
 *	una <= cur <= high (modulo 2^24), next >= high
 *	una   oldest PSN not acknowledged; everything before it is done
 *	cur   next PSN to go out: packet send_pkt of request sq->send; behind high while sending again
 *	high  one beyond the highest PSN ever sent (a READ request sends its whole range)
 *	next  PSN of the next request to start
 * Works on the QP's send queue. Shard thread. */
#ifndef RN_WINDOW_H
#define RN_WINDOW_H

#include "ground/core_cfg.h"
#include "wire/psn.h"
#include "queue/sq.h"

struct rn_window {
	uint32_t una, cur, high, next;
	uint32_t send_pkt;  /* packets of sq->send already sent (again) */
	uint32_t size;      /* packets that may be in flight */
	uint32_t max;       /* upper bound of size */
	uint32_t knee;      /* below it size doubles per round trip, above it grows by a step */
	uint32_t acked;     /* packets towards the next step */
	uint32_t unasked;   /* packets sent since the last one with AckReq */
	uint32_t recover;   /* high at the timeout that is in doubt */
	uint32_t size_before, knee_before; /* ... and what it took away */
	bool doubt;         /* that timeout may have been a mistake */
	uint32_t responses; /* in flight: PSNs before cur that READ responses and ATOMIC ACKs will carry */
	uint32_t piece;     /* responses at most that one READ request calls for; a power of two */
	uint8_t nreads, read_head;
	uint8_t nbig;       /* of nreads, those that take more than one request */
	uint32_t read[RN_MAX_RD_ATOMIC]; /* queue positions of the started, incomplete READs and atomics, oldest first */
};

/* depth: how many READs and atomics the peer takes at a time. */
void rn_window_init(struct rn_window *w, uint32_t psn, uint32_t max, unsigned depth);

/* Gives request sq->started its PSNs. */
void rn_window_start(struct rn_window *w, struct rn_sq *sq, uint32_t npkts);
/* True when starting a request of npkts keeps fewer than 2^23 (a lone one: at most 2^23) PSNs unacknowledged. */
static inline bool rn_window_fits(const struct rn_window *w, uint32_t npkts)
{
	return rn_psn_steps(w->una, w->next) + npkts <= RN_PSN_WINDOW;
}

/* How many responses the next request packet of READ sq->send calls for: up to the end of its piece. Where pieces end
 * depends on the READ's first PSN alone, so that what is asked for again lies within what was asked for before. */
static inline uint32_t rn_window_piece(const struct rn_window *w, const struct rn_sqe *e)
{
	uint32_t left = e->npkts - w->send_pkt;

	return rn_likely(e->npkts <= w->piece) ? left : RN_MIN(left, w->piece - (w->send_pkt & (w->piece - 1)));
}

/* Does a piece end with packet pkt of a READ, not its last? */
static inline bool rn_window_ends_piece(const struct rn_window *w, uint32_t pkt)
{
	return !((pkt + 1) & (w->piece - 1));
}

/* How many requests for READs and atomics are in flight, each of which the peer keeps a record of. */
unsigned rn_window_asked(const struct rn_window *w, const struct rn_sq *sq);

/* The packet at cur went out: n PSNs of request sq->send. */
void rn_window_sent(struct rn_window *w, struct rn_sq *sq, uint32_t n);

/* Everything before psn is done (una <= psn <= high). Grows the window. The caller retires requests. */
void rn_window_ack(struct rn_window *w, struct rn_sq *sq, uint32_t psn);
/* Sends again from una on. */
void rn_window_rewind(struct rn_window *w, struct rn_sq *sq);

/* Is this request complete? Asked of sq->head only. */
static inline bool rn_window_done(const struct rn_window *w, const struct rn_sqe *e)
{
	return rn_psn_steps(e->first_psn, w->una) >= e->npkts;
}

/* The oldest incomplete READ or atomic, or NULL; *expect is the PSN of the response it waits for. */
struct rn_sqe *rn_window_read(const struct rn_window *w, const struct rn_sq *sq, uint32_t *expect);
/* The started request that contains psn (una <= psn < next). */
struct rn_sqe *rn_window_find(const struct rn_window *w, const struct rn_sq *sq, uint32_t psn);

/* Packets in flight that are requests; what comes back for READs and atomics is not. */
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

/* A NAK or a missing response: half the window. A timeout: one packet, then growth; undone by an acknowledgement of
 * packets that were not sent again. */
void rn_window_lost(struct rn_window *w);
void rn_window_timed_out(struct rn_window *w);

static inline bool rn_window_in_flight(const struct rn_window *w, uint32_t psn)
{
	return rn_psn_steps(w->una, psn) < rn_psn_steps(w->una, w->high);
}

#endif
