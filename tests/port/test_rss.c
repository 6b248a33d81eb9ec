/* An adapter with two shards on a driver that has RSS and on one that has not. The driver net_null
 * stands for a card whose table is not filled in: when the driver starts, all entries of its table
 * lead to queue 0. */
#include "rig.h"

#include <errno.h>
#include <unistd.h>

#include <rte_ethdev.h>

#define DEVICE	"net_null5"
#define ENTRIES 128u

/* `nothing` is 1 if the device is to receive nothing, and 0 if it is to receive frames of zeros in
 * all queues without an end. */
static const char *config(unsigned shards, unsigned nothing)
{
	return rig_config(
		"adapters = ( { name = \"a\"; port = \"vdev\"; vdev = \"" DEVICE
		",no-rx=%u\"; ipv4 = [ \"192.0.2.1/24\" ]; mtu = 1500; shards = %u; } );\n"
		"eal = { hugepages = \"no\"; }; limits = { mbufs = 2048; };\n",
		nothing, shards);
}

/* Returns how many entries of the table lead to the queue. */
static unsigned entries_to(uint16_t id, unsigned queue)
{
	struct rte_eth_rss_reta_entry64 table[ENTRIES / 64] = {{.mask = UINT64_MAX},
							       {.mask = UINT64_MAX}};
	unsigned n = 0;

	assert_int_equal(rte_eth_dev_rss_reta_query(id, table, ENTRIES), 0);
	for (unsigned i = 0; i < ENTRIES; i++)
		n += table[i / 64].reta[i % 64] == queue;
	return n;
}

static void the_table_leads_to_the_queues_of_all_shards(void **state)
{
	static const unsigned shards[] = {2, 4, 1};

	for (unsigned i = 0; i < sizeof(shards) / sizeof(shards[0]); i++) {
		struct rn_link *l = rig_open(config(shards[i], 1), 0);
		struct rte_eth_rss_conf rss = {0};
		uint16_t id;

		assert_int_equal(rte_eth_dev_get_port_by_name(DEVICE, &id), 0);
		for (unsigned queue = 0; queue < shards[i]; queue++)
			assert_int_equal(entries_to(id, queue), ENTRIES / shards[i]);
		assert_int_equal(rte_eth_dev_rss_hash_conf_get(id, &rss), 0);
		assert_true(rss.rss_hf == (shards[i] > 1 ? RTE_ETH_RSS_NONFRAG_IPV4_UDP |
								   RTE_ETH_RSS_NONFRAG_IPV6_UDP
							 : 0));
		rn_link_close(l);
	}
}

struct frames {
	uint64_t all, of_shard[RN_MAX_SHARDS];
	unsigned shards;
};

static void count(void *arg, const char *name, uint64_t value)
{
	static const char prefix[] = "port_rx_frames_";
	struct frames *f = arg;

	if (strcmp(name, "port_rx_frames") == 0) {
		f->all = value;
	} else if (strncmp(name, prefix, strlen(prefix)) == 0) {
		assert_int_equal(strtoul(name + strlen(prefix), NULL, 10), f->shards);
		f->of_shard[f->shards++] = value;
	}
}

/* Received frames are also counted by shard if there are several shards. */
static void frames_are_counted_by_shard(void **state)
{
	struct rn_link *l = rig_open(config(2, 0), 0);
	struct frames f = {0};

	for (unsigned i = 0; i < 1000 && (f.of_shard[0] == 0 || f.of_shard[1] == 0); i++) {
		usleep(10000);
		f = (struct frames){0};
		l->ops->stats(l, count, &f);
	}
	rn_link_close(l);
	assert_int_equal(f.shards, 2);
	assert_true(f.of_shard[0] > 0 && f.of_shard[1] > 0);
	/* The shards go on while their counters are read, the sum first. */
	assert_true(f.of_shard[0] + f.of_shard[1] >= f.all);

	l = rig_open(config(1, 1), 0);
	f = (struct frames){0};
	l->ops->stats(l, count, &f);
	rn_link_close(l);
	assert_int_equal(f.shards, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_leads_to_the_queues_of_all_shards),
		cmocka_unit_test(frames_are_counted_by_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
