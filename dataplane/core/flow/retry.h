/* When packets are sent again: the transport timeout, the RNR wait, and the two retry counts. The
 * caller reports what happened, and retry.c decides when the timer expires. Each QP has one timer
 * for transport timeout and RNR wait. Runs on the shard's thread. */
#ifndef RN_RETRY_H
#define RN_RETRY_H

#include "base/types.h"
#include "base/wheel.h"

struct rn_retry {
	struct rn_timer timer; /* armed again if it expires before `deadline` */
	rn_time deadline;
	rn_time base; /* start of the coded timeout that is running */
	/* Time of the last progress. If no packet was in flight, time of the next packet sent. A
	 * response without progress changes `base` but not `since`. */
	rn_time since;
	rn_time rto; /* adaptive timeout, doubled by each resend */
	/* When the packet was sent whose round trip is measured, or when packets were last sent
	 * again because of a NAK. */
	rn_time sample_at;
	uint32_t sample_psn;
	bool sampling;
	bool running;  /* packets are in flight */
	bool rnr_wait; /* after an RNR NAK: the QP may not send until the timer expires */
	bool acted;    /* packets were sent again since the last progress: ignore NAKs */
	uint8_t cnt, left;
	uint8_t rnr_cnt, rnr_left;
	uint32_t stale_left; /* how many READ responses before una may still restart the timeout */
	rn_time full;	     /* coded timeout, 4.096 us << code; 0 = no timer */
	rn_time srtt, var;   /* smoothed round trip and its deviation; 0 = no sample yet */
	rn_time shortest;    /* shortest round trip measured */
	/* Lower bound of rto. The floor of probes, if there are probes, is below that of
	 * resends. The caller lowers it further while the path loses packets. */
	rn_time floor;
};

enum rn_retry_due {
	RN_RETRY_NOTHING,
	RN_RETRY_PROBE,
	RN_RETRY_RNR_OVER,
	RN_RETRY_RESEND_EARLY,
	RN_RETRY_RESEND,
	RN_RETRY_EXCEEDED
};

/* Each function returns the nanoseconds for a code: a local ACK timeout code (docs/spec/rocev2.md
 * 3.7) or an RNR timer code (3.8). For timeout code 0 the result is 0: no timeout. */
rn_time rn_retry_timeout_ns(uint8_t code);
rn_time rn_retry_rnr_ns(uint8_t code);

/* `initial` is the adaptive timeout until a round trip is measured. With a floor below that of
 * resends (rn_retry_expired()), probes come before resends. */
void rn_retry_init(struct rn_retry *r, rn_time floor, rn_time initial);
/* Sets the coded timeout and both retry counts. Parameters:
 * - timeout: code of the local ACK timeout.
 * - retry_cnt: number of retries after timeouts and NAKs.
 * - rnr_retry: number of retries after RNR NAKs; 7 means unlimited. */
void rn_retry_config(struct rn_retry *r, uint8_t timeout, uint8_t retry_cnt, uint8_t rnr_retry);
void rn_retry_stop(struct rn_retry *r, struct rn_wheel *w);

/* Returns true if packets spend more than a fifth of the round trip in queues. Flows that fill a
 * queue together have never seen it empty, so that the shortest round trip is a long one too. */
static inline bool rn_retry_queued(const struct rn_retry *r)
{
	return r->srtt > r->shortest / 4 * 5;
}
/* The caller reports that a request packet was sent. `sample` says that the packet is new and
 * requests a response, so its round trip may be measured. */
void rn_retry_packet_sent(struct rn_retry *r, struct rn_wheel *w, uint32_t psn, bool sample,
			  rn_time now);
/* The caller reports progress: the oldest unacknowledged PSN is now `una`. `more` says that packets
 * are still in flight. Reloads both retry counts. */
void rn_retry_progress(struct rn_retry *r, struct rn_wheel *w, uint32_t una, bool more,
		       rn_time now);
/* The caller reports that a READ request was sent again. Adds `responses`, the number of response
 * packets that the READ request asks for, to stale_left. */
void rn_retry_asked_again(struct rn_retry *r, uint32_t responses);
/* The caller reports that the peer answers although una cannot move yet. Restarts the timeout,
 * unless PATIENCE coded timeouts have passed since the last progress. Reloads no retry count. */
void rn_retry_alive(struct rn_retry *r, struct rn_wheel *w, rn_time now);
/* The caller reports a READ response before una. Subtracts 1 from stale_left; has no effect if
 * stale_left is 0. Restarts the timeout like rn_retry_alive(). If at most PATIENCE coded timeouts
 * have passed since the last progress, reloads the retry count. Never reloads the RNR retry
 * count. */
void rn_retry_stale(struct rn_retry *r, struct rn_wheel *w, rn_time now);
/* Lowers the floor, and shortens the time until the next probe or resend accordingly. */
void rn_retry_hasten(struct rn_retry *r, struct rn_wheel *w, rn_time floor, rn_time now);
/* The caller reports a NAK, before it sends the packets again. Uses one retry. Returns false if no
 * retry is left. */
bool rn_retry_nak(struct rn_retry *r, rn_time now);
/* The caller reports an implied NAK, before it sends the packets again: a later response shows that
 * an earlier response was lost. Uses no retry. */
void rn_retry_implied(struct rn_retry *r, rn_time now);
/* The caller reports an RNR NAK. Starts the RNR wait and uses one RNR retry. Returns false if no
 * RNR retry is left. */
bool rn_retry_rnr(struct rn_retry *r, struct rn_wheel *w, uint8_t code, rn_time now);
/* The caller reports that the timer has expired. `floor` is the lower bound of the adaptive timeout
 * after which packets are sent again. After RESEND and RESEND_EARLY the caller sends again from
 * una; the timer is armed already. After PROBE the caller may send the packet at una again. */
enum rn_retry_due rn_retry_expired(struct rn_retry *r, struct rn_wheel *w, rn_time floor,
				   rn_time now);

#endif
