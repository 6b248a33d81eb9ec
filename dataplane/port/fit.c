/* Which MTU can a port have? Some drivers accept any MTU and then drop the longer frames. Their
 * rules are rows of a table here. Owns nothing. Runs in the control thread. */
#include "port/fit.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "base/types.h"
#include "port/vdev.h"

/* The driver sends no frame that is longer than the MTU of its interface, and gives the interface
 * no MTU for which a frame would be longer than max_rx_pktlen. */
static int fit_longest(const struct rte_eth_dev_info *info, uint16_t mtu,
		       const struct rte_mempool *pool, char *err, size_t errlen)
{
	unsigned longest = info->max_rx_pktlen;

	if (rn_vdev_frame_bytes(mtu) <= longest)
		return 0;
	snprintf(
		err, errlen,
		"the driver %s drops frames of more than %u bytes: the mtu may be at most %u, not %u",
		info->driver_name, longest, longest - rn_vdev_frame_bytes(0), mtu);
	return -EINVAL;
}

static const struct {
	const char *driver;
	int (*fit)(const struct rte_eth_dev_info *info, uint16_t mtu,
		   const struct rte_mempool *pool, char *err, size_t errlen);
} rows[] = {
	{"net_tap", fit_longest},
};

int rn_fit_driver(const struct rte_eth_dev_info *info, uint16_t mtu, const struct rte_mempool *pool,
		  char *err, size_t errlen)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		if (strcmp(info->driver_name, rows[i].driver) == 0)
			return rows[i].fit(info, mtu, pool, err, errlen);
	return 0;
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
