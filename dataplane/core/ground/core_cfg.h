/* The configuration of a shard: limits, timers, secrets. The caller owns its struct rn_core_cfg.
 * Each shard has a copy, which never changes. Times are in nanoseconds. */
#ifndef RN_CORE_CFG_H
#define RN_CORE_CFG_H

#include "base/secret.h"
#include "base/types.h"
#include "ground/rx_shard.h"
#include "ground/cc_cfg.h"
#include "rn/abi.h"

/* Maximum number of READs and atomics in flight per QP and direction: the upper limit of
 * max_rd_atomic and max_dest_rd_atomic. */
#define RN_MAX_RD_ATOMIC 16

/* A neighbour whose MAC is configured. */
struct rn_static_neigh {
	struct rn_gid addr;
	uint8_t mac[6];
};

/* Filled by rn_core_defaults() and then changed by the caller of rn_shard_create(). */
struct rn_core_cfg {
	uint32_t index, nshards; /* index of this shard, 0..nshards - 1 */
	/* upper part of QPNs and communication ids, 1..RN_CLIENT_MAX (client_number.h), or
	 * RN_CLIENT_NONE */
	uint32_t client;
	/* maximum number of QPs per shard; with a client number at most rn_client_shard_qpns() */
	uint32_t max_qp;
	uint32_t max_cq;	  /* CQ ids are 0..max_cq - 1, common to all shards of the NIC */
	uint32_t max_srq;	  /* SRQ ids are 0..max_srq - 1, common to all shards of the NIC */
	uint32_t max_cm;	  /* maximum connections plus listeners; used by shard 0 only */
	uint32_t max_cm_requests; /* maximum half-open connections; 0 = about max_cm / 4 */
	uint32_t max_timewait;	  /* maximum timewait records; used by shard 0 only */
	uint32_t max_neigh;	  /* maximum non-static neighbours; used by shard 0 only */
	uint32_t window_packets;  /* upper bound of unacknowledged packets per QP */
	uint32_t quota_packets;	  /* packets that a QP may send before the next QP sends */
	uint8_t ack_timeout;	  /* default local ACK timeout code */
	uint8_t retry_cnt;	  /* upper bound for the retry count of a connection, 0..7 */
	uint8_t min_rnr_timer;
	uint8_t rnr_retry; /* upper bound for a peer's RNR retry count; 7 = unlimited */
	/* rto_floor: lower bound of the adaptive retransmission timeout. rto_initial: the timeout
	 * until a round trip is measured. */
	rn_time rto_floor, rto_initial;
	/* Lower bound of the time without an acknowledgement after which the oldest packet is sent
	 * again alone, as a probe (rn_window_probe()). Only with keep_packets. */
	rn_time probe_floor;
	/* Default time in which the peer's client should answer a REQ or SIDR_REQ. Without an
	 * answer the message is sent again after 9/8 of this time. The added 1/8 is for the round
	 * trip. */
	rn_time cm_response_timeout;
	rn_time cm_wait_max;	/* longest wait that a peer's MRAs can cause; 0 = an hour */
	uint8_t cm_max_retries; /* retransmissions of a REQ, DREQ or SIDR_REQ, at most 15 */
	uint8_t cm_patience;	/* service timeout code of sent MRAs: 4.096 us << code */
	/* neigh_retry: time between two probes. neigh_reachable: a MAC that was confirmed longer
	 * ago than this is probed again at its next use. */
	rn_time neigh_retry, neigh_reachable;
	uint8_t neigh_probes;	   /* probes until a neighbour counts as unreachable, at least 2 */
	struct rn_secrets secrets; /* all zero until filled by the caller; equal in all shards */
	/* configured neighbours; the caller owns this array, rn_neigh_create() copies it */
	const struct rn_static_neigh *static_neigh;
	uint32_t nstatic_neigh;
	struct rn_cc_cfg cc; /* congestion control */
	/* Turns on end-to-end credits (credit.h). ACKs of this side then report its posted
	 * receives. Credits in the peer's ACKs then limit the messages that this side starts. */
	bool credits;
	/* How many packets that arrived ahead of a lost one a shard keeps, for all its QPs; each
	 * may take 4.2 KiB. 0: none are kept, and after a loss all packets from the lost one on are
	 * sent again. */
	uint32_t keep_packets;
	/* true: the caller of rx leaves each frame as it is until it has called rn_shard_settle().
	 * A kept packet is then copied only if rn_shard_hold() does not get its buffer. */
	bool lent_frames;
	/* Predicts at which shard packets arrive. Used by shard 0 only, for the flow labels of
	 * connections. */
	struct rn_rx_shards rx_shards;
	/* true: no packet takes the short way (qp/short_rx.h). Tests compare the results with and
	 * without the short way. */
	bool no_short_way;
};

/* Sets the defaults of all limits and timers and of `cc`. All other members, such as the secrets,
 * become zero. */
void rn_core_defaults(struct rn_core_cfg *cfg);

#endif
