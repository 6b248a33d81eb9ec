/* Socket addresses as GIDs of the adapters, and back. All functions are pure. */
#include "ucma/ucma.h"

#include <string.h>

socklen_t ucma_addr_size(const union ucma_addr *addr)
{
	return addr->sa.sa_family == AF_INET	? sizeof(addr->in)
	       : addr->sa.sa_family == AF_INET6 ? sizeof(addr->in6)
						: 0;
}

bool ucma_addr_is_any(const union ucma_addr *addr)
{
	const struct in6_addr *a = &addr->in6.sin6_addr;

	if (addr->sa.sa_family == AF_INET)
		return addr->in.sin_addr.s_addr == INADDR_ANY ||
		       (ntohl(addr->in.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
	return IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_LOOPBACK(a);
}

/* Both structs have the port number at the same place. */
uint16_t ucma_addr_port(const union ucma_addr *addr)
{
	return ntohs(addr->in.sin_port);
}

void ucma_addr_set_port(union ucma_addr *addr, uint16_t port)
{
	addr->in.sin_port = htons(port);
}

struct rn_gid ucma_addr_gid(const union ucma_addr *addr)
{
	struct rn_gid gid = {{[10] = 0xff, [11] = 0xff}};

	if (addr->sa.sa_family == AF_INET)
		memcpy(&gid.b[12], &addr->in.sin_addr, 4);
	else
		memcpy(gid.b, &addr->in6.sin6_addr, 16);
	return gid;
}

union ucma_addr ucma_addr_of(const struct rn_gid *gid, uint16_t port)
{
	union ucma_addr addr;

	memset(&addr, 0, sizeof(addr));
	if (vb_engine.gid_is_v4(gid)) {
		addr.in.sin_family = AF_INET;
		memcpy(&addr.in.sin_addr, &gid->b[12], 4);
	} else {
		addr.in6.sin6_family = AF_INET6;
		memcpy(&addr.in6.sin6_addr, gid->b, 16);
	}
	ucma_addr_set_port(&addr, port);
	return addr;
}
