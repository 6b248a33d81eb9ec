/* The choice behind DllSelectAddress, see ndroute.h. Any thread. */
#ifndef ND_ROUTE_H
#define ND_ROUTE_H

#include "ndroute.h"
#include "rn/client.h"

/* The best address of n adapters for a remote one, into *local, and its rank; equal ones: the first. ND_ROUTE_NONE:
 * *local is as it was. */
int nd_route(const struct rn_link_info *info, unsigned n, const struct rn_gid *remote, struct rn_gid *local);

#endif
