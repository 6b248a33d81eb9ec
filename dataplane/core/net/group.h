/* Multicast addresses. The functions are pure. Any thread may call them. */
#ifndef RN_GROUP_H
#define RN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "net/port_attr.h"
#include "rn/abi.h"

/* Returns true for a multicast address, false for the address of a host and for broadcast. */
bool rn_gid_is_group(const struct rn_gid *gid);
/* Writes the destination MAC of frames to the group. IPv4: 01:00:5e and the low 23 bits of the
 * address. IPv6: 33:33 and the low 32 bits of the address. */
void rn_group_mac(const struct rn_gid *gid, uint8_t mac[6]);

/* Stores the destination MACs of the groups to which neighbour discovery sends: that of all nodes,
 * and that of the solicited-node group of each IPv6 address of the port. Returns their number, at
 * most 1 + RN_PORT_GIDS, or 0 if the port has no IPv6 address. A MAC may occur more than once. */
unsigned rn_group_neighbour_macs(const struct rn_port_attr *port, uint8_t (*mac)[6]);

#endif
