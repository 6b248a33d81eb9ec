/* The multicast groups of an adapter: which shards have members of each group. Every change is
 * passed to all shards and to the port. Callers hold the adapter's control lock. */
#ifndef RN_NIC_GROUPS_H
#define RN_NIC_GROUPS_H

#include "net/group.h"
#include "qp/mcast.h"
#include "rn/abi.h"

struct rn_nic;

struct rn_nic_group {
	struct rn_gid gid;
	uint32_t shards; /* bit i is set if shard i has members of the group */
};

struct rn_nic_groups {
	unsigned n;
	struct rn_nic_group group[RN_GROUPS];
};

/* Executes ATTACH_GROUP or DETACH_GROUP. Returns 0 or -errno with the values documented at
 * rn_client_qp_attach(). */
int rn_nic_group_change(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);
/* Gives the port the MAC addresses of all multicast groups whose frames the adapter needs, those of
 * neighbour discovery included. The caller prevents the removal of the port. */
void rn_nic_groups_update_port(struct rn_nic *nic);
/* To be called when QPs of this shard may have left multicast groups. Updates all shards and the
 * port. */
void rn_nic_groups_changed(struct rn_nic *nic, unsigned shard);

#endif
