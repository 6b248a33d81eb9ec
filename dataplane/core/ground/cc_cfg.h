/* The parameters of congestion control and their defaults. Rates are in bits per second, times in
 * nanoseconds. struct rn_cc_cfg is a plain value without pointers. docs/congestion.md describes the
 * algorithm. */
#ifndef RN_CC_CFG_H
#define RN_CC_CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

/* clang-format off */
#define RN_CC_ALGORITHM_ROWS(X) /* columns: name, text */ \
	X(NONE,  "notifications are counted and change nothing") \
	X(DCQCN, "notifications cut the rate; time and bytes without them raise it again")
/* clang-format on */

enum rn_cc_algorithm {
#define X(name, text) RN_CC_##name,
	RN_CC_ALGORITHM_ROWS(X)
#undef X
		RN_CC_COUNT
};

struct rn_cc_cfg {
	uint8_t algorithm;   /* enum rn_cc_algorithm */
	bool ecn;	     /* packets of connected QPs are sent as ECT(0) */
	bool clamp_tgt_rate; /* every cut sets the recovery target to the rate before the cut */
	/* a cut after a raise by the timer also sets the recovery target to the rate before the
	 * cut */
	bool clamp_tgt_rate_after_time_inc;
	/* Fields of sent CNPs: DSCP 0..63; in tagged frames 802.1p priority 0..7. */
	uint8_t cnp_dscp, cnp_prio;
	uint8_t threshold; /* number of fast recovery steps before additive increase */
	/* a cut lowers the rate by (rate * alpha) >> gd, where alpha is a 10-bit fraction */
	uint8_t gd;
	uint8_t min_dec_fac;	/* lowest rate after a cut, per cent of the rate before the cut */
	uint16_t g;		/* each alpha_period multiplies alpha by g / 1024 */
	uint16_t initial_alpha; /* alpha at the first CNP, in 1/1024 */
	/* number of sent bytes after which the byte counter raises the rate; 0 = no byte counter */
	uint32_t byte_reset;
	rn_time cnp_interval; /* least time between two CNPs sent for a QP */
	rn_time time_reset;   /* period of the timer that raises the rate */
	/* alpha_period: decay period of alpha. monitor_period: least time between two cuts. */
	rn_time alpha_period, monitor_period;
	uint64_t line_rate; /* never 0; a QP whose limit comes near this rate becomes unlimited */
	uint64_t min_rate;  /* lowest rate of a limited QP: 1..line_rate */
	uint64_t ai_rate, hai_rate; /* steps of additive and of hyper increase */
	uint64_t first_rate;	    /* rate after the first CNP; 0 = computed as for any cut */
};

/* Sets all parameters to their defaults. */
void rn_cc_defaults(struct rn_cc_cfg *p);

#endif
