/* DllSelectAddress is an optional export of a provider library, beside DllGetClassObject.
 * Applications need not call DllSelectAddress. NdResolveAddress (ndsupport.h) calls this function
 * to find the local address that reaches a remote address. The kernel's routing table cannot give
 * that address if the provider has a NIC that is unknown to the kernel. */
#ifndef NDROUTE_H
#define NDROUTE_H

#include "ndtypes.h"

#include <sys/socket.h>

/* Ranks how well a local address reaches a remote address; larger is better. */
enum nd_route_rank {
	ND_ROUTE_NONE,	  /* no local address reaches the remote address */
	ND_ROUTE_GATEWAY, /* through the gateway configured for the address family */
	/* both addresses are in one subnet; rank = ND_ROUTE_PREFIX + prefix length in bits */
	ND_ROUTE_PREFIX,
	ND_ROUTE_SELF = 0x100, /* the local address equals the remote address */
};

/* Finds the provider's best local address for a remote address (AF_INET or AF_INET6). Stores this
 * address, with port 0, in *local, and the rank of the address in *rank. Any thread may call this
 * function. Errors:
 * - ND_INVALID_ADDRESS: `remote` is not an IP address
 * - ND_NETWORK_UNREACHABLE: no local address reaches `remote` */
typedef HRESULT (*nd_select_address_fn)(const struct sockaddr *remote, ULONG cb,
					struct sockaddr_storage *local, int *rank);
#define ND_SELECT_ADDRESS "DllSelectAddress"

#endif
