/* Congestion control of one queue pair's sending: how fast, and when the next packet may go. A table of functions per
 * algorithm; the state of a flow is a plain value. Pure: nothing here knows queue pairs, packets or a clock.
 *
 * Units: rates are bits per second (of whole frames), times nanoseconds, alpha is 2^20 = 1. A flow without a limit has no
 * state: it begins with the first notification (rn_cc_cnp) and ends when the rate is back at the line's (limited false).
 * Rules and names: docs/spec/rocev2.md 7.3 and 7.4. Shard thread. */
#ifndef RN_CC_H
#define RN_CC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "ground/cc_cfg.h"

struct rn_cc {
	uint64_t rate, target;
	rn_time send_at;      /* before it no data may go */
	rn_time raise_at;     /* next increase by time */
	rn_time alpha_at;     /* alpha holds for then */
	rn_time cut_at;       /* last cut */
	uint32_t alpha;
	uint32_t bytes;       /* sent since the last increase by bytes */
	uint32_t time_stage, byte_stage; /* increases since the last cut */
	bool limited;
	bool waiting;         /* had data that send_at held back: lateness is made up for */
};

struct rn_cc_row {
	const char *name;
	/* A notification. True: the rate was cut. */
	bool (*on_cnp)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
	/* Data of that many frame bytes left. */
	void (*on_sent)(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
	/* Time passed: all increases that are due, at most a bounded number per call. */
	void (*on_timer)(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
};
extern const struct rn_cc_row rn_cc_rows[RN_CC_COUNT];

/* ---- what a limited flow may do; the algorithm only moves the rate ---- */

/* When the next data packet may leave (<= now: at once), increases that are due applied. Ask again then; the limit may
 * end here. */
rn_time rn_cc_send_at(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* When to ask again, data being held back until send_at: then, or when the rate will be raised. */
rn_time rn_cc_wake_at(struct rn_cc *cc);
/* A data packet of that many bytes left. */
void rn_cc_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now);
/* It had nothing to send though it might: no credit for that time. */
void rn_cc_idle(struct rn_cc *cc);
bool rn_cc_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now);
/* Forgets the limit. */
void rn_cc_reset(struct rn_cc *cc);

#endif
