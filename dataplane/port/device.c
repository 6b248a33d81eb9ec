/* Adds a device to DPDK and removes it again. Owns nothing: the devices belong to DPDK. Runs in the
 * control thread. */
#include "port/device.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

/* Returns the name of the DPDK bus for this device string, or "" if no bus accepts the string. */
static const char *bus_of(const char *device)
{
	struct rte_devargs args = {0};
	const char *bus = "";

	if (rte_devargs_parse(&args, device) != 0)
		return bus;
	bus = rte_bus_name(args.bus);
	free(args.data); /* rte_devargs_reset() would do, but is experimental in DPDK 22.11 */
	return bus;
}

/* Adds the device to DPDK. Returns 0 or -errno. Sets *why to an explanation if the errno alone does
 * not explain the error. */
static int plug(const char *name, const char *args, const char *device, const char **why)
{
	const char *bus = bus_of(device);

	if (bus[0] == '\0') {
		*why = "DPDK has no driver of this name";
		return -ENODEV;
	}
	if (strcmp(bus, "vdev") == 0) {
		int rc = rte_vdev_init(name, args);
		/* Many drivers return -1 for every failure. This -1 does not mean -EPERM. */
		if (rc != -1)
			return rc;
		*why = "its driver refuses it; the driver's own message gives the reason";
		return -EIO;
	}
	int rc = rte_dev_probe(device);
	if (rc == -ENOTSUP)
		*why = "no DPDK driver supports it, or a kernel driver is bound to it";
	return rc;
}

int rn_device_make(const char *name, const char *args, uint16_t *id, char *err, size_t errlen)
{
	const char *why = NULL;
	char device[600];

	if (rte_eth_dev_get_port_by_name(name, id) == 0)
		return 0;
	snprintf(device, sizeof(device), "%s%s%s", name, args[0] != '\0' ? "," : "", args);
	int rc = plug(name, args, device, &why);
	if (rc == 0)
		rc = rte_eth_dev_get_port_by_name(name, id);
	if (rc != 0)
		snprintf(err, errlen, "device \"%s\" cannot be created: %s", device,
			 why != NULL ? why : strerror(-rc));
	return rc;
}

void rn_device_remove(uint16_t id)
{
	struct rte_eth_dev_info info = {0};

	if (rte_eth_dev_info_get(id, &info) != 0 || info.device == NULL) {
		rte_eth_dev_close(id);
		return;
	}
	if (strcmp(rte_bus_name(rte_dev_bus(info.device)), "vdev") == 0) {
		rte_vdev_uninit(rte_dev_name(info.device)); /* closes the ethdev too */
		return;
	}
	/* Close a hardware device: a device that is only stopped may still write into its rings by
	 * DMA. */
	rte_eth_dev_close(id);
	/* The device may have other ethdevs in use. Remove the device only with the last ethdev. */
	if (rte_eth_find_next_of(0, info.device) >= RTE_MAX_ETHPORTS)
		rte_dev_remove(info.device);
}
