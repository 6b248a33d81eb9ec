/* What fits a driver and its kernel interface: how many queues and descriptors, which MTU? */
#ifndef RN_FIT_H
#define RN_FIT_H

#include <stddef.h>
#include <stdint.h>

struct rte_eth_desc_lim;
struct rte_eth_dev_info;
struct rte_eth_dev_portconf;
struct rte_mempool;

/* Checks a network card. Returns 0, or -EINVAL with a sentence in err. */
int rn_fit_card(const struct rte_eth_dev_info *info, uint16_t mtu, char *err, size_t errlen);

/* Checks the device of a software port before it is configured, with the packet buffers of `pool`.
 * Returns 0, or -EINVAL with a sentence in err. */
int rn_fit_driver(const struct rte_eth_dev_info *info, uint16_t mtu, const struct rte_mempool *pool,
		  char *err, size_t errlen);

/* Returns how many queues of each kind the driver may be asked for, whatever it reports. */
unsigned rn_fit_queues(const char *driver);

/* Returns how many descriptors a queue gets: `wanted`, or if that is 0, as many as the driver
 * prefers for queues of this direction; 512 if it prefers none (DPDK's default). The number is a
 * multiple of the driver's step, within the driver's limits and not above `most`, unless the
 * driver's lowest number is. */
uint16_t rn_fit_descriptors(const struct rte_eth_dev_portconf *preferred,
			    const struct rte_eth_desc_lim *limit, uint32_t wanted, uint32_t most);

/* Checks the MTU of the kernel interface `ifname`. Returns 0, or -errno with a sentence in err. */
int rn_fit_interface(const char *ifname, uint16_t mtu, char *err, size_t errlen);

#endif
