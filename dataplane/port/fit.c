/* Which MTU can a port have, how many queues, and how many descriptors? Some drivers accept any MTU
 * and then drop the longer frames, or fail without a reason. Some report queues that a card does
 * not have. Their rules are rows of tables here. Owns nothing. Runs in the control thread. */
#include "port/fit.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "base/types.h"
#include "port/vdev.h"

/* Packet buffers that net_af_xdp puts into the fill ring of its receive queue. */
#define XDP_FILL_RING 2048u

/* The driver drops frames that are longer than it reports. Some drivers report no highest MTU
 * (65535). */
static int fit_longest(const struct rte_eth_dev_info *info, uint16_t mtu,
		       const struct rte_mempool *pool, char *err, size_t errlen)
{
	unsigned longest = RN_MIN(info->max_rx_pktlen, rn_vdev_frame_bytes(info->max_mtu));

	if (rn_vdev_frame_bytes(mtu) <= longest)
		return 0;
	snprintf(
		err, errlen,
		"the driver %s drops frames of more than %u bytes: the mtu may be at most %u, not %u",
		info->driver_name, longest, longest - rn_vdev_frame_bytes(0), mtu);
	return -EINVAL;
}

/* net_af_xdp lends the memory of the whole pool to the kernel. It takes the memory for one piece
 * whose length is the number of packet buffers times their size. A packet buffer may not be longer
 * than a page. The driver explains none of its refusals. */
static int fit_kernel_buffers(const struct rte_eth_dev_info *info, uint16_t mtu,
			      const struct rte_mempool *pool, char *err, size_t errlen)
{
	unsigned bytes = rte_mempool_calc_obj_size(pool->elt_size, pool->flags, NULL);
	unsigned page = (unsigned)getpagesize();

	if (bytes > page)
		snprintf(err, errlen,
			 "the driver %s takes packet buffers of at most %u bytes, and the largest "
			 "mtu of the process's adapters makes them %u: reduce it by %u",
			 info->driver_name, page, bytes, RN_ALIGN_UP(bytes - page, 64u));
	else if (pool->size < XDP_FILL_RING * 2)
		snprintf(err, errlen,
			 "the driver %s keeps %u packet buffers: limits.mbufs must be at least %u, "
			 "not %u",
			 info->driver_name, XDP_FILL_RING, XDP_FILL_RING * 2, pool->size);
	else if (pool->nb_mem_chunks > 1 || (pool->flags & RTE_MEMPOOL_F_NO_IOVA_CONTIG) == 0)
		snprintf(err, errlen,
			 "the driver %s needs the packet buffers in one piece of memory, and there "
			 "is none of %u times %u bytes",
			 info->driver_name, pool->size, bytes);
	else
		return 0;
	return -EINVAL;
}

static const struct {
	const char *driver;
	int (*fit)(const struct rte_eth_dev_info *info, uint16_t mtu,
		   const struct rte_mempool *pool, char *err, size_t errlen);
} rows[] = {
	{"net_tap", fit_longest},
	{"net_af_xdp", fit_kernel_buffers},
};

int rn_fit_card(const struct rte_eth_dev_info *info, uint16_t mtu, char *err, size_t errlen)
{
	return fit_longest(info, mtu, NULL, err, errlen);
}

int rn_fit_driver(const struct rte_eth_dev_info *info, uint16_t mtu, const struct rte_mempool *pool,
		  char *err, size_t errlen)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		if (strcmp(info->driver_name, rows[i].driver) == 0)
			return rows[i].fit(info, mtu, pool, err, errlen);
	return 0;
}

/* net_e1000_em reports two queues of each kind for all its cards. The 82540 and the 82545 have one:
 * their driver takes frames for the second transmit queue, and none of them is ever sent. The 82574
 * has two transmit queues, of which only one is used. */
static const struct {
	const char *driver;
	unsigned queues;
} limits[] = {
	{"net_e1000_em", 1},
};

unsigned rn_fit_queues(const char *driver)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(limits); i++)
		if (strcmp(driver, limits[i].driver) == 0)
			return limits[i].queues;
	return UINT16_MAX;
}

uint16_t rn_fit_descriptors(const struct rte_eth_dev_portconf *preferred,
			    const struct rte_eth_desc_lim *limit, uint32_t wanted, uint32_t most)
{
	const uint32_t step = RN_MAX(limit->nb_align, 1u);
	/* Drivers that report no highest number leave DPDK's, 65535, or write 0. */
	const uint32_t highest = limit->nb_max != 0 ? limit->nb_max : UINT16_MAX;
	uint32_t n = wanted != 0		 ? wanted
		     : preferred->ring_size != 0 ? preferred->ring_size
						 : RTE_ETH_DEV_FALLBACK_RX_RINGSIZE;

	n = RN_MIN((n + step - 1) / step * step, RN_MIN(most, highest) / step * step);
	return (uint16_t)RN_MAX(n, limit->nb_min);
}

int rn_fit_interface(const char *ifname, uint16_t mtu, char *err, size_t errlen)
{
	struct ifreq ifr = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	int rc = ioctl(fd, SIOCGIFMTU, &ifr) == 0 ? 0 : -errno;
	close(fd);
	if (rc != 0) {
		snprintf(err, errlen, "interface %s: %s", ifname, strerror(-rc));
		return rc;
	}
	if (ifr.ifr_mtu < mtu) {
		snprintf(err, errlen, "interface %s has an MTU of %d, the adapter needs %u", ifname,
			 ifr.ifr_mtu, mtu);
		return -EINVAL;
	}
	return 0;
}
