/* Translation between NetworkDirect and the NIC: buffer lists become SGEs of work requests, and
 * socket addresses become GIDs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/client.h"
#include "client/sgl.h"

#include <arpa/inet.h>
#include <errno.h>

static void references_take_slots_by_fours(void **state)
{
	static const struct {
		uint32_t sges;
		uint8_t slots;
	} t[] = {{0, 1}, {1, 1}, {2, 2}, {5, 2}, {6, 3}, {9, 3}, {16, 5}, {32, 9}};
	struct rn_sge list[32];

	for (uint32_t i = 0; i < 32; i++)
		list[i] = (struct rn_sge){1000 + i, 10 + i, 77 + i};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rn_sgl_slots out = {0};

		rn_sgl_put_sges(&out, list, t[i].sges);
		assert_int_equal(out.head.num_sge, t[i].sges);
		assert_int_equal(out.head.slots, t[i].slots);
		assert_memory_equal(out.bytes + 48, list, t[i].sges * sizeof(list[0]));
	}
}

static void empty_references_are_left_out(void **state)
{
	struct rn_sge list[] = {{1, 0, 9}, {2, 5, 8}, {3, 0, 7}, {4, 6, 6}};
	struct rn_sgl_slots out = {0};

	rn_sgl_put_sges(&out, list, 4);
	assert_int_equal(out.head.num_sge, 2);
	assert_int_equal(rn_sgl_at(out.head.sge, 0).lkey, 8);
	assert_int_equal(rn_sgl_at((struct rn_sge *)(out.bytes + 48), 1).lkey, 6);
}

static void inline_data_runs_through_the_slots(void **state)
{
	static const struct {
		uint32_t bytes;
		uint8_t slots;
	} t[] = {{0, 1}, {16, 1}, {17, 2}, {80, 2}, {81, 3}, {512, 9}};
	uint8_t data[512];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 3 + 1);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint32_t half = t[i].bytes / 2;
		struct rn_sge list[] = {{(uintptr_t)data, half, 0xbad},
					{0, 0, 0xbad},
					{(uintptr_t)data + half, t[i].bytes - half, 0xbad}};
		struct rn_sgl_slots out = {0};

		rn_sgl_put_inline(&out, list, 3);
		assert_int_equal(out.head.num_sge, 0);
		assert_int_equal(out.head.slots, t[i].slots);
		assert_memory_equal(out.bytes + 48, data, t[i].bytes);
	}
}

static void lengths_do_not_overflow(void **state)
{
	struct rn_sge list[] = {{0, UINT32_MAX, 0}, {0, UINT32_MAX, 0}, {0, 3, 0}};

	assert_true(rn_sgl_length(list, 3) == 2 * (uint64_t)UINT32_MAX + 3);
	assert_true(rn_sgl_length(NULL, 0) == 0);
}

static void addresses_there_and_back(void **state)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(4711)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(815)};
	struct rn_client_addr addr;
	struct sockaddr_storage sa;

	inet_pton(AF_INET, "192.0.2.7", &in.sin_addr);
	inet_pton(AF_INET6, "2001:db8::7", &in6.sin6_addr);
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in, sizeof(in)), 0);
	assert_int_equal(addr.port, 4711);
	assert_true(rn_client_gid_is_v4(&addr.gid));
	assert_int_equal(rn_client_addr_to_sockaddr(&addr, &sa), sizeof(in));
	assert_memory_equal(&sa, &in, sizeof(in));
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in6, sizeof(in6)), 0);
	assert_int_equal(rn_client_addr_to_sockaddr(&addr, &sa), sizeof(in6));
	assert_memory_equal(&sa, &in6, sizeof(in6));
	/* The wildcard addresses 0.0.0.0 and :: become different GIDs. */
	in.sin_addr.s_addr = 0;
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in, sizeof(in)), 0);
	assert_true(rn_client_gid_is_any(&addr.gid));
	assert_true(rn_client_gid_is_v4(&addr.gid));
	assert_int_equal(rn_client_addr_to_sockaddr(&addr, &sa), sizeof(in));
	assert_memory_equal(&sa, &in, sizeof(in));
	in6.sin6_addr = in6addr_any;
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in6, sizeof(in6)), 0);
	assert_true(rn_client_gid_is_any(&addr.gid));
	assert_false(rn_client_gid_is_v4(&addr.gid));
	assert_int_equal(rn_client_addr_to_sockaddr(&addr, &sa), sizeof(in6));
	assert_memory_equal(&sa, &in6, sizeof(in6));
}

static void addresses_that_are_none(void **state)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct rn_client_addr addr;

	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in, 1), -EINVAL);
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in, 15), -EINVAL);
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in6, 27), -EINVAL);
	in.sin_family = AF_UNIX;
	assert_int_equal(rn_client_addr_from_sockaddr(&addr, (void *)&in, 16), -EAFNOSUPPORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_take_slots_by_fours),
		cmocka_unit_test(empty_references_are_left_out),
		cmocka_unit_test(inline_data_runs_through_the_slots),
		cmocka_unit_test(lengths_do_not_overflow),
		cmocka_unit_test(addresses_there_and_back),
		cmocka_unit_test(addresses_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
