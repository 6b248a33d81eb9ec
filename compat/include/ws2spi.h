/*
 * The catalogue of protocols, by which programs that do without the Nd* helpers look for providers of
 * NetworkDirect.
 */
#ifndef COMPAT_WS2SPI_H
#define COMPAT_WS2SPI_H

#include "winsock2.h"

COMPAT_BEGIN

/*
 * One entry, of AF_INET, marked as a provider of NetworkDirect 2: softrnic, which serves IPv6 as well. Returns how
 * many there are; SOCKET_ERROR, *error WSAENOBUFS: *bytes tells the room needed.
 */
INT WSCEnumProtocols(LPINT protocols, LPWSAPROTOCOL_INFOW info, LPDWORD bytes, LPINT error);

/* The file to load, which has DllGetClassObject. 0; SOCKET_ERROR, *error WSAEFAULT: *length tells the room needed, WSAEINVAL: not ours. */
INT WSCGetProviderPath(GUID *provider, LPWSTR path, LPINT length, LPINT error);

COMPAT_END

#endif
