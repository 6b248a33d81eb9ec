/* Helper functions that find the NetworkDirect providers of this machine and open adapters by
 * address. A provider is a library that implements the interfaces of ndspi.h. The catalogue, a
 * folder with one file per provider, lists all providers. Link with libsoftrnic. Any thread may
 * call these functions. Errors:
 * - ND_DEVICE_NOT_READY: any function that returns an HRESULT, if NdStartup was not called before
 * - ND_NO_MEMORY, ND_INSUFFICIENT_RESOURCES (no file descriptor is left): NdQueryAddressList,
 *   NdResolveAddress, NdCheckAddress, NdOpenAdapter */
#ifndef NDSUPPORT_H
#define NDSUPPORT_H

#include "ndspi.h"

/* flags of NdQueryAddressList */
#define ND_QUERY_EXCLUDE_EMULATOR_ADDRESSES 0x00000001 /* this flag has no effect */
#define ND_QUERY_EXCLUDE_NDv1_ADDRESSES	    0x00000002
#define ND_QUERY_EXCLUDE_NDv2_ADDRESSES	    0x00000004

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Makes the helper functions usable. Each NdStartup needs one NdCleanup. Returns S_OK. */
HRESULT NdStartup(void);

/* Undoes one NdStartup. The last NdCleanup unloads the providers that have no objects left. Returns
 * S_OK, or ND_DEVICE_NOT_READY if there is no NdStartup to undo. */
HRESULT NdCleanup(void);

/* Unloads the providers that have no objects left. */
void NdFlushProviders(void);

/* Lists the local addresses of all providers. *pcbAddressList: on input, the bytes of the buffer.
 * - ND_SUCCESS: *pcbAddressList is the number of bytes used. If there is no address, the number is
 *   0 and pAddressList may be NULL.
 * - ND_BUFFER_OVERFLOW: *pcbAddressList is the number of bytes needed. */
HRESULT NdQueryAddressList(DWORD flags, SOCKET_ADDRESS_LIST *pAddressList, SIZE_T *pcbAddressList);

/* Returns the local address, with port 0, from which to reach a remote address. *pcbLocalAddress:
 * in, bytes of the buffer; out, bytes needed. Errors:
 * - ND_BUFFER_OVERFLOW: the buffer is NULL or too small
 * - ND_INVALID_ADDRESS: the remote address is not an IP address; or the kernel has a route to the
 *   remote address, but no provider has one
 * - ND_NETWORK_UNREACHABLE: there is no route to the remote address */
HRESULT NdResolveAddress(const struct sockaddr *pRemoteAddress, SIZE_T cbRemoteAddress,
			 struct sockaddr *pLocalAddress, SIZE_T *pcbLocalAddress);

/* Checks that a provider owns a local address. Returns S_OK if a provider owns the address. Errors:
 * - ND_INVALID_PARAMETER_2: pAddress is NULL, or cbAddress is too small
 * - ND_INVALID_ADDRESS: no provider owns the address, or the address is not an IP address */
HRESULT NdCheckAddress(const struct sockaddr *pAddress, SIZE_T cbAddress);

/* Opens the adapter that owns a local address. Returns the statuses of NdCheckAddress and of
 * IND2Provider::OpenAdapter. */
HRESULT NdOpenAdapter(REFIID iid, const struct sockaddr *pAddress, SIZE_T cbAddress,
		      void **ppIAdapter);

/* Always fails, because version 1 adapters do not exist here. Returns ND_INVALID_ADDRESS even for
 * an address that NdOpenAdapter would accept. */
HRESULT NdOpenV1Adapter(const struct sockaddr *pAddress, SIZE_T cbAddress, INDAdapter **ppIAdapter);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
