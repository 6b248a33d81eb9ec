/*
 * The extensions of Winsock. It is empty: they are overlapped, and there are no overlapped sockets.
 */
#ifndef COMPAT_MSWSOCK_H
#define COMPAT_MSWSOCK_H

#include "winsock2.h"

#endif
