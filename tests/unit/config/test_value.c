/* Tests which values each type of key accepts, and which error message other values cause. */
#include "snippet.h"

#define ROWS(...)                                           \
	static const struct snippet rows[] = {__VA_ARGS__}; \
	(void)state;                                        \
	check_snippets(rows, sizeof(rows) / sizeof(rows[0]))

static void test_whole_numbers(void **state)
{
	ROWS({ADAPTER("mtu = 1280;"), NULL}, {ADAPTER("mtu = 9000;"), NULL},
	     {ADAPTER("mtu = 0x2000;"), NULL},
	     {ADAPTER("mtu = 1279;"), "t.conf:2: adapters[0].mtu: found 1279, allowed: 1280..9000"},
	     {ADAPTER("mtu = 9001;"), "t.conf:2: adapters[0].mtu: found 9001, allowed: 1280..9000"},
	     {ADAPTER("mtu = -1;"), "t.conf:2: adapters[0].mtu: found -1, allowed: 1280..9000"},
	     {ADAPTER("mtu = 4294968796L;"),
	      "t.conf:2: adapters[0].mtu: found 4294968796, allowed: 1280..9000"},
	     {ADAPTER("mtu = 1500.0;"),
	      "t.conf:2: adapters[0].mtu: found 1500, allowed: 1280..9000"},
	     {ADAPTER("mtu = \"1500\";"),
	      "t.conf:2: adapters[0].mtu: found \"1500\", allowed: 1280..9000"},
	     {ADAPTER("mtu = true;"), "t.conf:2: adapters[0].mtu: found true, allowed: 1280..9000"},
	     {ADAPTER("mtu = [1500];"),
	      "t.conf:2: adapters[0].mtu: found an array [] of 1, allowed: 1280..9000"},
	     {ADAPTER("mtu = {};"),
	      "t.conf:2: adapters[0].mtu: found a group {}, allowed: 1280..9000"},
	     {ADAPTER("mtu = (1, 2);"),
	      "t.conf:2: adapters[0].mtu: found a list () of 2, allowed: 1280..9000"});
}

static void test_powers_of_two(void **state)
{
	ROWS({SECTION("limits = { submit_slots = 64; };"), NULL},
	     {SECTION("limits = { submit_slots = 100; };"),
	      "t.conf:2: limits.submit_slots: found 100, allowed: a power of two 64..65536"},
	     {SECTION("limits = { submit_slots = 32; };"),
	      "t.conf:2: limits.submit_slots: found 32, allowed: a power of two 64..65536"});
}

static void test_powers_of_two_or_0(void **state)
{
	ROWS({SECTION("limits = { port_ring = 0; };"), NULL},
	     {SECTION("limits = { port_ring = 64; };"), NULL},
	     {SECTION("limits = { port_ring = 32; };"),
	      "t.conf:2: limits.port_ring: found 32, allowed: 0, or a power of two 64..16384"},
	     {SECTION("limits = { port_ring = 96; };"),
	      "t.conf:2: limits.port_ring: found 96, allowed: 0, or a power of two 64..16384"},
	     {SECTION("limits = { port_ring = -1; };"),
	      "t.conf:2: limits.port_ring: found -1, allowed: 0, or a power of two 64..16384"},
	     {SECTION("limits = { port_ring = 32768; };"),
	      "t.conf:2: limits.port_ring: found 32768, allowed: 0, or a power of two 64..16384"});
}

static void test_seeds_take_64_bits(void **state)
{
	static struct rn_config cfg;

	read_good(SECTION("protocol = { seed = 9223372036854775807L; };"), &cfg);
	assert_true(cfg.protocol.seed == INT64_MAX);
}

static void test_booleans(void **state)
{
	ROWS({SECTION("eal = { shared = true; };"), NULL},
	     {SECTION("eal = { shared = 1; };"),
	      "t.conf:2: eal.shared: found 1, allowed: true | false"},
	     {SECTION("eal = { shared = \"yes\"; };"),
	      "t.conf:2: eal.shared: found \"yes\", allowed: true | false"});
}

static void test_per_cents(void **state)
{
	static struct rn_config cfg;

	read_good(SECTION("impair = { loss = 1; dup = 0.25; };"), &cfg);
	assert_true(cfg.impair.loss == 1.0 && cfg.impair.dup == 0.25);
	ROWS({SECTION("impair = { loss = 100; };"), NULL},
	     {SECTION("impair = { loss = 100.5; };"),
	      "t.conf:2: impair.loss: found 100.5, allowed: 0..100"},
	     {SECTION("impair = { loss = -0.5; };"),
	      "t.conf:2: impair.loss: found -0.5, allowed: 0..100"},
	     {SECTION("impair = { loss = \"1%\"; };"),
	      "t.conf:2: impair.loss: found \"1%\", allowed: 0..100"});
}

static void test_words(void **state)
{
	static struct rn_config cfg;

	read_good(SECTION("idle = { policy = \"inline\"; };"), &cfg);
	assert_int_equal(cfg.idle.policy, RN_CONFIG_POLICY_INLINE);
	ROWS({SECTION("idle = { policy = \"lazy\"; };"),
	      "t.conf:2: idle.policy: found \"lazy\", allowed: \"poll\" | \"adaptive\" | \"inline\""},
	     {SECTION("idle = { policy = 1; };"),
	      "t.conf:2: idle.policy: found 1, allowed: \"poll\" | \"adaptive\" | \"inline\""});
}

static void test_strings(void **state)
{
	ROWS({"adapters = ({ name = \"\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      "t.conf:1: adapters[0].name: found \"\", allowed: a string of 1..31 characters"},
	     {"adapters = ({ name = \"0123456789012345678901234567890\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"]; });",
	      NULL},
	     {"adapters = ({ name = \"01234567890123456789012345678901\"; port = \"null\"; });",
	      "t.conf:1: adapters[0].name: found \"01234567890123456789012345678901\", "
	      "allowed: a string of 1..31 characters"},
	     {SECTION("capture = { file = 7; };"),
	      "t.conf:2: capture.file: found 7, allowed: a string of 0..255 characters"});
}

static void test_control_characters_are_refused(void **state)
{
	ROWS({"adapters = ({ name = \"a\\nb\"; port = \"null\"; });",
	      "t.conf:1: adapters[0].name: found \"a\nb\", allowed: a string of 1..31 characters"});
}

#define MAC_ALLOWED "allowed: a unicast MAC address such as \"02:00:00:00:00:01\""
#define IP4_ALLOWED "allowed: a host's IPv4 address such as \"192.0.2.254\""

static void test_addresses(void **state)
{
	ROWS({ADAPTER("mac = \"02:00:00:00:00:01\";"), NULL},
	     {ADAPTER("mac = \"02:00:00:00:00\";"),
	      "t.conf:2: adapters[0].mac: found \"02:00:00:00:00\", " MAC_ALLOWED},
	     {ADAPTER("mac = 2;"), "t.conf:2: adapters[0].mac: found 2, " MAC_ALLOWED},
	     {ADAPTER("gateway4 = \"192.0.2.254\";"), NULL},
	     {ADAPTER("gateway4 = \"192.0.2\";"),
	      "t.conf:2: adapters[0].gateway4: found \"192.0.2\", " IP4_ALLOWED},
	     {ADAPTER("gateway4 = \"2001:db8::1\";"),
	      "t.conf:2: adapters[0].gateway4: found \"2001:db8::1\", " IP4_ALLOWED},
	     {ADAPTER("gateway6 = \"192.0.2.1\";"),
	      "t.conf:2: adapters[0].gateway6: found \"192.0.2.1\", allowed: a host's IPv6 address such as \"2001:db8::fe\""});
}

#define NETS6_ALLOWED "allowed: up to 8 host addresses such as [\"2001:db8::1/64\"]"

static void test_address_lists(void **state)
{
	ROWS({ADAPTER("ipv6 = [\"2001:db8::1/64\"];"), NULL},
	     {ADAPTER("ipv6 = (\"2001:db8::1/64\");"), NULL},
	     {ADAPTER("ipv6 = \"2001:db8::1/64\";"),
	      "t.conf:2: adapters[0].ipv6: found \"2001:db8::1/64\", " NETS6_ALLOWED},
	     {ADAPTER("ipv6 = [\"2001:db8::1/64\",\n\"2001:db8::2\"];"),
	      "t.conf:3: adapters[0].ipv6[1]: found \"2001:db8::2\", " NETS6_ALLOWED},
	     {ADAPTER("ipv6 = [1, 2];"), "t.conf:2: adapters[0].ipv6[0]: found 1, " NETS6_ALLOWED},
	     {ADAPTER("ipv6 = [\"2001:db8::1/64\", \"2001:db8::2/64\", \"2001:db8::3/64\", \"2001:db8::4/64\","
		      "\"2001:db8::5/64\", \"2001:db8::6/64\", \"2001:db8::7/64\", \"2001:db8::8/64\", \"2001:db8::9/64\"];"),
	      "t.conf:2: adapters[0].ipv6: found an array [] of 9, " NETS6_ALLOWED});
}

#define NEIGHS_ALLOWED \
	"allowed: up to 64 groups such as ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; })"

static void test_neighbours(void **state)
{
	static struct rn_config cfg;

	read_good(ADAPTER("neighbours = ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; },"
			  "{ ip = \"2001:db8::9\"; mac = \"02:00:00:00:00:09\"; });"),
		  &cfg);
	assert_int_equal(cfg.adapter[0].neighbours.n, 2);
	assert_int_equal(cfg.adapter[0].neighbours.neigh[0].ip.b[15], 9);
	assert_int_equal(cfg.adapter[0].neighbours.neigh[1].mac.b[5], 9);
	ROWS({ADAPTER("neighbours = ({ ip = \"192.0.2.9\"; });"),
	      "t.conf:2: adapters[0].neighbours[0]: found a group {}, " NEIGHS_ALLOWED},
	     {ADAPTER("neighbours = ({ ip = \"192.0.2.9\"; mac = \"x\"; });"),
	      "t.conf:2: adapters[0].neighbours[0]: found a group {}, " NEIGHS_ALLOWED},
	     {ADAPTER("neighbours = ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; age = 1; });"),
	      "t.conf:2: adapters[0].neighbours[0]: found a group {}, " NEIGHS_ALLOWED},
	     {ADAPTER("neighbours = (\"192.0.2.9\");"),
	      "t.conf:2: adapters[0].neighbours[0]: found \"192.0.2.9\", " NEIGHS_ALLOWED});
}

#define CPUS_ALLOWED "allowed: up to 16 different CPU numbers such as [0, 1]"

static void test_cpus(void **state)
{
	ROWS({ADAPTER("lcores = [3, 1];"), NULL},
	     {ADAPTER("lcores = [1, 1];"),
	      "t.conf:2: adapters[0].lcores[1]: found 1, " CPUS_ALLOWED},
	     {ADAPTER("lcores = [-1];"),
	      "t.conf:2: adapters[0].lcores[0]: found -1, " CPUS_ALLOWED},
	     {ADAPTER("lcores = [\"0\"];"),
	      "t.conf:2: adapters[0].lcores[0]: found \"0\", " CPUS_ALLOWED},
	     {ADAPTER("lcores = 1;"), "t.conf:2: adapters[0].lcores: found 1, " CPUS_ALLOWED});
}

static void test_arguments(void **state)
{
	static struct rn_config cfg;

	read_good(SECTION("eal = { args = [\"--no-pci\", \"-v\"]; };"), &cfg);
	assert_int_equal(cfg.eal.args.n, 2);
	assert_string_equal(cfg.eal.args.arg[1], "-v");
	ROWS({SECTION("eal = { args = [\"\"]; };"),
	      "t.conf:2: eal.args[0]: found \"\", allowed: up to 16 strings such as [\"--no-pci\"]"});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_powers_of_two),
		cmocka_unit_test(test_powers_of_two_or_0),
		cmocka_unit_test(test_seeds_take_64_bits),
		cmocka_unit_test(test_booleans),
		cmocka_unit_test(test_per_cents),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_control_characters_are_refused),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_address_lists),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
