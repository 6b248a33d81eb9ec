/* The address selection of DllSelectAddress (include/ndroute.h). Any thread may call. */
#ifndef ND_ROUTE_H
#define ND_ROUTE_H

#include "ndroute.h"
#include "rn/client.h"

/* Selects, among all addresses of the n adapters, the address that reaches `remote` best. Stores
 * this address in *local and returns its rank (enum nd_route_rank). The first of several addresses
 * with the same rank wins. Leaves *local unchanged if the result is ND_ROUTE_NONE. */
int nd_route(const struct rn_link_info *info, unsigned n, const struct rn_gid *remote,
	     struct rn_gid *local);

#endif
