/* Prints every field of ND2_ADAPTER_INFO, for one adapter or for all adapters. Runs in one
 * thread. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "endpoint/endpoint.h"
#include "common/stop.h"

/* clang-format off */
#define FIELD(name) {#name, offsetof(ND2_ADAPTER_INFO, name), sizeof(((ND2_ADAPTER_INFO *)0)->name)}
/* clang-format on */

static const struct {
	const char *name;
	size_t at, bytes;
} fields[] = {
	FIELD(InfoVersion),
	FIELD(VendorId),
	FIELD(DeviceId),
	FIELD(AdapterId),
	FIELD(MaxRegistrationSize),
	FIELD(MaxWindowSize),
	FIELD(MaxInitiatorSge),
	FIELD(MaxReceiveSge),
	FIELD(MaxReadSge),
	FIELD(MaxTransferLength),
	FIELD(MaxInlineDataSize),
	FIELD(MaxInboundReadLimit),
	FIELD(MaxOutboundReadLimit),
	FIELD(MaxReceiveQueueDepth),
	FIELD(MaxInitiatorQueueDepth),
	FIELD(MaxSharedReceiveQueueDepth),
	FIELD(MaxCompletionQueueDepth),
	FIELD(InlineRequestThreshold),
	FIELD(LargeRequestThreshold),
	FIELD(MaxCallerData),
	FIELD(MaxCalleeData),
	FIELD(AdapterFlags),
};

static const struct {
	ULONG flag;
	const char *name;
} flags[] = {
	{ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED, "ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED"},
	{ND_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED,
	 "ND_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED"},
	{ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED, "ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED"},
	{ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED, "ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED"},
	{ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED,
	 "ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED"},
};

static UINT64 value_of(const ND2_ADAPTER_INFO *info, unsigned field)
{
	UINT64 v = 0;
	/* little endian, so shorter fields fill the low bytes of v */
	memcpy(&v, (const char *)info + fields[field].at, fields[field].bytes);
	return v;
}

static void print_info(const ND2_ADAPTER_INFO *info)
{
	ULONG rest = info->AdapterFlags;
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		printf(strcmp(fields[i].name, "AdapterId") && strcmp(fields[i].name, "AdapterFlags")
			       ? "%s: %llu\n"
			       : "%s: 0x%08llx\n",
		       fields[i].name, (unsigned long long)value_of(info, i));
	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (rest & flags[i].flag)
			printf("\t%s\n", flags[i].name);
		rest &= ~flags[i].flag;
	}
	if (rest)
		printf("\t0x%08x\n", rest);
}

/* Prints the JSON without libjansson, whose numbers are signed: an AdapterId may be 2^63 or more.
 * No text here needs escapes. */
static void print_json(FILE *f, const char *address, const ND2_ADAPTER_INFO *info)
{
	fprintf(f, "{\"address\": \"%s\"", address);
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		fprintf(f, ", \"%s\": %llu", fields[i].name, (unsigned long long)value_of(info, i));
	fputc('}', f);
}

static void show_adapter(const struct options *given, const struct sockaddr_storage *address,
			 FILE *json)
{
	struct options o = *given;
	struct endpoint e;
	char text[ADDRESS_TEXT];
	o.address = *address;
	o.server = true; /* with `server` set, endpoint_open() opens this address's adapter */
	must(address_text(address, text),
	     NdCheckAddress((const struct sockaddr *)address, address_bytes(address)));
	endpoint_open(&e, &o);
	printf("Address: %s\n", text);
	print_info(&e.info);
	if (json)
		print_json(json, text, &e.info);
	endpoint_close(&e);
}

/* Returns all addresses of this machine that have an adapter. The caller frees the list. */
static SOCKET_ADDRESS_LIST *addresses(void)
{
	SOCKET_ADDRESS_LIST *list = NULL;
	SIZE_T bytes = 0;
	HRESULT hr;
	while ((hr = NdQueryAddressList(0, list, &bytes)) == ND_BUFFER_OVERFLOW) {
		list = realloc(list, bytes);
		if (list == NULL)
			die("out of memory");
	}
	must("NdQueryAddressList", hr);
	if (list == NULL || list->iAddressCount == 0)
		die("there is no adapter");
	return list;
}

static void show_all(const struct options *o, FILE *json)
{
	SOCKET_ADDRESS_LIST *list = addresses();
	for (INT i = 0; i < list->iAddressCount; i++) {
		struct sockaddr_storage address = {0};
		memcpy(&address, list->Address[i].lpSockaddr,
		       (size_t)list->Address[i].iSockaddrLength);
		if (i)
			printf("\n");
		if (json)
			fputs(i ? ",\n " : "\n ", json);
		show_adapter(o, &address, json);
	}
	free(list);
}

static const struct tool tool = {
	.name = "ndadapterinfo",
	.purpose =
		"Prints what the adapter with this address can do; without an address, every adapter of this machine.",
};

int main(int argc, char **argv)
{
	struct options o;
	endpoint_program(&tool, &o, argc, argv);
	FILE *json = o.json;
	if (json)
		fputc('[', json);
	if (o.address.ss_family)
		show_adapter(&o, &o.address, json);
	else
		show_all(&o, json);
	if (json && (fputs("\n]\n", json) < 0 || fclose(json)))
		die("cannot write %s", o.json_file);
	NdCleanup();
	return stop_status(0);
}
