/* With limits.port_ring = 0 a device gets as many descriptors as its driver prefers. Functions of
 * DPDK are wrapped: the driver reports what a row says, and the numbers that it is asked for are
 * recorded. tests/hardware asks drivers that have preferences of their own. */
#include "rig.h"

#include <rte_ethdev.h>

static struct rte_eth_dev_info reported;
static unsigned nrxd, ntxd; /* those of the queues that were set up last */

int __real_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __real_rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned socket,
				  const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
int __wrap_rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned socket,
				  const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
int __real_rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned socket,
				  const struct rte_eth_txconf *conf);
int __wrap_rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned socket,
				  const struct rte_eth_txconf *conf);

int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int rc = __real_rte_eth_dev_info_get(id, info);

	info->default_rxportconf = reported.default_rxportconf;
	info->default_txportconf = reported.default_txportconf;
	info->rx_desc_lim = info->tx_desc_lim = reported.rx_desc_lim;
	return rc;
}

int __wrap_rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned socket,
				  const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	nrxd = n;
	return __real_rte_eth_rx_queue_setup(id, queue, n, socket, conf, pool);
}

int __wrap_rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned socket,
				  const struct rte_eth_txconf *conf)
{
	ntxd = n;
	return __real_rte_eth_tx_queue_setup(id, queue, n, socket, conf);
}

static const struct {
	const char *port;
	unsigned wanted, mbufs; /* limits.port_ring, limits.mbufs */
	uint16_t prefers_rx, prefers_tx;
	unsigned nrxd, ntxd;
} rows[] = {
	{"null", 0, 4096, 256, 128, 256, 128},
	{"null", 0, 4096, 0, 0, 512, 512},
	{"null", 0, 4096, 2048, 64, 1024, 64},
	{"null", 0, 700, 256, 256, 128, 128},
	{"null", 1024, 4096, 256, 128, 1024, 1024},
	{"null", 256, 700, 0, 0, 128, 128},
	/* the rings of joined ports are softrnic's own, whatever the driver prefers */
	{"ring", 1024, 4096, 0, 0, 1024, 1024},
	{"ring", 0, 4096, 256, 256, 1024, 1024},
};

static void a_device_gets_what_its_driver_prefers(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char more[128];
		bool ring = strcmp(rows[i].port, "ring") == 0;

		snprintf(more, sizeof(more), "limits = { port_ring = %u; mbufs = %u; };",
			 rows[i].wanted, rows[i].mbufs);
		reported.default_rxportconf.ring_size = rows[i].prefers_rx;
		reported.default_txportconf.ring_size = rows[i].prefers_tx;
		reported.rx_desc_lim =
			(struct rte_eth_desc_lim){.nb_max = 4096, .nb_min = 32, .nb_align = 8};
		rn_link_close(rig_open(
			ring ? rig_pair(1, 1500, more)
			     : rig_config("adapters = ({ name = \"x\"; port = \"null\"; ipv4 = "
					  "[\"192.0.2.1/24\"]; });\n%s",
					  more),
			0));
		assert_int_equal(nrxd, rows[i].nrxd);
		assert_int_equal(ntxd, rows[i].ntxd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_gets_what_its_driver_prefers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
