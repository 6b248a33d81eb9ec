/* Congestion control of a flow, which is what one queue pair sends. The functions compute the rate
 * of the flow and the earliest time for its next packet. Each algorithm has a table of functions.
 * The state of a flow is a plain value. Runs on the shard's thread.
 *
 * Rates are bits per second of whole frames, times are nanoseconds, alpha is in units of 2^-20. The
 * first congestion notification (rn_cc_cnp()) begins the rate limit. The limit ends when the rate
 * is close to the line rate. Without a limit (`limited` is false) the flow has no state. Rules and
 * names: docs/spec/rocev2.md 7.3 and 7.4. */
#ifndef RN_CC_H
#define RN_CC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "ground/cc_cfg.h"

struct rn_cc {
	bool limited; /* first: without a limit nothing else is read */
	bool waiting; /* data had to wait for send_at, so the flow may catch up on a late wake-up */
	/* rate: the present limit; target: the rate that fast recovery approaches */
	uint64_t rate, target;
	rn_time send_at;  /* data may not be sent before this time */
	rn_time raise_at; /* when the timer raises the rate next */
	rn_time alpha_at; /* time up to which alpha has its present value; then alpha decays */
	rn_time cut_at;	  /* time of the last cut */
	uint32_t alpha;
	/* bytes sent since the byte counter last raised the rate */
	uint32_t bytes;
	/* how often the rate was raised since the last cut: by the timer, by the byte counter */
	uint32_t time_stage, byte_stage;
};

struct rn_cc_row {
	const char *name;
	/* Handles a CNP. Returns true if the rate was cut. */
	bool (*on_cnp)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
	/* Accounts for a sent data frame of `bytes` bytes. */
	void (*on_sent)(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
	/* Raises the rate if the timer requires this at `now`. One call makes a bounded number of
	 * raises. */
	void (*on_timer)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
};
extern const struct rn_cc_row rn_cc_rows[RN_CC_COUNT];

/* ---- pacing, CNPs and reset, for all algorithms ---- */

/* First raises the rate if the timer requires this. Then returns when the next data packet may be
 * sent; a time <= now means at once. The result is valid for this `now` only. */
rn_time rn_cc_send_at(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* The caller reports that it holds data back until cc->send_at. Returns when to call
 * rn_cc_send_at() again: at cc->send_at or cc->raise_at, whichever is earlier. */
rn_time rn_cc_wake_at(struct rn_cc *cc);
/* Accounts for a sent data frame of `bytes` bytes. */
void rn_cc_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
/* The caller reports that the flow may send but has no data. The flow must not send faster later
 * to make up for this time. */
void rn_cc_idle(struct rn_cc *cc);
/* Handles a CNP. Returns true if the rate was cut. */
bool rn_cc_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* Ends the rate limit and clears all state of the flow. */
void rn_cc_reset(struct rn_cc *cc);

#endif
