/* Messages from one shard of a NIC to another. */
#ifndef RN_MSG_H
#define RN_MSG_H

#include <stdint.h>

#include "rn/abi.h"

/* A message between shards. dataplane/port delivers messages to a shard in order, also relative to
 * the packets that it passes to that shard. Members that a kind does not use are ignored. */
struct rn_msg {
	uint32_t to;   /* shard index, RN_MSG_ALL = every other shard */
	uint32_t kind; /* enum rn_msg_kind */
	uint32_t qpn;
	uint32_t arg;
	struct rn_gid gid;
	uint8_t mac[6];
};
#define RN_MSG_ALL UINT32_MAX
/* COMM_EST: QP qpn has received data; goes to the connection manager. NEIGH: the next hop `gid` has
 * the MAC address `mac`; goes to all shards, for their QPs. PROBE: packets to `gid` are not
 * answered; goes to the neighbour table, which probes the MAC address again. */
enum rn_msg_kind { RN_MSG_COMM_EST, RN_MSG_NEIGH, RN_MSG_PROBE };

#endif
