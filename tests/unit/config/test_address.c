/* Tests which texts are accepted as MAC, IPv4 and IPv6 addresses and as address prefixes of an
 * adapter. */
#include "snippet.h"

#include "config/address.h"

static void test_mac(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{"02:00:00:00:00:01", true},
		{"aa:BB:cc:DD:ee:0F", true},
		{"00:00:00:00:00:00", false},
		{"01:00:00:00:00:01", false},
		{"ff:ff:ff:ff:ff:ff", false},
		{"02-00-00-00-00-01", false},
		{"02:00:00:00:00:01 ", false},
		{"2:0:0:0:0:1", false},
		{"", false},
		{"02:00:00:00:00:0g", false},
		{"02:00:00:00:00:01:02", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_config_mac mac = {0};

		assert_int_equal(rn_config_mac_parse(rows[i].text, &mac), rows[i].good);
		assert_int_equal(mac.set, rows[i].good);
	}
}

static void test_net4(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{"192.0.2.1/24", true},	   {"192.0.2.0/24", false},   {"192.0.2.255/24", false},
		{"192.0.2.255/32", true},  {"192.0.2.0/31", true},    {"192.0.2.1", false},
		{"192.0.2.1/", false},	   {"192.0.2.1/33", false},   {"192.0.2.1/+8", false},
		{"192.0.2.1/24x", false},  {"192.0.2/24", false},     {"127.0.0.1/8", false},
		{"224.0.0.1/24", false},   {"0.0.0.0/0", false},      {"10.0.0.1/0", true},
		{"192.0.2.1/0024", false}, {"2001:db8::1/24", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_config_net net;

		if (rn_config_net4_parse(rows[i].text, &net) != rows[i].good)
			fail_msg("%s", rows[i].text);
	}
}

static void test_net6(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{"2001:db8::1/64", true},  {"fe80::1/64", true},
		{"2001:db8::1/128", true}, {"2001:db8::1/129", false},
		{"ff02::1/64", false},	   {"::/64", false},
		{"::1/128", false},	   {"::ffff:192.0.2.1/96", false},
		{"2001:db8::1", false},	   {"2001:db8::1%eth0/64", false},
		{"192.0.2.1/24", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_config_net net;

		if (rn_config_net6_parse(rows[i].text, &net) != rows[i].good)
			fail_msg("%s", rows[i].text);
	}
}

static void test_covers(void **state)
{
	static const struct {
		const char *net, *ip;
		bool inside;
	} rows[] = {
		{"192.0.2.1/24", "192.0.2.200", true},
		{"192.0.2.1/24", "192.0.3.1", false},
		{"192.0.2.1/25", "192.0.2.127", true},
		{"192.0.2.1/25", "192.0.2.128", false},
		{"192.0.2.1/32", "192.0.2.1", true},
		{"192.0.2.1/0", "203.0.113.7", true},
		{"192.0.2.1/24", "2001:db8::1", false},
		{"2001:db8::1/64", "2001:db8::ffff", true},
		{"2001:db8::1/61", "2001:db8:0:8::1", false},
		{"2001:db8::1/61", "2001:db8:0:7::1", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_config_net net;
		struct rn_config_ip ip;

		assert_true(rn_config_net4_parse(rows[i].net, &net) ||
			    rn_config_net6_parse(rows[i].net, &net));
		assert_true(rn_config_ip4_parse(rows[i].ip, &ip) ||
			    rn_config_ip6_parse(rows[i].ip, &ip));
		if (rn_config_net_covers(&net, &ip) != rows[i].inside)
			fail_msg("%s in %s", rows[i].ip, rows[i].net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mac),
		cmocka_unit_test(test_net4),
		cmocka_unit_test(test_net6),
		cmocka_unit_test(test_covers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
