/* Tests the rules that concern several configuration keys:
 * - unique names, ring peers, addresses;
 * - keys that belong to another kind of port;
 * - pairs of keys whose values limit each other;
 * - values that are derived from other keys. */
#include "snippet.h"

#include "rn/daemon.h"

#define ROWS(...)                                           \
	static const struct snippet rows[] = {__VA_ARGS__}; \
	(void)state;                                        \
	check_snippets(rows, sizeof(rows) / sizeof(rows[0]))

#define ONE(keys)      "{ name = \"a\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"]; " keys "}"
#define TWO(keys)      "{ name = \"b\"; port = \"null\"; ipv4 = [\"192.0.2.2/24\"]; " keys "}"
#define PAIR(one, two) "adapters = (" one ",\n" two ");"

static void test_names(void **state)
{
	ROWS({PAIR(ONE(), TWO()), NULL},
	     {PAIR(ONE(), "{ name = \"a\"; port = \"null\"; ipv4 = [\"192.0.2.2/24\"]; }"),
	      "t.conf:2: adapters[1].name: found \"a\", the name of adapters[0], allowed: a unique name"},
	     {"adapters = ({ port = \"null\"; });",
	      "t.conf:1: adapters[0]: found no name, allowed: a unique name = \"...\";"});
}

#define RING(name, peer, n)                                                                 \
	"{ name = \"" name "\"; port = \"ring\"; peer = \"" peer "\"; ipv4 = [\"192.0.2." n \
	"/24\"]; }"

static void test_ring_peers(void **state)
{
	ROWS({PAIR(RING("a", "b", "1"), RING("b", "a", "2")), NULL},
	     {PAIR(RING("a", "c", "1"), RING("b", "a", "2")),
	      "t.conf:1: adapters[0].peer: found \"c\", allowed: another adapter with port = \"ring\" and peer = \"a\""},
	     {PAIR(RING("a", "b", "1"), RING("b", "b", "2")),
	      "t.conf:1: adapters[0].peer: found \"b\", allowed: another adapter with port = \"ring\" and peer = \"a\""},
	     {PAIR(RING("a", "b", "1"), TWO()),
	      "t.conf:1: adapters[0].peer: found \"b\", allowed: another adapter with port = \"ring\" and peer = \"a\""},
	     {"adapters = (" RING("a", "a", "1") ");",
	      "t.conf:1: adapters[0].peer: found \"a\", allowed: another adapter with port = \"ring\" and peer = \"a\""});
}

static void test_keys_by_kind_of_port(void **state)
{
	ROWS({"adapters = ({ name = \"a\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0]: found no peer, required with port = \"ring\""},
	     {"adapters = ({ name = \"a\";\nport = \"memif\"; role = \"client\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:2: adapters[0].port: found no socket, required with port = \"memif\""},
	     {"adapters = ({ name = \"a\"; port = \"memif\"; socket = \"/s\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].port: found no role, required with port = \"memif\""},
	     {"adapters = ({ name = \"a\"; port = \"af_packet\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].port: found no iface, required with port = \"af_packet\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].port: found no vdev, required with port = \"vdev\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_af_packet0,iface=e\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the driver net_af_packet, allowed: another one; for a kernel interface write "
	      "port = \"af_packet\"; iface = \"...\";"},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"eth_af_packet0,iface=e\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the driver eth_af_packet, allowed: another one; for a kernel interface write "
	      "port = \"af_packet\"; iface = \"...\";"},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_tap0,iface=t\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_bonding0,mode=1,slave=0000:04:00.0,slave=0000:05:00.0\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the PCI address \"0000:04:00.0\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_bonding0,slave=net_tap0,slave=05:00.1,mode=1\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the PCI address \"05:00.1\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_failsafe0,dev(0000:04:00.0,x=1),dev(net_tap0)\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the PCI address \"0000:04:00.0\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_bonding0,member=pci:0000:04:00.0\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the PCI address \"pci:0000:04:00.0\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_bonding0,mode=1,slave=net_tap0,slave=net_tap1\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_tap0,mac=02:00:00:00:00:01,iface=x.0\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_failsafe0,exec(/bin/find-card),dev(net_tap0)\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found \"exec\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_failsafe0,dev(net_tap0),fd(5)\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found \"fd\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_failsafe0,dev(auxiliary:mlx5_core.sf.1)\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found \"auxiliary:mlx5_core.sf.1\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_bonding0,mode=1,slave=auxiliary:mlx5_core.sf.1\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found \"auxiliary:mlx5_core.sf.1\" among the driver's arguments, allowed: members that "
	      "are software ports; a network card needs an adapter of its own with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"auxiliary:mlx5_core.sf.1\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found \"auxiliary:mlx5_core.sf.1\", allowed: a software port; for a network card "
	      "write port = \"pci\"; pci = \"...\";"},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_tap0,iface=exec,remote=fd\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"net_tap0,,=()\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {"adapters = ({ name = \"a\"; port = \"vdev\"; vdev = \"04:00.0,x=1\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].vdev: found the PCI address \"04:00.0,x=1\", allowed: a software port; for a network card "
	      "write port = \"pci\"; pci = \"...\";"},
	     {"adapters = ({ name = \"a\"; port = \"pci\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].port: found no pci, required with port = \"pci\""},
	     {"adapters = ({ name = \"a\"; port = \"pci\"; pci = \"eth0\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].pci: found \"eth0\", allowed: a PCI address such as \"0000:04:00.0\", driver options may follow "
	      "it after a comma; softrnic-config --devices lists the cards"},
	     {PAIR("{ name = \"a\"; port = \"pci\"; pci = \"0000:04:00.0,x=1\"; ipv4 = [\"192.0.2.1/24\"]; }",
		   "{ name = \"b\"; port = \"pci\"; pci = \"04:00.0\"; ipv4 = [\"192.0.2.2/24\"]; }"),
	      "t.conf:2: adapters[1].pci: found \"04:00.0\", the card of adapters[0], allowed: a card of its own for each adapter"},
	     {PAIR("{ name = \"a\"; port = \"pci\"; pci = \"0000:04:00.0,x=1\"; ipv4 = [\"192.0.2.1/24\"]; }",
		   "{ name = \"b\"; port = \"pci\"; pci = \"04:00.1\"; ipv4 = [\"192.0.2.2/24\"]; }"),
	      NULL},
	     {"adapters = ({ name = \"a\"; port = \"pcap\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].port: found neither rx_pcap nor tx_pcap, required: one or both"},
	     {"adapters = ({ name = \"a\"; port = \"pcap\"; tx_pcap = \"f\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {ADAPTER("iface = \"eth0\";"),
	      "t.conf:2: adapters[0].iface: found with port = \"null\", allowed: only with port = \"af_packet\""});
}

static void test_addresses_are_unique(void **state)
{
	ROWS({"adapters = ({ name = \"a\"; port = \"null\"; });",
	      "t.conf:1: adapters[0]: found no address, allowed: ipv4 = [...], ipv6 = [...] or both"},
	     {PAIR(ONE(),
		   "{ name = \"b\"; port = \"null\"; ipv4 = [\"192.0.2.9/24\", \"192.0.2.1/25\"]; }"),
	      "t.conf:2: adapters[1].ipv4: found \"192.0.2.1/25\" a second time, allowed: unique addresses"},
	     {PAIR(ONE(), TWO() ",\n{ name = \"c\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"]; }"),
	      "t.conf:3: adapters[2].ipv4: found \"192.0.2.1/24\" a second time, allowed: unique addresses"},
	     {ADAPTER("ipv6 = [\"2001:db8::1/64\", \"2001:db8:0::1/48\"];"),
	      "t.conf:2: adapters[0].ipv6: found \"2001:db8:0::1/48\" a second time, allowed: unique addresses"},
	     {PAIR(ONE("mac = \"02:00:00:00:00:01\";"), TWO("mac = \"02:00:00:00:00:01\";")),
	      "t.conf:2: adapters[1].mac: found the address of adapters[0], allowed: a unique one"},
	     {ADAPTER("neighbours = ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; },"
		      "{ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:08\"; });"),
	      "t.conf:2: adapters[0].neighbours: found one address in entries 0 and 1, allowed: unique addresses"});
}

static void test_gateways_are_on_link(void **state)
{
	ROWS({ADAPTER("gateway4 = \"192.0.2.254\";"), NULL},
	     {ADAPTER("gateway4 = \"192.0.3.254\";"),
	      "t.conf:2: adapters[0].gateway4: found \"192.0.3.254\", allowed: another host within one of the prefixes"},
	     {ADAPTER("gateway4 = \"192.0.2.1\";"),
	      "t.conf:2: adapters[0].gateway4: found \"192.0.2.1\", allowed: another host within one of the prefixes"},
	     {"adapters = ({ name = \"a\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\", \"192.0.2.2/24\"]; gateway4 = \"192.0.2.2\"; });",
	      "t.conf:1: adapters[0].gateway4: found \"192.0.2.2\", allowed: another host within one of the prefixes"},
	     {ADAPTER("ipv6 = [\"2001:db8::1/64\"]; gateway6 = \"2001:db8::ff\";"), NULL},
	     {ADAPTER("ipv6 = [\"2001:db8::1/64\"]; gateway6 = \"fe80::ff\";"), NULL},
	     {ADAPTER("link_local = true; gateway6 = \"fe80::ff\";"), NULL},
	     {ADAPTER("ipv6 = [\"fe80::1/64\"]; gateway6 = \"fe80::1\";"),
	      "t.conf:2: adapters[0].gateway6: found \"fe80::1\", allowed: another host within one of the prefixes"},
	     {ADAPTER("gateway6 = \"fe80::ff\";"),
	      "t.conf:2: adapters[0].gateway6: found \"fe80::ff\", allowed: another host within one of the prefixes"},
	     {ADAPTER("gateway6 = \"2001:db8::ff\";"),
	      "t.conf:2: adapters[0].gateway6: found \"2001:db8::ff\", allowed: another host within one of the prefixes"});
}

static void test_link_local(void **state)
{
	ROWS({ADAPTER("link_local = true;"), NULL},
	     {"adapters = ({ name = \"a\"; port = \"null\"; link_local = true; });", NULL},
	     {"adapters = ({ name = \"a\"; port = \"af_packet\"; iface = \"eth0\"; link_local = true; });",
	      "t.conf:1: adapters[0].link_local: found without mac on af_packet, allowed: only with mac"},
	     {"adapters = ({ name = \"a\"; port = \"af_packet\"; iface = \"eth0\"; link_local = true; "
	      "mac = \"02:00:00:00:00:01\"; });",
	      NULL});
}

static void test_vlan_priority_needs_a_vlan(void **state)
{
	ROWS({ADAPTER("vlan_id = 5; vlan_prio = 3;"), NULL},
	     {ADAPTER("vlan_prio = 3;"),
	      "t.conf:2: adapters[0].vlan_prio: found without vlan_id, allowed: only with vlan_id"});
}

static void test_orders(void **state)
{
	ROWS({SECTION("idle = { sleep_min_us = 7; sleep_max_us = 7; };"), NULL},
	     {SECTION("idle = {\nsleep_min_us = 2000; };"),
	      "t.conf:3: idle.sleep_min_us: found sleep_min_us = 2000 and sleep_max_us = 1000, "
	      "allowed: sleep_min_us not above sleep_max_us"},
	     {SECTION("timers = {\nrto_initial_us = 10; };"),
	      "t.conf:3: timers.rto_initial_us: found rto_floor_us = 4000 and rto_initial_us = 10, "
	      "allowed: rto_floor_us not above rto_initial_us"});
}

static void test_shards_follow_lcores(void **state)
{
	static struct rn_config cfg;

	(void)state;
	read_good(ADAPTER(""), &cfg);
	assert_int_equal(cfg.adapter[0].shards, 1);
	read_good(ADAPTER("lcores = [0, 1, 5];"), &cfg);
	assert_int_equal(cfg.adapter[0].shards, 3);
	assert_int_equal(cfg.adapter[0].lcores.cpu[2], 5);
	read_good(ADAPTER("lcores = [0]; shards = 2;"), &cfg);
	assert_int_equal(cfg.adapter[0].shards, 2);
}

static const char *note_of(const char *text, uint32_t max_cm)
{
	static struct rn_config cfg;
	static char note[256];

	read_good(text, &cfg);
	assert_int_equal(rn_config_max_cm(&cfg, 0), max_cm);
	rn_config_note(&cfg, 0, note, sizeof(note));
	return note;
}

/* By default limits.max_cm is the number of queue pairs plus 1024 (for listeners), up to a maximum.
 * rn_config_note() reports a limits.max_cm below the number of queue pairs. */
static void test_connections_for_all_queue_pairs(void **state)
{
	(void)state;
	assert_string_equal(note_of(ADAPTER(""), 16384 + 1024), "");
	assert_string_equal(note_of(ADAPTER("shards = 3;"), 3 * 16384 + 1024), "");
	assert_string_equal(note_of(SECTION("limits = { max_qp = 100; };"), 1124), "");
	assert_string_equal(note_of(SECTION("limits = { max_qp = 100; max_cm = 100; };"), 100), "");
	assert_string_equal(
		note_of(SECTION("limits = { max_qp = 100; max_cm = 99; };"), 99),
		"limits.max_cm allows 99 connections and listeners, fewer than the 100 queue pairs of limits.max_qp");
	assert_string_equal(
		note_of(ADAPTER("shards = 5;"), 65536),
		"limits.max_cm allows 65536 connections and listeners, fewer than the 81920 queue pairs of limits.max_qp");
}

/* The adapter begins in line 1, `keys` in line 2. */
#define DAEMON(keys) "adapters = ({ name = \"a\"; port = \"daemon\";\n" keys "});"
#define DECIDED(key, value)                                                                                    \
	{                                                                                                      \
		DAEMON(key " = " value ";"),                                                                   \
			"t.conf:2: adapters[0]." key                                                           \
			": found with port = \"daemon\", allowed: with other ports only; softrnicd decides it" \
	}

static void test_softrnicd_decides_the_attributes_of_its_port(void **state)
{
	ROWS(DECIDED("mac", "\"02:00:00:00:00:01\""), DECIDED("ipv4", "[\"192.0.2.1/24\"]"),
	     DECIDED("ipv6", "[\"2001:db8::1/64\"]"), DECIDED("gateway4", "\"192.0.2.254\""),
	     DECIDED("gateway6", "\"fe80::1\""), DECIDED("vlan_id", "5"), DECIDED("vlan_prio", "1"),
	     DECIDED("mtu", "1500"), DECIDED("max_path_mtu", "1024"), DECIDED("link_local", "true"),
	     DECIDED("dscp", "0"), DECIDED("hop_limit", "64"), {DAEMON("shards = 2;"), NULL},
	     {DAEMON("daemon_wait_ms = 0;"), NULL}, {DAEMON("shards = 8;"), NULL},
	     {DAEMON("shards = 9;"),
	      "t.conf:2: adapters[0].shards: found 9 shards with port = \"daemon\", allowed: at most 8"},
	     {DAEMON("lcores = [0, 1, 2, 3, 4, 5, 6, 7, 8]; shards = 8;"), NULL},
	     {DAEMON("lcores = [0, 1, 2, 3, 4, 5, 6, 7, 8];"),
	      "t.conf:2: adapters[0].lcores: found 9 shards with port = \"daemon\", allowed: at most 8"},
	     {DAEMON("neighbours = ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; });"), NULL},
	     {DAEMON("role = \"client\";"),
	      "t.conf:2: adapters[0].role: found with port = \"daemon\", allowed: only with port = \"memif\""},
	     {ADAPTER("socket = \"/s\";"),
	      "t.conf:2: adapters[0].socket: found with port = \"null\", allowed: only with port = \"memif\" or \"daemon\""});
}

static void test_one_adapter_for_each_daemon(void **state)
{
	ROWS({PAIR("{ name = \"a\"; port = \"daemon\"; }",
		   "{ name = \"b\"; port = \"daemon\"; socket = \"/s\"; }"),
	      NULL},
	     {PAIR("{ name = \"a\"; port = \"daemon\"; }",
		   "{ name = \"b\"; port = \"daemon\"; socket = \"/run/softrnic/softrnicd.sock\"; }"),
	      "t.conf:2: adapters[1].socket: found \"/run/softrnic/softrnicd.sock\", the daemon of adapters[0], "
	      "allowed: one adapter for each daemon"});
}

static void test_the_default_socket_is_that_of_softrnicd(void **state)
{
	static struct rn_config cfg;

	(void)state;
	read_good(DAEMON(""), &cfg);
	assert_string_equal(cfg.adapter[0].socket, RN_DAEMON_SOCKET);
	assert_string_equal(cfg.daemon.socket, RN_DAEMON_SOCKET);
	read_good(DAEMON("socket = \"/s\";"), &cfg);
	assert_string_equal(cfg.adapter[0].socket, "/s");
	read_good(ADAPTER(""), &cfg);
	assert_string_equal(cfg.adapter[0].socket, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ring_peers),
		cmocka_unit_test(test_keys_by_kind_of_port),
		cmocka_unit_test(test_softrnicd_decides_the_attributes_of_its_port),
		cmocka_unit_test(test_one_adapter_for_each_daemon),
		cmocka_unit_test(test_the_default_socket_is_that_of_softrnicd),
		cmocka_unit_test(test_addresses_are_unique),
		cmocka_unit_test(test_gateways_are_on_link),
		cmocka_unit_test(test_link_local),
		cmocka_unit_test(test_vlan_priority_needs_a_vlan),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_shards_follow_lcores),
		cmocka_unit_test(test_connections_for_all_queue_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
