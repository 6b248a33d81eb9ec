/*
 * The catalogue of protocols (Winsock service providers). Programs that do not use the Nd* helper
 * functions search the catalogue for NetworkDirect providers.
 */
#ifndef COMPAT_WS2SPI_H
#define COMPAT_WS2SPI_H

#include "winsock2.h"

COMPAT_BEGIN

/*
 * Returns the entries of the protocol catalogue. The only entry is softrnic, marked as a provider
 * of NetworkDirect 2. Its family is AF_INET, but it serves IPv6 as well. Returns the number of
 * entries. If the buffer is too small, returns SOCKET_ERROR with *error WSAENOBUFS and the size
 * needed in *bytes.
 */
INT WSCEnumProtocols(LPINT protocols, LPWSAPROTOCOL_INFOW info, LPDWORD bytes, LPINT error);

/*
 * Stores the path of the provider's library, which exports DllGetClassObject, and returns 0. If the
 * buffer is too small, returns SOCKET_ERROR with *error WSAEFAULT and the size needed in *length.
 * If the provider is not softrnic, returns SOCKET_ERROR with *error WSAEINVAL.
 */
INT WSCGetProviderPath(GUID *provider, LPWSTR path, LPINT length, LPINT error);

COMPAT_END

#endif
