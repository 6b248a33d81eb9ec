/* The attributes of the NIC's port, and what follows from them: own addresses, neighbours in a
 * subnet of the NIC, next hop and source address for a destination, packet fields. The functions
 * depend on their arguments only. Any thread may call them. */
#ifndef RN_PORT_ATTR_H
#define RN_PORT_ATTR_H

#include "rn/abi.h"
#include "base/types.h"

#define RN_PORT_GIDS 16
#define RN_HOP_LIMIT 64 /* default hop limit */

/* The attributes of the NIC's port. Each shard reads a copy, which changes only between two poll
 * iterations. */
struct rn_port_attr {
	uint8_t mac[6];
	uint16_t vlan_tci; /* VLAN tag of the NIC; valid if has_vlan */
	bool has_vlan;
	uint16_t mtu;	      /* Ethernet payload bytes, 1280..9000 */
	uint8_t max_path_mtu; /* path MTU code 1..5, computed by rn_port_path_mtu() */
	uint8_t ngids;
	struct rn_gid gids[RN_PORT_GIDS]; /* the NIC's addresses, no duplicates */
	uint8_t prefix_len[RN_PORT_GIDS]; /* length of each on-link prefix in bits; IPv4: 0..32 */
	struct rn_gid gateway4, gateway6; /* gateways; all zero = none */
	uint64_t guid;			  /* node GUID, unique per node */
	bool check_source; /* drop RC, UC and CM packets that do not come from the peer's address */
	uint8_t tclass;	   /* DSCP << 2; used if an address vector's traffic class is 0 */
	uint8_t hop_limit; /* used if an address vector's hop limit is 0; 0 = RN_HOP_LIMIT */
};

/* Returns true for the address of a host, false for group, broadcast and unspecified addresses. */
bool rn_gid_is_host(const struct rn_gid *addr);
bool rn_gid_is_link_local(const struct rn_gid *addr);

/* Returns the index of addr among the NIC's addresses, or -1 if the NIC does not have addr. */
int rn_port_own(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Returns true if addr is within the on-link prefix of one of the NIC's addresses. A link-local
 * address (fe80::/10) counts as on-link if the NIC has any IPv6 address. */
bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Sets *hop to the next hop for dst. This is dst itself for an address of the NIC, an on-link
 * address, a group or broadcast. Otherwise it is the gateway of the address family. Returns false
 * if dst is unspecified or there is no usable gateway. */
bool rn_port_next_hop(const struct rn_port_attr *port, const struct rn_gid *dst,
		      struct rn_gid *hop);
/* Sets *src to the source address for dst. If dst is an address of the NIC, *src is dst. Otherwise
 * *src is an address of the NIC with the family of dst. The scope of dst (both link-local or both
 * not) counts first, then a prefix that contains the next hop, then the order in the configuration.
 * Returns false if there is no such address or no next hop. */
bool rn_port_source(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *src);

/* Returns the largest path MTU (code 1..5) whose packets fit into mtu bytes of Ethernet payload. If
 * `ipv6_and_vlan` is set, the packets have an IPv6 header and a VLAN tag, otherwise an IPv4
 * header. */
uint8_t rn_port_path_mtu(uint16_t mtu, bool ipv6_and_vlan);
/* Returns the address vector with the values that packets carry (docs/spec/rocev2.md 1.2 and 1.3):
 * - VLAN: that of the NIC.
 * - VLAN priority: the service level of `av`. If this is 0, the priority in the VLAN tag of `av`,
 *   or in the VLAN tag of the NIC if `av` has no tag.
 * - Traffic class and hop limit: those of `av`. A value of 0 is replaced by that of the NIC. */
struct rn_av rn_port_av(const struct rn_port_attr *port, const struct rn_av *av);
/* Returns true if this NIC can send with the address vector. The source must be an address of the
 * NIC and have the destination's address family. A VLAN in the address vector must be that of the
 * NIC. */
bool rn_port_av_fits(const struct rn_port_attr *port, const struct rn_av *av);

#endif
