/* What is missing before DPDK can use a card is read from sysfs. Each row makes the files that the
 * kernel would show, below a folder of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/types.h"
#include "config/pci_device.h"

#define CARD  "0000:04:00.0"
#define OTHER "0000:04:00.1"

static char place[64];

__attribute__((format(printf, 1, 2))) static void shell(const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	int n = snprintf(command, sizeof(command), "set -e; cd %s; ", place);

	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

static void look(bool open, struct rn_pci_device *d)
{
	char sys[80], dev[80];
	const struct rn_pci_roots roots = {sys, dev};

	snprintf(sys, sizeof(sys), "%s/sys", place);
	snprintf(dev, sizeof(dev), "%s/dev", place);
	rn_pci_look(&roots, CARD, open, d);
}

static int make_place(void **state)
{
	snprintf(place, sizeof(place), "/tmp/pci_device.XXXXXX");
	assert_non_null(mkdtemp(place));
	shell("mkdir -p dev/vfio sys/drivers/e1000e sys/drivers/vfio-pci sys/drivers/mlx5_core "
	      "sys/drivers/pcieport sys/bus/pci/devices/" CARD " sys/groups/7/devices; "
	      "cd sys/bus/pci/devices/" CARD "; echo 0x8086 >vendor; echo 0x10d3 >device; "
	      "echo 0x020000 >class; echo 1 >numa_node");
	return 0;
}

static int remove_place(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", place);
	return system(command);
}

#define IN_CARD	      "cd sys/bus/pci/devices/" CARD "; "
#define DRIVER(d)     IN_CARD "ln -s ../../../../drivers/" d " driver; "
#define GROUP	      "ln -s ../../../../groups/7 iommu_group; "
#define VFIO_IN_GROUP DRIVER("vfio-pci") GROUP

static const struct {
	const char *files;
	enum rn_pci_state state;
	const char *says;
} rows[] = {
	{"rm -r sys/bus/pci/devices/" CARD, RN_PCI_ABSENT,
	 "there is no PCI device " CARD "; \"softrnic-config --devices\" lists the cards"},
	{"true", RN_PCI_UNBOUND,
	 CARD
	 " is bound to no driver; bind it with \"modprobe vfio-pci; dpdk-devbind.py -b vfio-pci " CARD
	 "\""},
	{DRIVER("e1000e"), RN_PCI_KERNEL,
	 CARD
	 " is bound to the kernel driver e1000e; bind it with \"modprobe vfio-pci; dpdk-devbind.py -b "
	 "vfio-pci " CARD "\""},
	{DRIVER("e1000e") "mkdir -p net/eth1; echo up >net/eth1/operstate", RN_PCI_KERNEL,
	 CARD
	 " is bound to the kernel driver e1000e as interface eth1; bind it with \"modprobe vfio-pci; "
	 "dpdk-devbind.py -b vfio-pci " CARD "\", which ends all connections over this interface"},
	{DRIVER("vfio-pci"), RN_PCI_NO_IOMMU,
	 CARD
	 " is bound to vfio-pci, but the machine has no IOMMU, or it is off; switch it on in the "
	 "firmware (VT-d, AMD-Vi) and boot with \"intel_iommu=on\""},
	{VFIO_IN_GROUP "mkdir ../" OTHER "; ln -s ../../../../drivers/e1000e ../" OTHER
		       "/driver; ln -s ../../../bus/pci/devices/" OTHER
		       " ../../../../groups/7/devices/" OTHER,
	 RN_PCI_GROUP,
	 CARD " shares IOMMU group 7 with " OTHER
	      ", which is bound to the kernel driver e1000e; bind both with \"dpdk-devbind.py -b "
	      "vfio-pci " CARD " " OTHER "\""},
	{VFIO_IN_GROUP "mkdir ../" OTHER "; ln -s ../../../../drivers/pcieport ../" OTHER
		       "/driver; ln -s ../../../bus/pci/devices/" OTHER
		       " ../../../../groups/7/devices/" OTHER "; touch ../../../../../dev/vfio/7",
	 RN_PCI_READY, CARD " is ready"},
	{VFIO_IN_GROUP, RN_PCI_FORBIDDEN,
	 "this user may not open /dev/vfio/7, the IOMMU group of " CARD
	 "; allow it with \"chown USER /dev/vfio/7\""},
	{VFIO_IN_GROUP "touch ../../../../../dev/vfio/7", RN_PCI_READY, CARD " is ready"},
	/* VFIO's no-IOMMU mode */
	{VFIO_IN_GROUP "touch ../../../../../dev/vfio/noiommu-7", RN_PCI_READY, CARD " is ready"},
	/* The kernel keeps a card of this driver, and DPDK shares it. */
	{DRIVER("mlx5_core"), RN_PCI_READY, CARD " is ready"},
};

static void says_what_is_missing(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_pci_device d;
		char text[512];

		make_place(state);
		shell("%s", rows[i].files);
		look(true, &d);
		assert_int_equal(rn_pci_explain(&d, text, sizeof(text)) == 0,
				 rows[i].state == RN_PCI_READY);
		assert_string_equal(text, rows[i].says);
		assert_int_equal(d.state, rows[i].state);
		remove_place(state);
	}
}

/* A user other than root may lock little memory by default. */
static void a_low_limit_of_locked_memory_is_named(void **state)
{
	struct rlimit before, low;
	struct rn_pci_device d;
	char text[512];
	bool root = geteuid() == 0;

	make_place(state);
	shell("chmod 755 .; " VFIO_IN_GROUP
	      "touch ../../../../../dev/vfio/7; chmod 666 ../../../../../dev/vfio/7");
	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
	low = (struct rlimit){8 << 20, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &low), 0);
	assert_true(!root || seteuid(65534) == 0);
	look(true, &d);
	assert_int_equal(rn_pci_explain(&d, text, sizeof(text)), -ENOMEM);
	assert_string_equal(
		text, CARD
		" is ready, but this user may lock only 8 MB, and VFIO locks all memory of DPDK; raise the "
		"limit with \"ulimit -l unlimited\", or LimitMEMLOCK of systemd");
	look(false, &d);
	assert_int_equal(d.state, RN_PCI_READY);
	assert_true(rn_pci_may_lock(&d, (8 << 20) - 1));
	assert_int_equal(d.state, RN_PCI_READY);
	assert_false(rn_pci_may_lock(&d, 8 << 20));
	assert_int_equal(d.state, RN_PCI_LOCKED);
	/* Without an IOMMU VFIO locks nothing. */
	shell("mv dev/vfio/7 dev/vfio/noiommu-7");
	look(true, &d);
	assert_int_equal(d.state, RN_PCI_READY);
	assert_true(rn_pci_may_lock(&d, UINT64_MAX));
	/* A kernel driver that stays with the card locks what it needs. */
	snprintf(d.driver, sizeof(d.driver), "mlx5_core");
	assert_true(rn_pci_may_lock(&d, UINT64_MAX));
	assert_true(!root || seteuid(0) == 0);
	setrlimit(RLIMIT_MEMLOCK, &before);
	remove_place(state);
}

static void reads_what_the_list_shows(void **state)
{
	struct rn_pci_device d;

	make_place(state);
	shell(DRIVER("vfio-pci") GROUP
	      "mkdir -p virtio3/net/eth7; echo down >virtio3/net/eth7/operstate");
	look(false, &d);
	assert_int_equal(d.vendor, 0x8086);
	assert_int_equal(d.product, 0x10d3);
	assert_int_equal(d.numa_node, 1);
	assert_int_equal(d.group, 7);
	assert_string_equal(d.driver, "vfio-pci");
	assert_string_equal(d.interface, "eth7");
	assert_string_equal(d.link, "down");
	remove_place(state);
}

static void note(void *arg, const struct rn_pci_device *d)
{
	strcat(arg, d->address);
	strcat(arg, " ");
}

static void lists_network_cards_alone(void **state)
{
	char sys[80], seen[256] = "";
	const struct rn_pci_roots roots = {sys, "/nonexistent"}, none = {"/nonexistent", ""};

	make_place(state);
	snprintf(sys, sizeof(sys), "%s/sys", place);
	shell("cd sys/bus/pci/devices; mkdir 0000:00:01.0 0000:03:00.0; echo 0x060000 >0000:00:01.0/class; "
	      "echo 0x028000 >0000:03:00.0/class");
	assert_int_equal(rn_pci_list(&roots, note, seen), 2);
	assert_string_equal(seen, "0000:03:00.0 " CARD " ");
	assert_int_equal(rn_pci_list(&none, note, seen), 0);
	remove_place(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(a_low_limit_of_locked_memory_is_named),
		cmocka_unit_test(reads_what_the_list_shows),
		cmocka_unit_test(lists_network_cards_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
