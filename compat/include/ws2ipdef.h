/* Structures for IPv4 and IPv6 addresses, and functions that compare or classify addresses. */
#ifndef COMPAT_WS2IPDEF_H
#define COMPAT_WS2IPDEF_H

#include <stdbool.h>
#include <string.h>

#include "in6addr.h"
#include "ws2def.h"

typedef struct sockaddr_in6 SOCKADDR_IN6, SOCKADDR_IN6_LH, *PSOCKADDR_IN6, *LPSOCKADDR_IN6;

typedef union _SOCKADDR_INET {
	SOCKADDR_IN Ipv4;
	SOCKADDR_IN6 Ipv6;
	ADDRESS_FAMILY si_family;
} SOCKADDR_INET, *PSOCKADDR_INET;

typedef struct ip_mreq IP_MREQ, *PIP_MREQ;
typedef struct ipv6_mreq IPV6_MREQ, *PIPV6_MREQ;

/* Returns whether two IPv6 addresses are equal. */
FORCEINLINE BOOLEAN IN6_ADDR_EQUAL(const IN6_ADDR *a, const IN6_ADDR *b)
{
	return (BOOLEAN)(memcmp(a, b, sizeof(IN6_ADDR)) == 0);
}

FORCEINLINE BOOLEAN IN4_ADDR_EQUAL(const IN_ADDR *a, const IN_ADDR *b)
{
	return (BOOLEAN)(a->s_addr == b->s_addr);
}

FORCEINLINE BOOLEAN IN4_IS_ADDR_UNSPECIFIED(const IN_ADDR *a)
{
	return (BOOLEAN)(a->s_addr == 0);
}

FORCEINLINE BOOLEAN IN4_IS_ADDR_LOOPBACK(const IN_ADDR *a)
{
	return (BOOLEAN)(a->S_un.S_un_b.s_b1 == 127);
}

FORCEINLINE BOOLEAN IN4_IS_ADDR_MULTICAST(const IN_ADDR *a)
{
	return (BOOLEAN)((a->S_un.S_un_b.s_b1 & 0xf0) == 0xe0);
}

/*
 * Returns whether an IPv4 or IPv6 address is the wildcard address (0.0.0.0 or ::). Returns FALSE
 * for other address families.
 */
FORCEINLINE BOOLEAN INETADDR_ISANY(const SOCKADDR *a)
{
	if (a->sa_family == AF_INET)
		return IN4_IS_ADDR_UNSPECIFIED(&((const SOCKADDR_IN *)(const void *)a)->sin_addr);
	return (BOOLEAN)(a->sa_family == AF_INET6 &&
			 IN6_ADDR_EQUAL(&((const SOCKADDR_IN6 *)(const void *)a)->sin6_addr,
					&in6addr_any));
}

FORCEINLINE BOOLEAN INETADDR_ISLOOPBACK(const SOCKADDR *a)
{
	if (a->sa_family == AF_INET)
		return IN4_IS_ADDR_LOOPBACK(&((const SOCKADDR_IN *)(const void *)a)->sin_addr);
	return (BOOLEAN)(a->sa_family == AF_INET6 &&
			 IN6_ADDR_EQUAL(&((const SOCKADDR_IN6 *)(const void *)a)->sin6_addr,
					&in6addr_loopback));
}

#endif
