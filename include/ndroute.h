/*
 * DllSelectAddress is an optional export of a provider library, beside DllGetClassObject.
 * NdResolveAddress (ndsupport.h) calls it to find the local address that reaches a given remote
 * address. The kernel's routing table cannot tell that address if the provider has its own NIC,
 * because the kernel does not know the network ports of such a NIC. Applications need not call
 * DllSelectAddress.
 */
#ifndef NDROUTE_H
#define NDROUTE_H

#include "ndtypes.h"

#include <sys/socket.h>

/* Ranks how well a local address reaches a remote address; larger is better. */
enum nd_route_rank {
	ND_ROUTE_NONE,	  /* no route */
	ND_ROUTE_GATEWAY, /* through the gateway configured for the address family */
	/* both addresses are in one subnet; rank = this value + prefix length in bits */
	ND_ROUTE_PREFIX,
	ND_ROUTE_SELF = 0x100, /* the local address is the remote address */
};

/*
 * Stores the provider's best local address for a remote address (AF_INET or AF_INET6) in *local,
 * with port 0, and its rank in *rank. Any thread may call. ND_INVALID_ADDRESS: `remote` is not an
 * IP address. ND_NETWORK_UNREACHABLE: no local address reaches `remote`.
 */
typedef HRESULT (*nd_select_address_fn)(const struct sockaddr *remote, ULONG cb,
					struct sockaddr_storage *local, int *rank);
#define ND_SELECT_ADDRESS "DllSelectAddress"

#endif
