/*
 * How are IP addresses read and written as text? One reader and one writer for each address family
 * serve the functions Rtl..., WSA... and Inet... This file keeps no state. Any thread may call the
 * functions.
 */
#include "last_error.h"
#include "text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mstcpip.h>
#include <ntstatus.h>
#include <ws2tcpip.h>

#define V6_TEXT	     46
#define ADDRESS_TEXT 80 /* room for the longest text, [IPv6 address%4294967295]:65535 */

/* ---- Reading addresses ---------------------------------------------------------------------- */

/*
 * Reads one number of an IPv4 address: decimal if `strict`, otherwise also octal (0...) or
 * hexadecimal (0x...). Returns the text after the number, or NULL if there is no valid number.
 */
static const char *read_part(const char *at, bool strict, unsigned long long *value)
{
	char *end;

	if (!isdigit((unsigned char)*at))
		return NULL;
	*value = strtoull(at, &end, strict ? 10 : 0);
	if (strict && end - at > 3)
		return NULL;
	/*
	 * strtoull() reads only the 0 of "08", because 8 is not an octal digit, and only the 0 of
	 * "0x". Such texts are invalid: no letter or digit may follow the number.
	 */
	return *value > UINT32_MAX || isalnum((unsigned char)*end) ? NULL : end;
}

/*
 * Reads an IPv4 address and sets *end to the text after the address. If there are fewer than four
 * numbers, the last number fills the remaining bytes: 10.1 is 10.0.0.1.
 */
static bool read_v4(const char *text, bool strict, const char **end, IN_ADDR *address)
{
	unsigned long long parts[4];
	const char *at = text, *behind;
	unsigned n = 0;
	uint32_t value = 0;

	*end = text;
	for (;; at = behind + 1) {
		behind = read_part(at, strict, &parts[n]);
		if (!behind)
			return false;
		*end = behind;
		n++;
		if (n == 4 || *behind != '.' || !isdigit((unsigned char)behind[1]))
			break;
	}
	if (strict && n != 4)
		return false;
	for (unsigned i = 0; i + 1 < n; i++) {
		if (parts[i] > 255)
			return false;
		value |= (uint32_t)parts[i] << (24 - 8 * i);
	}
	if (parts[n - 1] >> (8 * (5 - n)))
		return false;
	address->s_addr = htonl(value | (uint32_t)parts[n - 1]);
	return true;
}

/*
 * Reads the longest IPv6 address at the beginning of the text, and sets *end to the text after the
 * address.
 */
static bool read_v6(const char *text, const char **end, IN6_ADDR *address)
{
	size_t most = strspn(text, "0123456789abcdefABCDEF:.");
	char copy[V6_TEXT];

	*end = text;
	for (size_t n = most < V6_TEXT - 1 ? most : V6_TEXT - 1; n >= 2; n--) {
		memcpy(copy, text, n);
		copy[n] = 0;
		if (inet_pton(AF_INET6, copy, address) == 1) {
			*end = text + n;
			return true;
		}
	}
	return false;
}

/*
 * Reads a decimal number of at most `most`. Returns the text after the number, or NULL if there is
 * no such number.
 */
static const char *read_decimal(const char *at, unsigned long long most, unsigned long long *value)
{
	char *end;

	if (!isdigit((unsigned char)*at))
		return NULL;
	*value = strtoull(at, &end, 10);
	return *value > most ? NULL : end;
}

static bool read_v4_port(const char *text, bool strict, IN_ADDR *address, USHORT *port)
{
	const char *at;
	unsigned long long number = 0;

	if (!read_v4(text, strict, &at, address))
		return false;
	if (*at == ':')
		at = read_decimal(at + 1, UINT16_MAX, &number);
	if (!at || *at)
		return false;
	*port = htons((uint16_t)number);
	return true;
}

static bool read_v6_port(const char *text, IN6_ADDR *address, ULONG *scope, USHORT *port)
{
	bool bracket = *text == '[';
	unsigned long long zone = 0, number = 0;
	const char *at;

	if (!read_v6(text + bracket, &at, address))
		return false;
	if (*at == '%')
		at = read_decimal(at + 1, UINT32_MAX, &zone);
	if (at && bracket)
		at = *at == ']' ? at + 1 : NULL;
	if (at && bracket && *at == ':')
		at = read_decimal(at + 1, UINT16_MAX, &number);
	if (!at || *at)
		return false;
	*scope = (ULONG)zone;
	*port = htons((uint16_t)number);
	return true;
}

/* ---- Writing addresses ---------------------------------------------------------------------- */

static void write_v4(const IN_ADDR *address, USHORT port, char text[ADDRESS_TEXT])
{
	inet_ntop(AF_INET, address, text, ADDRESS_TEXT);
	if (port)
		sprintf(text + strlen(text), ":%u", ntohs(port));
}

static void write_v6(const IN6_ADDR *address, ULONG scope, USHORT port, char text[ADDRESS_TEXT])
{
	char *at = text;

	if (port)
		*at++ = '[';
	inet_ntop(AF_INET6, address, at, V6_TEXT);
	if (scope)
		sprintf(text + strlen(text), "%%%u", scope);
	if (port)
		sprintf(text + strlen(text), "]:%u", ntohs(port));
}

/*
 * Copies a text to a buffer. On entry *length is the size of the buffer, on return the size of the
 * text with its terminating zero. Returns false if the text does not fit.
 */
static bool give(const char *text, void *buffer, bool wide, ULONG *length)
{
	size_t n = strlen(text);
	bool fits = buffer && n < *length;

	if (fits)
		compat_copy_out(buffer, *length, wide, text);
	*length = (ULONG)n + 1;
	return fits;
}

/* ---- The Rtl... functions ------------------------------------------------------------------- */

static NTSTATUS status(bool good)
{
	return good ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS RtlIpv4StringToAddressA(PCSTR text, BOOLEAN strict, PCSTR *end, IN_ADDR *address)
{
	return status(read_v4(text, strict, end, address));
}

NTSTATUS RtlIpv6StringToAddressA(PCSTR text, PCSTR *end, IN6_ADDR *address)
{
	return status(read_v6(text, end, address));
}

/*
 * READ_WIDE is the body of a function that reads an address from wide text. It converts `text` to
 * the bytes `narrow`, which `call` reads. Addresses are ASCII, so each wide character becomes one
 * byte.
 */
#define READ_WIDE(call)                               \
	char *narrow = compat_narrow(text);           \
	const char *behind = narrow;                  \
	bool good = narrow && (call);                 \
                                                      \
	*end = text + (narrow ? behind - narrow : 0); \
	free(narrow);                                 \
	return status(good)

NTSTATUS RtlIpv4StringToAddressW(PCWSTR text, BOOLEAN strict, PCWSTR *end, IN_ADDR *address)
{
	READ_WIDE(read_v4(narrow, strict, &behind, address));
}

NTSTATUS RtlIpv6StringToAddressW(PCWSTR text, PCWSTR *end, IN6_ADDR *address)
{
	READ_WIDE(read_v6(narrow, &behind, address));
}

NTSTATUS RtlIpv4StringToAddressExA(PCSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port)
{
	return status(text && address && port && read_v4_port(text, strict, address, port));
}

NTSTATUS RtlIpv4StringToAddressExW(PCWSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port)
{
	char *narrow = compat_narrow(text);
	NTSTATUS result = RtlIpv4StringToAddressExA(narrow, strict, address, port);

	free(narrow);
	return result;
}

NTSTATUS RtlIpv6StringToAddressExA(PCSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port)
{
	return status(text && address && scope && port && read_v6_port(text, address, scope, port));
}

NTSTATUS RtlIpv6StringToAddressExW(PCWSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port)
{
	char *narrow = compat_narrow(text);
	NTSTATUS result = RtlIpv6StringToAddressExA(narrow, address, scope, port);

	free(narrow);
	return result;
}

PSTR RtlIpv4AddressToStringA(const IN_ADDR *address, PSTR text)
{
	inet_ntop(AF_INET, address, text, INET_ADDRSTRLEN);
	return text + strlen(text);
}

PSTR RtlIpv6AddressToStringA(const IN6_ADDR *address, PSTR text)
{
	inet_ntop(AF_INET6, address, text, V6_TEXT);
	return text + strlen(text);
}

PWSTR RtlIpv4AddressToStringW(const IN_ADDR *address, PWSTR text)
{
	char narrow[ADDRESS_TEXT];

	write_v4(address, 0, narrow);
	return text + compat_copy_out(text, INET_ADDRSTRLEN, true, narrow);
}

PWSTR RtlIpv6AddressToStringW(const IN6_ADDR *address, PWSTR text)
{
	char narrow[ADDRESS_TEXT];

	write_v6(address, 0, 0, narrow);
	return text + compat_copy_out(text, V6_TEXT, true, narrow);
}

static NTSTATUS give_v4(const IN_ADDR *address, USHORT port, void *text, bool wide, ULONG *length)
{
	char narrow[ADDRESS_TEXT];

	if (!address || !length)
		return STATUS_INVALID_PARAMETER;
	write_v4(address, port, narrow);
	return status(give(narrow, text, wide, length));
}

static NTSTATUS give_v6(const IN6_ADDR *address, ULONG scope, USHORT port, void *text, bool wide,
			ULONG *length)
{
	char narrow[ADDRESS_TEXT];

	if (!address || !length)
		return STATUS_INVALID_PARAMETER;
	write_v6(address, scope, port, narrow);
	return status(give(narrow, text, wide, length));
}

NTSTATUS RtlIpv4AddressToStringExA(const IN_ADDR *address, USHORT port, PSTR text, ULONG *length)
{
	return give_v4(address, port, text, false, length);
}

NTSTATUS RtlIpv4AddressToStringExW(const IN_ADDR *address, USHORT port, PWSTR text, ULONG *length)
{
	return give_v4(address, port, text, true, length);
}

NTSTATUS RtlIpv6AddressToStringExA(const IN6_ADDR *address, ULONG scope, USHORT port, PSTR text,
				   ULONG *length)
{
	return give_v6(address, scope, port, text, false, length);
}

NTSTATUS RtlIpv6AddressToStringExW(const IN6_ADDR *address, ULONG scope, USHORT port, PWSTR text,
				   ULONG *length)
{
	return give_v6(address, scope, port, text, true, length);
}

/* ---- The WSA... and Inet... functions ------------------------------------------------------- */

static INT fail(int error)
{
	WSASetLastError(error);
	return SOCKET_ERROR;
}

static INT string_to_address(const char *text, INT family, bool described, struct sockaddr *address,
			     LPINT size)
{
	SOCKADDR_INET found = {0};
	INT needed = family == AF_INET ? sizeof(SOCKADDR_IN) : sizeof(SOCKADDR_IN6);
	bool good;

	if (!text || !address || !size)
		return fail(WSAEFAULT);
	if (described || (family != AF_INET && family != AF_INET6))
		return fail(WSAEINVAL);
	if (*size < needed) {
		*size = needed;
		return fail(WSAEFAULT);
	}
	if (family == AF_INET)
		good = read_v4_port(text, false, &found.Ipv4.sin_addr, &found.Ipv4.sin_port);
	else
		good = read_v6_port(text, &found.Ipv6.sin6_addr, &found.Ipv6.sin6_scope_id,
				    &found.Ipv6.sin6_port);
	if (!good)
		return fail(WSAEINVAL);
	found.si_family = (ADDRESS_FAMILY)family;
	memcpy(address, &found, (size_t)needed);
	*size = needed;
	return 0;
}

INT WSAStringToAddressA(LPSTR text, INT family, LPWSAPROTOCOL_INFOA info, struct sockaddr *address,
			LPINT size)
{
	return string_to_address(text, family, info != NULL, address, size);
}

INT WSAStringToAddressW(LPWSTR text, INT family, LPWSAPROTOCOL_INFOW info, struct sockaddr *address,
			LPINT size)
{
	char *narrow = compat_narrow(text);
	INT result = string_to_address(narrow, family, info != NULL, address, size);

	free(narrow);
	return result;
}

static INT address_to_string(const struct sockaddr *address, DWORD size, void *text, bool wide,
			     LPDWORD length)
{
	char narrow[ADDRESS_TEXT];
	const SOCKADDR_INET *a = (const void *)address;

	if (!address || !length || size < sizeof(ADDRESS_FAMILY))
		return fail(WSAEFAULT);
	if (a->si_family == AF_INET && size >= sizeof(a->Ipv4))
		write_v4(&a->Ipv4.sin_addr, a->Ipv4.sin_port, narrow);
	else if (a->si_family == AF_INET6 && size >= sizeof(a->Ipv6))
		write_v6(&a->Ipv6.sin6_addr, a->Ipv6.sin6_scope_id, a->Ipv6.sin6_port, narrow);
	else
		return fail(WSAEINVAL);
	return give(narrow, text, wide, length) ? 0 : fail(WSAEFAULT);
}

INT WSAAddressToStringA(struct sockaddr *address, DWORD size, LPWSAPROTOCOL_INFOA info, LPSTR text,
			LPDWORD length)
{
	(void)info;
	return address_to_string(address, size, text, false, length);
}

INT WSAAddressToStringW(struct sockaddr *address, DWORD size, LPWSAPROTOCOL_INFOW info, LPWSTR text,
			LPDWORD length)
{
	(void)info;
	return address_to_string(address, size, text, true, length);
}

INT InetPtonA(INT family, PCSTR text, PVOID address)
{
	if (!text || !address)
		return fail(WSAEFAULT);
	int result = inet_pton(family, text, address);

	return result < 0 ? fail(WSAEAFNOSUPPORT) : result;
}

INT InetPtonW(INT family, PCWSTR text, PVOID address)
{
	char *narrow = compat_narrow(text);
	INT result = InetPtonA(family, narrow, address);

	free(narrow);
	return result;
}

static bool ntop(INT family, const VOID *address, void *text, bool wide, size_t size)
{
	char narrow[ADDRESS_TEXT];

	if (family != AF_INET && family != AF_INET6)
		return compat_fail(WSAEAFNOSUPPORT);
	if (!address || !text || !inet_ntop(family, address, narrow, sizeof(narrow)) ||
	    compat_copy_out(text, size, wide, narrow) >= size)
		return compat_fail(ERROR_INVALID_PARAMETER);
	return true;
}

PCSTR InetNtopA(INT family, const VOID *address, PSTR text, size_t size)
{
	return ntop(family, address, text, false, size) ? text : NULL;
}

PCWSTR InetNtopW(INT family, const VOID *address, PWSTR text, size_t size)
{
	return ntop(family, address, text, true, size) ? text : NULL;
}
