/* When does a port ask its driver for rules, and when does it take them back? The functions of DPDK
 * that call a driver are replaced by those below, which keep a list of rules. The log is replaced
 * too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <rte_flow.h>

#include "port/flow_rule.h"
#include "port/log.h"
#include "port/port.h"

/* ---- the driver ---- */

#define ROOM 1024u

struct rte_flow {
	bool live;
	char text[160];
};

static struct {
	bool no_ipv4, no_ipv6; /* which rules it refuses at the check */
	unsigned room;	       /* how many rules it has room for */
	bool keeps;	       /* it fails to take a rule back */
	bool keeps_all;	       /* it fails to take all rules back at once */
	struct rte_flow rule[ROOM];
	unsigned live, made, destroys, flushes;
	void (*during)(void); /* called in the middle of rte_flow_create() */
} driver;

static void print(const struct rte_flow_item *item, const struct rte_flow_action *action, char *out,
		  size_t len)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	const struct rte_flow_item_udp *udp = item[2].spec, *mask = item[2].mask;

	assert_int_equal(item[0].type, RTE_FLOW_ITEM_TYPE_ETH);
	assert_null(item[0].spec);
	assert_null(item[0].mask);
	if (item[1].type == RTE_FLOW_ITEM_TYPE_IPV4) {
		const struct rte_flow_item_ipv4 *ip = item[1].spec, *full = item[1].mask;
		inet_ntop(AF_INET, &ip->hdr.src_addr, src, sizeof(src));
		inet_ntop(AF_INET, &ip->hdr.dst_addr, dst, sizeof(dst));
		assert_int_equal(full->hdr.src_addr & full->hdr.dst_addr, UINT32_MAX);
		assert_int_equal(full->hdr.next_proto_id, 0);
	} else {
		const struct rte_flow_item_ipv6 *ip = item[1].spec, *full = item[1].mask;
		assert_int_equal(item[1].type, RTE_FLOW_ITEM_TYPE_IPV6);
		inet_ntop(AF_INET6, ip->hdr.src_addr, src, sizeof(src));
		inet_ntop(AF_INET6, ip->hdr.dst_addr, dst, sizeof(dst));
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(full->hdr.src_addr[i] & full->hdr.dst_addr[i], 0xff);
	}
	assert_int_equal(item[2].type, RTE_FLOW_ITEM_TYPE_UDP);
	assert_int_equal(mask->hdr.src_port & mask->hdr.dst_port, UINT16_MAX);
	assert_int_equal(item[3].type, RTE_FLOW_ITEM_TYPE_END);
	assert_int_equal(action[0].type, RTE_FLOW_ACTION_TYPE_QUEUE);
	assert_int_equal(action[1].type, RTE_FLOW_ACTION_TYPE_END);
	snprintf(out, len, "%s %u > %s %u: %u", src, ntohs(udp->hdr.src_port), dst,
		 ntohs(udp->hdr.dst_port),
		 ((const struct rte_flow_action_queue *)action[0].conf)->index);
}

int rte_flow_validate(uint16_t id, const struct rte_flow_attr *attr,
		      const struct rte_flow_item item[], const struct rte_flow_action action[],
		      struct rte_flow_error *error)
{
	char text[160];

	assert_true(attr->ingress && !attr->egress && !attr->transfer && attr->priority == 0);
	print(item, action, text, sizeof(text));
	return (item[1].type == RTE_FLOW_ITEM_TYPE_IPV4 ? driver.no_ipv4 : driver.no_ipv6) ? -ENOSYS
											   : 0;
}

struct rte_flow *rte_flow_create(uint16_t id, const struct rte_flow_attr *attr,
				 const struct rte_flow_item item[],
				 const struct rte_flow_action action[],
				 struct rte_flow_error *error)
{
	assert_int_equal(id, 5);
	if (driver.during != NULL)
		driver.during();
	if (driver.live == driver.room) {
		error->message = "no room";
		return NULL;
	}
	struct rte_flow *r = &driver.rule[driver.made++];
	print(item, action, r->text, sizeof(r->text));
	r->live = true;
	driver.live++;
	return r;
}

int rte_flow_destroy(uint16_t id, struct rte_flow *r, struct rte_flow_error *error)
{
	driver.destroys++;
	if (driver.keeps)
		return -EIO;
	assert_true(r->live);
	r->live = false;
	driver.live--;
	return 0;
}

int rte_flow_flush(uint16_t id, struct rte_flow_error *error)
{
	assert_int_equal(id, 5);
	driver.flushes++;
	if (driver.keeps_all)
		return -EIO;
	for (unsigned i = 0; i < driver.made; i++)
		driver.rule[i].live = false;
	driver.live = 0;
	return 0;
}

static bool has(const char *text)
{
	for (unsigned i = 0; i < driver.made; i++)
		if (driver.rule[i].live && strcmp(driver.rule[i].text, text) == 0)
			return true;
	return false;
}

/* ---- the log ---- */

const struct rn_log_row rn_log_rows[RN_LOG_COUNT];
static unsigned lines[RN_LOG_COUNT];

void rn_log_write(enum rn_log_id id, const char *text, ...)
{
	lines[id]++;
}

/* ---- helpers ---- */

static struct rn_port port;
static struct rn_flow_rules *rules;
static rn_time now;

static int set_up(void **state)
{
	memset(&driver, 0, sizeof(driver));
	driver.room = ROOM;
	memset(lines, 0, sizeof(lines));
	now = RN_S(5);
	port = (struct rn_port){.id = 5, .nrxq = 2, .name = "p"};
	rules = rn_flow_rule_create(&port);
	assert_non_null(rules);
	return 0;
}

static int tear_down(void **state)
{
	rn_flow_rule_destroy(rules);
	rules = NULL;
	return 0;
}

static struct rn_pkt packet(uint32_t qpn, uint16_t sport)
{
	return (struct rn_pkt){
		.ipv4 = true,
		.dest_qpn = qpn,
		.udp_sport = sport,
		.src.b = {[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 9},
		.dst.b = {[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1},
	};
}

static void wish(unsigned shard, uint32_t qpn, uint16_t sport)
{
	struct rn_pkt pkt = packet(qpn, sport);

	rn_flow_rule_wish(rules, shard, &pkt);
}

static void watch(void)
{
	rn_flow_rule_watch(rules, now);
}

static struct rn_flow_rule_stats stats(void)
{
	struct rn_flow_rule_stats s;

	rn_flow_rule_stats(rules, &s);
	return s;
}

/* ---- tests ---- */

static void a_port_without_use_for_rules_has_none(void **state)
{
	static const struct {
		uint16_t nrxq, vlan_id;
		bool no_ipv4, no_ipv6, some;
	} rows[] = {
		{2, 0, false, false, true},  {1, 0, false, false, false},
		{2, 7, false, false, false}, {2, 0, true, true, false},
		{4, 0, true, false, true},   {16, 0, false, true, true},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		port = (struct rn_port){.nrxq = rows[i].nrxq, .vlan_id = rows[i].vlan_id};
		driver.no_ipv4 = rows[i].no_ipv4;
		driver.no_ipv6 = rows[i].no_ipv6;
		lines[RN_LOG_ID_FLOW_RULES] = 0;
		struct rn_flow_rules *r = rn_flow_rule_create(&port);
		assert_int_equal(r != NULL, rows[i].some);
		assert_int_equal(lines[RN_LOG_ID_FLOW_RULES], rows[i].some);
		rn_flow_rule_destroy(r);
	}
	assert_int_equal(driver.made, 0);
	/* All other functions accept such a port. */
	struct rn_pkt pkt = packet(5, 1);
	struct rn_flow_rule_stats s;
	rn_flow_rule_wish(NULL, 0, &pkt);
	rn_flow_rule_end(NULL, 5);
	rn_flow_rule_watch(NULL, 0);
	rn_flow_rule_flush(NULL);
	rn_flow_rule_stats(NULL, &s);
	assert_int_equal(s.flow_rules, 0);
}

static void a_wish_becomes_a_rule_to_the_queue_of_the_shard(void **state)
{
	struct rn_pkt v6 = packet(21, 50001);

	wish(1, 17, 50000);
	v6.ipv4 = false;
	v6.src = (struct rn_gid){.b = {0x20, 1, 0xd, 0xb8, [15] = 9}};
	v6.dst = (struct rn_gid){.b = {0x20, 1, 0xd, 0xb8, [15] = 1}};
	rn_flow_rule_wish(rules, 0, &v6);
	assert_int_equal(driver.made, 0); /* the shard does not call the driver */
	watch();
	assert_true(has("192.0.2.9 50000 > 192.0.2.1 4791: 1"));
	assert_true(has("2001:db8::9 50001 > 2001:db8::1 4791: 0"));
	assert_int_equal(stats().flow_rules, 2);
	watch();
	assert_int_equal(driver.made, 2);
}

static void only_rules_that_the_driver_takes_are_wished(void **state)
{
	rn_flow_rule_destroy(rules);
	driver.no_ipv4 = true;
	rules = rn_flow_rule_create(&port);
	wish(1, 17, 50000);
	wish(2, 18, 50000); /* a shard without a receive queue */
	watch();
	assert_int_equal(driver.made, 0);
}

static void a_queue_pair_and_a_flow_have_one_rule_each(void **state)
{
	wish(1, 17, 50000);
	wish(1, 17, 50000);
	watch();
	wish(1, 17, 50001); /* the peer sends from another port */
	wish(0, 18, 50000); /* another queue pair of the peer, and of another shard */
	watch();
	assert_int_equal(driver.made, 1);
	assert_true(has("192.0.2.9 50000 > 192.0.2.1 4791: 1"));
	/* The second one gets its rule when the first has gone. */
	rn_flow_rule_end(rules, 17);
	watch();
	wish(0, 18, 50000);
	watch();
	assert_int_equal(driver.live, 1);
	assert_true(has("192.0.2.9 50000 > 192.0.2.1 4791: 0"));
}

static void a_rule_ends_with_its_queue_pair(void **state)
{
	wish(1, 17, 50000);
	wish(1, 19, 50001);
	watch();
	rn_flow_rule_end(rules, 17);
	assert_int_equal(driver.live, 2); /* the control thread does not call the driver */
	watch();
	assert_int_equal(driver.live, 1);
	assert_true(has("192.0.2.9 50001 > 192.0.2.1 4791: 1"));
	assert_int_equal(stats().flow_rules_ended, 1);
	/* A queue pair may get the number of an earlier one at once. */
	rn_flow_rule_end(rules, 19);
	wish(1, 19, 50002);
	watch();
	assert_int_equal(driver.live, 1);
	assert_true(has("192.0.2.9 50002 > 192.0.2.1 4791: 1"));
}

/* The wish still waits when the queue pair is destroyed. */
static void a_wish_ends_with_its_queue_pair(void **state)
{
	wish(1, 17, 50000);
	rn_flow_rule_end(rules, 17);
	watch();
	assert_int_equal(driver.made, 0);
}

static void end_of_17(void)
{
	rn_flow_rule_end(rules, 17);
}

/* A control thread destroys the queue pair while the driver makes the rule. */
static void a_rule_that_ends_while_it_is_made_is_taken_back(void **state)
{
	driver.during = end_of_17;
	wish(1, 17, 50000);
	watch();
	driver.during = NULL;
	watch();
	assert_int_equal(driver.made, 1);
	assert_int_equal(driver.live, 0);
}

static void a_refusal_ends_the_wishes_until_a_rule_has_gone(void **state)
{
	driver.room = 1;
	for (uint32_t i = 0; i < 5; i++)
		wish(1, 17 + 2 * i, (uint16_t)(50000 + i));
	watch();
	assert_int_equal(driver.live, 1);
	assert_int_equal(stats().flow_rules_refused, 1);
	assert_int_equal(lines[RN_LOG_ID_FLOW_RULE_REFUSED], 1);
	driver.room = 2;
	wish(1, 27, 50010);
	watch();
	assert_int_equal(driver.live, 1);
	rn_flow_rule_end(rules, 17);
	watch();
	wish(1, 27, 50010);
	watch();
	assert_int_equal(driver.live, 1);
	assert_true(has("192.0.2.9 50010 > 192.0.2.1 4791: 1"));
	assert_int_equal(stats().flow_rules_refused, 1);
}

/* A driver that refuses a rule while there is none may take another one later. */
static void after_a_refusal_a_rule_is_tried_again_in_ten_seconds(void **state)
{
	driver.room = 0;
	wish(1, 17, 50000);
	watch();
	assert_int_equal(stats().flow_rules_refused, 1);
	driver.room = ROOM;
	for (unsigned i = 0; i < 100; i++, now += RN_MS(100)) {
		wish(1, 17, 50000);
		watch();
		assert_int_equal(driver.made, 0);
	}
	wish(1, 17, 50000);
	watch();
	assert_int_equal(driver.made, 1);
	assert_int_equal(stats().flow_rules_refused, 1);
}

/* The driver takes IPv6 rules at the check, and has no room for them. */
static void a_refusal_holds_for_one_address_family(void **state)
{
	struct rn_pkt v6 = packet(21, 50001);

	v6.ipv4 = false;
	v6.src = (struct rn_gid){.b = {0x20, 1, 0xd, 0xb8, [15] = 9}};
	v6.dst = (struct rn_gid){.b = {0x20, 1, 0xd, 0xb8, [15] = 1}};
	driver.room = 0;
	rn_flow_rule_wish(rules, 1, &v6);
	watch();
	driver.room = ROOM;
	rn_flow_rule_wish(rules, 1, &v6);
	wish(1, 17, 50000);
	watch();
	assert_int_equal(driver.made, 1);
	assert_true(has("192.0.2.9 50000 > 192.0.2.1 4791: 1"));
	assert_int_equal(stats().flow_rules_refused, 1);
}

static void wishes_and_rules_are_bounded(void **state)
{
	uint32_t qpn = 17;

	for (unsigned round = 0; round < 200; round++) {
		unsigned before = driver.made;
		for (unsigned i = 0; i < 40; i++, qpn++)
			wish(qpn % 2, qpn, (uint16_t)(49152 + qpn));
		watch();
		assert_in_range(driver.made - before, 0, 4);
	}
	assert_int_equal(driver.live, RN_FLOW_RULES_MAX);
	assert_int_equal(driver.made, RN_FLOW_RULES_MAX);
}

/* Many connections come and go in each look. */
static void each_rule_gets_its_turn(void **state)
{
	for (uint32_t i = 0; i < 8; i++)
		wish(1, 17 + i, (uint16_t)(50000 + i));
	watch();
	watch();
	assert_int_equal(driver.live, 8);
	rn_flow_rule_end(rules, 24);
	for (unsigned look = 0; look < 80; look++) {
		for (uint32_t i = 0; i < 4; i++) {
			rn_flow_rule_end(rules, 17 + i);
			wish(1, 17 + i, (uint16_t)(50008 + look * 4 + i));
		}
		watch();
	}
	assert_false(has("192.0.2.9 50007 > 192.0.2.1 4791: 1"));
	assert_true(has("192.0.2.9 50006 > 192.0.2.1 4791: 1"));
}

static void a_reset_takes_all_rules_back(void **state)
{
	for (unsigned keeps = 0; keeps < 3; keeps++) {
		driver.keeps = false;
		driver.destroys = driver.flushes = 0;
		wish(1, 17, (uint16_t)(50000 + keeps));
		wish(0, 18, (uint16_t)(50002 + keeps));
		watch();
		wish(1, 19, 50004); /* this packet came before the reset */
		/* A card that does not answer is not asked again for each rule, but once for the
		 * rest. */
		driver.keeps = keeps > 0;
		driver.keeps_all = keeps > 1;
		rn_flow_rule_flush(rules);
		assert_int_equal(driver.destroys, keeps ? 1 : 2);
		assert_int_equal(driver.flushes, keeps ? 1 : 0);
		assert_int_equal(driver.live, keeps > 1 ? 2 : 0);
		watch();
		assert_int_equal(stats().flow_rules, 2 + 2 * keeps);
		assert_int_equal(stats().flow_rules_ended, keeps ? 4 : 2);
	}
	driver.room = driver.live;
	wish(1, 17, 50000);
	watch();
	assert_int_equal(stats().flow_rules_refused, 1);
	driver.room++;
	rn_flow_rule_flush(rules);
	wish(1, 17, 50000);
	watch();
	assert_int_equal(stats().flow_rules, 7);
}

static void a_rule_that_the_driver_keeps_has_not_ended(void **state)
{
	wish(1, 17, 50000);
	watch();
	driver.keeps = true;
	rn_flow_rule_end(rules, 17);
	watch();
	watch();
	assert_int_equal(driver.destroys, 1);
	assert_int_equal(stats().flow_rules_ended, 0);
}

static void reset_request(void)
{
	atomic_fetch_or(&port.quiet, RN_QUIET_RESET);
}

/* The driver announces that its card needs a reset while it makes the first of two rules. */
static void a_card_that_needs_a_reset_is_left_alone(void **state)
{
	wish(1, 17, 50000);
	wish(1, 19, 50001);
	driver.during = reset_request;
	watch();
	assert_int_equal(driver.made, 1);
	driver.during = NULL;
	rn_flow_rule_end(rules, 17);
	watch();
	assert_int_equal(driver.made, 1);
	assert_int_equal(driver.destroys, 0);
	/* The reset was not needed after all. */
	atomic_store(&port.quiet, 0);
	watch();
	assert_int_equal(driver.destroys, 1);
	assert_true(has("192.0.2.9 50001 > 192.0.2.1 4791: 1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_port_without_use_for_rules_has_none),
		TEST(a_wish_becomes_a_rule_to_the_queue_of_the_shard),
		TEST(only_rules_that_the_driver_takes_are_wished),
		TEST(a_queue_pair_and_a_flow_have_one_rule_each),
		TEST(a_rule_ends_with_its_queue_pair),
		TEST(a_wish_ends_with_its_queue_pair),
		TEST(a_rule_that_ends_while_it_is_made_is_taken_back),
		TEST(a_refusal_ends_the_wishes_until_a_rule_has_gone),
		TEST(after_a_refusal_a_rule_is_tried_again_in_ten_seconds),
		TEST(a_refusal_holds_for_one_address_family),
		TEST(wishes_and_rules_are_bounded),
		TEST(each_rule_gets_its_turn),
		TEST(a_reset_takes_all_rules_back),
		TEST(a_rule_that_the_driver_keeps_has_not_ended),
		TEST(a_card_that_needs_a_reset_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
