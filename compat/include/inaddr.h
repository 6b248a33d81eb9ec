/* The type of an IPv4 address. */
#ifndef COMPAT_INADDR_H
#define COMPAT_INADDR_H

#include <netinet/in.h>

typedef struct in_addr IN_ADDR, *PIN_ADDR, *LPIN_ADDR;
typedef const struct in_addr *PCIN_ADDR;

#endif
