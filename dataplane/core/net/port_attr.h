/* The network port's attributes, and what follows from them: own addresses (those of the port),
 * neighbours on the link, next hop and source address for a destination, and the fields that the
 * port gives to packets. The functions depend on their arguments only, so any thread may call
 * them. */
#ifndef RN_PORT_ATTR_H
#define RN_PORT_ATTR_H

#include "rn/abi.h"
#include "base/types.h"

#define RN_PORT_GIDS 16
#define RN_HOP_LIMIT 64 /* default hop limit */

/* Each shard reads a copy, which changes only between two poll iterations of the shard. */
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

/* False for group, broadcast and unspecified addresses. */
bool rn_gid_is_host(const struct rn_gid *addr);
bool rn_gid_is_link_local(const struct rn_gid *addr);

/* Returns the index of addr among the port's addresses, or -1 if addr is none of them. */
int rn_port_own(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Is addr within the on-link prefix of one of the port's addresses? A link-local address is on the
 * link if the port has an address of its family. */
bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Sets *hop to the next hop for dst. This is dst itself if dst is an address of the port, on the
 * link, a group or broadcast; otherwise it is the gateway of the family. Returns false if there is
 * no route. */
bool rn_port_next_hop(const struct rn_port_attr *port, const struct rn_gid *dst,
		      struct rn_gid *hop);
/* Sets *src to the source address for dst. If dst is an address of the port, this is dst itself.
 * Otherwise the candidates are the port's addresses of the family of dst. Candidates with the scope
 * of dst (both link-local or both not) are preferred; among these, candidates whose prefix contains
 * the next hop. Of equal candidates the first one wins. Returns false if there is no candidate or
 * no route. */
bool rn_port_source(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *src);

/* The largest path MTU (code 1..5) whose packets fit into mtu bytes of Ethernet payload. */
uint8_t rn_port_path_mtu(uint16_t mtu, bool ipv6_and_vlan);
/* Returns the address vector with the values that packets carry (docs/spec/rocev2.md 1.2 and 1.3).
 * The VLAN is always that of the port. The VLAN priority is the service level of `av`. If the
 * service level is 0, the priority is that in the VLAN tag of `av`, or, if `av` has no tag, that in
 * the tag of the port. A traffic class or hop limit of 0 is replaced by that of the port. */
struct rn_av rn_port_av(const struct rn_port_attr *port, const struct rn_av *av);
/* Can this port send with the address vector? The source must be an address of the port and of the
 * destination's family, and the VLAN, if the vector has one, must be the port's. */
bool rn_port_av_fits(const struct rn_port_attr *port, const struct rn_av *av);

#endif
