/*
 * The catalogue of protocols (Winsock service providers). Programs that do not use the Nd* helper
 * functions search the catalogue for NetworkDirect providers.
 */
#ifndef COMPAT_WS2SPI_H
#define COMPAT_WS2SPI_H

#include "winsock2.h"

COMPAT_BEGIN

/*
 * Stores the entries of the protocol catalogue in *info and returns the number of entries. The only
 * entry is softrnic, a provider of NetworkDirect 2. The entry has the family AF_INET although
 * softrnic also serves IPv6. If the buffer is too small, sets *error to WSAENOBUFS and *bytes to
 * the size needed, and returns SOCKET_ERROR.
 */
INT WSCEnumProtocols(LPINT protocols, LPWSAPROTOCOL_INFOW info, LPDWORD bytes, LPINT error);

/*
 * Stores the path of the provider's library, which exports DllGetClassObject, and returns 0. On
 * failure sets *error and returns SOCKET_ERROR:
 * - WSAEFAULT: the buffer is too small. *length is set to the size needed.
 * - WSAEINVAL: the provider is not softrnic.
 */
INT WSCGetProviderPath(GUID *provider, LPWSTR path, LPINT length, LPINT error);

COMPAT_END

#endif
