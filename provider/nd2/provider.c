/* The IND2Provider object, which lists the adapters' addresses and opens adapters. Also has the
 * class factory and the library's entry points.
 *
 * The provider object is static: its reference count is reported to clients, but frees nothing.
 * Some clients release the provider where they should release an adapter; this does no harm. Any
 * thread may call. */
#include "nd2/nd2.h"

#include "nd2/route.h"
#include "nd2/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);
HRESULT DllCanUnloadNow(void);
HRESULT DllSelectAddress(const struct sockaddr *remote, ULONG cb, struct sockaddr_storage *local,
			 int *rank);
#pragma GCC visibility pop

/* Lists the adapters and returns their number. If this process has open adapters, these are listed.
 * Otherwise the configuration is read, and its adapters are listed.
 *
 * Returns a negative errno if the configuration cannot be read. An error message is then printed,
 * unless the previous call printed the same message. */
static int read_adapters(struct rn_link_info info[ND_MAX_DEVICES])
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char printed[512];
	char err[512] = "";
	int n = rn_client_list(NULL, info, ND_MAX_DEVICES, err, sizeof(err));

	pthread_mutex_lock(&lock);
	if (strcmp(err, printed) != 0) {
		if (n < 0)
			fprintf(stderr, "softrnic: %s\n", err);
		memcpy(printed, err, sizeof(printed));
	}
	pthread_mutex_unlock(&lock);
	return n > ND_MAX_DEVICES ? ND_MAX_DEVICES : n;
}

static unsigned list_adapters(struct rn_link_info info[ND_MAX_DEVICES])
{
	int n = read_adapters(info);

	return n < 0 ? 0 : (unsigned)n;
}

/* Returns an adapter's id: a hash (FNV-1a) of the adapter's name. So the id is the same in every
 * process, whether the adapter is open or not.
 *
 * The adapter's GUID cannot serve as the id, since the GUID is derived from the MAC. A MAC that is
 * read from the device is known only while the network port is open. */
static uint64_t id_of(const struct rn_link_info *info)
{
	uint64_t id = UINT64_C(0xcbf29ce484222325);

	for (const char *c = info->name; *c != '\0'; c++)
		id = (id ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	return id;
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

/* Decrements the reference count, but not below 0, since clients may release the provider too
 * often. */
static ULONG count_down(struct nd_object *obj)
{
	uint32_t count = atomic_load(&obj->clients);

	while (count != 0)
		if (atomic_compare_exchange_weak(&obj->clients, &count, count - 1))
			return count - 1;
	return 0;
}

static ULONG Release(IND2Provider *This)
{
	return count_down(&provider);
}

static HRESULT QueryAddressList(IND2Provider *This, SOCKET_ADDRESS_LIST *pAddressList,
				ULONG *pcbAddressList)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct rn_link_info info[ND_MAX_DEVICES];
	struct rn_gid gids[ND_MAX_DEVICES * RN_MAX_GIDS];
	unsigned adapters = list_adapters(info), n = 0;

	for (unsigned i = 0; i < adapters; i++)
		for (unsigned g = 0; g < info[i].ngids; g++)
			gids[n++] = info[i].gids[g];
	return nd_return_address_list(gids, n, pAddressList, pcbAddressList);
}

static HRESULT ResolveAddress(IND2Provider *This, const struct sockaddr *pAddress, ULONG cbAddress,
			      UINT64 *pAdapterId)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct rn_link_info info[ND_MAX_DEVICES];
	struct rn_client_addr addr;
	int n;

	if (pAddress == NULL || rn_client_addr_from_sockaddr(&addr, pAddress, cbAddress) != 0)
		return ND_INVALID_ADDRESS;
	n = read_adapters(info);
	/* An error in the configuration counts as "no adapters". If memory or file descriptors ran
	 * out, it is unknown whether an adapter has the address; the caller gets an error. */
	if (n == -EMFILE || n == -ENFILE || n == -ENOMEM)
		return nd_status_of_errno(n);
	for (int i = 0; i < n; i++)
		for (unsigned g = 0; g < info[i].ngids; g++)
			if (rn_client_gid_equal(&info[i].gids[g], &addr.gid)) {
				*pAdapterId = id_of(&info[i]);
				return ND_SUCCESS;
			}
	return ND_INVALID_ADDRESS;
}

/* Opens an adapter by its position in the configuration file. Returns ND_INVALID_PARAMETER if the
 * adapter at this position does not have this id. The file has then changed since the adapters were
 * listed. */
static HRESULT open_at(unsigned index, REFIID iid, UINT64 id, void **out)
{
	struct nd_adapter *adapter;
	HRESULT hr = nd_adapter_open(index, iid, out);

	if (FAILED(hr))
		return hr;
	adapter = *out;
	if (id_of(adapter->dev->info) != id) {
		*out = NULL;
		nd_object_release(&adapter->obj);
		return ND_INVALID_PARAMETER;
	}
	nd_adapter_limits(adapter->dev->info, id, &adapter->limits);
	return ND_SUCCESS;
}

static HRESULT OpenAdapter(IND2Provider *This, REFIID iid, UINT64 adapterId, void **ppAdapter)
{
	*ppAdapter = NULL;
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct rn_link_info info[ND_MAX_DEVICES];
	unsigned n = list_adapters(info);

	for (unsigned i = 0; i < n; i++)
		if (id_of(&info[i]) == adapterId)
			return open_at(i, iid, adapterId, ppAdapter);
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

/* ---- class factory: a static object whose reference count has no effect ---- */

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
	return count_down((struct nd_object *)This);
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

/* Every class id gets the same provider. A query for IUnknown gets the class factory. */
HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv)
{
	if (ppv == NULL)
		return E_POINTER;
	*ppv = NULL;
	if (IsEqualGUID(riid, &IID_IND2Provider))
		return nd_object_query(&provider, riid, ppv);
	return nd_object_query(&factory, riid, ppv);
}

/* Always returns S_FALSE (do not unload), since DPDK cannot be started twice in one process. The
 * caller may be about to end the process, so first wait for adapters that are being closed. */
HRESULT DllCanUnloadNow(void)
{
	OS_REFUSE_CHILD(S_FALSE);
	OS_UNCANCELLED;
	nd_device_wait_closed();
	return S_FALSE;
}

/* Selects the local address from which to reach `remote`. NdResolveAddress (provider/util) calls
 * this function, since the kernel's routing table does not have the adapters' subnets. */
HRESULT DllSelectAddress(const struct sockaddr *remote, ULONG cb, struct sockaddr_storage *local,
			 int *rank)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct rn_link_info info[ND_MAX_DEVICES];
	struct rn_client_addr addr, found = {0};

	if (remote == NULL || rn_client_addr_from_sockaddr(&addr, remote, cb) != 0)
		return ND_INVALID_ADDRESS;
	*rank = nd_route(info, list_adapters(info), &addr.gid, &found.gid);
	if (*rank == ND_ROUTE_NONE)
		return ND_NETWORK_UNREACHABLE;
	rn_client_addr_to_sockaddr(&found, local);
	return ND_SUCCESS;
}
