/* Devices that the configuration gives by name or by bus address.
 * - When a device cannot be created, the error explains why.
 * - A device may already be in EAL. The adapter closes that device before it frees the memory of
 *   the packet buffers.
 * The first test starts EAL for the whole program. Its configuration names a PCI address at which
 * there is no device. eal.args makes EAL create net_null7, which stands for a device of the
 * machine. */
#define ALLOW_EXPERIMENTAL_API /* for rte_dev_iterator_next() */
#include "rig.h"

#include <errno.h>

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

#define ABSENT "0000:ff:1f.7"
#define FOUND  "net_null7"

/* `port` is "vdev" or "pci", which is also the name of the key for the device. */
static const char *config(const char *port, const char *device)
{
	return rig_config("adapters = ( { name = \"a\"; port = \"%s\"; %s = \"%s\"; ipv4 = [ "
			  "\"192.0.2.1/24\" ];\n"
			  "  mtu = 1500; } );\n"
			  "eal = { hugepages = \"no\"; args = [ \"--vdev=" FOUND
			  "\" ]; };\nlimits = { mbufs = 1024; };\n",
			  port, port, device);
}

static const struct {
	const char *port, *device;
	int error;
	const char *says;
} rows[] = {
	{"pci", ABSENT, -ENODEV,
	 "adapter a: there is no PCI device " ABSENT
	 "; \"softrnic-config --devices\" lists the cards"},
	{"pci", "ff:1f.7,x=1", -ENODEV,
	 "adapter a: there is no PCI device " ABSENT
	 "; \"softrnic-config --devices\" lists the cards"},
	{"vdev", "net_nosuch0", -ENODEV,
	 "device \"net_nosuch0\" cannot be created: DPDK has no driver of this name"},
	{"vdev", "net_memif9,role=nobody", -EIO,
	 "device \"net_memif9,role=nobody\" cannot be created: its driver refuses it; the driver's own "
	 "message gives the reason"},
};

static void error_explains_why_a_device_cannot_be_created(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_link *l = NULL;
		char err[256] = "";

		assert_int_equal(
			rn_link_open(config(rows[i].port, rows[i].device), 0, &l, err, sizeof(err)),
			rows[i].error);
		assert_string_equal(err, rows[i].says);
	}
}

static unsigned devices_on(const char *bus)
{
	struct rte_dev_iterator it;
	struct rte_device *dev;
	unsigned n = 0;

	RTE_DEV_FOREACH(dev, bus, &it)
	n++;
	return n;
}

/* The configuration names one PCI address, which allows EAL to probe only this address. There is no
 * device at this address, so EAL must have found no PCI device. */
static void leaves_the_machines_devices_alone(void **state)
{
	assert_true(rte_eal_has_pci());
	assert_int_equal(devices_on("bus=pci"), 0);
	assert_int_equal(devices_on("bus=vdev"), 1);
}

static void closes_a_device_that_was_there_before(void **state)
{
	const char *path = config("vdev", FOUND);
	uint16_t id;

	assert_int_equal(rte_eth_dev_get_port_by_name(FOUND, &id), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct rn_link *l = rig_open(path, 0);

		assert_int_equal(rte_eth_dev_get_port_by_name(FOUND, &id), 0);
		rn_link_close(l);
		assert_int_equal(rte_eth_dev_get_port_by_name(FOUND, &id), -ENODEV);
		assert_int_equal(devices_on("bus=vdev"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_explains_why_a_device_cannot_be_created),
		cmocka_unit_test(leaves_the_machines_devices_alone),
		cmocka_unit_test(closes_a_device_that_was_there_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
