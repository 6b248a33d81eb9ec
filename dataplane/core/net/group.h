/* Addresses of multicast groups. Pure. */
#ifndef RN_GROUP_H
#define RN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

/* Is it the address of a multicast group (not of a host, not broadcast)? */
bool rn_gid_is_group(const struct rn_gid *gid);
/* Where frames to that group go: 01:00:5e and 23 bits of an IPv4 group, 33:33 and 32 bits of an IPv6 one. */
void rn_group_mac(const struct rn_gid *gid, uint8_t mac[6]);

#endif
