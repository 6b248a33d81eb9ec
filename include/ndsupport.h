/*
 * Helper functions that find the providers of this machine and open adapters by address.
 * Link with libsoftrnic. Any thread; everything but NdStartup needs a started framework and
 * answers ND_DEVICE_NOT_READY otherwise.
 */
#ifndef NDSUPPORT_H
#define NDSUPPORT_H

#include "ndspi.h"

/* NdQueryAddressList */
#define ND_QUERY_EXCLUDE_EMULATOR_ADDRESSES 0x00000001 /* no effect */
#define ND_QUERY_EXCLUDE_NDv1_ADDRESSES	    0x00000002
#define ND_QUERY_EXCLUDE_NDv2_ADDRESSES	    0x00000004

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Counted: each success needs one NdCleanup. S_OK, ND_NO_MEMORY. */
HRESULT NdStartup(void);

/* The last call lets go of all providers. S_OK, ND_DEVICE_NOT_READY. */
HRESULT NdCleanup(void);

/* Asks idle providers whether they may be unloaded. */
void NdFlushProviders(void);

/*
 * All local addresses with a provider. ND_SUCCESS: *pcbAddressList = bytes used, which is 0 when
 * there is no address at all, even for a NULL list. ND_BUFFER_OVERFLOW: *pcbAddressList = needed.
 */
HRESULT NdQueryAddressList(DWORD flags, SOCKET_ADDRESS_LIST *pAddressList, SIZE_T *pcbAddressList);

/*
 * The local address from which a remote one is reached; its port is 0.
 * ND_BUFFER_OVERFLOW, ND_INVALID_ADDRESS, ND_NETWORK_UNREACHABLE, ND_UNSUCCESSFUL.
 */
HRESULT NdResolveAddress(const struct sockaddr *pRemoteAddress, SIZE_T cbRemoteAddress,
			 struct sockaddr *pLocalAddress, SIZE_T *pcbLocalAddress);

/* Whether a provider owns a local address. ND_INVALID_PARAMETER_2 (size), ND_INVALID_ADDRESS. */
HRESULT NdCheckAddress(const struct sockaddr *pAddress, SIZE_T cbAddress);

/* Opens the adapter that owns a local address. Fails as NdCheckAddress, or as OpenAdapter. */
HRESULT NdOpenAdapter(REFIID iid, const struct sockaddr *pAddress, SIZE_T cbAddress,
		      void **ppIAdapter);

/* For version 1 adapters. There are none: ND_INVALID_ADDRESS. */
HRESULT NdOpenV1Adapter(const struct sockaddr *pAddress, SIZE_T cbAddress, INDAdapter **ppIAdapter);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
