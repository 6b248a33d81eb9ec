/* The choice behind DllSelectAddress, see ndroute.h. Any thread. */
#ifndef ND_ROUTE_H
#define ND_ROUTE_H

#include "ndroute.h"
#include "rn/client.h"

/* Stores the best address of n adapters for a remote one in *local and returns its rank; the first
 * of equal ones wins. ND_ROUTE_NONE: *local is unchanged. */
int nd_route(const struct rn_link_info *info, unsigned n, const struct rn_gid *remote,
	     struct rn_gid *local);

#endif
