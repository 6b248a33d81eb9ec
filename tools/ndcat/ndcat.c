/* Lists the addresses of this machine that have a NetworkDirect adapter, and checks that the helper
 * functions agree about each address:
 * - NdCheckAddress accepts the address.
 * - NdResolveAddress returns a local address that NdCheckAddress accepts too.
 * - NdOpenAdapter opens an adapter that lists the address.
 * An address on the command line limits the checks to that address. With --remote the tool prints
 * the local address from which the given address is reached. Runs in one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "endpoint/endpoint.h"
#include "common/stop.h"

static bool is_remote;

static const char *from_list(const SOCKET_ADDRESS_LIST *list, INT i, struct sockaddr_storage *a,
			     char text[ADDRESS_TEXT])
{
	memset(a, 0, sizeof(*a));
	memcpy(a, list->Address[i].lpSockaddr, (size_t)list->Address[i].iSockaddrLength);
	return address_text(a, text);
}

/* Enlarges the list to `bytes`, the size that a query has returned. The caller then repeats the
 * query, which needs an even larger list if addresses were added meanwhile. The caller frees the
 * list. */
static SOCKET_ADDRESS_LIST *grown(SOCKET_ADDRESS_LIST *list, SIZE_T bytes)
{
	list = realloc(list, bytes);
	if (list == NULL)
		die("out of memory");
	return list;
}

static SOCKET_ADDRESS_LIST *all_addresses(void)
{
	SOCKET_ADDRESS_LIST *list = NULL;
	SIZE_T bytes = 0;
	HRESULT hr;
	while ((hr = NdQueryAddressList(0, list, &bytes)) == ND_BUFFER_OVERFLOW)
		list = grown(list, bytes);
	must("NdQueryAddressList", hr);
	if (list == NULL || list->iAddressCount == 0)
		die("no address of this machine has a provider");
	return list;
}

static bool listed(const SOCKET_ADDRESS_LIST *list, const char *text)
{
	struct sockaddr_storage a;
	char other[ADDRESS_TEXT];
	for (INT i = 0; i < list->iAddressCount; i++)
		if (strcmp(from_list(list, i, &a, other), text) == 0)
			return true;
	return false;
}

/* Returns the addresses of an open adapter. The caller frees the list. */
static SOCKET_ADDRESS_LIST *own_addresses(IND2Adapter *adapter)
{
	SOCKET_ADDRESS_LIST *list = NULL;
	ULONG bytes = 0;
	HRESULT hr;
	while ((hr = CALL(adapter, QueryAddressList, list, &bytes)) == ND_BUFFER_OVERFLOW)
		list = grown(list, bytes);
	must("QueryAddressList", hr);
	return list;
}

/* Writes the local address from which `a` is reached into `text`, and returns `text`. Ends the
 * program unless the local address has a provider. */
static const char *reached_from(const struct sockaddr_storage *a, char text[ADDRESS_TEXT])
{
	struct sockaddr_storage local = {0};
	SIZE_T cb = sizeof(local);
	must("NdResolveAddress", NdResolveAddress((const struct sockaddr *)a, address_bytes(a),
						  (struct sockaddr *)&local, &cb));
	address_text(&local, text);
	must(text, NdCheckAddress((const struct sockaddr *)&local, cb));
	return text;
}

static void try_address(const struct sockaddr_storage *a, const char *text)
{
	char from[ADDRESS_TEXT];
	IND2Adapter *adapter;
	ND2_ADAPTER_INFO info;
	ULONG cb = sizeof(info);
	must(text, NdCheckAddress((const struct sockaddr *)a, address_bytes(a)));
	reached_from(a, from);
	must(text, NdOpenAdapter(&IID_IND2Adapter, (const struct sockaddr *)a, address_bytes(a),
				 (void **)&adapter));
	must("Query", CALL(adapter, Query, &info, &cb));
	SOCKET_ADDRESS_LIST *own = own_addresses(adapter);
	if (!listed(own, text))
		die("%s: the adapter opened for this address does not list it", text);
	free(own);
	CALL(adapter, Release);
	printf(" %-40s 0x%016llx  %s\n", text, (unsigned long long)info.AdapterId, from);
	fflush(stdout);
}

static void print_head(void)
{
	printf(" %-40s %-18s  %s\n", "Address", "AdapterId", "Reached from");
}

static void try_all(void)
{
	SOCKET_ADDRESS_LIST *list = all_addresses();
	struct sockaddr_storage a;
	char text[ADDRESS_TEXT];
	print_head();
	for (INT i = 0; i < list->iAddressCount; i++)
		try_address(&a, from_list(list, i, &a, text));
	printf("%d address%s, all checks passed\n", list->iAddressCount,
	       list->iAddressCount == 1 ? "" : "es");
	free(list);
}

/* Checks one address. The address must also be in the list of all addresses. */
static void try_one(const struct sockaddr_storage *a)
{
	char text[ADDRESS_TEXT];
	address_text(a, text);
	must(text, NdCheckAddress((const struct sockaddr *)a, address_bytes(a)));
	SOCKET_ADDRESS_LIST *list = all_addresses();
	if (!listed(list, text))
		die("%s has a provider, but is not in the list", text);
	print_head();
	try_address(a, text);
	free(list);
}

static const struct option_row rows[] = {
	{'r', "remote", NULL, OPT_FLAG, OPT_ALL, &is_remote, 0, 0,
	 "only print the local address from which <ip> is reached"},
	{.name = NULL},
};

static const struct tool tool = {
	.name = "ndcat",
	.purpose =
		"Lists and tries all addresses of this machine that have a NetworkDirect provider; or the one given.",
	.rows = rows,
};

int main(int argc, char **argv)
{
	struct options o;
	char to[ADDRESS_TEXT], from[ADDRESS_TEXT];
	endpoint_program(&tool, &o, argc, argv);
	if (is_remote && o.address.ss_family == 0)
		usage_error("--remote wants an address");
	if (is_remote)
		printf("%s is reached from %s\n", address_text(&o.address, to),
		       reached_from(&o.address, from));
	else if (o.address.ss_family)
		try_one(&o.address);
	else
		try_all();
	NdCleanup();
	return stop_status(0);
}
