/* The type of an IPv6 address. */
#ifndef COMPAT_IN6ADDR_H
#define COMPAT_IN6ADDR_H

#include <netinet/in.h>

typedef struct in6_addr IN6_ADDR, *PIN6_ADDR, *LPIN6_ADDR;
typedef const struct in6_addr *PCIN6_ADDR;

#endif
