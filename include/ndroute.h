/*
 * Between the helper library and providers whose ports the kernel does not know: an export that a provider library may
 * have beside DllGetClassObject. Not for applications.
 */
#ifndef NDROUTE_H
#define NDROUTE_H

#include "ndtypes.h"

#include <sys/socket.h>

/* How good a local address is for a remote one: the larger the better. */
enum nd_route_rank {
	ND_ROUTE_NONE,	       /* cannot reach it */
	ND_ROUTE_GATEWAY,      /* through the gateway of its network */
	ND_ROUTE_PREFIX,       /* plus the length of the prefix, in bits, that both are in */
	ND_ROUTE_SELF = 0x100, /* is the same address */
};

/*
 * The best local address of the provider for a remote one (AF_INET or AF_INET6), port 0, in *local, and its rank.
 * ND_INVALID_ADDRESS: not such an address; ND_NETWORK_UNREACHABLE: no address reaches it. Any thread.
 */
typedef HRESULT (*nd_select_address_fn)(const struct sockaddr *remote, ULONG cb,
					struct sockaddr_storage *local, int *rank);
#define ND_SELECT_ADDRESS "DllSelectAddress"

#endif
