/* Text of addresses. */
#ifndef COMPAT_IP2STRING_H
#define COMPAT_IP2STRING_H

#include "mstcpip.h"

#endif
