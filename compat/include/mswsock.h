/*
 * This header only includes winsock2.h. The Microsoft extensions of Winsock (AcceptEx and so on) do
 * not exist here, because they need overlapped sockets.
 */
#ifndef COMPAT_MSWSOCK_H
#define COMPAT_MSWSOCK_H

#include "winsock2.h"

#endif
