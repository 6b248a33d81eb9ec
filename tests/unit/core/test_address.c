/* Addresses of the port and of its link: prefixes that end within a byte, both families. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "address.h"
#include "types.h"

#define V4(a, b, c, d)                                \
	{                                             \
		{                                     \
			[10] = 0xff, 0xff, a, b, c, d \
		}                                     \
	}
#define V6(...)                     \
	{                           \
		{                   \
			__VA_ARGS__ \
		}                   \
	}

static void own_addresses(void **state)
{
	const struct rn_port_attr port = {
		.ngids = 3,
		.gids = {V4(10, 0, 0, 1), V6(0x20, 1), V4(10, 0, 0, 2), V4(10, 0, 0, 3)}};

	for (int i = 0; i < 4; i++) { /* the fourth is not in use */
		assert_int_equal(rn_port_own(&port, &port.gids[i]), i < 3 ? i : -1);
		assert_int_equal(rn_port_owns(&port, &port.gids[i]), i < 3);
	}
}

static void networks(void **state)
{
	static const struct {
		struct rn_gid own, other;
		uint8_t bits;
		bool on_link;
	} rows[] = {
		{V4(10, 1, 2, 3), V4(10, 1, 2, 254), 24, true},
		{V4(10, 1, 2, 3), V4(10, 1, 3, 3), 24, false},
		{V4(10, 1, 2, 3), V4(10, 1, 3, 3), 23, true},
		{V4(10, 1, 2, 3), V4(10, 1, 15, 3), 20, true},
		{V4(10, 1, 2, 3), V4(10, 1, 16, 3), 20, false},
		{V4(10, 1, 2, 3), V4(10, 1, 2, 131), 25, false},
		{V4(10, 1, 2, 3), V4(10, 1, 2, 2), 31, true},
		{V4(10, 1, 2, 3), V4(10, 1, 2, 1), 31, false},
		{V4(10, 1, 2, 3), V4(10, 1, 2, 3), 32, true},
		{V4(10, 1, 2, 3), V4(10, 1, 2, 2), 32, false},
		{V4(10, 1, 2, 3), V4(10, 1, 2, 3), 255, true},
		{V4(10, 1, 2, 3), V4(11, 1, 2, 3), 0, true},
		{V4(10, 1, 2, 3), V6(0x20, 1), 0, false},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0x20, 1, 0x0d, 0xb8, [15] = 9), 64, true},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0x20, 1, 0x0d, 0xb8, [7] = 1), 64, false},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0x20, 1, 0x0d, 0xb8, [7] = 1), 63, true},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0x20, 1, 0x0d, 0xb8, [7] = 2), 63, false},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0x20, 1, 0x0d, 0xb8, [15] = 1), 128, false},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0x20, 1, 0x0d, 0xb8, [15] = 1), 127, true},
		/* link-local ones, fe80::/10, are where we are */
		{V6(0x20, 1, 0x0d, 0xb8), V6(0xfe, 0x80, [15] = 9), 64, true},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0xfe, 0xbf, [15] = 9), 64, true},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0xfe, 0xc0, [15] = 9), 64, false},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0xfe, 0x40, [15] = 9), 64, false},
		{V6(0x20, 1, 0x0d, 0xb8), V6(0xfd, 0x80, [15] = 9), 64, false},
		{V4(10, 1, 2, 3), V6(0xfe, 0x80, [15] = 9), 24, false},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_port_attr port = {
			.ngids = 1, .gids = {rows[i].own}, .prefix_len = {rows[i].bits}};

		if (rn_port_on_link(&port, &rows[i].other) != rows[i].on_link)
			fail_msg("row %zu", i);
		/* whichever of ours it is, and none that is not in use */
		port.gids[1] = port.gids[0];
		port.prefix_len[1] = port.prefix_len[0];
		port.gids[0] = rn_gid_is_ipv4(&rows[i].other) ? (struct rn_gid)V4(1, 2, 3, 4)
							      : (struct rn_gid)V6(0x26);
		port.prefix_len[0] = 32;
		if (!rn_is_link_local(&rows[i].other))
			assert_false(rn_port_on_link(&port, &rows[i].other));
		port.ngids = 2;
		if (!rn_is_link_local(&rows[i].other))
			assert_int_equal(rn_port_on_link(&port, &rows[i].other), rows[i].on_link);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_addresses),
		cmocka_unit_test(networks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
