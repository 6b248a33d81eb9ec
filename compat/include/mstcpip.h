/* Text of addresses, by the names of the run-time library; and a few controls of TCP. */
#ifndef COMPAT_MSTCPIP_H
#define COMPAT_MSTCPIP_H

#include "winsock2.h"
#include "ws2ipdef.h"

#define SIO_KEEPALIVE_VALS     0x98000004u
#define SIO_LOOPBACK_FAST_PATH 0x98000010u

struct tcp_keepalive {
	ULONG onoff;
	ULONG keepalivetime;	 /* milliseconds, rounded up to seconds */
	ULONG keepaliveinterval; /* the same */
};

COMPAT_BEGIN

/* STATUS_SUCCESS or STATUS_INVALID_PARAMETER; *end is behind what was read. Strict: four decimal numbers; else as in C, 1 to 4. */
NTSTATUS RtlIpv4StringToAddressA(PCSTR text, BOOLEAN strict, PCSTR *end, IN_ADDR *address);

/* As RtlIpv4StringToAddressA. */
NTSTATUS RtlIpv4StringToAddressW(PCWSTR text, BOOLEAN strict, PCWSTR *end, IN_ADDR *address);

/* All of the text, perhaps with :port; the port is in network order, 0 when there is none. */
NTSTATUS RtlIpv4StringToAddressExA(PCSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port);

/* As RtlIpv4StringToAddressExA. */
NTSTATUS RtlIpv4StringToAddressExW(PCWSTR text, BOOLEAN strict, IN_ADDR *address, USHORT *port);

/* Where the text ends, which has room for 16. */
PSTR RtlIpv4AddressToStringA(const IN_ADDR *address, PSTR text);

/* As RtlIpv4AddressToStringA. */
PWSTR RtlIpv4AddressToStringW(const IN_ADDR *address, PWSTR text);

/* With :port unless it is 0. STATUS_INVALID_PARAMETER: *length, which counts the zero, is too small and tells what is needed. */
NTSTATUS RtlIpv4AddressToStringExA(const IN_ADDR *address, USHORT port, PSTR text, ULONG *length);

/* As RtlIpv4AddressToStringExA. */
NTSTATUS RtlIpv4AddressToStringExW(const IN_ADDR *address, USHORT port, PWSTR text, ULONG *length);

/* As RtlIpv4StringToAddressA, for IPv6. */
NTSTATUS RtlIpv6StringToAddressA(PCSTR text, PCSTR *end, IN6_ADDR *address);

/* As RtlIpv6StringToAddressA. */
NTSTATUS RtlIpv6StringToAddressW(PCWSTR text, PCWSTR *end, IN6_ADDR *address);

/* All of the text: address, address%scope, [address%scope]:port. */
NTSTATUS RtlIpv6StringToAddressExA(PCSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port);

/* As RtlIpv6StringToAddressExA. */
NTSTATUS RtlIpv6StringToAddressExW(PCWSTR text, IN6_ADDR *address, ULONG *scope, USHORT *port);

/* Where the text ends, which has room for 46. */
PSTR RtlIpv6AddressToStringA(const IN6_ADDR *address, PSTR text);

/* As RtlIpv6AddressToStringA. */
PWSTR RtlIpv6AddressToStringW(const IN6_ADDR *address, PWSTR text);

/* As RtlIpv4AddressToStringExA, with the scope unless it is 0. */
NTSTATUS RtlIpv6AddressToStringExA(const IN6_ADDR *address, ULONG scope, USHORT port, PSTR text, ULONG *length);

/* As RtlIpv6AddressToStringExA. */
NTSTATUS RtlIpv6AddressToStringExW(const IN6_ADDR *address, ULONG scope, USHORT port, PWSTR text, ULONG *length);

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
