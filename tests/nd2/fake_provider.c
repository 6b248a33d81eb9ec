/* A small NetworkDirect provider other than softrnic's, for the tests of the provider catalogue. It
 * has one address, and its adapters do nothing.
 *
 * The class id {nnnnnnnn-ffff-aaaa-...} selects its behaviour:
 * - n is the adapter id.
 * - If f is not 0, OpenAdapter fails with ND_NO_MEMORY.
 * - The address is 203.0.113.a.
 *
 * $FAKE_ND_ADDRESS adds one more address to every class. $FAKE_ND_BUSY makes DllCanUnloadNow report
 * that the library is in use. */
#include "ndspi.h"
#include "ndstatus.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);
HRESULT DllCanUnloadNow(void);
#pragma GCC visibility pop

struct fake {
	const void *lpVtbl;
	ULONG refs;
	GUID class_id;
};

static HRESULT query(IND2Provider *This, REFIID riid, void **ppv)
{
	*ppv = NULL;
	return E_NOINTERFACE;
}

static ULONG addref(IND2Provider *This)
{
	return ++((struct fake *)This)->refs;
}

static ULONG release(IND2Provider *This)
{
	struct fake *f = (struct fake *)This;
	ULONG left = --f->refs;

	if (left == 0)
		free(f);
	return left;
}

static unsigned addresses(const struct fake *f, struct sockaddr_in sin[2])
{
	const char *extra = getenv("FAKE_ND_ADDRESS");

	memset(sin, 0, 2 * sizeof(*sin));
	sin[0].sin_family = sin[1].sin_family = AF_INET;
	sin[0].sin_addr.s_addr = htonl(0xcb007100u + f->class_id.Data3);
	return extra != NULL && inet_pton(AF_INET, extra, &sin[1].sin_addr) == 1 ? 2 : 1;
}

static HRESULT query_address_list(IND2Provider *This, SOCKET_ADDRESS_LIST *list, ULONG *pcb)
{
	struct sockaddr_in sin[2];
	unsigned n = addresses((struct fake *)This, sin);
	ULONG have = *pcb, at = (ULONG)offsetof(SOCKET_ADDRESS_LIST, Address) +
				n * (ULONG)sizeof(SOCKET_ADDRESS);

	*pcb = at + n * (ULONG)sizeof(sin[0]);
	if (list == NULL || have < *pcb)
		return ND_BUFFER_OVERFLOW;
	list->iAddressCount = (INT)n;
	for (unsigned i = 0; i < n; i++, at += (ULONG)sizeof(sin[0])) {
		memcpy((char *)list + at, &sin[i], sizeof(sin[i]));
		list->Address[i].lpSockaddr = (struct sockaddr *)((char *)list + at);
		list->Address[i].iSockaddrLength = sizeof(sin[i]);
	}
	return ND_SUCCESS;
}

static HRESULT resolve_address(IND2Provider *This, const struct sockaddr *sa, ULONG cb, UINT64 *id)
{
	struct sockaddr_in sin[2];
	unsigned n = addresses((struct fake *)This, sin);

	*id = 1;
	for (unsigned i = 0; i < n; i++)
		if (((const struct sockaddr_in *)sa)->sin_addr.s_addr == sin[i].sin_addr.s_addr)
			return ND_SUCCESS;
	return ND_INVALID_ADDRESS;
}

static HRESULT open_adapter(IND2Provider *This, REFIID iid, UINT64 id, void **out);

static const IND2ProviderVtbl vtable = {query,		 addref,      release, query_address_list,
					resolve_address, open_adapter};

static HRESULT make(const GUID *class_id, void **out)
{
	struct fake *f = calloc(1, sizeof(*f));

	*out = f;
	if (f == NULL)
		return ND_NO_MEMORY;
	*f = (struct fake){&vtable, 1, *class_id};
	return ND_SUCCESS;
}

/* The adapter is another struct fake with the provider's vtable. Release is the only method of the
 * adapter that the tests call. */
static HRESULT open_adapter(IND2Provider *This, REFIID iid, UINT64 id, void **out)
{
	const struct fake *f = (struct fake *)This;

	*out = NULL;
	return f->class_id.Data2 != 0 ? ND_NO_MEMORY : make(&f->class_id, out);
}

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv)
{
	*ppv = NULL;
	return IsEqualGUID(riid, &IID_IND2Provider) ? make(rclsid, ppv) : E_NOINTERFACE;
}

HRESULT DllCanUnloadNow(void)
{
	return getenv("FAKE_ND_BUSY") != NULL ? S_FALSE : S_OK;
}
