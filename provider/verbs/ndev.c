/* Looks through the addresses of the host. */
#include "verbs/ndev.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* Is this the address that the GID stands for? */
static bool is_of(const struct sockaddr *addr, const struct rn_gid *gid)
{
	struct rn_gid other = {{[10] = 0xff, [11] = 0xff}};

	if (addr == NULL)
		return false;
	if (addr->sa_family == AF_INET)
		memcpy(&other.b[12], &((const struct sockaddr_in *)(const void *)addr)->sin_addr,
		       4);
	else if (addr->sa_family == AF_INET6)
		memcpy(other.b, &((const struct sockaddr_in6 *)(const void *)addr)->sin6_addr, 16);
	else
		return false;
	return memcmp(&other, gid, sizeof(other)) == 0;
}

bool vb_ndev_of(const struct rn_gid *gid, char name[IF_NAMESIZE])
{
	struct ifaddrs *all, *a;

	if (getifaddrs(&all) != 0)
		return false;
	for (a = all; a != NULL; a = a->ifa_next)
		if (!(a->ifa_flags & IFF_LOOPBACK) && is_of(a->ifa_addr, gid))
			break;
	if (a != NULL)
		snprintf(name, IF_NAMESIZE, "%s", a->ifa_name);
	freeifaddrs(all);
	return a != NULL;
}
