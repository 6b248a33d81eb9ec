/* The Nd* helper functions (ndsupport.h). Each function asks all providers in the catalogue for
 * their addresses. No result is cached, so the next call sees an address that was added or removed.
 * Any thread may call the functions. */
#include "ndsupport.h"

#include "os/cancel.h"
#include "os/child.h"
#include "util/framework.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <errno.h>
#include <unistd.h>

#define STOP	  1
#define MAX_LOCAL 256

struct local_addresses {
	unsigned n;
	struct sockaddr_storage at[MAX_LOCAL];
};

static size_t size_of_family(sa_family_t family)
{
	return family == AF_INET    ? sizeof(struct sockaddr_in)
	       : family == AF_INET6 ? sizeof(struct sockaddr_in6)
				    : 0;
}

static const void *ip_of(const void *sa, size_t *len)
{
	const struct sockaddr *head = sa;

	*len = head->sa_family == AF_INET ? 4 : 16;
	return head->sa_family == AF_INET
		       ? (const void *)&((const struct sockaddr_in *)sa)->sin_addr
		       : &((const struct sockaddr_in6 *)sa)->sin6_addr;
}

static bool same_ip(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	size_t len;
	const void *ip = ip_of(a, &len);

	return a->ss_family == b->ss_family && memcmp(ip, ip_of(b, &len), len) == 0;
}

static int collect(void *arg, IND2Provider *provider, nd_select_address_fn unused)
{
	struct local_addresses *all = arg;
	SOCKET_ADDRESS_LIST *list = NULL;
	ULONG cb = 0;
	HRESULT hr = provider->lpVtbl->QueryAddressList(provider, NULL, &cb);

	for (int tries = 0; hr == ND_BUFFER_OVERFLOW && tries < 4; tries++) {
		free(list);
		list = malloc(cb);
		if (list == NULL)
			return 0;
		hr = provider->lpVtbl->QueryAddressList(provider, list, &cb);
	}
	for (INT i = 0; hr == ND_SUCCESS && i < list->iAddressCount && all->n < MAX_LOCAL; i++) {
		const struct sockaddr *sa = list->Address[i].lpSockaddr;
		size_t len = size_of_family(sa->sa_family);

		if (len != 0)
			memcpy(&all->at[all->n++], sa, len);
	}
	free(list);
	return 0;
}

/* Returns the local addresses of all providers. Returns NULL if NdStartup was not called, or if
 * memory or file descriptors ran out. *hr is then the status to return. */
static struct local_addresses *all_addresses(HRESULT *hr)
{
	struct local_addresses *all = calloc(1, sizeof(*all));
	int rc;

	*hr = ND_NO_MEMORY;
	if (all == NULL)
		return NULL;
	rc = util_framework_each(collect, all);
	if (rc != 0) {
		*hr = rc == UTIL_NOT_STARTED ? ND_DEVICE_NOT_READY : ND_INSUFFICIENT_RESOURCES;
		free(all);
		all = NULL;
	}
	return all;
}

static bool is_listed(const struct local_addresses *all, const struct sockaddr_storage *sa)
{
	for (unsigned i = 0; i < all->n; i++)
		if (same_ip(&all->at[i], sa))
			return true;
	return false;
}

/* Makes the checks that are common to all helper functions, and copies the client's address. */
static HRESULT take_address(const struct sockaddr *sa, SIZE_T cb, struct sockaddr_storage *out)
{
	size_t len;

	if (sa == NULL || cb < sizeof(*sa) || cb > UINT32_MAX)
		return ND_INVALID_PARAMETER_2;
	len = size_of_family(sa->sa_family);
	if (len == 0)
		return ND_INVALID_ADDRESS;
	if (cb < len)
		return ND_INVALID_PARAMETER_2;
	memset(out, 0, sizeof(*out));
	memcpy(out, sa, len);
	return ND_SUCCESS;
}

HRESULT NdStartup(void)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	return util_framework_start();
}

HRESULT NdCleanup(void)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	return util_framework_stop();
}

void NdFlushProviders(void)
{
	OS_REFUSE_CHILD();
	OS_UNCANCELLED;
	util_framework_flush();
}

static HRESULT return_list(const struct local_addresses *all, SOCKET_ADDRESS_LIST *list,
			   SIZE_T *pcb)
{
	SIZE_T have = *pcb, at, need;

	at = offsetof(SOCKET_ADDRESS_LIST, Address) + all->n * sizeof(SOCKET_ADDRESS);
	need = at;
	for (unsigned i = 0; i < all->n; i++)
		need += size_of_family(all->at[i].ss_family);
	*pcb = all->n == 0 ? 0 : need;
	if (all->n == 0)
		return ND_SUCCESS;
	if (list == NULL || have < need)
		return ND_BUFFER_OVERFLOW;
	list->iAddressCount = (INT)all->n;
	for (unsigned i = 0; i < all->n; i++) {
		size_t len = size_of_family(all->at[i].ss_family);

		memcpy((char *)list + at, &all->at[i], len);
		list->Address[i].lpSockaddr = (struct sockaddr *)((char *)list + at);
		list->Address[i].iSockaddrLength = (INT)len;
		at += len;
	}
	return ND_SUCCESS;
}

HRESULT NdQueryAddressList(DWORD flags, SOCKET_ADDRESS_LIST *pAddressList, SIZE_T *pcbAddressList)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	HRESULT hr;
	struct local_addresses *all = all_addresses(&hr);

	if (all == NULL)
		return hr;
	if (flags & ND_QUERY_EXCLUDE_NDv2_ADDRESSES)
		all->n = 0;
	hr = return_list(all, pAddressList, pcbAddressList);
	free(all);
	return hr;
}

/* Finds the source address that the kernel's routing selects for `remote`. Returns false if the
 * kernel has no route. */
static bool kernel_source(const struct sockaddr_storage *remote, struct sockaddr_storage *local)
{
	struct sockaddr_storage to = *remote;
	socklen_t len = (socklen_t)size_of_family(remote->ss_family), got = sizeof(*local);
	int fd = socket(remote->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok;

	if (fd < 0)
		return false;
	/* sin_port and sin6_port have the same offset. The kernel refuses UDP port 0; any other
	 * port number will do. */
	((struct sockaddr_in *)&to)->sin_port = htons(9);
	ok = connect(fd, (struct sockaddr *)&to, len) == 0 &&
	     getsockname(fd, (struct sockaddr *)local, &got) == 0;
	close(fd);
	return ok;
}

struct select_call {
	const struct sockaddr_storage *remote;
	struct sockaddr_storage local;
	int rank;
};

/* Asks one provider from which of its addresses the remote address can be reached. The kernel
 * cannot tell: it has no routes through the network ports of a provider that has its own NIC. */
static int select_on(void *arg, IND2Provider *provider, nd_select_address_fn select_address)
{
	struct select_call *call = arg;
	struct sockaddr_storage local;
	int rank = ND_ROUTE_NONE;

	if (select_address == NULL ||
	    FAILED(select_address((const struct sockaddr *)call->remote,
				  (ULONG)size_of_family(call->remote->ss_family), &local, &rank)))
		return 0;
	if (rank > call->rank) {
		call->rank = rank;
		call->local = local;
	}
	return 0;
}

static HRESULT resolve(const struct local_addresses *all, const struct sockaddr_storage *remote,
		       struct sockaddr_storage *local)
{
	struct select_call call = {.remote = remote, .rank = ND_ROUTE_NONE};
	bool routed = kernel_source(remote, local);

	if (routed && is_listed(all, local))
		return S_OK;
	if (util_framework_each(select_on, &call) == UTIL_NOT_STARTED)
		return ND_DEVICE_NOT_READY;
	if (call.rank == ND_ROUTE_NONE)
		return routed ? ND_INVALID_ADDRESS : ND_NETWORK_UNREACHABLE;
	*local = call.local;
	return S_OK;
}

HRESULT NdResolveAddress(const struct sockaddr *pRemoteAddress, SIZE_T cbRemoteAddress,
			 struct sockaddr *pLocalAddress, SIZE_T *pcbLocalAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct sockaddr_storage remote, local;
	struct local_addresses *all;
	SIZE_T have = *pcbLocalAddress, need;
	HRESULT hr;

	all = all_addresses(&hr);
	if (all == NULL)
		return hr;
	hr = FAILED(take_address(pRemoteAddress, cbRemoteAddress, &remote))
		     ? ND_INVALID_ADDRESS
		     : resolve(all, &remote, &local);
	free(all);
	if (FAILED(hr))
		return hr;
	((struct sockaddr_in *)&local)->sin_port = 0;
	need = size_of_family(local.ss_family);
	*pcbLocalAddress = need;
	if (pLocalAddress == NULL || have < need)
		return ND_BUFFER_OVERFLOW;
	memcpy(pLocalAddress, &local, need);
	return S_OK;
}

HRESULT NdCheckAddress(const struct sockaddr *pAddress, SIZE_T cbAddress)
{
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct sockaddr_storage sa;
	struct local_addresses *all;
	HRESULT hr;

	all = all_addresses(&hr);
	if (all == NULL)
		return hr;
	hr = take_address(pAddress, cbAddress, &sa);
	if (SUCCEEDED(hr) && !is_listed(all, &sa))
		hr = ND_INVALID_ADDRESS;
	free(all);
	return hr;
}

struct open_call {
	const GUID *iid;
	const struct sockaddr_storage *sa;
	void *adapter;
	HRESULT hr;
};

/* Opens the adapter that owns the address. Tries the next provider if this provider fails to open
 * the adapter. */
static int open_on(void *arg, IND2Provider *provider, nd_select_address_fn unused)
{
	struct open_call *call = arg;
	ULONG len = (ULONG)size_of_family(call->sa->ss_family);
	UINT64 id;
	HRESULT hr = provider->lpVtbl->ResolveAddress(provider, (const struct sockaddr *)call->sa,
						      len, &id);

	if (FAILED(hr)) {
		/* A status other than ND_INVALID_ADDRESS means that the provider could not
		 * determine whether it owns the address. Keep the first such status. */
		if (hr != ND_INVALID_ADDRESS && call->hr == ND_INVALID_ADDRESS)
			call->hr = hr;
		return 0;
	}
	call->hr = provider->lpVtbl->OpenAdapter(provider, call->iid, id, &call->adapter);
	return SUCCEEDED(call->hr) ? STOP : 0;
}

/* Ends the loop over the providers at the first provider. The caller only wants to know whether
 * NdStartup was called. */
static int stop_at_first(void *arg, IND2Provider *provider, nd_select_address_fn unused)
{
	return STOP;
}

HRESULT NdOpenAdapter(REFIID iid, const struct sockaddr *pAddress, SIZE_T cbAddress,
		      void **ppIAdapter)
{
	*ppIAdapter = NULL;
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct sockaddr_storage sa;
	struct open_call call = {.iid = iid, .sa = &sa, .hr = ND_INVALID_ADDRESS};
	HRESULT hr = take_address(pAddress, cbAddress, &sa);
	int rc;

	*ppIAdapter = NULL;
	rc = util_framework_each(FAILED(hr) ? stop_at_first : open_on, &call);
	if (rc == UTIL_NOT_STARTED)
		return ND_DEVICE_NOT_READY;
	if (FAILED(hr))
		return hr;
	if (rc == UTIL_SHORT && call.hr == ND_INVALID_ADDRESS)
		return ND_INSUFFICIENT_RESOURCES;
	*ppIAdapter = call.adapter;
	return call.hr;
}

HRESULT NdOpenV1Adapter(const struct sockaddr *pAddress, SIZE_T cbAddress, INDAdapter **ppIAdapter)
{
	*ppIAdapter = NULL;
	OS_REFUSE_CHILD(ND_DEVICE_REMOVED);
	OS_UNCANCELLED;
	struct sockaddr_storage sa;
	HRESULT hr = take_address(pAddress, cbAddress, &sa);

	*ppIAdapter = NULL;
	if (util_framework_each(stop_at_first, NULL) == UTIL_NOT_STARTED)
		return ND_DEVICE_NOT_READY;
	return FAILED(hr) ? hr : ND_INVALID_ADDRESS;
}
