/* Does a port find out whether its driver spreads received frames, and which queue gets which
 * packet? The functions of DPDK that ask a
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

#include "base/rng.h"
#include "port/log.h"
#include "port/port.h"
#include "port/spread.h"
#include "wire/pkt.h"

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

/* The key of Microsoft's "Verifying the RSS Hash Calculation", which many drivers have as their
 * default. */
static const uint8_t known_key[52] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct row *now; /* the row that is played */
static uint8_t key[52];	      /* of the driver */
static uint8_t key_len = 40;
static int key_answer;
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
	*info = (struct rte_eth_dev_info){.reta_size = now->size, .hash_key_size = key_len};
	return 0;
}

int rte_eth_dev_rss_hash_conf_get(uint16_t id, struct rte_eth_rss_conf *rss)
{
	rss->rss_hf = now->hash;
	if (rss->rss_key == NULL)
		return now->hash_answer;
	assert_true(rss->rss_key_len >= key_len);
	memcpy(rss->rss_key, key, key_len);
	return key_answer;
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

static const struct rn_gid from[2] = {{.b = {[10] = 0xff, [11] = 0xff, 192, 0, 2, 1}},
				      {.b = {0x20, 1, 0x0d, 0xb8, [15] = 1}}};
static const struct rn_gid to[2] = {{.b = {[10] = 0xff, [11] = 0xff, 192, 0, 2, 2}},
				    {.b = {0x20, 1, 0x0d, 0xb8, [15] = 2}}};

/* The queue of a packet is known exactly if RSS is on for its address family. The hash is an index
 * of a table only if the length of the table is a power of two. */
static void assert_queue_known(const struct rn_port *port)
{
	bool on = now->id == RN_LOG_ID_RSS_ON && (now->size & (now->size - 1)) == 0;
	uint64_t kind[2] = {V4, V6};

	for (unsigned i = 0; i < 2; i++) {
		int queue = rn_spread_queue(port, &from[i], &to[i], 0xc123);

		if (on && (now->offered & now->hash & kind[i]) != 0)
			assert_in_range(queue, 0, now->queues - 1);
		else
			assert_int_equal(queue, -1);
	}
}

static void the_port_says_what_its_driver_does(void **state)
{
	memcpy(key, known_key, sizeof(key));
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
		assert_queue_known(&port);
		rn_spread_forget(&port.spread);
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
	struct rn_port port = {.name = "card", .nrxq = 1, .card = true};
	const struct rte_eth_conf conf = {0};

	line_id = -1;
	rn_spread_check(&port, &conf, 1);
	assert_int_equal(line_id, -1);
	assert_int_equal(rn_spread_queue(&port, &from[0], &to[0], 0xc123), -1);
}

/* ---- which queue gets a packet ---- */

/* The Toeplitz hash by its definition: for each bit of the input that is 1, from the first bit on,
 * the 32 bits of the key that begin at the same place are added without carry. */
static uint32_t toeplitz(const uint8_t *input, unsigned bytes)
{
	uint32_t hash = 0;

	for (unsigned bit = 0; bit < 8 * bytes; bit++) {
		if (((input[bit / 8] << (bit % 8)) & 0x80) == 0)
			continue;
		for (unsigned k = 0; k < 32; k++) {
			unsigned at = bit + k;
			uint32_t one = (uint32_t)((key[at / 8] << (at % 8)) & 0x80) >> 7;
			hash ^= one << (31 - k);
		}
	}
	return hash;
}

/* Hashes a packet from the address and port `from` to `to`, as a card does. */
static uint32_t hash_of(const struct rn_gid *src, uint16_t sport, const struct rn_gid *dst,
			uint16_t dport, bool ipv6)
{
	uint8_t input[36];
	unsigned bytes = ipv6 ? 16 : 4;
	const uint8_t ports[4] = {(uint8_t)(sport >> 8), (uint8_t)sport, (uint8_t)(dport >> 8),
				  (uint8_t)dport};

	memcpy(input, src->b + 16 - bytes, bytes);
	memcpy(input + bytes, dst->b + 16 - bytes, bytes);
	memcpy(input + 2 * bytes, ports, sizeof(ports));
	return toeplitz(input, 2 * bytes + 4);
}

/* Microsoft's published examples: this test computes the hash as cards do. */
static void the_hash_of_this_test_is_that_of_cards(void **state)
{
	static const struct {
		struct rn_gid src, dst;
		uint16_t sport, dport;
		bool ipv6;
		uint32_t hash;
	} known[] = {
		{{.b = {[12] = 66, 9, 149, 187}},
		 {.b = {[12] = 161, 142, 100, 80}},
		 2794,
		 1766,
		 false,
		 0x51ccc178},
		{{.b = {[12] = 199, 92, 111, 2}},
		 {.b = {[12] = 65, 69, 140, 83}},
		 14230,
		 4739,
		 false,
		 0xc626b0ea},
		{{.b = {[12] = 24, 19, 198, 95}},
		 {.b = {[12] = 12, 22, 207, 184}},
		 12898,
		 38024,
		 false,
		 0x5c2b394a},
		{{.b = {0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, [15] = 7}},
		 {.b = {0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, [15] = 1}},
		 2794,
		 1766,
		 true,
		 0x40207d3d},
	};

	memcpy(key, known_key, sizeof(key));
	for (unsigned i = 0; i < RN_ARRAY_SIZE(known); i++)
		assert_int_equal(hash_of(&known[i].src, known[i].sport, &known[i].dst,
					 known[i].dport, known[i].ipv6),
				 known[i].hash);
}

/* Starts a port with 4 queues, whose driver hashes UDP over both families. */
static void start(struct rn_port *port, uint16_t size)
{
	static struct row row;
	const struct rte_eth_dev_info info = {.flow_type_rss_offloads = BOTH};
	struct rte_eth_conf conf = {0};

	row = (struct row){.offered = BOTH, .hash = BOTH, .size = size, .queues = 4};
	now = &row;
	line_id = -1;
	port->nrxq = 4;
	port->card = true;
	rn_spread_ask(port, &info, &conf);
	rn_spread_check(port, &conf, 4);
	assert_int_equal(line_id, RN_LOG_ID_RSS_ON);
}

static struct rn_gid any_address(struct rn_rng *rng, bool ipv6)
{
	struct rn_gid gid = from[0];

	for (unsigned i = ipv6 ? 0 : 12; i < 16; i++)
		gid.b[i] = (uint8_t)rn_rng_next(rng);
	return gid;
}

static void the_queue_is_that_of_the_hash(void **state)
{
	struct rn_rng rng;
	struct rn_port port = {.name = "card"};

	rn_rng_seed(&rng, 14);
	for (unsigned size = 4; size <= 512; size *= 2) {
		for (unsigned i = 0; i < sizeof(key); i++)
			key[i] = (uint8_t)rn_rng_next(&rng);
		for (unsigned i = 0; i < size; i++)
			table[i] = (uint16_t)(i < 4 ? i : rn_rng_below(&rng, 4));
		/* All rounds but the first are those of a reset card, with another key and
		 * table. */
		start(&port, (uint16_t)size);
		for (unsigned i = 0; i < 500; i++) {
			bool ipv6 = i % 2;
			struct rn_gid src = any_address(&rng, ipv6), dst = any_address(&rng, ipv6);
			uint16_t sport = (uint16_t)rn_rng_next(&rng);
			uint32_t hash = hash_of(&src, sport, &dst, RN_ROCE_PORT, ipv6);

			assert_int_equal(rn_spread_queue(&port, &src, &dst, sport),
					 table[hash % size]);
		}
	}
	rn_spread_forget(&port.spread);
}

/* While no burst may begin, the table may be filled anew. */
static void a_card_that_is_reset_is_unknown(void **state)
{
	struct rn_port port = {.name = "card"};

	memcpy(key, known_key, sizeof(key));
	for (unsigned i = 0; i < 128; i++)
		table[i] = (uint16_t)(i % 4);
	start(&port, 128);
	assert_true(rn_spread_queue(&port, &from[0], &to[0], 0xc123) >= 0);
	atomic_store(&port.quiet, RN_QUIET_RESET);
	assert_int_equal(rn_spread_queue(&port, &from[0], &to[0], 0xc123), -1);
	atomic_store(&port.quiet, 0);
	assert_true(rn_spread_queue(&port, &from[0], &to[0], 0xc123) >= 0);
	rn_spread_forget(&port.spread);
	assert_int_equal(rn_spread_queue(&port, &from[0], &to[0], 0xc123), -1);
}

static void without_the_key_the_queue_is_unknown(void **state)
{
	static const struct {
		uint8_t len;
		int answer;
		bool zero, known;
	} drivers[] = {
		{40, 0, false, true},	      {52, 0, false, true},  {40, 0, true, false},
		{40, -ENOTSUP, false, false}, {16, 0, false, false}, {0, 0, false, false},
	};
	struct rn_port port = {.name = "card"};

	for (unsigned i = 0; i < 128; i++)
		table[i] = (uint16_t)(i % 4);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(drivers); i++) {
		memset(key, 0, sizeof(key));
		if (!drivers[i].zero)
			memcpy(key, known_key, sizeof(key));
		key_len = drivers[i].len;
		key_answer = drivers[i].answer;
		start(&port, 128);
		int queue = rn_spread_queue(&port, &from[0], &to[0], 0xc123);
		assert_true((queue >= 0) == drivers[i].known);
	}
	key_len = 40;
	key_answer = 0;
	rn_spread_forget(&port.spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_port_says_what_its_driver_does),
		cmocka_unit_test(rss_is_requested_for_udp_alone),
		cmocka_unit_test(an_adapter_with_one_shard_needs_no_rss),
		cmocka_unit_test(the_hash_of_this_test_is_that_of_cards),
		cmocka_unit_test(the_queue_is_that_of_the_hash),
		cmocka_unit_test(a_card_that_is_reset_is_unknown),
		cmocka_unit_test(without_the_key_the_queue_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
