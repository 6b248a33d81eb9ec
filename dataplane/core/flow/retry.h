/* When to send again: the transport timeout, the RNR wait and both retry budgets, as events. The caller reports what
 * happened; only retry.c knows which timer that arms. One timer per QP serves all. Shard thread. */
#ifndef RN_RETRY_H
#define RN_RETRY_H

#include "base/types.h"
#include "base/wheel.h"

struct rn_retry {
	struct rn_timer timer; /* may ring early: `deadline` decides (rn_retry_expired) */
	rn_time deadline;
	rn_time base;          /* last progress, or start of the present coded interval */
	rn_time since;         /* last progress, or start: no sign of life moves it */
	rn_time full;          /* coded timeout; 0 = no timer at all */
	rn_time floor, initial;
	rn_time srtt, var;     /* smoothed round trip and its deviation; 0 = no sample yet */
	rn_time rto;           /* present adaptive timeout, doubled by every resend */
	rn_time sample_at;
	uint32_t sample_psn;
	uint32_t stale_left;   /* READ responses asked for again of which no second answer has come */
	bool sampling;
	bool running;          /* something is in flight */
	bool rnr_wait;         /* nothing may be sent until the timer rings */
	bool acted;            /* sent again since the last progress or timeout: further NAKs are echoes */
	uint8_t cnt, left;
	uint8_t rnr_cnt, rnr_left;
};

enum rn_retry_due { RN_RETRY_NOTHING, RN_RETRY_RNR_OVER, RN_RETRY_RESEND_EARLY, RN_RETRY_RESEND, RN_RETRY_EXCEEDED };

/* Coded local ACK timeout and RNR timer (docs/spec/rocev2.md 3.7 and 3.8) in nanoseconds. Code 0 of the former is 0: never. */
rn_time rn_retry_timeout_ns(uint8_t code);
rn_time rn_retry_rnr_ns(uint8_t code);

void rn_retry_init(struct rn_retry *r, rn_time floor, rn_time initial);
void rn_retry_config(struct rn_retry *r, uint8_t timeout, uint8_t retry_cnt, uint8_t rnr_retry);
void rn_retry_stop(struct rn_retry *r, struct rn_wheel *w);

/* A request packet left. sample: it is new and solicits a response, so its round trip may be measured. */
void rn_retry_packet_sent(struct rn_retry *r, struct rn_wheel *w, uint32_t psn, bool sample, rn_time now);
/* una moved to `una`; more: something is still in flight. Reloads both budgets. */
void rn_retry_progress(struct rn_retry *r, struct rn_wheel *w, uint32_t una, bool more, rn_time now);
/* A READ request left that had been sent before; it calls for so many responses. */
void rn_retry_asked_again(struct rn_retry *r, uint32_t responses);
/* The peer still answers, though not yet what is needed: time runs from here again, unless too much has passed since the
 * last progress. No budget is reloaded. */
void rn_retry_alive(struct rn_retry *r, struct rn_wheel *w, rn_time now);
/* The same with a READ response from before una, if as many were asked for again. Reloads the budget of timeouts. */
void rn_retry_stale(struct rn_retry *r, struct rn_wheel *w, rn_time now);
/* About to send again on a NAK: spends one retry. False: none left. */
bool rn_retry_nak(struct rn_retry *r);
/* About to send again without spending: an implied NAK. */
void rn_retry_implied(struct rn_retry *r);
/* RNR NAK: waits. False: budget spent. */
bool rn_retry_rnr(struct rn_retry *r, struct rn_wheel *w, uint8_t code, rn_time now);
/* The timer rang. RESEND*: the caller sends again from una; the timer is armed already. */
enum rn_retry_due rn_retry_expired(struct rn_retry *r, struct rn_wheel *w, rn_time now);

#endif
