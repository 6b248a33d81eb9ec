/* Which addresses are on the port's link? Stateless; any thread. */
#include "address.h"

#include <string.h>

#include "types.h"

bool rn_is_link_local(const struct rn_gid *addr)
{
	return addr->b[0] == 0xfe && (addr->b[1] & 0xc0) == 0x80;
}

bool rn_same_prefix(const struct rn_gid *a, const struct rn_gid *b, unsigned bits)
{
	unsigned bytes, rest;

	if (rn_gid_is_ipv4(a))
		bits += 96;
	bits = RN_MIN(bits, 128u);
	bytes = bits / 8;
	rest = bits % 8;
	return memcmp(a->b, b->b, bytes) == 0 &&
	       (rest == 0 || (a->b[bytes] ^ b->b[bytes]) >> (8 - rest) == 0);
}

bool rn_port_on_link(const struct rn_port_attr *port, const struct rn_gid *addr)
{
	for (int i = 0; i < port->ngids; i++)
		if (rn_same_family(&port->gids[i], addr) &&
		    (rn_is_link_local(addr) ||
		     rn_same_prefix(&port->gids[i], addr, port->prefix_len[i])))
			return true;
	return false;
}
