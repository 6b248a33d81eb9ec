/*
 * Tests of sockets, addresses as text, name resolution and the protocol catalogue: results and
 * errors are those of Windows.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <mstcpip.h>
#include <ndsupport.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ws2spi.h>
#include <ws2tcpip.h>
#include "testing.h"

#define FAILS(call, error) \
	(WSASetLastError(0), (call) == SOCKET_ERROR && WSAGetLastError() == (error))

static void test_start(void **state)
{
	WSADATA data;

	EXPECT(WSACleanup, FAILS(WSACleanup(), WSANOTINITIALISED));
	EXPECT(WSAStartup, WSAStartup(MAKEWORD(2, 2), &data) == 0 &&
				   data.wVersion == MAKEWORD(2, 2) &&
				   data.wHighVersion == MAKEWORD(2, 2));
	EXPECT(WSAStartup,
	       WSAStartup(MAKEWORD(1, 1), &data) == 0 && data.wVersion == MAKEWORD(1, 1));
	EXPECT(WSAStartup, WSAStartup(0, &data) == WSAVERNOTSUPPORTED &&
				   WSAStartup(MAKEWORD(2, 2), NULL) == WSAEFAULT);
	EXPECT(WSACleanup, WSACleanup() == 0 && WSACleanup() == 0 && WSACleanup() == SOCKET_ERROR);
	WSASetLastError(WSAEINTR);
	EXPECT(WSASetLastError, GetLastError() == WSAEINTR);
	SetLastError(5);
	EXPECT(WSAGetLastError, WSAGetLastError() == 5);
}

static SOCKADDR_IN bound(SOCKET s)
{
	SOCKADDR_IN a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(a);

	assert_int_equal(bind((int)s, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname((int)s, (struct sockaddr *)&a, &size), 0);
	return a;
}

/*
 * Calls the functions whose names Linux and Windows share, once with success and, for most, once
 * with an error.
 */
static void test_shared_names(void **state)
{
	SOCKET server = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED),
	       none = 9999;
	SOCKADDR_IN a = bound(server), peer;
	socklen_t size = sizeof(peer);
	char t[8];
	int client = socket(AF_INET, SOCK_STREAM, 0), served;
	DWORD ms = 250;
	socklen_t four = sizeof(ms);

	assert_true(FAILS(socket(77, SOCK_STREAM, 0), WSAEAFNOSUPPORT));
	assert_true(FAILS(bind(client, (struct sockaddr *)&a, sizeof(a)), WSAEADDRINUSE));
	assert_true(FAILS(connect(client, (struct sockaddr *)&a, sizeof(a)), WSAECONNREFUSED));
	assert_true(FAILS(getpeername(client, (struct sockaddr *)&a, &size), WSAENOTCONN));
	assert_int_equal(listen((int)server, 1), 0);
	assert_true(FAILS(listen((int)none, 1), WSAENOTSOCK));
	close(client);
	client = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&a, sizeof(a)), 0);
	served = accept((int)server, (struct sockaddr *)&peer, &size);
	assert_true(served >= 0);
	assert_true(FAILS(accept(client, NULL, NULL), WSAEINVAL));
	assert_int_equal(setsockopt(served, SOL_SOCKET, SO_RCVTIMEO, &ms, sizeof(ms)), 0);
	ms = 0;
	assert_int_equal(getsockopt(served, SOL_SOCKET, SO_RCVTIMEO, &ms, &four), 0);
	assert_in_range(ms, 248, 252);
	assert_true(FAILS(recv(served, t, sizeof(t), 0), WSAEWOULDBLOCK));
	assert_int_equal(setsockopt(served, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, &ms, sizeof(ms)), 0);
	assert_true(FAILS(setsockopt(served, SOL_SOCKET, 9999, &ms, sizeof(ms)), WSAENOPROTOOPT));
	assert_int_equal(send(client, "abc", 3, 0), 3);
	fd_set set;
	struct timeval wait = {5, 0};

	FD_ZERO(&set);
	FD_SET(served, &set);
	assert_int_equal(select(0, &set, NULL, NULL, &wait), 1);
	assert_int_equal(wait.tv_sec, 5);
	assert_int_equal(recv(served, t, sizeof(t), 0), 3);
	assert_int_equal(sendto(client, "d", 1, 0, NULL, 0), 1);
	assert_int_equal(recvfrom(served, t, sizeof(t), 0, NULL, NULL), 1);
	assert_int_equal(shutdown(client, SD_SEND), 0);
	assert_int_equal(recv(served, t, sizeof(t), 0), 0);
	/* Sending on a socket that was shut down fails, and raises no SIGPIPE. */
	assert_true(FAILS(send(client, "x", 1, 0), WSAECONNRESET));
	assert_int_equal(closesocket((SOCKET)client), 0);
	assert_int_equal(closesocket((SOCKET)served), 0);
	assert_int_equal(closesocket(server), 0);
}

static void test_own_names(void **state)
{
	WSAPROTOCOL_INFOW wide = {0};
	WSAPROTOCOL_INFOA narrow = {0};
	SOCKET a = WSASocketW(AF_INET, SOCK_DGRAM, 0, NULL, 0, 0),
	       b = WSASocketA(AF_INET, SOCK_DGRAM, 0, NULL, 0, 0);
	SOCKADDR_IN to = bound(a);
	u_long yes = 1, count = ~0ul;
	ULONG narrow_count = 0;
	char t[4];
	WSAPOLLFD poll = {.fd = (int)a, .events = POLLIN};

	EXPECT(WSASocketW,
	       a != INVALID_SOCKET &&
		       WSASocketW(AF_INET, SOCK_DGRAM, 0, &wide, 0, 0) == INVALID_SOCKET &&
		       WSAGetLastError() == WSAEINVAL);
	EXPECT(WSASocketA,
	       b != INVALID_SOCKET && WSASocketA(99, 0, 0, NULL, 0, 0) == INVALID_SOCKET &&
		       WSASocketA(AF_INET, SOCK_DGRAM, 0, &narrow, 0, 0) == INVALID_SOCKET);
	EXPECT(compat_ioctlsocket,
	       ioctlsocket(a, FIONBIO, &yes) == 0 && FAILS(recv((int)a, t, 4, 0), WSAEWOULDBLOCK));
	EXPECT(WSAPoll, WSAPoll(&poll, 1, 0) == 0);
	assert_int_equal(sendto((int)b, "abc", 3, 0, (struct sockaddr *)&to, sizeof(to)), 3);
	EXPECT(WSAPoll, WSAPoll(&poll, 1, 5000) == 1 && poll.revents == POLLIN);
	EXPECT(compat_ioctlsocket, ioctlsocket(a, FIONREAD, &count) == 0 && count == 3 &&
					   ioctlsocket(a, FIONREAD, &narrow_count) == 0 &&
					   narrow_count == 3);
	EXPECT(compat_ioctlsocket,
	       FAILS(ioctlsocket(a, 5, &yes), WSAEINVAL) &&
		       FAILS(ioctlsocket((SOCKET)9999, FIONBIO, &yes), WSAENOTSOCK) &&
		       FAILS(compat_ioctlsocket(a, FIONBIO, NULL, 4), WSAEFAULT));
	EXPECT(closesocket, closesocket(a) == 0 && closesocket(b) == 0 &&
				    FAILS(closesocket(a), WSAENOTSOCK) &&
				    FAILS(closesocket(INVALID_SOCKET), WSAENOTSOCK));
}

static void test_WSAIoctl(void **state)
{
	SOCKET s = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, 0);
	SOCKADDR_IN to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
		    from = {0};
	struct tcp_keepalive keep = {1, 7500, 2000};
	DWORD got = 0, needed;
	ULONG yes = 1;
	int value = 0;
	socklen_t size = sizeof(value);
	OVERLAPPED overlapped = {0};
	struct {
		SOCKET_ADDRESS_LIST list;
		char room[8192];
	} all;

#define CONTROL(code, in, inBytes, out, outBytes) \
	WSAIoctl(s, code, in, inBytes, out, outBytes, &got, NULL, NULL)
	assert_int_equal(CONTROL(SIO_ROUTING_INTERFACE_QUERY, &to, sizeof(to), &from, sizeof(from)),
			 0);
	assert_int_equal(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	assert_int_equal(from.sin_port, 0);
	assert_int_equal(got, sizeof(from));
	assert_true(
		FAILS(CONTROL(SIO_ROUTING_INTERFACE_QUERY, &to, sizeof(to), &from, 4), WSAEFAULT) &&
		got == sizeof(from));
	to.sin_family = AF_UNIX;
	assert_true(
		FAILS(CONTROL(SIO_ROUTING_INTERFACE_QUERY, &to, sizeof(to), &from, sizeof(from)),
		      WSAEAFNOSUPPORT));
	assert_true(FAILS(CONTROL(SIO_ADDRESS_LIST_QUERY, NULL, 0, NULL, 0), WSAEFAULT));
	needed = got;
	assert_int_equal(CONTROL(SIO_ADDRESS_LIST_QUERY, NULL, 0, &all, sizeof(all)), 0);
	assert_int_equal(got, needed);
	const SOCKET_ADDRESS *each = all.list.Address;

	for (int i = 0; i < all.list.iAddressCount; i++)
		assert_int_equal(each[i].lpSockaddr->sa_family, AF_INET);
	assert_int_equal(CONTROL(SIO_KEEPALIVE_VALS, &keep, sizeof(keep), NULL, 0), 0);
	assert_int_equal(getsockopt((int)s, IPPROTO_TCP, TCP_KEEPIDLE, &value, &size), 0);
	assert_int_equal(value, 8);
	assert_true(FAILS(CONTROL(SIO_KEEPALIVE_VALS, &keep, 4, NULL, 0), WSAEFAULT));
	assert_int_equal(CONTROL(SIO_LOOPBACK_FAST_PATH, &yes, sizeof(yes), NULL, 0), 0);
	assert_int_equal(CONTROL((DWORD)FIONBIO, &yes, sizeof(yes), NULL, 0), 0);
	assert_true(fcntl((int)s, F_GETFL) & O_NONBLOCK);
	assert_true(FAILS(CONTROL((DWORD)FIONBIO, NULL, 0, NULL, 0), WSAEFAULT));
	assert_true(FAILS(CONTROL(SIO_ADDRESS_LIST_CHANGE, NULL, 0, NULL, 0), WSAEOPNOTSUPP));
	assert_true(FAILS(
		WSAIoctl(s, SIO_LOOPBACK_FAST_PATH, NULL, 0, NULL, 0, &got, &overlapped, NULL),
		WSAEOPNOTSUPP));
	assert_true(FAILS(WSAIoctl(s, SIO_LOOPBACK_FAST_PATH, NULL, 0, NULL, 0, NULL, NULL, NULL),
			  WSAEFAULT));
	assert_int_equal(closesocket(s), 0);
	assert_true(FAILS(CONTROL(SIO_LOOPBACK_FAST_PATH, NULL, 0, NULL, 0), WSAENOTSOCK));
	s = WSASocketW(AF_INET, SOCK_DGRAM, 0, NULL, 0, 0);
	assert_int_equal(CONTROL((DWORD)FIONREAD, NULL, 0, &yes, sizeof(yes)), 0);
	assert_int_equal(yes, 0);
	closesocket(s);
}

/* ---- Addresses as text ---------------------------------------------------------------------- */

static void test_strings_to_addresses(void **state)
{
	static const struct {
		const char *text;
		INT family;
		/* `text` parsed, then written as text again; NULL if the parser refuses `text` */
		const char *again;
	} rows[] = {
		{"192.0.2.1", AF_INET, "192.0.2.1"},
		{"192.0.2.1:54321", AF_INET, "192.0.2.1:54321"},
		{"0x7f.1", AF_INET, "127.0.0.1"},
		{"1", AF_INET, "0.0.0.1"},
		{"010.0.0.1", AF_INET, "8.0.0.1"},
		{"1.2.65535", AF_INET, "1.2.255.255"},
		{"256.0.0.1", AF_INET, NULL},
		{"1.2.3.4.5", AF_INET, NULL},
		{"1.2.3.", AF_INET, NULL},
		{"", AF_INET, NULL},
		{"1.2.3.4:65536", AF_INET, NULL},
		{"1.2.3.4:", AF_INET, NULL},
		{"1.2.3.4 ", AF_INET, NULL},
		{"1.2.65536", AF_INET, NULL},
		{"08.0.0.1", AF_INET, NULL},
		{"4294967296", AF_INET, NULL},
		{"::1", AF_INET6, "::1"},
		{"[::1]:80", AF_INET6, "[::1]:80"},
		{"fe80::1%7", AF_INET6, "fe80::1%7"},
		{"[fe80::1%7]:80", AF_INET6, "[fe80::1%7]:80"},
		{"[::1]", AF_INET6, "::1"},
		{"::ffff:192.0.2.1", AF_INET6, "::ffff:192.0.2.1"},
		{"::1:", AF_INET6, NULL},
		{"[::1", AF_INET6, NULL},
		{"1.2.3.4", AF_INET6, NULL},
		{"::1%x", AF_INET6, NULL},
		{"::1", AF_INET, NULL},
		{"::1", AF_UNIX, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		SOCKADDR_STORAGE a = {0};
		INT size = sizeof(a), result;
		wchar_t wide[64];
		char text[64];
		DWORD length = 64;

		swprintf(wide, 64, L"%hs", rows[i].text);
		WSASetLastError(0);
		result = WSAStringToAddressA((LPSTR)(uintptr_t)rows[i].text, rows[i].family, NULL,
					     (SOCKADDR *)&a, &size);
		assert_int_equal(result, rows[i].again ? 0 : SOCKET_ERROR);
		assert_int_equal(WSAGetLastError(), rows[i].again ? 0 : WSAEINVAL);
		assert_int_equal(
			WSAStringToAddressW(wide, rows[i].family, NULL, (SOCKADDR *)&a, &size),
			result);
		if (result)
			continue;
		assert_int_equal(
			WSAAddressToStringA((SOCKADDR *)&a, (DWORD)size, NULL, text, &length), 0);
		assert_string_equal(text, rows[i].again);
		assert_int_equal(length, strlen(text) + 1);
		length = 64;
		assert_int_equal(
			WSAAddressToStringW((SOCKADDR *)&a, (DWORD)size, NULL, wide, &length), 0);
		assert_int_equal(length, wcslen(wide) + 1);
	}
}

static void test_string_rooms(void **state)
{
	SOCKADDR_IN a = {.sin_family = AF_INET};
	INT small = 4;
	DWORD none = 0;
	char text[] = "1.2.3.4", out[4];
	wchar_t wide[] = L"1.2.3.4";

	EXPECT(WSAStringToAddressA,
	       FAILS(WSAStringToAddressA(text, AF_INET, NULL, (SOCKADDR *)&a, &small), WSAEFAULT) &&
		       small == sizeof(a));
	small = 4;
	EXPECT(WSAStringToAddressW,
	       FAILS(WSAStringToAddressW(wide, AF_INET, NULL, (SOCKADDR *)&a, &small), WSAEFAULT) &&
		       FAILS(WSAStringToAddressW(NULL, AF_INET, NULL, (SOCKADDR *)&a, &small),
			     WSAEFAULT));
	EXPECT(WSAAddressToStringA,
	       FAILS(WSAAddressToStringA((SOCKADDR *)&a, sizeof(a), NULL, out, (none = 4, &none)),
		     WSAEFAULT) &&
		       none == 8);
	none = 0;
	EXPECT(WSAAddressToStringW,
	       FAILS(WSAAddressToStringW((SOCKADDR *)&a, sizeof(a), NULL, NULL, &none),
		     WSAEFAULT) &&
		       none == 8);
	EXPECT(WSAAddressToStringA,
	       FAILS(WSAAddressToStringA((SOCKADDR *)&a, 8, NULL, out, &none), WSAEINVAL));
}

static void test_inet(void **state)
{
	IN_ADDR a;
	char t[46];
	wchar_t w[46];

	EXPECT(InetPtonA, InetPtonA(AF_INET, "1.2.3.4", &a) == 1 && a.S_un.S_un_b.s_b4 == 4 &&
				  InetPtonA(AF_INET, "1.2.3", &a) == 0 &&
				  FAILS(InetPtonA(AF_UNIX, "", &a), WSAEAFNOSUPPORT));
	EXPECT(InetPtonW, InetPtonW(AF_INET, L"1.2.3.4", &a) == 1 &&
				  FAILS(InetPtonW(AF_INET, NULL, &a), WSAEFAULT));
	EXPECT(InetNtopA, InetNtopA(AF_INET, &a, t, 46) == t && !strcmp(t, "1.2.3.4") &&
				  !InetNtopA(AF_INET, &a, t, 7) &&
				  GetLastError() == ERROR_INVALID_PARAMETER &&
				  !InetNtopA(AF_UNIX, &a, t, 46));
	EXPECT(InetNtopW, InetNtopW(AF_INET6, &in6addr_loopback, w, 46) == w && !wcscmp(w, L"::1"));
}

static void test_run_time_library(void **state)
{
	IN_ADDR a;
	IN6_ADDR b;
	PCSTR end;
	PCWSTR wide_end;
	USHORT port = 1;
	ULONG scope = 1, n = 46;
	char t[80];
	wchar_t w[80];

	EXPECT(RtlIpv4StringToAddressA,
	       RtlIpv4StringToAddressA("1.2.3.4/24", TRUE, &end, &a) == STATUS_SUCCESS &&
		       *end == '/' &&
		       RtlIpv4StringToAddressA("1.2.3", TRUE, &end, &a) ==
			       STATUS_INVALID_PARAMETER &&
		       RtlIpv4StringToAddressA("1.2.3", FALSE, &end, &a) == 0);
	EXPECT(RtlIpv4StringToAddressW,
	       RtlIpv4StringToAddressW(L"1.2.3.4/24", TRUE, &wide_end, &a) == 0 &&
		       *wide_end == L'/');
	EXPECT(RtlIpv4StringToAddressExA,
	       RtlIpv4StringToAddressExA("1.2.3.4:80", TRUE, &a, &port) == 0 && port == htons(80) &&
		       RtlIpv4StringToAddressExA("1.2.3.4/24", TRUE, &a, &port) != 0);
	EXPECT(RtlIpv4StringToAddressExW,
	       RtlIpv4StringToAddressExW(L"1.2.3.4", TRUE, &a, &port) == 0 && port == 0);
	EXPECT(RtlIpv4AddressToStringA,
	       RtlIpv4AddressToStringA(&a, t) == t + 7 && !strcmp(t, "1.2.3.4"));
	EXPECT(RtlIpv4AddressToStringW,
	       RtlIpv4AddressToStringW(&a, w) == w + 7 && !wcscmp(w, L"1.2.3.4"));
	EXPECT(RtlIpv4AddressToStringExA,
	       RtlIpv4AddressToStringExA(&a, htons(80), t, &n) == 0 && !strcmp(t, "1.2.3.4:80") &&
		       n == 11 &&
		       (n = 10, RtlIpv4AddressToStringExA(&a, htons(80), t, &n)) ==
			       STATUS_INVALID_PARAMETER &&
		       n == 11);
	EXPECT(RtlIpv4AddressToStringExW, RtlIpv4AddressToStringExW(&a, 0, w, &n) == 0 && n == 8);
	EXPECT(RtlIpv6StringToAddressA, RtlIpv6StringToAddressA("fe80::1%3", &end, &b) == 0 &&
						*end == '%' && b.u.Byte[0] == 0xfe &&
						RtlIpv6StringToAddressA("x", &end, &b) != 0);
	EXPECT(RtlIpv6StringToAddressW,
	       RtlIpv6StringToAddressW(L"::1]", &wide_end, &b) == 0 && *wide_end == L']');
	EXPECT(RtlIpv6StringToAddressExA,
	       RtlIpv6StringToAddressExA("[fe80::1%3]:80", &b, &scope, &port) == 0 && scope == 3 &&
		       port == htons(80) &&
		       RtlIpv6StringToAddressExA(NULL, &b, &scope, &port) != 0);
	EXPECT(RtlIpv6StringToAddressExW,
	       RtlIpv6StringToAddressExW(L"fe80::1", &b, &scope, &port) == 0 && scope == 0 &&
		       port == 0);
	EXPECT(RtlIpv6AddressToStringA,
	       RtlIpv6AddressToStringA(&b, t) == t + 7 && !strcmp(t, "fe80::1"));
	EXPECT(RtlIpv6AddressToStringW,
	       RtlIpv6AddressToStringW(&b, w) == w + 7 && !wcscmp(w, L"fe80::1"));
	n = 80;
	EXPECT(RtlIpv6AddressToStringExA, RtlIpv6AddressToStringExA(&b, 3, htons(80), t, &n) == 0 &&
						  !strcmp(t, "[fe80::1%3]:80"));
	EXPECT(RtlIpv6AddressToStringExW,
	       RtlIpv6AddressToStringExW(&b, 0, 0, w, &n) == 0 && !wcscmp(w, L"fe80::1") && n == 8);
}

static void test_families(void **state)
{
	SOCKADDR_INET a = {.Ipv4 = {.sin_family = AF_INET, .sin_addr.S_un.S_un_b = {127, 0, 0, 1}}};
	SOCKADDR_IN6 b = {.sin6_family = AF_INET6};

	assert_true(INETADDR_ISLOOPBACK((SOCKADDR *)&a) && !INETADDR_ISANY((SOCKADDR *)&a));
	assert_true(INETADDR_ISANY((SOCKADDR *)&b) && !INETADDR_ISLOOPBACK((SOCKADDR *)&b));
	assert_true(IN4_IS_ADDR_LOOPBACK(&a.Ipv4.sin_addr) &&
		    !IN4_IS_ADDR_MULTICAST(&a.Ipv4.sin_addr));
	assert_true(IN4_ADDR_EQUAL(&a.Ipv4.sin_addr, &a.Ipv4.sin_addr) &&
		    IN6_ADDR_EQUAL(&b.sin6_addr, &in6addr_any));
	assert_true(IN6_IS_ADDR_UNSPECIFIED(&b.sin6_addr) && sizeof(a) == 28 &&
		    sizeof(IN_ADDR) == 4 && sizeof(IN6_ADDR) == 16);
}

/* ---- Name resolution and the protocol catalogue --------------------------------------------- */

static void test_names(void **state)
{
	ADDRINFOW wish = {.ai_family = AF_INET,
			  .ai_socktype = SOCK_STREAM,
			  .ai_flags = AI_NUMERICHOST},
		  *found;
	ADDRINFOA narrow_wish = {.ai_family = AF_INET, .ai_flags = AI_NUMERICHOST}, *narrow;
	wchar_t host[64], port[16];

	EXPECT(GetAddrInfoW, GetAddrInfoW(L"192.0.2.9", L"80", &wish, &found) == 0 && found &&
				     SS_PORT(found->ai_addr) == htons(80) &&
				     found->ai_addrlen == 16 && !found->ai_next);
	EXPECT(GetNameInfoW, GetNameInfoW(found->ai_addr, 16, host, 64, port, 16,
					  NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
				     !wcscmp(host, L"192.0.2.9") && !wcscmp(port, L"80"));
	EXPECT(GetNameInfoW,
	       GetNameInfoW(found->ai_addr, 16, host, 4, NULL, 0, NI_NUMERICHOST) != 0 &&
		       WSAGetLastError() == ERROR_INSUFFICIENT_BUFFER);
	FreeAddrInfoW(found);
	EXPECT(GetAddrInfoW, GetAddrInfoW(L"no address", NULL, &wish, &found) == EAI_NONAME &&
				     WSAGetLastError() == WSAHOST_NOT_FOUND && !found);
	FreeAddrInfoW(found);
	EXPECT(FreeAddrInfoW,
	       GetAddrInfoW(L"192.0.2.9", NULL, NULL, &found) == 0 && found->ai_next);
	FreeAddrInfoW(found);
	EXPECT(GetAddrInfoA,
	       GetAddrInfoA("192.0.2.9", NULL, &narrow_wish, &narrow) == 0 &&
		       GetAddrInfoA("x y", NULL, &narrow_wish, &(PADDRINFOA){NULL}) == EAI_NONAME);
	FreeAddrInfoA(narrow);
	FreeAddrInfoA(NULL);
	EXPECT(FreeAddrInfoA, GetAddrInfoA("192.0.2.9", NULL, NULL, &narrow) == 0 &&
				      (FreeAddrInfoA(narrow), true));
	EXPECT(gai_strerrorW,
	       wcslen(gai_strerrorW(EAI_NONAME)) == strlen(gai_strerror(EAI_NONAME)));
}

static void test_catalogue(void **state)
{
	WSAPROTOCOL_INFOW info;
	DWORD bytes = 0;
	INT error = 0, length = 0, udp[] = {IPPROTO_UDP, 0}, only_udp[] = {IPPROTO_UDP + 1, 0};
	wchar_t path[1024];
	char narrow[1024];
	GUID other = {1, 2, 3, {4}};

	EXPECT(WSCEnumProtocols, WSCEnumProtocols(NULL, NULL, &bytes, &error) == SOCKET_ERROR &&
					 error == WSAENOBUFS && bytes == sizeof(info));
	EXPECT(WSCEnumProtocols, WSCEnumProtocols(NULL, &info, &bytes, &error) == 1 &&
					 info.iSocketType == -1 && info.iProtocol == 0 &&
					 info.iVersion == ND_VERSION_2 &&
					 (info.dwProviderFlags & PFL_NETWORKDIRECT_PROVIDER));
	EXPECT(WSCEnumProtocols, WSCEnumProtocols(udp, &info, &bytes, &error) == 0 &&
					 WSCEnumProtocols(only_udp, &info, &bytes, &error) == 0);
	EXPECT(WSCGetProviderPath,
	       WSCGetProviderPath(&info.ProviderId, NULL, &length, &error) == SOCKET_ERROR &&
		       error == WSAEFAULT && length > 0 && length < 1024);
	EXPECT(WSCGetProviderPath,
	       WSCGetProviderPath(&info.ProviderId, path, &length, &error) == 0 &&
		       wcsstr(path, L"libsoftrnic.so"));
	EXPECT(WSCGetProviderPath,
	       WSCGetProviderPath(&other, path, &length, &error) == SOCKET_ERROR &&
		       error == WSAEINVAL);
	snprintf(narrow, sizeof(narrow), "%S", path);
	void *library = dlopen(narrow, RTLD_NOW | RTLD_NOLOAD);

	assert_non_null(library);
	assert_non_null(dlsym(library, "DllGetClassObject"));
	dlclose(library);
}

static void test_config_change(void **state)
{
	HANDLE change = NULL, closed, done = CreateEventW(NULL, TRUE, TRUE, NULL);
	OVERLAPPED request = {.hEvent = done};

	EXPECT(WSAProviderConfigChange,
	       FAILS(WSAProviderConfigChange(NULL, NULL, NULL), WSAEFAULT));
	EXPECT(WSAProviderConfigChange,
	       WSAProviderConfigChange(&change, NULL, NULL) == 0 && change);
	EXPECT(WSAProviderConfigChange,
	       FAILS(WSAProviderConfigChange(&change, NULL, NULL), WSAEOPNOTSUPP));
	EXPECT(WSAProviderConfigChange,
	       FAILS(WSAProviderConfigChange(&change, &request, NULL), WSA_IO_PENDING));
	EXPECT(WSAProviderConfigChange,
	       !HasOverlappedIoCompleted(&request) && WaitForSingleObject(done, 0) == WAIT_TIMEOUT);
	closed = change;
	CloseHandle(change);
	EXPECT(WSAProviderConfigChange,
	       FAILS(WSAProviderConfigChange(&closed, &request, NULL), WSA_INVALID_HANDLE));
	CloseHandle(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_shared_names),
		cmocka_unit_test(test_own_names),
		cmocka_unit_test(test_WSAIoctl),
		cmocka_unit_test(test_strings_to_addresses),
		cmocka_unit_test(test_string_rooms),
		cmocka_unit_test(test_inet),
		cmocka_unit_test(test_run_time_library),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_config_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
