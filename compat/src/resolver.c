/*
 * Which addresses does a host name have (GetAddrInfoW)? What does the protocol catalogue of Winsock
 * contain (WSCEnumProtocols, WSCGetProviderPath)? The only entry is softrnic, for programs that do
 * not use the Nd* helper functions.
 *
 * This file keeps no state. The caller owns the address lists from GetAddrInfoW. Any thread may
 * call the functions.
 */
#include "last_error.h"
#include "text.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ndsupport.h>
#include <ws2spi.h>
#include <ws2tcpip.h>

static INT report(int code)
{
	static const struct {
		int native, windows;
	} codes[] = {
		{EAI_AGAIN, WSATRY_AGAIN},	     {EAI_BADFLAGS, WSAEINVAL},
		{EAI_FAIL, WSANO_RECOVERY},	     {EAI_FAMILY, WSAEAFNOSUPPORT},
		{EAI_MEMORY, WSA_NOT_ENOUGH_MEMORY}, {EAI_NODATA, WSANO_DATA},
		{EAI_SERVICE, WSATYPE_NOT_FOUND},    {EAI_SOCKTYPE, WSAESOCKTNOSUPPORT},
		{EAI_NONAME, WSAHOST_NOT_FOUND},
	};

	for (size_t i = 0; code && i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].native == code) {
			WSASetLastError(codes[i].windows);
			return code;
		}
	if (code)
		WSASetLastError(WSANO_RECOVERY);
	return code;
}

INT GetAddrInfoA(PCSTR node, PCSTR service, const ADDRINFOA *hints, PADDRINFOA *result)
{
	return report(getaddrinfo(node, service, hints, result));
}

void FreeAddrInfoA(PADDRINFOA info)
{
	if (info)
		freeaddrinfo(info);
}

/*
 * Copies an entry of an address list. The socket address follows the entry in the same memory
 * block; the name is in a separate block.
 */
static ADDRINFOW *entry_of(const struct addrinfo *from)
{
	ADDRINFOW *entry = calloc(1, sizeof(*entry) + from->ai_addrlen);

	if (!entry)
		return NULL;
	*entry = (ADDRINFOW){
		.ai_flags = from->ai_flags,
		.ai_family = from->ai_family,
		.ai_socktype = from->ai_socktype,
		.ai_protocol = from->ai_protocol,
		.ai_addrlen = from->ai_addrlen,
		.ai_canonname = compat_widen(from->ai_canonname),
		.ai_addr = (struct sockaddr *)(entry + 1),
	};
	memcpy(entry->ai_addr, from->ai_addr, from->ai_addrlen);
	return entry;
}

INT GetAddrInfoW(PCWSTR node, PCWSTR service, const ADDRINFOW *hints, PADDRINFOW *result)
{
	char *node_text = compat_narrow(node), *service_text = compat_narrow(service);
	struct addrinfo wish = {0}, *found = NULL;
	ADDRINFOW **end = result;

	if (hints) {
		wish.ai_flags = hints->ai_flags;
		wish.ai_family = hints->ai_family;
		wish.ai_socktype = hints->ai_socktype;
		wish.ai_protocol = hints->ai_protocol;
	}
	*result = NULL;
	int code = getaddrinfo(node_text, service_text, hints ? &wish : NULL, &found);

	for (struct addrinfo *i = code ? NULL : found; i; i = i->ai_next) {
		*end = entry_of(i);
		if (!*end) {
			FreeAddrInfoW(*result);
			*result = NULL;
			code = EAI_MEMORY;
			break;
		}
		end = &(*end)->ai_next;
	}
	if (found)
		freeaddrinfo(found);
	free(node_text);
	free(service_text);
	return report(code);
}

void FreeAddrInfoW(PADDRINFOW info)
{
	for (ADDRINFOW *next; info; info = next) {
		next = info->ai_next;
		free(info->ai_canonname);
		free(info);
	}
}

static bool give(const char *text, PWCHAR to, DWORD size)
{
	return !to || compat_copy_out(to, size, true, text) < size;
}

INT GetNameInfoW(const SOCKADDR *address, socklen_t size, PWCHAR node, DWORD nodeSize,
		 PWCHAR service, DWORD serviceSize, INT flags)
{
	char name[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
	int code = getnameinfo(address, size, node ? name : NULL, node ? sizeof(name) : 0,
			       service ? port : NULL, service ? sizeof(port) : 0, flags);

	if (code == 0 && (!give(name, node, nodeSize) || !give(port, service, serviceSize))) {
		WSASetLastError(ERROR_INSUFFICIENT_BUFFER);
		return EAI_OVERFLOW;
	}
	return report(code);
}

WCHAR *gai_strerrorW(int code)
{
	static __thread WCHAR text[128];

	compat_copy_out(text, sizeof(text) / sizeof(*text), true, gai_strerror(code));
	return text;
}

/* ---- The catalogue of protocols ------------------------------------------------------------- */

static const GUID softrnic = {
	0x6f35e1d2, 0x4c1b, 0x4d0a, {0x9c, 0x52, 0x73, 0x6f, 0x66, 0x74, 0x72, 0x6e}};

static const WSAPROTOCOL_INFOW entry = {
	.dwServiceFlags1 = XP1_GUARANTEED_DELIVERY | XP1_GUARANTEED_ORDER | XP1_MESSAGE_ORIENTED |
			   XP1_CONNECT_DATA,
	.dwProviderFlags = PFL_HIDDEN | PFL_NETWORKDIRECT_PROVIDER,
	.ProviderId = {0x6f35e1d2,
		       0x4c1b,
		       0x4d0a,
		       {0x9c, 0x52, 0x73, 0x6f, 0x66, 0x74, 0x72, 0x6e}},
	.dwCatalogEntryId = 1,
	.ProtocolChain = {.ChainLen = BASE_PROTOCOL},
	.iVersion = ND_VERSION_2,
	.iAddressFamily = AF_INET,
	.iMaxSockAddr = sizeof(SOCKADDR_IN),
	.iMinSockAddr = sizeof(SOCKADDR_IN),
	.iSocketType = -1,
	.dwMessageSize = UINT32_MAX,
	.szProtocol = L"softrnic NetworkDirect",
};

INT WSCEnumProtocols(LPINT protocols, LPWSAPROTOCOL_INFOW info, LPDWORD bytes, LPINT error)
{
	bool wanted = !protocols;

	for (; protocols && *protocols; protocols++)
		wanted |= *protocols == entry.iProtocol;
	*error = 0;
	if (!wanted)
		return 0;
	if (!info || *bytes < sizeof(entry)) {
		*bytes = sizeof(entry);
		*error = WSAENOBUFS;
		return SOCKET_ERROR;
	}
	*info = entry;
	return 1;
}

INT WSCGetProviderPath(GUID *provider, LPWSTR path, LPINT length, LPINT error)
{
	Dl_info library;

	*error = WSAEINVAL;
	if (!provider || memcmp(provider, &softrnic, sizeof(softrnic)) != 0)
		return SOCKET_ERROR;
	if (!dladdr((void *)(uintptr_t)NdStartup, &library))
		return SOCKET_ERROR;
	size_t n = compat_copy_out(path, path && *length > 0 ? (size_t)*length : 0, true,
				   library.dli_fname);
	bool fits = path && (INT)n < *length;

	*error = fits ? 0 : WSAEFAULT;
	*length = (INT)n + 1;
	return fits ? 0 : SOCKET_ERROR;
}
