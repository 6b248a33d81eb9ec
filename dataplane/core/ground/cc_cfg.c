/* Which default parameters does congestion control have? Owns nothing. Any thread may call
 * rn_cc_defaults(). */
#include "ground/cc_cfg.h"

#define MBIT UINT64_C(1000000)

void rn_cc_defaults(struct rn_cc_cfg *p)
{
	/* The values are the defaults of ConnectX adapters, except for cnp_interval, min_rate,
	 * byte_reset and alpha_period (docs/congestion.md). */
	*p = (struct rn_cc_cfg){
		.algorithm = RN_CC_DCQCN,
		.ecn = true,
		.clamp_tgt_rate_after_time_inc = true,
		.cnp_dscp = 48,
		.cnp_prio = 6,
		.threshold = 1,
		/* One cut then removes at most half of the rate, because alpha is below 2^10. */
		.gd = 11,
		.min_dec_fac = 50,
		.g = 1019,
		.initial_alpha = 1023,
		.byte_reset = 10000000,
		.cnp_interval = RN_US(50),
		.time_reset = RN_US(300),
		.alpha_period = RN_US(55),
		.monitor_period = RN_US(4),
		.line_rate = 10000 * MBIT, /* used if the network port reports no speed */
		.min_rate = 10 * MBIT,
		.ai_rate = 5 * MBIT,
		.hai_rate = 50 * MBIT,
	};
}
