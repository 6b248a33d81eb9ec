// Tests of inline functions in the headers: bit operations, predicates about IP addresses (such as
// "is multicast"), and the C++ overloads of socket functions whose sizes are int.
#include <winsock2.h>
#include <ws2tcpip.h>
#include <intrin.h>
#include "testing.h"

static void test_bits(void **state)
{
	EXPECT(__popcnt64, __popcnt64(0) == 0 && __popcnt64(~0ULL) == 64 &&
				   __popcnt64(0x8000000000000001ULL) == 2);
	EXPECT(__umulh, __umulh(~0ULL, ~0ULL) == ~0ULL - 1 && __umulh(1ULL << 63, 2) == 1 &&
				__umulh(5, 7) == 0);
	EXPECT(_rotl, _rotl(0x80000001u, 1) == 3 && _rotl(5, 0) == 5 && _rotl(5, 32) == 5);
	EXPECT(_rotr, _rotr(3, 1) == 0x80000001u && _rotr(5, 0) == 5);
	EXPECT(_rotl64,
	       _rotl64(0x8000000000000001ULL, 1) == 3 && _rotl64(5, 0) == 5 && _rotl64(5, 64) == 5);
	EXPECT(_rotr64, _rotr64(3, 1) == 0x8000000000000001ULL && _rotr64(5, 0) == 5);
}

static IN_ADDR address(BYTE first, BYTE last)
{
	IN_ADDR a = {};

	a.S_un.S_un_b.s_b1 = first;
	a.S_un.S_un_b.s_b4 = last;
	return a;
}

static void test_addresses(void **state)
{
	IN_ADDR none = address(0, 0), here = address(127, 1), group = address(239, 1),
		other = address(192, 1);
	IN6_ADDR one = {}, two = {};

	two.u.Byte[15] = 1;
	EXPECT(IN4_IS_ADDR_UNSPECIFIED,
	       IN4_IS_ADDR_UNSPECIFIED(&none) && !IN4_IS_ADDR_UNSPECIFIED(&other));
	EXPECT(IN4_IS_ADDR_LOOPBACK, IN4_IS_ADDR_LOOPBACK(&here) && !IN4_IS_ADDR_LOOPBACK(&other));
	EXPECT(IN4_IS_ADDR_MULTICAST,
	       IN4_IS_ADDR_MULTICAST(&group) && !IN4_IS_ADDR_MULTICAST(&other));
	EXPECT(IN4_ADDR_EQUAL, IN4_ADDR_EQUAL(&here, &here) && !IN4_ADDR_EQUAL(&here, &other));
	EXPECT(IN6_ADDR_EQUAL, IN6_ADDR_EQUAL(&one, &one) && !IN6_ADDR_EQUAL(&one, &two));
}

static void test_sizes(void **state)
{
	SOCKADDR_IN local = {}, peer = {};
	int size = sizeof(local);
	SOCKET server, client, served;
	WSADATA data;

	EXPECT(WSAStartup, WSAStartup(MAKEWORD(2, 2), &data) == 0);
	server = socket(AF_INET, SOCK_STREAM, 0);
	client = socket(AF_INET, SOCK_STREAM, 0);
	local.sin_family = AF_INET;
	local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(server, reinterpret_cast<SOCKADDR *>(&local), size), 0);
	EXPECT(getsockname, getsockname(server, reinterpret_cast<SOCKADDR *>(&local), &size) == 0 &&
				    local.sin_port != 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(connect(client, reinterpret_cast<SOCKADDR *>(&local), size), 0);
	size = sizeof(peer);
	served = accept(server, reinterpret_cast<SOCKADDR *>(&peer), &size);
	EXPECT(accept, served != INVALID_SOCKET && size == sizeof(peer) &&
			       peer.sin_addr.s_addr == local.sin_addr.s_addr);
	size = sizeof(peer);
	EXPECT(getpeername, getpeername(client, reinterpret_cast<SOCKADDR *>(&peer), &size) == 0 &&
				    peer.sin_port == local.sin_port);
	closesocket(served);
	closesocket(client);
	closesocket(server);
	EXPECT(WSACleanup, WSACleanup() == 0);
}

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
