/* The Rtl functions that read and write addresses as text, and controls for TCP. */
#ifndef COMPAT_MSTCPIP_H
#define COMPAT_MSTCPIP_H

#include "winsock2.h"
#include "ws2ipdef.h"

#define SIO_KEEPALIVE_VALS     0x98000004u
#define SIO_LOOPBACK_FAST_PATH 0x98000010u

struct tcp_keepalive {
	ULONG onoff;
	ULONG keepalivetime;	 /* milliseconds, rounded up to seconds */
	ULONG keepaliveinterval; /* milliseconds, rounded up to seconds */
};

COMPAT_BEGIN

/*
 * Returns STATUS_SUCCESS or STATUS_INVALID_PARAMETER; *end is the text after the address. With
 * `strict` an address consists of four decimal numbers, otherwise of 1 to 4 numbers in C notation.
 */
NTSTATUS RtlIpv4StringToAddressA(PCSTR text, BOOLEAN strict, PCSTR *end, IN_ADDR *address);

/* Same as RtlIpv4StringToAddressA. */
NTSTATUS RtlIpv4StringToAddressW(PCWSTR text, BOOLEAN strict, PCWSTR *end, IN_ADDR *address);

/*
 * The address, optionally with :port, must be the whole text. *port is in network order, 0 if there
 * is none.
 */
NTSTATUS RtlIpv4StringToAddressExA(PCSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port);

/* Same as RtlIpv4StringToAddressExA. */
NTSTATUS RtlIpv4StringToAddressExW(PCWSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port);

/* Returns the end of the text. The buffer must have room for 16 characters. */
PSTR RtlIpv4AddressToStringA(const IN_ADDR *address, PSTR text);

/* Same as RtlIpv4AddressToStringA. */
PWSTR RtlIpv4AddressToStringW(const IN_ADDR *address, PWSTR text);

/*
 * Writes the address, and :port unless the port is 0. *length counts the zero. If it is too small,
 * sets it to the size needed and returns STATUS_INVALID_PARAMETER.
 */
NTSTATUS RtlIpv4AddressToStringExA(const IN_ADDR *address, USHORT port, PSTR text, ULONG *length);

/* Same as RtlIpv4AddressToStringExA. */
NTSTATUS RtlIpv4AddressToStringExW(const IN_ADDR *address, USHORT port, PWSTR text, ULONG *length);

/* Same as RtlIpv4StringToAddressA, for IPv6. */
NTSTATUS RtlIpv6StringToAddressA(PCSTR text, PCSTR *end, IN6_ADDR *address);

/* Same as RtlIpv6StringToAddressA. */
NTSTATUS RtlIpv6StringToAddressW(PCWSTR text, PCWSTR *end, IN6_ADDR *address);

/* The whole text must be address, address%scope or [address%scope]:port. */
NTSTATUS RtlIpv6StringToAddressExA(PCSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port);

/* Same as RtlIpv6StringToAddressExA. */
NTSTATUS RtlIpv6StringToAddressExW(PCWSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port);

/* Returns the end of the text. The buffer must have room for 46 characters. */
PSTR RtlIpv6AddressToStringA(const IN6_ADDR *address, PSTR text);

/* Same as RtlIpv6AddressToStringA. */
PWSTR RtlIpv6AddressToStringW(const IN6_ADDR *address, PWSTR text);

/* Same as RtlIpv4AddressToStringExA, with %scope unless the scope is 0. */
NTSTATUS RtlIpv6AddressToStringExA(const IN6_ADDR *address, ULONG scope, USHORT port, PSTR text,
				   ULONG *length);

/* Same as RtlIpv6AddressToStringExA. */
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
