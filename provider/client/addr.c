/* Converts between socket addresses and GIDs: an IPv4 address is the GID ::ffff:a.b.c.d. Port
 * numbers in struct rn_client_addr are in host byte order. All functions are pure. */
#include "client/client.h"

#include <errno.h>
#include <string.h>

static const uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

int rn_client_addr_from_sockaddr(struct rn_client_addr *addr, const struct sockaddr *sa, size_t len)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family;

	if (len < sizeof(family))
		return -EINVAL;
	memcpy(&family, (const char *)sa + offsetof(struct sockaddr, sa_family), sizeof(family));
	if (family != AF_INET && family != AF_INET6)
		return -EAFNOSUPPORT;
	if (len < (family == AF_INET ? sizeof(in) : sizeof(in6)))
		return -EINVAL;
	memset(addr, 0, sizeof(*addr));
	if (family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		addr->port = ntohs(in.sin_port);
		memcpy(addr->gid.b, v4_prefix, sizeof(v4_prefix));
		memcpy(addr->gid.b + 12, &in.sin_addr, 4);
	} else {
		memcpy(&in6, sa, sizeof(in6));
		addr->port = ntohs(in6.sin6_port);
		memcpy(addr->gid.b, &in6.sin6_addr, 16);
	}
	return 0;
}

size_t rn_client_addr_to_sockaddr(const struct rn_client_addr *addr, struct sockaddr_storage *sa)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	memset(sa, 0, sizeof(*sa));
	if (rn_client_gid_is_v4(&addr->gid)) {
		in.sin_port = htons(addr->port);
		memcpy(&in.sin_addr, addr->gid.b + 12, 4);
		memcpy(sa, &in, sizeof(in));
		return sizeof(in);
	}
	in6.sin6_port = htons(addr->port);
	memcpy(&in6.sin6_addr, addr->gid.b, 16);
	memcpy(sa, &in6, sizeof(in6));
	return sizeof(in6);
}

bool rn_client_gid_is_any(const struct rn_gid *gid)
{
	static const struct rn_gid any, any_v4 = {{[10] = 0xff, [11] = 0xff}};

	return rn_client_gid_equal(gid, &any) || rn_client_gid_equal(gid, &any_v4);
}

bool rn_client_gid_is_v4(const struct rn_gid *gid)
{
	return memcmp(gid->b, v4_prefix, sizeof(v4_prefix)) == 0;
}

bool rn_client_gid_equal(const struct rn_gid *a, const struct rn_gid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}
