/* Of the extensions to sockets nothing is here: they are overlapped. */
#ifndef COMPAT_MSWSOCK_H
#define COMPAT_MSWSOCK_H

#include "winsock2.h"

#endif
