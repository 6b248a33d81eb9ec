/* The address selection of DllSelectAddress (include/ndroute.h). Any thread may call. */
#ifndef ND_ROUTE_H
#define ND_ROUTE_H

#include "ndroute.h"
#include "rn/client.h"

/* Of all addresses of the n adapters, stores the one that reaches `remote` best in *local and
 * returns its rank (enum nd_route_rank); among equal ranks the first address wins. ND_ROUTE_NONE:
 * *local is unchanged. */
int nd_route(const struct rn_link_info *info, unsigned n, const struct rn_gid *remote,
	     struct rn_gid *local);

#endif
