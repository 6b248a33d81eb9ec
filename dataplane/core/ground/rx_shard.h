/* Which shard gets a received packet? */
#ifndef RN_RX_SHARD_H
#define RN_RX_SHARD_H

#include <stdint.h>

#include "rn/abi.h"

/* Returns the shard that owns a QPN. dataplane/port hands packets for the QPN to this shard. QPN 0
 * and 1 belong to shard 0. */
static inline uint32_t rn_qpn_shard(uint32_t qpn, uint32_t nshards)
{
	return qpn < 2 ? 0 : qpn % nshards;
}

/* At which shard does a packet arrive, before it is handed to another one? */
enum rn_rx_shard {
	RN_RX_SHARD_RIGHT,   /* at the shard in question */
	RN_RX_SHARD_WRONG,   /* at another shard */
	RN_RX_SHARD_UNKNOWN, /* no source port is known to lead to the shard in question */
};

/* Predicts where packets arrive. */
struct rn_rx_shards {
	/* Do the RoCE packets from the address `from` and the UDP source port `sport` to the own
	 * address `to` arrive at the shard `shard`? Must not wait. NULL = nothing is known. */
	enum rn_rx_shard (*predict)(void *arg, const struct rn_gid *from, const struct rn_gid *to,
				    uint16_t sport, uint32_t shard);
	void *arg;
};

#endif
