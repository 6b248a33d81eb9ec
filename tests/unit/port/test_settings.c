/* Tests how the addresses, VLAN, traffic class, path MTU and congestion parameters of a network
 * port follow from the configuration, and the limit of a client of a switch. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ground/client_number.h"
#include "nic/settings.h"

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
	/* fe80::11:22ff:fe33:4455, the link-local address that Linux derives from this MAC */
	static const struct rn_gid want = {
		{0xfe, 0x80, [8] = 0, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55}};
	struct rn_config_adapter a = {.mtu = 1500, .max_path_mtu = 4096};
	struct rn_port_attr attr;

	a.ipv4.n = 1;
	assert_int_equal(port_of(&a).ngids, 1);
	a.link_local = true;
	attr = port_of(&a);
	assert_int_equal(attr.ngids, 2);
	assert_memory_equal(&attr.gids[1], &want, 16);
	assert_int_equal(attr.prefix_len[1], 64);
	/* A link-local address that is configured explicitly is not added a second time. */
	a.ipv6.n = 1;
	memcpy(a.ipv6.net[0].ip.b, want.b, 16);
	a.ipv6.net[0].prefix_len = 64;
	assert_int_equal(port_of(&a).ngids, 2);
	/* The link-local address may be the only address of a port. */
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
	struct rn_config_adapter a = {.mtu = 1500,
				      .max_path_mtu = 4096,
				      .vlan_id = 100,
				      .vlan_prio = 3,
				      .dscp = 46,
				      .hop_limit = 5};
	struct rn_port_attr attr = port_of(&a);

	assert_true(attr.has_vlan);
	assert_int_equal(attr.vlan_tci, 3 << 13 | 100);
	assert_int_equal(attr.tclass, 46 << 2); /* dscp does not include the two ECN bits */
	assert_int_equal(attr.hop_limit, 5);
	a.vlan_id = a.vlan_prio = 0;
	assert_false(port_of(&a).has_vlan);
}

/* The path MTU is the largest path MTU whose frames fit the port's MTU. For a path MTU of 4096 the
 * port needs jumbo frames. */
static void test_path_mtu(void **state)
{
	static const struct {
		uint32_t mtu, ipv6, vlan, most;
		uint8_t code;
	} rows[] = {{1500, 0, 0, 4096, 3}, {1500, 1, 5, 4096, 3}, {9000, 0, 0, 4096, 5},
		    {9000, 1, 5, 4096, 5}, {4200, 1, 5, 4096, 5}, {4183, 1, 5, 4096, 4},
		    {4183, 0, 5, 4096, 4}, {4183, 0, 0, 4096, 5}, {9000, 1, 5, 1024, 3},
		    {2200, 0, 0, 4096, 4}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_config_adapter a = {
			.mtu = rows[i].mtu, .max_path_mtu = rows[i].most, .vlan_id = rows[i].vlan};

		a.ipv6.n = rows[i].ipv6;
		assert_int_equal(port_of(&a).max_path_mtu, rows[i].code);
	}
}

/* A process that shares its port has 65,536 QPNs for all its shards. */
static void test_client_limits(void **state)
{
	static const struct {
		uint32_t client, nshards, max_qp;
		int rc;
	} rows[] = {
		{1, 1, 65536, 0},	 {1, 1, 65537, -EINVAL}, {RN_CLIENT_MAX, 2, 32768, 0},
		{1, 2, 32769, -EINVAL},	 {1, 3, 21844, 0},	 {1, 3, 21845, -EINVAL},
		{1, 4, 16384, 0},	 {1, 5, 16384, -EINVAL}, {1, 16, 4096, 0},
		{1, 16, 65536, -EINVAL}, {0, 16, 65536, 0},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rn_core_cfg core = {.client = rows[i].client,
						 .nshards = rows[i].nshards,
						 .max_qp = rows[i].max_qp};
		char err[160] = "";

		assert_int_equal(rn_settings_fit(&core, err, sizeof(err)), rows[i].rc);
		assert_int_equal(err[0] == '\0', rows[i].rc == 0);
		if (rows[i].nshards == 5)
			assert_string_equal(
				err,
				"limits.max_qp is 16384, but a process that shares its port has room for 13106 queue pairs on each of 5 shards");
	}
}

/* The daemon's limit is that of the whole process, and each shard has a queue pair at least. */
static void test_the_daemon_limits_a_client(void **state)
{
	static const struct {
		uint32_t nshards, max_qp, of_daemon, result;
	} rows[] = {{1, 16384, 0, 16384},    {5, 16384, 0, 16384}, {5, 16384, 65530, 13106},
		    {8, 16384, 65536, 8192}, {8, 100, 65536, 100}, {8, 16384, 4, 1}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_core_cfg core = {.nshards = rows[i].nshards, .max_qp = rows[i].max_qp};
		const struct rn_daemon_port p = {.number = 7, .max_qp = rows[i].of_daemon};

		rn_settings_client(&core, &p);
		assert_int_equal(core.client, 7);
		assert_int_equal(core.max_qp, rows[i].result);
	}
}

static struct rn_cc_cfg congestion_of(const char *text)
{
	static struct rn_config cfg;
	struct rn_core_cfg core;
	char err[256];

	assert_int_equal(rn_config_parse(text, "t.conf", &cfg, err, sizeof(err)), 0);
	rn_settings_core(&cfg, 0, &(struct rn_secrets){0}, &core);
	rn_settings_line(&core, 25000);
	return core.cc;
}

#define ADAPTER "adapters = ({ name = \"a\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"]; });\n"

/* Without a `congestion` section the line rate is the port's speed, and all other parameters have
 * the core's defaults. Each key of the section sets one parameter. */
static void test_congestion(void **state)
{
	struct rn_cc_cfg p, d;

	rn_cc_defaults(&d);
	p = congestion_of(ADAPTER);
	assert_int_equal(p.line_rate, UINT64_C(25000000000)); /* default: the port's speed */
#define SAME(field) assert_int_equal(p.field, d.field)
	SAME(algorithm);
	SAME(ecn);
	SAME(clamp_tgt_rate);
	SAME(clamp_tgt_rate_after_time_inc);
	SAME(cnp_dscp);
	SAME(cnp_prio);
	SAME(threshold);
	SAME(gd);
	SAME(min_dec_fac);
	SAME(g);
	SAME(initial_alpha);
	SAME(byte_reset);
	SAME(cnp_interval);
	SAME(time_reset);
	SAME(alpha_period);
	SAME(monitor_period);
	SAME(min_rate);
	SAME(ai_rate);
	SAME(hai_rate);
	SAME(first_rate);
#undef SAME
	p = congestion_of(
		ADAPTER
		"congestion = { algorithm = \"none\"; ecn = false; cnp_interval_us = 4; cnp_dscp = 1; "
		"cnp_802p_prio = 2; rpg_max_rate = 8000; rpg_min_rate = 3; rpg_ai_rate = 4; rpg_hai_rate = 5; "
		"rpg_time_reset_us = 6; rpg_byte_reset = 7; rpg_threshold = 8; rpg_gd = 12; rpg_min_dec_fac = 10; "
		"rate_to_set_on_first_cnp = 11; rate_reduce_monitor_us = 13; initial_alpha_value = 14; "
		"dce_tcp_g = 15; dce_tcp_rtt_us = 16; clamp_tgt_rate = true; "
		"clamp_tgt_rate_after_time_inc = false; };");
	const struct rn_cc_cfg want = {.algorithm = RN_CC_NONE,
				       .clamp_tgt_rate = true,
				       .cnp_dscp = 1,
				       .cnp_prio = 2,
				       .threshold = 8,
				       .gd = 12,
				       .min_dec_fac = 10,
				       .g = 15,
				       .initial_alpha = 14,
				       .byte_reset = 7,
				       .cnp_interval = 4000,
				       .time_reset = 6000,
				       .alpha_period = 16000,
				       .monitor_period = 13000,
				       .line_rate = UINT64_C(8000000000),
				       .min_rate = 3000000,
				       .ai_rate = 4000000,
				       .hai_rate = 5000000,
				       .first_rate = 11000000};
#define SAME(field) assert_int_equal(p.field, want.field)
	SAME(algorithm);
	SAME(ecn);
	SAME(clamp_tgt_rate);
	SAME(clamp_tgt_rate_after_time_inc);
	SAME(cnp_dscp);
	SAME(cnp_prio);
	SAME(threshold);
	SAME(gd);
	SAME(min_dec_fac);
	SAME(g);
	SAME(initial_alpha);
	SAME(byte_reset);
	SAME(cnp_interval);
	SAME(time_reset);
	SAME(alpha_period);
	SAME(monitor_period);
	SAME(line_rate);
	SAME(min_rate);
	SAME(ai_rate);
	SAME(hai_rate);
	SAME(first_rate);
#undef SAME
	/* A line rate below the minimum rate is replaced by the minimum rate. */
	p = congestion_of(ADAPTER "congestion = { rpg_max_rate = 5; rpg_min_rate = 100; };");
	assert_int_equal(p.line_rate, p.min_rate);
}

/* limits.port_ring = 0 leaves the number of descriptors to the drivers of devices. A memif has as
 * many buffers as by default. */
static void test_own_rings(void **state)
{
	static struct rn_config cfg = {.nadapters = 1};
	struct rn_config_adapter *a = &cfg.adapter[0];
	struct rn_vdev_spec spec;
	char name[64], args[512];

	a->port = RN_CONFIG_PORT_MEMIF;
	a->mtu = 1500;
	snprintf(a->socket, sizeof(a->socket), "@own_rings");
	assert_int_equal(rn_settings_ring(&cfg), 1024);
	rn_settings_vdev(&cfg, 0, mac, &spec);
	assert_int_equal(rn_vdev_string(&spec, name, sizeof(name), args, sizeof(args)), 0);
	assert_non_null(strstr(args, ",rsize=8,"));
	cfg.limits.port_ring = 64;
	assert_int_equal(rn_settings_ring(&cfg), 64);
}

/* An adapter with a port of softrnicd has the attributes that the daemon gives. */
static void test_port_of_the_daemon(void **state)
{
	struct rn_config_adapter a = {.mtu = 1500, .max_path_mtu = 4096, .link_local = true};
	struct rn_daemon_port p = {
		.has_vlan = 1,
		.vlan_tci = 3 << 13 | 5,
		.ngids = 4,
		.mtu = 4200,
		.max_path_mtu = 4,
		.tclass = 26 << 2,
		.hop_limit = 9,
		.gids = {{{[10] = 0xff, 0xff, 192, 0, 2, 1}},
			 {{[10] = 0xff, 0xff, 192, 0, 3, 1}},
			 {{0x20, 1, [15] = 1}},
			 {{0xfe, 0x80, [8] = 0, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55}}},
		.prefix_len = {24, 25, 64, 64},
		.gateway4 = {{[10] = 0xff, 0xff, 192, 0, 2, 9}},
	};
	struct rn_port_attr attr;

	memcpy(p.mac, mac, 6);
	assert_int_equal(rn_settings_daemon(&a, &p), 0);
	assert_true(a.mac.set);
	assert_memory_equal(a.mac.b, mac, 6);
	attr = port_of(&a);
	assert_int_equal(attr.ngids, p.ngids);
	assert_memory_equal(attr.gids, p.gids, 4 * sizeof(p.gids[0]));
	assert_memory_equal(attr.prefix_len, p.prefix_len, 4);
	assert_memory_equal(&attr.gateway4, &p.gateway4, 16);
	assert_true(attr.has_vlan);
	assert_int_equal(attr.vlan_tci, p.vlan_tci);
	assert_int_equal(attr.mtu, 4200);
	assert_int_equal(attr.max_path_mtu, 4);
	assert_int_equal(attr.tclass, p.tclass);
	assert_int_equal(attr.hop_limit, 9);
}

/* The daemon may have eight IPv6 addresses and the link-local one, but not nine others. */
static void test_many_addresses_of_the_daemon(void **state)
{
	struct rn_config_adapter a = {.mtu = 1500, .max_path_mtu = 4096};
	struct rn_daemon_port p = {.ngids = 9, .mtu = 1500, .max_path_mtu = 5, .hop_limit = 64};
	struct rn_port_attr attr;

	memcpy(p.mac, mac, 6);
	for (unsigned i = 0; i < 9; i++) {
		p.gids[i] = (struct rn_gid){{0x20, 1, [15] = (uint8_t)(i + 1)}};
		p.prefix_len[i] = 64;
	}
	assert_int_equal(rn_settings_daemon(&a, &p), -EPROTO);
	p.gids[8] =
		(struct rn_gid){{0xfe, 0x80, [8] = 0, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55}};
	assert_int_equal(rn_settings_daemon(&a, &p), 0);
	attr = port_of(&a);
	assert_int_equal(attr.ngids, 9);
	assert_memory_equal(attr.gids, p.gids, 9 * sizeof(p.gids[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_local),
		cmocka_unit_test(test_several_addresses),
		cmocka_unit_test(test_tag_and_class),
		cmocka_unit_test(test_path_mtu),
		cmocka_unit_test(test_congestion),
		cmocka_unit_test(test_own_rings),
		cmocka_unit_test(test_client_limits),
		cmocka_unit_test(test_the_daemon_limits_a_client),
		cmocka_unit_test(test_port_of_the_daemon),
		cmocka_unit_test(test_many_addresses_of_the_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
