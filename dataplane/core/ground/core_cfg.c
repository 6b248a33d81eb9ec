/* Which limits and timers does a shard have by default? Owns nothing. Any thread may call
 * rn_core_defaults(). */
#include "ground/core_cfg.h"

void rn_core_defaults(struct rn_core_cfg *cfg)
{
	*cfg = (struct rn_core_cfg){
		.nshards = 1,
		.max_qp = 1024,
		.max_cq = 1024,
		.max_srq = 256,
		.max_cm = 1024,
		.max_timewait = 4096,
		.max_neigh = 4096,
		.window_packets = 256,
		.quota_packets = 32,
		.keep_packets = 2048,
		.ack_timeout = 14, /* 67 ms */
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 12, /* 640 us */
		.rto_floor = RN_US(500),
		.rto_initial = RN_MS(4),
		.probe_floor = RN_US(100),
		.cm_response_timeout = (rn_time)4096 << 20, /* 4.3 s, code 20 as in Linux */
		.cm_max_retries = 15,
		.cm_patience = 24, /* 69 s, as in Linux */
		.neigh_retry = RN_S(1),
		.neigh_reachable = RN_S(60),
		.neigh_probes = 3,
	};
	rn_cc_defaults(&cfg->cc);
}
