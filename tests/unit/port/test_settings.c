/* What lines of the configuration mean for a port: addresses, VLAN, class of service, path MTU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "settings.h"

static const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
static const struct rn_config_protocol protocol = {.check_source = true};

static struct rn_port_attr port_of(const struct rn_config_adapter *a)
{
	struct rn_port_attr attr;

	rn_settings_port(a, mac, &protocol, &attr);
	return attr;
}

static void test_link_local(void **state)
{
	/* fe80::11:22ff:fe33:4455, as `ip addr` shows it for this MAC */
	static const struct rn_gid want = {{0xfe, 0x80, [8] = 0, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55}};
	struct rn_config_adapter a = {.mtu = 1500, .max_path_mtu = 4096};
	struct rn_port_attr attr;

	a.ipv4.n = 1;
	assert_int_equal(port_of(&a).ngids, 1);
	a.link_local = true;
	attr = port_of(&a);
	assert_int_equal(attr.ngids, 2);
	assert_memory_equal(&attr.gids[1], &want, 16);
	assert_int_equal(attr.prefix_len[1], 64);
	/* listed already: not twice */
	a.ipv6.n = 1;
	memcpy(a.ipv6.net[0].ip.b, want.b, 16);
	a.ipv6.net[0].prefix_len = 64;
	assert_int_equal(port_of(&a).ngids, 2);
	/* alone */
	a.ipv4.n = a.ipv6.n = 0;
	attr = port_of(&a);
	assert_int_equal(attr.ngids, 1);
	assert_memory_equal(&attr.gids[0], &want, 16);
}

static void test_several_addresses(void **state)
{
	struct rn_config_adapter a = {.mtu = 1500, .max_path_mtu = 4096, .link_local = true};
	struct rn_port_attr attr;

	a.ipv4.n = 8;
	a.ipv6.n = 7;
	for (unsigned i = 0; i < 8; i++) {
		a.ipv4.net[i].ip.b[15] = (uint8_t)(i + 1);
		a.ipv4.net[i].prefix_len = (uint8_t)(i + 8);
		a.ipv6.net[i].ip.b[14] = (uint8_t)(i + 1);
		a.ipv6.net[i].prefix_len = (uint8_t)(i + 60);
	}
	attr = port_of(&a);
	assert_int_equal(attr.ngids, 16);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(attr.gids[i].b[15], i + 1);
		assert_int_equal(attr.prefix_len[i], i + 8);
	}
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(attr.gids[8 + i].b[14], i + 1);
		assert_int_equal(attr.prefix_len[8 + i], i + 60);
	}
	assert_int_equal(attr.gids[15].b[0], 0xfe);
}

static void test_tag_and_class(void **state)
{
	struct rn_config_adapter a = {.mtu = 1500, .max_path_mtu = 4096, .vlan_id = 100, .vlan_prio = 3, .dscp = 46, .hop_limit = 5};
	struct rn_port_attr attr = port_of(&a);

	assert_true(attr.has_vlan);
	assert_int_equal(attr.vlan_tci, 3 << 13 | 100);
	assert_int_equal(attr.tclass, 46 << 2); /* ECN is others' business */
	assert_int_equal(attr.hop_limit, 5);
	a.vlan_id = a.vlan_prio = 0;
	assert_false(port_of(&a).has_vlan);
}

/* The largest path MTU whose frames fit: 4096 needs a jumbo port. */
static void test_path_mtu(void **state)
{
	static const struct {
		uint32_t mtu, ipv6, vlan, most;
		uint8_t code;
	} rows[] = {{1500, 0, 0, 4096, 3}, {1500, 1, 5, 4096, 3}, {9000, 0, 0, 4096, 5}, {9000, 1, 5, 4096, 5},
		    {4200, 1, 5, 4096, 5}, {4183, 1, 5, 4096, 4}, {4183, 0, 5, 4096, 4}, {4183, 0, 0, 4096, 5},
		    {9000, 1, 5, 1024, 3}, {2200, 0, 0, 4096, 4}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_config_adapter a = {.mtu = rows[i].mtu, .max_path_mtu = rows[i].most, .vlan_id = rows[i].vlan};

		a.ipv6.n = rows[i].ipv6;
		assert_int_equal(port_of(&a).max_path_mtu, rows[i].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_local),
		cmocka_unit_test(test_several_addresses),
		cmocka_unit_test(test_tag_and_class),
		cmocka_unit_test(test_path_mtu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
