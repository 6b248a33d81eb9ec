/* The 40 bytes in front of each received datagram: an IPv6 header in all of them, or zeros and an
 * IPv4 header in the last 20. IBTA vol. 1, A17.4.5.2, leaves the first 20 open for IPv4; the NIC
 * writes zeros. */
#ifndef VERBS_GRH_H
#define VERBS_GRH_H

#include "rn/abi.h"
#include "verbs/public.h"

/* Makes the route to the sender of the datagram with these 40 bytes. `gids` are those of the
 * receiving port. The route begins at the address that the datagram was sent to, or after a
 * datagram to a group at the first address of the group's family. Its hop limit is 0, which stands
 * for that of the port: the one in the header is what the datagram had left. Returns 0, or EINVAL
 * for a header that is no IP header, that comes from a group, or that is not for this port. */
int vb_grh_route(const struct rn_gid *gids, unsigned ngids, const void *bytes,
		 struct ibv_global_route *route);

#endif
