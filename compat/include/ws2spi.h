/*
 * The catalogue of protocols. Programs that do not use the Nd* helpers search it for providers of
 * NetworkDirect.
 */
#ifndef COMPAT_WS2SPI_H
#define COMPAT_WS2SPI_H

#include "winsock2.h"

COMPAT_BEGIN

/*
 * The catalogue has one entry, softrnic, with AF_INET and marked as a provider of NetworkDirect 2;
 * it serves IPv6 as well. Returns the number of entries. Returns SOCKET_ERROR with *error
 * WSAENOBUFS and the size needed in *bytes if the buffer is too small.
 */
INT WSCEnumProtocols(LPINT protocols, LPWSAPROTOCOL_INFOW info, LPDWORD bytes, LPINT error);

/*
 * Returns 0 and the file to load, which exports DllGetClassObject. Returns SOCKET_ERROR with *error
 * WSAEFAULT and the size needed in *length, or with WSAEINVAL if the provider is not softrnic.
 */
INT WSCGetProviderPath(GUID *provider, LPWSTR path, LPINT length, LPINT error);

COMPAT_END

#endif
