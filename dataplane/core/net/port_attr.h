/* What the port looks like to the protocol, and what follows from that alone: which addresses are ours, who is on the
 * link, by which hop and from which address somebody is reached, what packets carry. Pure functions of their arguments;
 * any thread. */
#ifndef RN_PORT_ATTR_H
#define RN_PORT_ATTR_H

#include "rn/abi.h"
#include "base/types.h"

#define RN_PORT_GIDS 16
#define RN_HOP_LIMIT 64 /* of packets nobody has said more about */

/* Changed only between turns. */
struct rn_port_attr {
	uint8_t mac[6];
	uint16_t vlan_tci;           /* used when has_vlan */
	bool has_vlan;
	uint16_t mtu;                /* Ethernet payload bytes, 1500..9000 */
	uint8_t max_path_mtu;        /* enum 1..5, derived: rn_port_path_mtu() */
	uint8_t ngids;
	struct rn_gid gids[RN_PORT_GIDS];      /* own addresses, no duplicates */
	uint8_t prefix_len[RN_PORT_GIDS];      /* on-link prefix of each, in its own family's bits */
	struct rn_gid gateway4, gateway6;      /* all zero = none */
	uint64_t guid;                         /* node GUID, unique per node */
	bool check_source;                     /* drop RC packets whose addresses are not the QP's; default on */
	uint8_t tclass;                        /* of packets whose address vector says 0: DSCP << 2 */
	uint8_t hop_limit;                     /* likewise; 0 = 64 */
};

/* Neither a group nor broadcast nor nobody. */
bool rn_gid_is_host(const struct rn_gid *addr);
bool rn_gid_is_link_local(const struct rn_gid *addr);

/* Index among the own addresses, -1. */
int rn_port_own(const struct rn_port_attr *port, const struct rn_gid *addr);
/* Is it a neighbour's (or ours)? Link-local addresses are, wherever there is an address of the family. */
bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr);
/* The address whose MAC packets for dst carry: dst itself when on-link or a group, else the gateway of its family. False
 * when there is no way. */
bool rn_port_next_hop(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *hop);
/* The address of ours from which dst is reached: dst itself if it is ours, else of its family one as link-local or not as
 * dst, and on the link of the next hop, as far as there are such; the first of those. False: none of the family, or no
 * way. */
bool rn_port_source(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *src);

/* The largest path MTU (code) whose packets fit into that many bytes of Ethernet payload. */
uint8_t rn_port_path_mtu(uint16_t mtu, bool ipv6_and_vlan);
/* The address vector as packets carry it: in the port's VLAN, its priority the service level or, where that is 0, what
 * the vector's own tag or the port's says; traffic class and hop limit of 0 are the port's (docs/spec/rocev2.md 1.2 and 1.3). */
struct rn_av rn_port_av(const struct rn_port_attr *port, const struct rn_av *av);
/* Can packets from here carry it? From an address of ours, in our VLAN, to one of the same family. */
bool rn_port_av_fits(const struct rn_port_attr *port, const struct rn_av *av);

#endif
