/* Sockets, over those of the system. */
#ifndef COMPAT_WINSOCK2_H
#define COMPAT_WINSOCK2_H

#include "windows.h"

#endif
