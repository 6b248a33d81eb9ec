/* The network port's attributes and what follows from them:
 * - the addresses of the port,
 * - which neighbours are in a subnet of the port,
 * - next hop and source address for a destination,
 * - the fields that the port gives to packets.
 *
 * The functions depend on their arguments only. Any thread may call them. */
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
	uint16_t vlan_tci; /* used when has_vlan */
	bool has_vlan;
	uint16_t mtu;	      /* Ethernet payload bytes, 1500..9000 */
	uint8_t max_path_mtu; /* path MTU code 1..5, computed by rn_port_path_mtu() */
	uint8_t ngids;
	struct rn_gid gids[RN_PORT_GIDS]; /* the port's addresses, no duplicates */
	uint8_t prefix_len[RN_PORT_GIDS]; /* length of each on-link prefix in bits; IPv4: 0..32 */
	struct rn_gid gateway4, gateway6; /* all zero = none */
	uint64_t guid;			  /* node GUID, unique per node */
	bool check_source; /* drop RC, UC and CM packets that do not come from the peer's address */
	uint8_t tclass; /* traffic class of packets: DSCP << 2; used if the address vector has 0 */
	uint8_t hop_limit; /* used if the address vector has 0; 0 = RN_HOP_LIMIT */
};

/* Returns true for the address of a host, false for group, broadcast and unspecified addresses. */
bool rn_gid_is_host(const struct rn_gid *addr);
bool rn_gid_is_link_local(const struct rn_gid *addr);

/* Returns the index of addr among the port's addresses, or -1 if the port does not have addr. */
int rn_port_own(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Returns true if addr is within the on-link prefix of one of the port's addresses. A link-local
 * address counts as on-link if the port has an address of its family. */
bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Sets *hop to the next hop for dst. An address of the port, an on-link address, a group and
 * broadcast are their own next hop. For any other dst, the next hop is the gateway of the address
 * family. Returns false if dst is unspecified or there is no usable gateway. */
bool rn_port_next_hop(const struct rn_port_attr *port, const struct rn_gid *dst,
		      struct rn_gid *hop);
/* Sets *src to the source address for dst. If dst is an address of the port, *src is dst. Otherwise
 * *src is the first of the best candidates, or the function returns false if there is no candidate
 * or no next hop. The candidates are the port's addresses of the family of dst. Better candidates
 * have the scope of dst (both link-local or both not). Among these, better candidates have a prefix
 * that contains the next hop. */
bool rn_port_source(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *src);

/* Returns the largest path MTU (code 1..5) whose packets fit into mtu bytes of Ethernet payload. */
uint8_t rn_port_path_mtu(uint16_t mtu, bool ipv6_and_vlan);
/* Returns the address vector with the values that packets carry (docs/spec/rocev2.md 1.2 and 1.3):
 * - The VLAN is that of the port.
 * - The VLAN priority is the service level of `av`. For service level 0, it is the priority in the
 *   VLAN tag of `av`, or without such a tag in the port's VLAN tag.
 * - The port's traffic class and hop limit replace a 0. */
struct rn_av rn_port_av(const struct rn_port_attr *port, const struct rn_av *av);
/* Returns true if this port can send with the address vector. The source must be an address of the
 * port and have the destination's address family. A VLAN in the address vector must be that of the
 * port. */
bool rn_port_av_fits(const struct rn_port_attr *port, const struct rn_av *av);

#endif
