/* What do DPDK's drivers report about the ports of a configuration? Starts its adapters for a
 * moment and prints one line for each property. The output is meant to be published: it has no
 * names and no addresses but those of PCI devices. Runs in one thread. */

/* for rte_eth_dev_conf_get() */
#define ALLOW_EXPERIMENTAL_API
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_version.h>

#include "rn/link.h"
#include "common/version.h"

enum { MAX_ADAPTERS = 16, LINK_WAIT_MS = 3000, LINK_LOOK_MS = 100 };

static const struct {
	uint64_t bit;
	const char *name;
} rss_types[] = {
	{RTE_ETH_RSS_IPV4, "IPv4"},
	{RTE_ETH_RSS_IPV6, "IPv6"},
	{RTE_ETH_RSS_NONFRAG_IPV4_UDP, "IPv4-UDP"},
	{RTE_ETH_RSS_NONFRAG_IPV6_UDP, "IPv6-UDP"},
	{RTE_ETH_RSS_NONFRAG_IPV4_TCP, "IPv4-TCP"},
	{RTE_ETH_RSS_NONFRAG_IPV6_TCP, "IPv6-TCP"},
	{RTE_ETH_RSS_NONFRAG_IPV4_OTHER, "IPv4-other"},
	{RTE_ETH_RSS_NONFRAG_IPV6_OTHER, "IPv6-other"},
};

/* Prints the names of the offloads in a set, of which bit 0 is the first. */
static void print_offloads(const char *what, uint64_t set, const char *(*name)(uint64_t offload))
{
	printf("  %s:", what);
	for (unsigned i = 0; i < 64; i++)
		if (set & UINT64_C(1) << i)
			printf(" %s", name(UINT64_C(1) << i));
	printf("%s\n", set == 0 ? " none" : "");
}

static void print_rss(const struct rte_eth_dev_info *info)
{
	printf("  RSS: table of %u, key of %u bytes, types 0x%" PRIx64, info->reta_size,
	       info->hash_key_size, info->flow_type_rss_offloads);
	for (unsigned i = 0; i < sizeof(rss_types) / sizeof(rss_types[0]); i++)
		if (info->flow_type_rss_offloads & rss_types[i].bit)
			printf(" %s", rss_types[i].name);
	printf("\n");
}

/* Waits a while for the link: a card needs some seconds after its start. */
static void print_link(uint16_t id)
{
	struct rte_eth_link link = {0};
	int rc = 0;

	for (unsigned ms = 0; ms < LINK_WAIT_MS; ms += LINK_LOOK_MS) {
		rc = rte_eth_link_get_nowait(id, &link);
		if (rc != 0 || link.link_status == RTE_ETH_LINK_UP)
			break;
		usleep(LINK_LOOK_MS * 1000);
	}
	if (rc != 0)
		printf("  link: not reported (%s)\n", strerror(-rc));
	else
		printf("  link: %s, %" PRIu32 " Mbit/s, %s duplex\n",
		       link.link_status == RTE_ETH_LINK_UP ? "up" : "down", link.link_speed,
		       link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX ? "full" : "half");
}

static void print_queues(uint16_t id, const struct rte_eth_dev_info *info)
{
	const struct rte_eth_desc_lim *rx = &info->rx_desc_lim, *tx = &info->tx_desc_lim;
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;
	struct rte_eth_conf conf;

	printf("  receive queues: %u in use, at most %u; descriptors %u to %u in steps of %u\n",
	       info->nb_rx_queues, info->max_rx_queues, rx->nb_min, rx->nb_max, rx->nb_align);
	printf("  transmit queues: %u in use, at most %u; descriptors %u to %u in steps of %u; "
	       "segments of a frame: at most %u\n",
	       info->nb_tx_queues, info->max_tx_queues, tx->nb_min, tx->nb_max, tx->nb_align,
	       tx->nb_seg_max);
	printf("  preferred: bursts of %u and %u, rings of %u and %u, %u and %u queues\n",
	       info->default_rxportconf.burst_size, info->default_txportconf.burst_size,
	       info->default_rxportconf.ring_size, info->default_txportconf.ring_size,
	       info->default_rxportconf.nb_queues, info->default_txportconf.nb_queues);
	if (rte_eth_rx_queue_info_get(id, 0, &rxq) == 0 &&
	    rte_eth_tx_queue_info_get(id, 0, &txq) == 0)
		printf("  descriptors: %u per receive queue, %u per transmit queue\n", rxq.nb_desc,
		       txq.nb_desc);
	if (rte_eth_dev_conf_get(id, &conf) == 0)
		printf("  receive interrupts: %s\n",
		       conf.intr_conf.rxq != 0 ? "in use" : "not in use");
}

/* Prints whatever the driver of a started ethdev reports. */
static void print_port(uint16_t id)
{
	struct rte_eth_dev_info info;
	char firmware[128];
	uint16_t mtu = 0;
	int rc = rte_eth_dev_info_get(id, &info);

	if (rc != 0) {
		printf("port %u: the driver reports nothing (%s)\n", id, strerror(-rc));
		return;
	}
	const struct rte_bus *bus = info.device != NULL ? rte_dev_bus(info.device) : NULL;
	bool pci = bus != NULL && strcmp(rte_bus_name(bus), "pci") == 0;
	int socket = rte_eth_dev_socket_id(id);

	printf("port %u: driver %s%s%s", id, info.driver_name, pci ? ", PCI " : "",
	       pci ? rte_dev_name(info.device) : "");
	if (socket >= 0)
		printf(", NUMA node %d", socket);
	printf("\n");
	if (rte_eth_dev_fw_version_get(id, firmware, sizeof(firmware)) == 0)
		printf("  firmware: %s\n", firmware);
	print_link(id);
	rte_eth_dev_get_mtu(id, &mtu);
	printf("  MTU: %u, from %u to %u; longest frame %u bytes, shortest buffer %u bytes\n", mtu,
	       info.min_mtu, info.max_mtu, info.max_rx_pktlen, info.min_rx_bufsize);
	print_queues(id, &info);
	print_offloads("receive offloads", info.rx_offload_capa, rte_eth_dev_rx_offload_name);
	print_offloads("transmit offloads", info.tx_offload_capa, rte_eth_dev_tx_offload_name);
	print_rss(&info);
	printf("  interrupts: link state %s, removal %s\n",
	       *info.dev_flags & RTE_ETH_DEV_INTR_LSC ? "yes" : "no",
	       *info.dev_flags & RTE_ETH_DEV_INTR_RMV ? "yes" : "no");
	printf("  MAC filters: at most %u; promiscuous %s, all multicast %s\n", info.max_mac_addrs,
	       rte_eth_promiscuous_get(id) == 1 ? "yes" : "no",
	       rte_eth_allmulticast_get(id) == 1 ? "yes" : "no");
	printf("  counters: %d of the driver's own\n", rte_eth_xstats_get_names(id, NULL, 0));
}

static void print_adapters(const struct rn_link_info *info, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		printf("adapter %u: port %s, %u shard%s, MTU %u, idle policy %s\n", i, info[i].port,
		       info[i].shards, info[i].shards == 1 ? "" : "s", info[i].mtu, info[i].idle);
}

static int print_all(const char *path)
{
	static struct rn_link_info info[MAX_ADAPTERS];
	struct rn_link *link;
	char err[512] = "";
	int n = rn_link_list(path, info, MAX_ADAPTERS, err, sizeof(err));

	if (n < 0) {
		fprintf(stderr, "nd_portinfo: %s\n", err);
		return 1;
	}
	printf("%s\n", rte_version());
	print_adapters(info, n < MAX_ADAPTERS ? (unsigned)n : MAX_ADAPTERS);
	fflush(stdout);
	/* rn_link_open() starts the ports of all adapters of the configuration. */
	if (rn_link_open(path, 0, &link, err, sizeof(err)) != 0) {
		fprintf(stderr, "nd_portinfo: %s\n", err);
		return 1;
	}
	link->ops->info(link, &info[0]);
	printf("packet buffers: %s hugepages\n", info[0].hugepages ? "with" : "without");
	for (uint16_t id = rte_eth_find_next(0); id < RTE_MAX_ETHPORTS;
	     id = rte_eth_find_next(id + 1))
		print_port(id);
	rn_link_close(link);
	return 0;
}

int main(int argc, char **argv)
{
	version_if_asked(argc, argv);
	if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
		bool asked = strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0;

		fputs("usage: nd_portinfo [CONFIGURATION]\n"
		      "Starts the adapters of a configuration, by default of $SOFTRNIC_CONFIG, and prints what DPDK's\n"
		      "drivers report about their ports. \"softrnic-report\" prints that too.\n"
		      "  --version   prints softrnic's version\n",
		      asked ? stdout : stderr);
		return asked ? 0 : 2;
	}
	return print_all(argc == 2 ? argv[1] : NULL);
}
