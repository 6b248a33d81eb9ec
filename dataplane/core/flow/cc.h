/* Congestion control of one queue pair's sending: how fast, and when the next packet may be
 * sent. A table of functions per algorithm; the state of a flow is a plain value. Pure: nothing
 * here depends on queue pairs, packets or a clock.
 *
 * Units: rates are bits per second of whole frames, times are nanoseconds, alpha is in units of
 * 2^-20. A flow without a limit has no state: the limit begins with the first notification
 * (rn_cc_cnp()) and ends when the rate is back at line rate (limited is false). Rules and names:
 * docs/spec/rocev2.md 7.3 and 7.4. Shard thread. */
#ifndef RN_CC_H
#define RN_CC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "ground/cc_cfg.h"

struct rn_cc {
	/* rate: present limit; target: rate that increases approach */
	uint64_t rate, target;
	rn_time send_at;  /* no data may be sent before */
	rn_time raise_at; /* next increase by the timer */
	rn_time alpha_at; /* the time for which alpha holds */
	rn_time cut_at;	  /* last cut */
	uint32_t alpha;
	uint32_t bytes;			 /* bytes sent since the last increase by bytes */
	uint32_t time_stage, byte_stage; /* increases since the last cut, of each kind */
	bool limited;
	bool waiting; /* send_at held data back: lateness may be made up for */
};

struct rn_cc_row {
	const char *name;
	/* Handles a notification. True: the rate was cut. */
	bool (*on_cnp)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
	/* Accounts for a data frame of so many bytes that was sent. */
	void (*on_sent)(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
	/* Applies the increases that are due by time, at most a bounded number per call. */
	void (*on_timer)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
};
extern const struct rn_cc_row rn_cc_rows[RN_CC_COUNT];

/* ---- what a limited flow may do; the algorithm only changes the rate ---- */

/* When the next data packet may be sent (<= now: at once). Applies increases that are due, which
 * may end the limit. The value holds for this `now` only. */
rn_time rn_cc_send_at(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* When rn_cc_send_at() must be called again, because data is held back: at send_at, or when the
 * rate is raised before. */
rn_time rn_cc_wake_at(struct rn_cc *cc);
/* A data frame of so many bytes was sent. */
void rn_cc_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
/* The flow could send but had no data: it gets no credit for that time. */
void rn_cc_idle(struct rn_cc *cc);
/* A notification came. True: the rate was cut. */
bool rn_cc_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* Ends the limit and clears all state. */
void rn_cc_reset(struct rn_cc *cc);

#endif
