/*
 * The catalogue of protocols (Winsock service providers). Programs that do not use the Nd* helper
 * functions search the catalogue for NetworkDirect providers.
 */
#ifndef COMPAT_WS2SPI_H
#define COMPAT_WS2SPI_H

#include "winsock2.h"

COMPAT_BEGIN

/*
 * Stores the entries of the protocol catalogue in *info and returns their number. The only entry is
 * softrnic, marked as a provider of NetworkDirect 2. The family of the entry is AF_INET, but
 * softrnic serves IPv6 as well. If the buffer is too small, returns SOCKET_ERROR, sets *error to
 * WSAENOBUFS and sets *bytes to the size needed.
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
