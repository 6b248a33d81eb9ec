/* Which addresses are multicast groups, and which destination MAC do frames to a group have? Owns
 * nothing. Any thread may call the functions. */
#include "net/group.h"

#include <string.h>

#include "wire/frame.h"
#include "wire/nd_msg.h"

bool rn_gid_is_group(const struct rn_gid *gid)
{
	return rn_gid_is_ipv4(gid) ? gid->b[12] >> 4 == 14 : gid->b[0] == 0xff;
}

void rn_group_mac(const struct rn_gid *gid, uint8_t mac[6])
{
	if (rn_gid_is_ipv4(gid)) {
		memcpy(mac, (const uint8_t[]){0x01, 0x00, 0x5e}, 3);
		mac[3] = gid->b[13] & 0x7f;
		memcpy(mac + 4, gid->b + 14, 2);
	} else {
		mac[0] = mac[1] = 0x33;
		memcpy(mac + 2, gid->b + 12, 4);
	}
}

unsigned rn_group_neighbour_macs(const struct rn_port_attr *port, uint8_t (*mac)[6])
{
	static const struct rn_gid all_nodes = {{0xff, 2, [15] = 1}};
	unsigned n = 0;

	for (unsigned i = 0; i < port->ngids; i++) {
		struct rn_gid group;

		if (rn_gid_is_ipv4(&port->gids[i]))
			continue;
		if (n == 0)
			rn_group_mac(&all_nodes, mac[n++]);
		rn_nd_solicited_node(&port->gids[i], &group);
		rn_group_mac(&group, mac[n++]);
	}
	return n;
}
