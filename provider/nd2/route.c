/* Selects the local address from which to reach a remote address. Compares the remote address with
 * the subnet prefixes of the adapters' addresses. Pure functions. */
#include "nd2/route.h"

#include <string.h>

static bool bits_equal(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return memcmp(a, b, whole) == 0 &&
	       (rest == 0 || ((a[whole] ^ b[whole]) & (uint8_t)(0xff << (8 - rest))) == 0);
}

/* Returns how well the address `g` of an adapter reaches a remote address (enum nd_route_rank). */
static int rank(const struct rn_link_info *info, unsigned g, const struct rn_gid *remote, bool v4)
{
	unsigned bits = info->prefix_len[g], skip = v4 ? 12 : 0;

	if (rn_client_gid_is_v4(&info->gids[g]) != v4)
		return ND_ROUTE_NONE;
	if (rn_client_gid_equal(&info->gids[g], remote))
		return ND_ROUTE_SELF;
	if (bits_equal(info->gids[g].b + skip, remote->b + skip, bits))
		return ND_ROUTE_PREFIX + (int)bits;
	return (v4 ? info->gateway4 : info->gateway6) ? ND_ROUTE_GATEWAY : ND_ROUTE_NONE;
}

int nd_route(const struct rn_link_info *info, unsigned n, const struct rn_gid *remote,
	     struct rn_gid *local)
{
	bool v4 = rn_client_gid_is_v4(remote);
	int best = ND_ROUTE_NONE;

	for (unsigned i = 0; i < n; i++)
		for (unsigned g = 0; g < info[i].ngids; g++) {
			int r = rank(&info[i], g, remote, v4);

			if (r > best) {
				best = r;
				*local = info[i].gids[g];
			}
		}
	return best;
}
