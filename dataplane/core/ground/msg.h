/* What one shard of a NIC sends to another. */
#ifndef RN_MSG_H
#define RN_MSG_H

#include <stdint.h>

#include "rn/abi.h"

/* Messages between shards of one NIC, carried by the port in order with handed-off packets. */
struct rn_msg {
	uint32_t to;   /* shard index, RN_MSG_ALL = every other shard */
	uint32_t kind; /* enum rn_msg_kind */
	uint32_t qpn;
	uint32_t arg;
	struct rn_gid gid;
	uint8_t mac[6];
};
#define RN_MSG_ALL UINT32_MAX
enum rn_msg_kind { RN_MSG_COMM_EST, RN_MSG_NEIGH, RN_MSG_DOUBT };

#endif
