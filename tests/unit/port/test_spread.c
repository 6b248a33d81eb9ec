/* Does a port find out whether its driver spreads received frames? The functions of DPDK that ask a
 * driver about RSS are replaced by those below, which answer as a row says. The log is replaced
 * too, so that the test sees which line is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "port/log.h"
#include "port/port.h"
#include "port/spread.h"

#define V4   RTE_ETH_RSS_NONFRAG_IPV4_UDP
#define V6   RTE_ETH_RSS_NONFRAG_IPV6_UDP
#define BOTH (V4 | V6)
#define TCP  RTE_ETH_RSS_NONFRAG_IPV4_TCP

/* How entry i of a driver's table is filled at first, for 4 queues. */
static unsigned in_turn(unsigned i)
{
	return i % 4;
}

static unsigned all_to_the_first(unsigned i)
{
	return 0;
}

static unsigned none_to_the_last(unsigned i)
{
	return i % 3;
}

static unsigned last_entry_beyond(unsigned i)
{
	return i == 39 ? 7 : i % 4;
}

static const struct row {
	const char *what;
	uint64_t offered;
	int hash_answer;
	uint64_t hash; /* what the driver says that it hashes */
	uint16_t size; /* entries of the table */
	unsigned (*entry)(unsigned i);
	int query_answer, update_answer;
	bool forgets; /* the driver takes a table and keeps the old one */
	bool no_card;
	unsigned queues;
	/* the result */
	unsigned writes;
	int id; /* of the line, -1: none */
	const char *says;
} rows[] = {
	{.what = "a driver that does what it is asked for",
	 .offered = BOTH | TCP,
	 .hash = BOTH | TCP,
	 .size = 128,
	 .entry = in_turn,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv4 and IPv6 to 4 receive queues, by a table of 128 "
		 "entries"},
	{.what = "a software port with RSS",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 64,
	 .entry = in_turn,
	 .no_card = true,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv4 and IPv6 to 4 receive queues, by a table of 64 "
		 "entries"},
	{.what = "IPv6 only",
	 .offered = V6,
	 .hash = V6,
	 .size = 512,
	 .entry = in_turn,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv6 to 4 receive queues, by a table of 512 entries"},
	{.what = "both families asked, one hashed",
	 .offered = BOTH,
	 .hash = V4,
	 .size = 128,
	 .entry = in_turn,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv4 to 4 receive queues, by a table of 128 entries"},
	{.what = "a table that must be written, not a multiple of 64",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 40,
	 .entry = all_to_the_first,
	 .queues = 4,
	 .writes = 1,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv4 and IPv6 to 4 receive queues, by a table of 40 "
		 "entries, which softrnic has written"},
	{.what = "one queue is missing",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 128,
	 .entry = none_to_the_last,
	 .queues = 4,
	 .writes = 1,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv4 and IPv6 to 4 receive queues, by a table of 128 "
		 "entries, which softrnic has written"},
	{.what = "an entry leads to a queue that is not polled",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 40,
	 .entry = last_entry_beyond,
	 .queues = 4,
	 .writes = 1,
	 .id = RN_LOG_ID_RSS_ON,
	 .says = "port card: RSS spreads UDP over IPv4 and IPv6 to 4 receive queues, by a table of 40 "
		 "entries, which softrnic has written"},
	{.what = "the table cannot be written",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 128,
	 .entry = none_to_the_last,
	 .update_answer = -ENOTSUP,
	 .queues = 4,
	 .writes = 1,
	 .id = RN_LOG_ID_RSS_FAILS,
	 .says = "port card: RSS was requested, and does not spread received frames: its table does not "
		 "lead to queue 3"},
	{.what = "the table is written without effect",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 40,
	 .entry = last_entry_beyond,
	 .forgets = true,
	 .queues = 4,
	 .writes = 1,
	 .id = RN_LOG_ID_RSS_FAILS,
	 .says = "port card: RSS was requested, and does not spread received frames: its table leads to "
		 "queue 7, which is not used"},
	{.what = "fewer entries than queues",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 2,
	 .entry = in_turn,
	 .queues = 4,
	 .writes = 1,
	 .id = RN_LOG_ID_RSS_FAILS,
	 .says = "port card: RSS was requested, and does not spread received frames: its table does not "
		 "lead to queue 2"},
	{.what = "UDP is not hashed",
	 .offered = BOTH,
	 .hash = TCP,
	 .size = 128,
	 .entry = in_turn,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_FAILS,
	 .says = "port card: RSS was requested, and does not spread received frames: UDP is not hashed, "
		 "although the driver offers it"},
	{.what = "the driver does not tell the hash",
	 .offered = V4,
	 .hash_answer = -ENOTSUP,
	 .size = 128,
	 .entry = in_turn,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_UNSEEN,
	 .says = "port card: RSS of UDP over IPv4 was requested, but its driver cannot read it back: "
		 "Operation not supported"},
	{.what = "the driver has no table",
	 .offered = BOTH,
	 .hash = BOTH,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_UNSEEN,
	 .says = "port card: RSS of UDP over IPv4 and IPv6 was requested, but its driver cannot read it back: "
		 "Operation not supported"},
	{.what = "the driver does not tell the table",
	 .offered = BOTH,
	 .hash = BOTH,
	 .size = 128,
	 .entry = in_turn,
	 .query_answer = -ENOTSUP,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_UNSEEN,
	 .says = "port card: RSS of UDP over IPv4 and IPv6 was requested, but its driver cannot read it back: "
		 "Operation not supported"},
	{.what = "no RSS of UDP",
	 .offered = TCP,
	 .queues = 4,
	 .id = RN_LOG_ID_RSS_NONE,
	 .says = "port card: received frames are not spread by RSS: its driver offers no RSS for UDP"},
	{.what = "one queue",
	 .offered = BOTH,
	 .queues = 1,
	 .id = RN_LOG_ID_RSS_NONE,
	 .says = "port card: received frames are not spread by RSS: the port has one receive queue"},
	{.what = "a software port without RSS", .no_card = true, .queues = 4, .id = -1, .says = ""},
};

static const struct row *now; /* the row that is played */
static uint16_t table[512];
static unsigned writes;
static int line_id;
static char line[256];

void rn_log_write(enum rn_log_id id, const char *text, ...)
{
	va_list args;

	assert_int_equal(line_id, -1); /* at most one line */
	line_id = (int)id;
	va_start(args, text);
	vsnprintf(line, sizeof(line), text, args);
	va_end(args);
}

int rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	*info = (struct rte_eth_dev_info){.reta_size = now->size};
	return 0;
}

int rte_eth_dev_rss_hash_conf_get(uint16_t id, struct rte_eth_rss_conf *rss)
{
	rss->rss_hf = now->hash;
	return now->hash_answer;
}

/* Checks that a call is about the whole table, and about no entry behind its end. */
static void assert_whole(const struct rte_eth_rss_reta_entry64 *t, uint16_t size)
{
	assert_int_equal(size, now->size);
	for (unsigned i = 0; i < (size + 63u) / 64; i++) {
		unsigned left = size - 64 * i;
		assert_true(t[i].mask == (left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX));
	}
}

int rte_eth_dev_rss_reta_query(uint16_t id, struct rte_eth_rss_reta_entry64 *t, uint16_t size)
{
	assert_whole(t, size);
	for (unsigned i = 0; i < size; i++)
		t[i / 64].reta[i % 64] = table[i];
	return now->query_answer;
}

int rte_eth_dev_rss_reta_update(uint16_t id, struct rte_eth_rss_reta_entry64 *t, uint16_t size)
{
	assert_whole(t, size);
	writes++;
	for (unsigned i = 0; now->update_answer == 0 && !now->forgets && i < size; i++)
		table[i] = t[i / 64].reta[i % 64];
	return now->update_answer;
}

static void the_port_says_what_its_driver_does(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		now = &rows[i];
		struct rn_port port = {
			.name = "card", .nrxq = (uint16_t)now->queues, .card = !now->no_card};
		const struct rte_eth_dev_info info = {.flow_type_rss_offloads = now->offered};
		struct rte_eth_conf conf = {0};

		for (unsigned k = 0; k < now->size; k++)
			table[k] = (uint16_t)now->entry(k);
		writes = 0;
		line_id = -1;
		line[0] = '\0';
		rn_spread_ask(&port, &info, &conf);
		rn_spread_check(&port, &conf, 4);
		if (line_id != now->id || strcmp(line, now->says) != 0 || writes != now->writes)
			fail_msg("%s: line %d \"%s\", %u writes", now->what, line_id, line, writes);
	}
}

/* RSS is requested for what the driver offers, and only where there are queues to spread over. */
static void rss_is_requested_for_udp_alone(void **state)
{
	static const struct {
		uint64_t offered;
		unsigned queues;
		uint64_t requested;
	} asked[] = {
		{BOTH | TCP, 2, BOTH}, {V4, 2, V4}, {V6 | TCP, 16, V6},
		{TCP, 2, 0},	       {0, 2, 0},   {BOTH, 1, 0},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(asked); i++) {
		const struct rn_port port = {.nrxq = (uint16_t)asked[i].queues};
		const struct rte_eth_dev_info info = {.flow_type_rss_offloads = asked[i].offered};
		struct rte_eth_conf conf = {0};

		rn_spread_ask(&port, &info, &conf);
		assert_true(conf.rx_adv_conf.rss_conf.rss_hf == asked[i].requested);
		assert_int_equal(conf.rxmode.mq_mode,
				 asked[i].requested != 0 ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE);
	}
}

static void an_adapter_with_one_shard_needs_no_rss(void **state)
{
	const struct rn_port port = {.name = "card", .nrxq = 1, .card = true};
	const struct rte_eth_conf conf = {0};

	line_id = -1;
	rn_spread_check(&port, &conf, 1);
	assert_int_equal(line_id, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_port_says_what_its_driver_does),
		cmocka_unit_test(rss_is_requested_for_udp_alone),
		cmocka_unit_test(an_adapter_with_one_shard_needs_no_rss),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
