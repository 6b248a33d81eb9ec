/*
 * The Rtl... functions that read and write IP addresses as text, the keepalive settings of TCP, and
 * control codes of WSAIoctl.
 */
#ifndef COMPAT_MSTCPIP_H
#define COMPAT_MSTCPIP_H

#include "winsock2.h"
#include "ws2ipdef.h"

#define SIO_KEEPALIVE_VALS     0x98000004u
#define SIO_LOOPBACK_FAST_PATH 0x98000010u

struct tcp_keepalive {
	ULONG onoff;
	/* idle milliseconds before the first keepalive probe, rounded up to whole seconds */
	ULONG keepalivetime;
	/* milliseconds between keepalive probes, rounded up to whole seconds */
	ULONG keepaliveinterval;
};

COMPAT_BEGIN

/*
 * Reads an IPv4 address from the beginning of a text and sets *end to the rest of the text. If
 * `strict` is TRUE, the address must consist of four decimal numbers. Otherwise the address has 1
 * to 4 numbers, each decimal, octal (0...) or hexadecimal (0x...). Returns STATUS_SUCCESS or
 * STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv4StringToAddressA(PCSTR text, BOOLEAN strict, PCSTR *end, IN_ADDR *address);

/*
 * RtlIpv4StringToAddressA for wide text: reads an IPv4 address from the beginning of a text and
 * sets *end to the rest of the text.
 */
NTSTATUS RtlIpv4StringToAddressW(PCWSTR text, BOOLEAN strict, PCWSTR *end, IN_ADDR *address);

/*
 * Reads an IPv4 address with or without `:port`. *port is in network byte order; without `:port`
 * *port is 0. If `strict` is TRUE, the address must consist of four decimal numbers. Returns
 * STATUS_SUCCESS or STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv4StringToAddressExA(PCSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port);

/* RtlIpv4StringToAddressExA for wide text: reads an IPv4 address, with or without `:port`. */
NTSTATUS RtlIpv4StringToAddressExW(PCWSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port);

/*
 * Writes an IPv4 address as text and returns the end of the text. The buffer must have room for 16
 * characters.
 */
PSTR RtlIpv4AddressToStringA(const IN_ADDR *address, PSTR text);

/*
 * RtlIpv4AddressToStringA for wide text: writes an IPv4 address as text and returns the end of the
 * text. The buffer must have room for 16 characters.
 */
PWSTR RtlIpv4AddressToStringW(const IN_ADDR *address, PWSTR text);

/*
 * Writes an IPv4 address as text, and `:port` unless `port` is 0. `port` is in network byte order.
 * On entry *length is the size of the buffer, on return the size of the text with its terminating
 * zero. If the buffer is too small, sets *length to the size needed and returns
 * STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv4AddressToStringExA(const IN_ADDR *address, USHORT port, PSTR text, ULONG *length);

/*
 * RtlIpv4AddressToStringExA for wide text: writes an IPv4 address as text, and `:port` unless the
 * port is 0.
 */
NTSTATUS RtlIpv4AddressToStringExW(const IN_ADDR *address, USHORT port, PWSTR text, ULONG *length);

/*
 * Reads an IPv6 address from the beginning of a text and sets *end to the rest of the text. Returns
 * STATUS_SUCCESS or STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv6StringToAddressA(PCSTR text, PCSTR *end, IN6_ADDR *address);

/*
 * RtlIpv6StringToAddressA for wide text: reads an IPv6 address from the beginning of a text and
 * sets *end to the rest of the text.
 */
NTSTATUS RtlIpv6StringToAddressW(PCWSTR text, PCWSTR *end, IN6_ADDR *address);

/*
 * Reads an IPv6 address in the form address, address%scope or [address%scope]:port. Without a scope
 * or port, *scope or *port is 0. *port is in network byte order. Returns STATUS_SUCCESS or
 * STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv6StringToAddressExA(PCSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port);

/*
 * RtlIpv6StringToAddressExA for wide text: reads a text of the form address, address%scope or
 * [address%scope]:port.
 */
NTSTATUS RtlIpv6StringToAddressExW(PCWSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port);

/*
 * Writes an IPv6 address as text and returns the end of the text. The buffer must have room for 46
 * characters.
 */
PSTR RtlIpv6AddressToStringA(const IN6_ADDR *address, PSTR text);

/*
 * RtlIpv6AddressToStringA for wide text: writes an IPv6 address as text and returns the end of the
 * text. The buffer must have room for 46 characters.
 */
PWSTR RtlIpv6AddressToStringW(const IN6_ADDR *address, PWSTR text);

/*
 * Writes an IPv6 address as address, address%scope or [address%scope]:port. Leaves out a scope or
 * port of 0. On entry *length is the size of the buffer, on return the size of the text with its
 * terminating zero. If the buffer is too small, sets *length to the size needed and returns
 * STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv6AddressToStringExA(const IN6_ADDR *address, ULONG scope, USHORT port, PSTR text,
				   ULONG *length);

/*
 * RtlIpv6AddressToStringExA for wide text: writes an IPv6 address as address, address%scope or
 * [address%scope]:port.
 */
NTSTATUS RtlIpv6AddressToStringExW(const IN6_ADDR *address, ULONG scope, USHORT port, PWSTR text,
				   ULONG *length);

COMPAT_END

#ifdef UNICODE
#define RtlIpv4StringToAddress	 RtlIpv4StringToAddressW
#define RtlIpv4StringToAddressEx RtlIpv4StringToAddressExW
#define RtlIpv4AddressToString	 RtlIpv4AddressToStringW
#define RtlIpv4AddressToStringEx RtlIpv4AddressToStringExW
#define RtlIpv6StringToAddress	 RtlIpv6StringToAddressW
#define RtlIpv6StringToAddressEx RtlIpv6StringToAddressExW
#define RtlIpv6AddressToString	 RtlIpv6AddressToStringW
#define RtlIpv6AddressToStringEx RtlIpv6AddressToStringExW
#else
#define RtlIpv4StringToAddress	 RtlIpv4StringToAddressA
#define RtlIpv4StringToAddressEx RtlIpv4StringToAddressExA
#define RtlIpv4AddressToString	 RtlIpv4AddressToStringA
#define RtlIpv4AddressToStringEx RtlIpv4AddressToStringExA
#define RtlIpv6StringToAddress	 RtlIpv6StringToAddressA
#define RtlIpv6StringToAddressEx RtlIpv6StringToAddressExA
#define RtlIpv6AddressToString	 RtlIpv6AddressToStringA
#define RtlIpv6AddressToStringEx RtlIpv6AddressToStringExA
#endif

#endif
