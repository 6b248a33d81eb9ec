/*
 * The Microsoft extensions of Winsock (AcceptEx and so on). This header declares none of them,
 * because they need overlapped sockets, which do not exist here.
 */
#ifndef COMPAT_MSWSOCK_H
#define COMPAT_MSWSOCK_H

#include "winsock2.h"

#endif
