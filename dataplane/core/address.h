/* What does the port say about an address: is it our own, is its host on the same link? Pure
 * functions. */
#ifndef RN_ADDRESS_H
#define RN_ADDRESS_H

#include "core.h"
#include "frame.h"

/* Index among the port's addresses, -1: not one of them. */
static inline int rn_port_own(const struct rn_port_attr *port, const struct rn_gid *addr)
{
	for (int i = 0; i < port->ngids; i++)
		if (rn_gid_equal(&port->gids[i], addr))
			return i;
	return -1;
}

static inline bool rn_port_owns(const struct rn_port_attr *port, const struct rn_gid *addr)
{
	return rn_port_own(port, addr) >= 0;
}

static inline bool rn_same_family(const struct rn_gid *a, const struct rn_gid *b)
{
	return rn_gid_is_ipv4(a) == rn_gid_is_ipv4(b);
}

bool rn_is_link_local(const struct rn_gid *addr);

/* The first `bits` of an address of that family are the same; prefixes of IPv4 count from its own
 * first bit. */
bool rn_same_prefix(const struct rn_gid *a, const struct rn_gid *b, unsigned bits);

/* In the network of an address of ours, or a link-local one of a family we have. */
bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr);

#endif
