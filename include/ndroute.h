/*
 * An optional export of a provider library, beside DllGetClassObject: the helper library calls it
 * to choose a local address on ports that the kernel's routing does not know. Applications do not
 * need it.
 */
#ifndef NDROUTE_H
#define NDROUTE_H

#include "ndtypes.h"

#include <sys/socket.h>

/* How well a local address reaches a remote one; larger is better. */
enum nd_route_rank {
	ND_ROUTE_NONE,	       /* no route */
	ND_ROUTE_GATEWAY,      /* through the gateway of its network */
	ND_ROUTE_PREFIX,       /* on a common prefix; the prefix length in bits is added */
	ND_ROUTE_SELF = 0x100, /* it is the remote address itself */
};

/*
 * Stores in *local the provider's best local address for a remote one (AF_INET or AF_INET6), with
 * port 0, and its rank. Any thread. ND_INVALID_ADDRESS: not such an address.
 * ND_NETWORK_UNREACHABLE: no local address reaches it.
 */
typedef HRESULT (*nd_select_address_fn)(const struct sockaddr *remote, ULONG cb,
					struct sockaddr_storage *local, int *rank);
#define ND_SELECT_ADDRESS "DllSelectAddress"

#endif
