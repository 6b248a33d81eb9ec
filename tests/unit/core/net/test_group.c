/* Multicast groups: which addresses are groups, and the destination MAC of a group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/group.h"

/* clang-format off */
#define V4(a, b, c, d) {{[10] = 0xff, 0xff, a, b, c, d}}
/* clang-format on */

static void groups_are_224_to_239_and_ff00(void **state)
{
	static const struct {
		struct rn_gid addr;
		bool group;
	} rows[] = {
		{V4(223, 255, 255, 255), false}, {V4(224, 0, 0, 0), true},
		{V4(239, 255, 255, 255), true},	 {V4(240, 0, 0, 0), false},
		{V4(255, 255, 255, 255), false}, {V4(192, 0, 2, 1), false},
		{{{0xff, 2, [15] = 1}}, true},	 {{{0xfe, 0x80, [15] = 1}}, false},
		{{{0x20, 1, [15] = 1}}, false},	 {{{0}}, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rn_gid_is_group(&rows[i].addr) != rows[i].group)
			fail_msg("row %zu", i);
}

/* The MAC of an IPv4 group contains the low 23 bits of the group's address (RFC 1112 6.4). */
static void an_ipv4_group_has_23_bits_in_its_mac(void **state)
{
	static const struct rn_gid low = V4(224, 127, 2, 3), high = V4(239, 255, 2, 3);
	static const uint8_t want[6] = {0x01, 0, 0x5e, 127, 2, 3};
	uint8_t mac[6] = {0};

	rn_group_mac(&low, mac);
	assert_memory_equal(mac, want, 6);
	rn_group_mac(&high, mac);
	assert_memory_equal(mac, want, 6);
}

/* The MAC of an IPv6 group contains the low 32 bits of the group's address (RFC 2464 7). */
static void an_ipv6_group_has_32_bits_in_its_mac(void **state)
{
	static const struct rn_gid group = {{0xff, 2, [12] = 0x81, 0x82, 0x83, 0x84}};
	static const uint8_t want[6] = {0x33, 0x33, 0x81, 0x82, 0x83, 0x84};
	uint8_t mac[6] = {0};

	rn_group_mac(&group, mac);
	assert_memory_equal(mac, want, 6);
}

/* Neighbour discovery reaches an IPv6 address through two groups (RFC 4861 7.2); ARP, which is
 * broadcast, needs none. */
static void neighbour_discovery_needs_the_groups_of_ipv6_addresses(void **state)
{
	static const struct rn_port_attr ipv4 = {.ngids = 1, .gids = {V4(192, 0, 2, 1)}};
	static const struct rn_port_attr both = {
		.ngids = 3,
		.gids = {V4(192, 0, 2, 1),
			 {{0x20, 1, [12] = 0xa1, 0xb2, 0xc3, 0xd4}},
			 {{0xfe, 0x80, [13] = 1, 2, 3}}}};
	static const uint8_t want[3][6] = {{0x33, 0x33, 0, 0, 0, 1},
					   {0x33, 0x33, 0xff, 0xb2, 0xc3, 0xd4},
					   {0x33, 0x33, 0xff, 1, 2, 3}};
	uint8_t mac[1 + RN_PORT_GIDS][6];

	assert_int_equal(rn_group_neighbour_macs(&ipv4, mac), 0);
	assert_int_equal(rn_group_neighbour_macs(&both, mac), 3);
	assert_memory_equal(mac, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_224_to_239_and_ff00),
		cmocka_unit_test(an_ipv4_group_has_23_bits_in_its_mac),
		cmocka_unit_test(an_ipv6_group_has_32_bits_in_its_mac),
		cmocka_unit_test(neighbour_discovery_needs_the_groups_of_ipv6_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
