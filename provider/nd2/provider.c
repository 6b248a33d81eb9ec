/* Which adapters are there, by address? The provider object is static: its count is only what
 * clients see, so that one which releases it once too often, in an adapter's stead, does no harm.
 * Also the class factory and the two entry points of the library. Any thread. */
#include "nd2.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);
HRESULT DllCanUnloadNow(void);
#pragma GCC visibility pop

#define CLOSING_MS 2000

static struct {
	pthread_mutex_t lock;
	int count; /* adapters of the configuration, -1 = not read yet */
	struct rn_link_info info[ND_MAX_DEVICES];
} adapters = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = -1};

/* The configuration is read once; a mistake in it is told once, and means no adapters. */
static unsigned adapter_count(void)
{
	char err[512] = "";

	pthread_mutex_lock(&adapters.lock);
	if (adapters.count < 0) {
		int n = rn_client_list(NULL, adapters.info, ND_MAX_DEVICES, err, sizeof(err));

		if (n < 0)
			fprintf(stderr, "softrnic: %s\n", err);
		adapters.count = n < 0 ? 0 : n > ND_MAX_DEVICES ? ND_MAX_DEVICES : n;
	}
	pthread_mutex_unlock(&adapters.lock);
	return (unsigned)adapters.count;
}

static uint64_t id_of(unsigned index)
{
	return adapters.info[index].guid != 0 ? adapters.info[index].guid : index + 1;
}

/* ---- methods, in vtable order ---- */

static struct nd_object provider;

static HRESULT QueryInterface(IND2Provider *This, REFIID riid, void **ppv)
{
	return nd_object_query((struct nd_object *)This, riid, ppv);
}

static ULONG AddRef(IND2Provider *This)
{
	return nd_object_addref((struct nd_object *)This);
}

static ULONG Release(IND2Provider *This)
{
	uint32_t count = atomic_load(&provider.clients);

	while (count != 0)
		if (atomic_compare_exchange_weak(&provider.clients, &count, count - 1))
			return count - 1;
	return 0;
}

static HRESULT QueryAddressList(IND2Provider *This, SOCKET_ADDRESS_LIST *pAddressList,
				ULONG *pcbAddressList)
{
	struct rn_gid gids[ND_MAX_DEVICES * RN_MAX_GIDS];
	unsigned n = 0;

	for (unsigned i = 0; i < adapter_count(); i++)
		for (unsigned g = 0; g < adapters.info[i].ngids; g++)
			gids[n++] = adapters.info[i].gids[g];
	return nd_return_address_list(gids, n, pAddressList, pcbAddressList);
}

static HRESULT ResolveAddress(IND2Provider *This, const struct sockaddr *pAddress, ULONG cbAddress,
			      UINT64 *pAdapterId)
{
	struct rn_client_addr addr;

	if (pAddress == NULL || rn_client_addr_from_sockaddr(&addr, pAddress, cbAddress) != 0)
		return ND_INVALID_ADDRESS;
	for (unsigned i = 0; i < adapter_count(); i++)
		for (unsigned g = 0; g < adapters.info[i].ngids; g++)
			if (rn_client_gid_equal(&adapters.info[i].gids[g], &addr.gid)) {
				*pAdapterId = id_of(i);
				return ND_SUCCESS;
			}
	return ND_INVALID_ADDRESS;
}

static HRESULT OpenAdapter(IND2Provider *This, REFIID iid, UINT64 adapterId, void **ppAdapter)
{
	HRESULT hr;

	*ppAdapter = NULL;
	for (unsigned i = 0; i < adapter_count(); i++) {
		if (id_of(i) != adapterId)
			continue;
		hr = nd_adapter_open(i, iid, ppAdapter);
		if (SUCCEEDED(hr)) {
			struct nd_adapter *adapter = *ppAdapter;

			nd_adapter_limits(adapter->dev->info, adapterId, &adapter->limits);
		}
		return hr;
	}
	return ND_INVALID_PARAMETER;
}

ND_VTABLE(IND2ProviderVtbl, vtable) = {
	.v =
		{
			QueryInterface,
			AddRef,
			Release,
			QueryAddressList,
			ResolveAddress,
			OpenAdapter,
		},
};

const struct nd_class nd_provider_class = {
	.name = "provider",
	.vtbl = &vtable.v,
	.own = &IID_IND2Provider,
};

static struct nd_object provider = {
	.lpVtbl = &vtable.v,
	.cls = &nd_provider_class,
};

void nd_provider_addref(void)
{
	nd_object_addref(&provider);
}

void nd_provider_drop(void)
{
	Release((IND2Provider *)&provider);
}

/* ---- class factory: static, its count is decoration ---- */

static HRESULT FactoryQueryInterface(IClassFactory *This, REFIID riid, void **ppv)
{
	return nd_object_query((struct nd_object *)This, riid, ppv);
}

static ULONG FactoryAddRef(IClassFactory *This)
{
	return nd_object_addref((struct nd_object *)This);
}

static ULONG FactoryRelease(IClassFactory *This)
{
	return atomic_fetch_sub(&((struct nd_object *)This)->clients, 1) - 1;
}

static HRESULT CreateInstance(IClassFactory *This, IUnknown *pUnkOuter, REFIID riid, void **ppv)
{
	if (ppv == NULL)
		return E_POINTER;
	*ppv = NULL;
	if (pUnkOuter != NULL)
		return CLASS_E_NOAGGREGATION;
	return nd_object_query(&provider, riid, ppv);
}

static HRESULT LockServer(IClassFactory *This, BOOL fLock)
{
	return S_OK;
}

ND_VTABLE(IClassFactoryVtbl, factory_vtable) = {
	.v =
		{
			FactoryQueryInterface,
			FactoryAddRef,
			FactoryRelease,
			CreateInstance,
			LockServer,
		},
};

static const struct nd_class factory_class = {
	.name = "class factory",
	.vtbl = &factory_vtable.v,
	.own = &IID_IClassFactory,
};

static struct nd_object factory = {
	.lpVtbl = &factory_vtable.v,
	.cls = &factory_class,
};

/* Any class id will do. IUnknown is answered by the factory. */
HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv)
{
	if (ppv == NULL)
		return E_POINTER;
	*ppv = NULL;
	if (IsEqualGUID(riid, &IID_IND2Provider))
		return nd_object_query(&provider, riid, ppv);
	return nd_object_query(&factory, riid, ppv);
}

/* Never: the packet library inside cannot be started twice in one process. But who asks is about to end the process,
 * perhaps: let adapters that are being closed finish that. */
HRESULT DllCanUnloadNow(void)
{
	nd_device_settle(CLOSING_MS);
	return S_FALSE;
}
