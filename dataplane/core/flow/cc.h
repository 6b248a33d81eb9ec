/* Congestion control of a flow, which is what one queue pair sends: its rate, and the time at which
 * its next packet may be sent. A table of functions per algorithm; the state of a flow is a plain
 * value. Pure: nothing here depends on queue pairs, packets or a clock.
 *
 * Units: rates are bits per second of whole frames, times are nanoseconds, alpha is in units of
 * 2^-20. A flow without a rate limit (`limited` is false) has no state. The limit begins with the
 * first congestion notification (rn_cc_cnp()) and ends when the rate has come close to the line
 * rate. Rules and names: docs/spec/rocev2.md 7.3 and 7.4. Runs on the shard's thread. */
#ifndef RN_CC_H
#define RN_CC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "ground/cc_cfg.h"

struct rn_cc {
	/* rate: the present limit; target: the rate that fast recovery approaches */
	uint64_t rate, target;
	rn_time send_at;  /* no data may be sent before this time */
	rn_time raise_at; /* when the timer raises the rate next */
	rn_time alpha_at; /* time up to which alpha has its present value; after it, alpha decays */
	rn_time cut_at;	  /* time of the last cut */
	uint32_t alpha;
	/* bytes sent since the byte counter last raised the rate */
	uint32_t bytes;
	/* how often the rate was raised since the last cut: by timer, by byte counter */
	uint32_t time_stage, byte_stage;
	bool limited;
	bool waiting; /* data had to wait for send_at, so a late wake-up may be made up for */
};

struct rn_cc_row {
	const char *name;
	/* Handles a CNP. Returns true if the rate was cut. */
	bool (*on_cnp)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
	/* Accounts for a sent data frame, `bytes` bytes long. */
	void (*on_sent)(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
	/* Applies the increases by the timer that are due at `now`, at most a bounded number per
	 * call. */
	void (*on_timer)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
};
extern const struct rn_cc_row rn_cc_rows[RN_CC_COUNT];

/* ---- pacing and events, for all algorithms ---- */

/* Returns when the next data packet may be sent (<= now: at once). First applies increases of the
 * rate that are due, which may end the limit. The result is valid for this `now` only. */
rn_time rn_cc_send_at(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* To be called when data is held back. Returns when to call rn_cc_send_at() again: at send_at, or
 * at the next increase of the rate if that is earlier. */
rn_time rn_cc_wake_at(struct rn_cc *cc);
/* Accounts for a sent data frame, `bytes` bytes long. */
void rn_cc_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
/* To be called when the flow may send but has no data: it must not make up for this time later. */
void rn_cc_idle(struct rn_cc *cc);
/* Handles a CNP. Returns true if the rate was cut. */
bool rn_cc_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* Ends the rate limit and clears all state. */
void rn_cc_reset(struct rn_cc *cc);

#endif
