/* Which next hops, source addresses and packet fields follow from the attributes of the NIC's port?
 * Owns nothing. Any thread may call the functions. */
#include "net/port_attr.h"

#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"

static const struct rn_gid nobody;

/* Returns true for :: and 0.0.0.0. */
static bool is_unspecified(const struct rn_gid *g)
{
	return rn_gid_equal(g, &nobody) ||
	       (rn_gid_is_ipv4(g) && (g->b[12] | g->b[13] | g->b[14] | g->b[15]) == 0);
}

bool rn_gid_is_host(const struct rn_gid *g)
{
	if (rn_gid_is_ipv4(g) &&
	    (g->b[12] >> 4 == 14 || (g->b[12] & g->b[13] & g->b[14] & g->b[15]) == 0xff))
		return false;
	return g->b[0] != 0xff && !is_unspecified(g);
}

bool rn_gid_is_link_local(const struct rn_gid *g)
{
	return g->b[0] == 0xfe && (g->b[1] & 0xc0) == 0x80;
}

/* Returns true if addr is within the on-link prefix of the NIC's address number i. */
static bool holds(const struct rn_port_attr *port, unsigned i, const struct rn_gid *addr)
{
	const struct rn_gid *own = &port->gids[i];
	unsigned bits = RN_MIN(port->prefix_len[i] + (rn_gid_is_ipv4(own) ? 96u : 0), 128u);
	unsigned bytes = bits / 8, rest = bits % 8;

	return rn_gid_same_family(own, addr) && memcmp(own->b, addr->b, bytes) == 0 &&
	       (!rest || (own->b[bytes] ^ addr->b[bytes]) >> (8 - rest) == 0);
}

int rn_port_own(const struct rn_port_attr *port, const struct rn_gid *addr)
{
	for (int i = 0; i < port->ngids; i++)
		if (rn_gid_equal(&port->gids[i], addr))
			return i;
	return -1;
}

bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr)
{
	for (unsigned i = 0; i < port->ngids; i++)
		if (holds(port, i, addr) ||
		    (rn_gid_is_link_local(addr) && rn_gid_same_family(&port->gids[i], addr)))
			return true;
	return false;
}

bool rn_port_next_hop(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *hop)
{
	const struct rn_gid *gateway = rn_gid_is_ipv4(dst) ? &port->gateway4 : &port->gateway6;

	if (is_unspecified(dst))
		return false;
	/* No gateway is needed for a multicast group, a broadcast address, an address of the NIC,
	 * or a host in a subnet of the NIC. */
	if (!rn_gid_is_host(dst) || rn_port_own(port, dst) >= 0 || rn_port_on_link(port, dst)) {
		*hop = *dst;
		return true;
	}
	/* The gateway must be in a subnet of the NIC, otherwise its MAC cannot be resolved. */
	if (is_unspecified(gateway) || !rn_gid_same_family(gateway, dst) ||
	    !rn_port_on_link(port, gateway))
		return false;
	*hop = *gateway;
	return true;
}

/* Ranks the NIC's address number i as source address for dst; 0 if the address families differ. An
 * address with the scope of dst (both link-local or both not) ranks higher, because routers do not
 * forward packets from link-local addresses. With equal scope, an address whose prefix contains the
 * next hop ranks higher. */
static unsigned suits(const struct rn_port_attr *port, unsigned i, const struct rn_gid *dst,
		      const struct rn_gid *hop)
{
	const struct rn_gid *own = &port->gids[i];
	bool same_scope = rn_gid_is_link_local(own) == rn_gid_is_link_local(dst);

	return rn_gid_same_family(own, dst) ? 1 + 2 * same_scope + holds(port, i, hop) : 0;
}

bool rn_port_source(const struct rn_port_attr *port, const struct rn_gid *dst, struct rn_gid *src)
{
	unsigned best = 0;
	struct rn_gid hop;

	if (!rn_port_next_hop(port, dst, &hop))
		return false;
	/* Loopback: dst is an address of the NIC and is also the source. */
	if (rn_port_own(port, dst) >= 0) {
		*src = *dst;
		return true;
	}
	/* Among addresses of equal rank, the first in the configuration wins. */
	for (unsigned i = 0; i < port->ngids; i++) {
		unsigned rank = suits(port, i, dst, &hop);

		if (rank > best) {
			best = rank;
			*src = port->gids[i];
		}
	}
	return best;
}

uint8_t rn_port_path_mtu(uint16_t mtu, bool ipv6_and_vlan)
{
	/* Bytes of headers: IP, UDP, BTH, RETH with immediate data, ICRC. If `ipv6_and_vlan` is
	 * set, the IP header is that of IPv6, and a VLAN tag is added, which some NICs count. */
	unsigned headers = (ipv6_and_vlan ? 40 + 4 : 20) + 8 + 12 + 20 + 4;
	uint8_t code = 5; /* 4096 bytes; code n stands for 128 << n */

	while (code > 1 && (128u << code) + headers > mtu)
		code--;
	return code;
}

struct rn_av rn_port_av(const struct rn_port_attr *port, const struct rn_av *av)
{
	struct rn_av full = *av;
	uint16_t priority = av->has_vlan ? av->vlan_tci >> 13 : port->vlan_tci >> 13;

	/* A service level other than 0 overrides the priority in the VLAN tag. */
	if (av->sl & 7)
		priority = av->sl & 7;
	full.has_vlan = port->has_vlan;
	full.vlan_tci =
		port->has_vlan ? (uint16_t)(priority << 13 | (port->vlan_tci & RN_VLAN_VID)) : 0;
	if (!full.tclass)
		full.tclass = port->tclass;
	if (!full.hop_limit)
		full.hop_limit = port->hop_limit ? port->hop_limit : RN_HOP_LIMIT;
	return full;
}

/* Returns true if the address vector has no VLAN ID or that of the NIC. The NIC does not receive
 * frames of other VLANs and must not send such frames. */
static bool is_own_vlan(const struct rn_port_attr *port, const struct rn_av *av)
{
	return !av->has_vlan || !(av->vlan_tci & RN_VLAN_VID) ||
	       (port->has_vlan && !((av->vlan_tci ^ port->vlan_tci) & RN_VLAN_VID));
}

bool rn_port_av_fits(const struct rn_port_attr *port, const struct rn_av *av)
{
	return rn_port_own(port, &av->sgid) >= 0 && is_own_vlan(port, av) &&
	       rn_gid_same_family(&av->sgid, &av->dgid);
}
