/*
 * Helper functions that find the providers of this machine and open adapters by address. Link with
 * libsoftrnic. Any thread may call them. Before NdStartup the others return ND_DEVICE_NOT_READY.
 * Providers are read from the catalogue, and addresses from the providers, at each call. All but
 * NdCleanup may return ND_NO_MEMORY, or ND_INSUFFICIENT_RESOURCES when no file descriptor is left.
 */
#ifndef NDSUPPORT_H
#define NDSUPPORT_H

#include "ndspi.h"

/* flags of NdQueryAddressList */
#define ND_QUERY_EXCLUDE_EMULATOR_ADDRESSES 0x00000001 /* no effect */
#define ND_QUERY_EXCLUDE_NDv1_ADDRESSES	    0x00000002
#define ND_QUERY_EXCLUDE_NDv2_ADDRESSES	    0x00000004

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Starts the helpers. Calls are counted: each NdStartup needs one NdCleanup. S_OK. */
HRESULT NdStartup(void);

/* The last NdCleanup unloads the providers that have no objects left. S_OK, ND_DEVICE_NOT_READY. */
HRESULT NdCleanup(void);

/* Unloads the providers that have no objects left. */
void NdFlushProviders(void);

/*
 * Lists the local addresses of all providers. *pcbAddressList: bytes of the buffer. ND_SUCCESS:
 * *pcbAddressList is the bytes used, 0 if there is no address (the list may then be NULL).
 * ND_BUFFER_OVERFLOW: *pcbAddressList is the bytes needed.
 */
HRESULT NdQueryAddressList(DWORD flags, SOCKET_ADDRESS_LIST *pAddressList, SIZE_T *pcbAddressList);

/*
 * Returns the local address from which to reach a remote one, with port 0. *pcbLocalAddress: bytes
 * of the buffer, on return bytes needed. ND_BUFFER_OVERFLOW: the buffer is NULL or too small.
 * ND_INVALID_ADDRESS: not an address, or only reachable from an address without a provider.
 * ND_NETWORK_UNREACHABLE: no route.
 */
HRESULT NdResolveAddress(const struct sockaddr *pRemoteAddress, SIZE_T cbRemoteAddress,
			 struct sockaddr *pLocalAddress, SIZE_T *pcbLocalAddress);

/*
 * S_OK if a provider owns the local address. ND_INVALID_PARAMETER_2: wrong size.
 * ND_INVALID_ADDRESS: no provider owns it.
 */
HRESULT NdCheckAddress(const struct sockaddr *pAddress, SIZE_T cbAddress);

/*
 * Opens the adapter that owns a local address. Statuses of NdCheckAddress and of
 * IND2Provider::OpenAdapter.
 */
HRESULT NdOpenAdapter(REFIID iid, const struct sockaddr *pAddress, SIZE_T cbAddress,
		      void **ppIAdapter);

/* Version 1 adapters do not exist here, so this returns ND_INVALID_ADDRESS at best. */
HRESULT NdOpenV1Adapter(const struct sockaddr *pAddress, SIZE_T cbAddress, INDAdapter **ppIAdapter);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
