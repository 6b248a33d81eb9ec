/* Multicast addresses. The functions are pure, so any thread may call them. */
#ifndef RN_GROUP_H
#define RN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

/* True for a multicast address, false for the address of a host and for broadcast. */
bool rn_gid_is_group(const struct rn_gid *gid);
/* The destination MAC of frames to the group: 01:00:5e and 23 bits of an IPv4 address, or 33:33 and
 * 32 bits of an IPv6 address. */
void rn_group_mac(const struct rn_gid *gid, uint8_t mac[6]);

#endif
