/* What the driver of a network card is asked for, so that the card passes on no more frames than
 * the adapter needs. The functions of DPDK are replaced by those below, which record the calls and
 * answer as a row says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_log.h>

#include "port/filter.h"
#include "port/port.h"
#include "port/log.h"

/* What the driver answers to each request. */
struct driver {
	int set_mac, add_mac, vlan, list, multicast, promiscuous;
};

static struct driver driver;
static char calls[256];

static int answer(int rc, const char *format, unsigned number)
{
	size_t used = strlen(calls);

	snprintf(calls + used, sizeof(calls) - used, format, number);
	return rc;
}

int rte_eth_dev_default_mac_addr_set(uint16_t id, struct rte_ether_addr *addr)
{
	return answer(driver.set_mac, "set%02x ", addr->addr_bytes[5]);
}

int rte_eth_dev_mac_addr_add(uint16_t id, struct rte_ether_addr *addr, uint32_t pool)
{
	return answer(driver.add_mac, "add%02x ", addr->addr_bytes[5]);
}

int rte_eth_dev_vlan_filter(uint16_t id, uint16_t vlan, int on)
{
	assert_int_equal(on, 1);
	return answer(driver.vlan, "vlan%u ", vlan);
}

int rte_eth_dev_set_mc_addr_list(uint16_t id, struct rte_ether_addr *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(list[i].addr_bytes[5], i);
	return answer(driver.list, "list%u ", n);
}

int rte_eth_promiscuous_enable(uint16_t id)
{
	return answer(driver.promiscuous, "promiscuous ", 0);
}

int rte_eth_allmulticast_enable(uint16_t id)
{
	return answer(driver.multicast, "multicast ", 0);
}

#define NO -ENOTSUP

static const uint8_t own[6] = {2, 0, 0, 0, 0, 1}, other[6] = {2, 0, 0, 0, 0, 2};

static const struct {
	const uint8_t *mac;
	uint16_t vlan_id;
	bool filters; /* the card filters VLANs */
	struct driver driver;
	const char *calls;
	const uint8_t *has; /* the port's address afterwards */
	enum rn_filter step;
	int rc;
	const char *says;
} unicasts[] = {
	{NULL, 0, false, {0}, "", own, RN_FILTER_UNSET, 0, ""},
	{own, 0, false, {0}, "", own, RN_FILTER_UNSET, 0, ""},
	{other, 0, false, {0}, "set02 ", other, RN_FILTER_UNSET, 0, ""},
	/* The card has a second address. */
	{other, 0, false, {.set_mac = NO}, "set02 add02 ", other, RN_FILTER_UNSET, 0, ""},
	/* The card receives all frames. */
	{other,
	 0,
	 false,
	 {.set_mac = NO, .add_mac = -ENOSPC},
	 "set02 add02 promiscuous ",
	 other,
	 RN_FILTER_ALL,
	 0,
	 ""},
	/* Frames to the adapter would be dropped. */
	{other,
	 0,
	 false,
	 {.set_mac = -EPERM, .add_mac = -EPERM, .promiscuous = -EPERM},
	 "set02 add02 promiscuous ",
	 own,
	 RN_FILTER_UNSET,
	 -EPERM,
	 "leave out mac"},
	/* a card with a VLAN filter, and one without */
	{NULL, 100, true, {0}, "vlan0 vlan100 ", own, RN_FILTER_UNSET, 0, ""},
	{NULL, 100, false, {0}, "", own, RN_FILTER_UNSET, 0, ""},
	{NULL, 0, true, {0}, "vlan0 ", own, RN_FILTER_UNSET, 0, ""},
	{NULL, 100, true, {.vlan = NO}, "vlan0 vlan100 promiscuous ", own, RN_FILTER_ALL, 0, ""},
	{NULL,
	 100,
	 true,
	 {.vlan = NO, .promiscuous = NO},
	 "vlan0 vlan100 promiscuous ",
	 own,
	 RN_FILTER_UNSET,
	 NO,
	 "no frames of VLAN 100"},
};

static void a_card_receives_frames_to_the_adapter(void **state)
{
	rn_log_open(RN_LOG_ERROR);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(unicasts); i++) {
		struct rn_port port = {
			.name = "card",
			.card = true,
			.vlan_id = unicasts[i].vlan_id,
			.rx_offloads = unicasts[i].filters ? RTE_ETH_RX_OFFLOAD_VLAN_FILTER : 0,
		};
		char err[300] = "";

		memcpy(port.mac, own, 6);
		driver = unicasts[i].driver;
		calls[0] = '\0';
		assert_int_equal(rn_filter_unicast(&port, unicasts[i].mac, err, sizeof(err)),
				 unicasts[i].rc);
		assert_string_equal(calls, unicasts[i].calls);
		assert_memory_equal(port.mac, unicasts[i].has, 6);
		assert_int_equal(port.filter, unicasts[i].step);
		assert_int_equal(err[0] != '\0', unicasts[i].rc != 0);
		assert_non_null(strstr(err, unicasts[i].says));
	}
}

/* An adapter that ends gives a card whose address it has changed its own one back, once. */
static void a_card_gets_its_address_back(void **state)
{
	static const struct {
		const uint8_t *mac;
		struct driver driver;
		const char *calls;
	} rows[] = {
		{NULL, {0}, ""},
		{own, {0}, ""},
		{other, {0}, "set01 "},
		{other, {.set_mac = NO}, ""},
		{other, {.set_mac = NO, .add_mac = NO}, ""},
	};

	rn_log_open(RN_LOG_ERROR);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_port port = {.name = "card", .card = true};
		char err[300];

		memcpy(port.mac, own, 6);
		memcpy(port.own_mac, own, 6);
		driver = rows[i].driver;
		assert_int_equal(rn_filter_unicast(&port, rows[i].mac, err, sizeof(err)), 0);
		calls[0] = '\0';
		rn_filter_restore(&port);
		rn_filter_restore(&port);
		assert_string_equal(calls, rows[i].calls);
	}
}

static void a_card_that_keeps_the_address_is_reported(void **state)
{
	struct rn_port port = {.name = "card", .card = true, .mac_changed = true};
	char line[128] = "";
	FILE *log = tmpfile();

	assert_non_null(log);
	rte_openlog_stream(log);
	rn_log_open(RN_LOG_WARNING);
	driver = (struct driver){.set_mac = NO};
	rn_filter_restore(&port);
	rte_openlog_stream(NULL);
	rewind(log);
	assert_non_null(fgets(line, sizeof(line), log));
	assert_string_equal(line, "softrnic: warning: port card: its driver does not give the card "
				  "its own MAC address back: Operation not supported\n");
	assert_null(fgets(line, sizeof(line), log));
	fclose(log);
}

static const struct {
	bool card;
	enum rn_filter before;
	unsigned n;
	struct driver driver;
	const char *calls;
	enum rn_filter after;
} groups[] = {
	{true, RN_FILTER_UNSET, 3, {0}, "list3 ", RN_FILTER_LIST},
	{true, RN_FILTER_LIST, 4, {0}, "list4 ", RN_FILTER_LIST},
	{true, RN_FILTER_LIST, RN_FILTER_GROUPS, {0}, "list81 ", RN_FILTER_LIST},
	{true, RN_FILTER_UNSET, 3, {.list = NO}, "list3 multicast ", RN_FILTER_MULTICAST},
	{true, RN_FILTER_LIST, 60, {.list = -ENOSPC}, "list60 multicast ", RN_FILTER_MULTICAST},
	{true,
	 RN_FILTER_UNSET,
	 3,
	 {.list = NO, .multicast = NO},
	 "list3 multicast promiscuous ",
	 RN_FILTER_ALL},
	/* a virtual function that may receive nothing but its own frames */
	{true,
	 RN_FILTER_UNSET,
	 3,
	 {.list = NO, .multicast = -EPERM, .promiscuous = -EPERM},
	 "list3 multicast promiscuous ",
	 RN_FILTER_DEAF},
	/* It is asked again when other groups are needed. */
	{true, RN_FILTER_DEAF, 1, {.multicast = -EPERM}, "list1 ", RN_FILTER_LIST},
	{true, RN_FILTER_MULTICAST, 3, {0}, "multicast ", RN_FILTER_MULTICAST},
	{true, RN_FILTER_ALL, 3, {0}, "", RN_FILTER_ALL},
	/* An adapter without IPv6 and groups needs no multicast frames. */
	{true, RN_FILTER_UNSET, 0, {.list = NO}, "list0 ", RN_FILTER_LIST},
	{true, RN_FILTER_LIST, 0, {0}, "list0 ", RN_FILTER_LIST},
	/* Software ports, which are in promiscuous mode if they can be. */
	{false, RN_FILTER_UNSET, 3, {0}, "list3 ", RN_FILTER_UNSET},
	{false, RN_FILTER_UNSET, 3, {.list = NO}, "list3 multicast ", RN_FILTER_UNSET},
	{false,
	 RN_FILTER_UNSET,
	 3,
	 {.list = NO, .multicast = NO},
	 "list3 multicast ",
	 RN_FILTER_UNSET},
	{false, RN_FILTER_UNSET, 0, {.list = NO}, "list0 ", RN_FILTER_UNSET},
};

/* net_ixgbe_vf drops the 31st address of a list and those behind it without an error. */
static void a_list_that_would_be_cut_is_not_used(void **state)
{
	struct rn_port port = {.name = "card", .card = true, .driver = "net_ixgbe_vf"};
	uint8_t mac[31][6] = {{0}};

	for (unsigned i = 0; i < 31; i++)
		mac[i][5] = (uint8_t)i;
	driver = (struct driver){0};
	calls[0] = '\0';
	rn_filter_groups(&port, (const uint8_t(*)[6])mac, 30);
	assert_string_equal(calls, "list30 ");
	rn_filter_groups(&port, (const uint8_t(*)[6])mac, 31);
	assert_string_equal(calls, "list30 multicast ");
	assert_int_equal(port.filter, RN_FILTER_MULTICAST);
}

static void a_card_receives_the_groups_that_are_needed(void **state)
{
	rn_log_open(RN_LOG_ERROR);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(groups); i++) {
		struct rn_port port = {
			.name = "card", .card = groups[i].card, .filter = groups[i].before};
		uint8_t mac[RN_FILTER_GROUPS][6];

		for (unsigned k = 0; k < groups[i].n; k++)
			memcpy(mac[k], (uint8_t[6]){1, 0, 0x5e, 0, 0, (uint8_t)k}, 6);
		driver = groups[i].driver;
		calls[0] = '\0';
		rn_filter_groups(&port, (const uint8_t(*)[6])mac, groups[i].n);
		assert_string_equal(calls, groups[i].calls);
		assert_int_equal(port.filter, groups[i].after);
	}
}

/* Only some drivers drop frames of VLANs that were not entered. */
static void the_vlan_filter_is_requested_where_it_is_needed(void **state)
{
	const uint64_t capable = RTE_ETH_RX_OFFLOAD_VLAN_FILTER | RTE_ETH_RX_OFFLOAD_SCATTER;
	static const struct {
		const char *driver;
		uint16_t vlan_id;
		uint64_t capable, offloads;
	} rows[] = {
		{"net_virtio", 100, capable, RTE_ETH_RX_OFFLOAD_VLAN_FILTER},
		{"net_virtio", 0, capable, RTE_ETH_RX_OFFLOAD_VLAN_FILTER},
		{"net_virtio", 100, RTE_ETH_RX_OFFLOAD_SCATTER, 0}, /* it has no such filter */
		{"net_iavf", 100, capable, RTE_ETH_RX_OFFLOAD_VLAN_FILTER},
		{"net_iavf", 0, capable, 0},
		{"net_e1000_em", 100, capable, 0},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		const struct rte_eth_dev_info info = {.rx_offload_capa = rows[i].capable};
		struct rte_eth_conf conf = {0};
		struct rn_port port = {.vlan_id = rows[i].vlan_id};

		snprintf(port.driver, sizeof(port.driver), "%s", rows[i].driver);
		rn_filter_fit(&port, &info, &conf);
		assert_int_equal(conf.rxmode.offloads, rows[i].offloads);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_receives_frames_to_the_adapter),
		cmocka_unit_test(a_card_gets_its_address_back),
		cmocka_unit_test(a_card_that_keeps_the_address_is_reported),
		cmocka_unit_test(a_card_receives_the_groups_that_are_needed),
		cmocka_unit_test(a_list_that_would_be_cut_is_not_used),
		cmocka_unit_test(the_vlan_filter_is_requested_where_it_is_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
