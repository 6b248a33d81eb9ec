/* The parameters of congestion control, and their defaults. Rates are bits per second, times nanoseconds. */
#ifndef RN_CC_CFG_H
#define RN_CC_CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

/* clang-format off */
#define RN_CC_ALGORITHM_ROWS(X) /* name, text */ \
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
	uint8_t algorithm;       /* enum rn_cc_algorithm */
	bool ecn;                /* packets of connections are sent as ECT(0) */
	bool clamp_tgt_rate;     /* every cut takes the present rate as target */
	bool clamp_tgt_rate_after_time_inc; /* so does one after an increase by the timer, not only by bytes */
	uint8_t cnp_dscp, cnp_prio; /* 0..63; 0..7 (802.1p, of tagged frames) */
	uint8_t threshold;       /* stages of fast recovery */
	uint8_t gd;              /* a cut is rate * alpha(10 bits) >> gd */
	uint8_t min_dec_fac;     /* per cent of the rate that one cut leaves at least */
	uint16_t g;              /* of 1024: what alpha keeps per period */
	uint16_t initial_alpha;  /* of 1024 */
	uint32_t byte_reset;     /* bytes between increases by bytes; 0 = none */
	rn_time cnp_interval;    /* between two CNPs of a queue pair */
	rn_time time_reset;      /* between increases by time */
	rn_time alpha_period, monitor_period;
	uint64_t line_rate;      /* at which a limit ends; never 0 */
	uint64_t min_rate;       /* 1..line_rate */
	uint64_t ai_rate, hai_rate;
	uint64_t first_rate;     /* set by the first notification; 0 = by the formula */
};

void rn_cc_defaults(struct rn_cc_cfg *p);

#endif
