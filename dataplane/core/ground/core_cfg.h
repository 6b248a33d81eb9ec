/* What a shard is configured with: limits, timers, secrets. A value; every room of the core may read it. */
#ifndef RN_CORE_CFG_H
#define RN_CORE_CFG_H

#include "base/secret.h"
#include "base/types.h"
#include "ground/cc_cfg.h"
#include "rn/abi.h"

/* READs and atomics a QP can have in flight, in either direction: the largest max_rd_atomic and max_dest_rd_atomic. */
#define RN_MAX_RD_ATOMIC 16

struct rn_static_neigh {
	struct rn_gid addr;
	uint8_t mac[6];
};

/* Limits and timers; rn_core_defaults() fills it. */
struct rn_core_cfg {
	uint32_t index, nshards;   /* this shard, of how many */
	uint32_t max_qp;           /* QPs per shard */
	uint32_t max_cq;           /* CQ ids, NIC-wide, are below it */
	uint32_t max_srq;          /* SRQ ids likewise */
	uint32_t max_cm;           /* connections and listeners (shard 0) */
	uint32_t max_cm_requests;  /* of them half-open: asked for, and not confirmed; 0 = a quarter */
	uint32_t max_timewait;
	uint32_t max_neigh;
	uint32_t window_packets;   /* upper bound of unacknowledged packets per QP */
	uint32_t quota_packets;    /* packets one QP may send before the next gets its turn */
	uint8_t ack_timeout;       /* default local ACK timeout code */
	uint8_t retry_cnt, min_rnr_timer;
	uint8_t rnr_retry;         /* most that a peer may announce; 7 = anything */
	rn_time rto_floor, rto_initial;
	rn_time cm_response_timeout;   /* REQ/REP resend interval basis, ns */
	rn_time cm_wait_max;           /* so long do a peer's MRAs prolong an attempt; 0 = an hour */
	uint8_t cm_max_retries;
	uint8_t cm_patience;           /* code of the time an MRA asks for */
	rn_time neigh_retry, neigh_reachable;
	uint8_t neigh_probes;
	struct rn_secrets secrets; /* all zero until the caller fills them; the same for all shards of a NIC */
	const struct rn_static_neigh *static_neigh;
	uint32_t nstatic_neigh;
	struct rn_cc_cfg cc;       /* congestion control */
	bool credits;              /* end-to-end credits, both ways; off: as if nobody counted */
};

void rn_core_defaults(struct rn_core_cfg *cfg);

#endif
