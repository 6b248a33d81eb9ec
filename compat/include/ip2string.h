/*
 * The Rtl... functions that read and write IP addresses as text. The declarations are in mstcpip.h.
 */
#ifndef COMPAT_IP2STRING_H
#define COMPAT_IP2STRING_H

#include "mstcpip.h"

#endif
