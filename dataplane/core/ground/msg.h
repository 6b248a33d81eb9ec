/* Messages from one shard of a NIC to another. */
#ifndef RN_MSG_H
#define RN_MSG_H

#include <stdint.h>

#include "rn/abi.h"

/* A message from one shard to another. dataplane/port delivers the messages from one shard to
 * another in the order in which they were sent. Receivers ignore members that a kind does not
 * use. */
struct rn_msg {
	uint32_t to;   /* shard index, RN_MSG_ALL = every other shard */
	uint32_t kind; /* enum rn_msg_kind */
	uint32_t qpn;
	uint32_t arg;
	struct rn_gid gid;
	uint8_t mac[6];
};
#define RN_MSG_ALL UINT32_MAX
/* Kinds of messages between shards:
 * - COMM_EST, to the connection manager: QP qpn has received data.
 * - NEIGH, to all shards: the next hop `gid` has the MAC `mac`.
 * - PROBE, to the neighbour table: packets to `gid` are not answered, so probe the MAC. */
enum rn_msg_kind { RN_MSG_COMM_EST, RN_MSG_NEIGH, RN_MSG_PROBE };

#endif
