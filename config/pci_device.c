/* Reads from sysfs which driver has a network card, and what is missing before DPDK can use it. The
 * functions keep no state. Any thread may call them. */
#include "config/pci_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/types.h"

#define PATH_LEN 512
/* VFIO locks all memory that DPDK has. This is more than several adapters of the default sizes
 * have. */
#define ENOUGH_MB     1024u
#define NETWORK_CLASS 0x02 /* base class of a PCI device: network controller */

const struct rn_pci_roots rn_pci_machine = {"/sys", "/dev"};

/* Drivers of the kernel with which a program can use a card. */
static const struct {
	const char *driver;
	bool vfio;
} usable[] = {
	{"vfio-pci", true},
	{"uio_pci_generic", false},
	{"igb_uio", false},
	/* Bifurcated drivers: the card stays bound to the kernel driver, and DPDK's driver uses it
	 * too. */
	{"mlx4_core", false},
	{"mlx5_core", false},
	{"mana", false},
};

/* ---- reading sysfs: `at` is the descriptor of a folder ---- */

static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void close_folder(int folder)
{
	if (folder >= 0)
		close(folder);
}

/* Reads the first line of a file. Returns false if there is no such file. */
static bool read_line(int at, const char *file, char *text, size_t len)
{
	int fd = openat(at, file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, len - 1) : -1;

	close_folder(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static long read_number(int at, const char *file, long otherwise)
{
	char text[RN_PCI_WORD_LEN];

	return read_line(at, file, text, sizeof(text)) ? strtol(text, NULL, 0) : otherwise;
}

/* Copies a word that fits into `len` bytes, or else nothing. */
static void copy_word(char *to, size_t len, const char *word)
{
	size_t n = strlen(word);

	to[0] = '\0';
	if (n < len)
		memcpy(to, word, n + 1);
}

/* Writes the last part of the path to which a symbolic link leads, or "" if there is no link. */
static void read_link(int at, const char *link, char *name, size_t len)
{
	char to[PATH_LEN];
	ssize_t n = readlinkat(at, link, to, sizeof(to) - 1);

	to[RN_MAX(n, 0)] = '\0';
	const char *slash = strrchr(to, '/');
	copy_word(name, len, slash != NULL ? slash + 1 : to);
}

/* Finds the first entry of the folder `path` below `at` for which wanted() returns true. */
static bool find_entry(int at, const char *path,
		       bool (*wanted)(void *arg, int folder, const char *name), void *arg,
		       char *name, size_t len)
{
	int folder = open_folder(at, path);
	DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
	const struct dirent *e;
	bool found = false;

	if (dir == NULL) {
		close_folder(folder);
		return false;
	}
	while (!found && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.' && wanted(arg, folder, e->d_name)) {
			copy_word(name, len, e->d_name);
			found = true;
		}
	closedir(dir);
	return found;
}

static bool begins(void *prefix, int folder, const char *name)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Reads the kernel interface of a card, if there is one. */
static void read_interface(int card, struct rn_pci_device *d)
{
	char below[RN_PCI_WORD_LEN], net[PATH_LEN] = "net", file[PATH_LEN + RN_PCI_WORD_LEN + 16];

	/* A virtio card has its interface in the folder of a second device, which lies in the
	 * folder of the card. */
	if (find_entry(card, ".", begins, "virtio", below, sizeof(below)))
		snprintf(net, sizeof(net), "%s/net", below);
	if (!find_entry(card, net, begins, "", d->interface, sizeof(d->interface)))
		return;
	snprintf(file, sizeof(file), "%s/%s/operstate", net, d->interface);
	read_line(card, file, d->link, sizeof(d->link));
}

/* ---- the state ---- */

static bool is_usable(const char *driver, bool *vfio)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(usable); i++)
		if (strcmp(driver, usable[i].driver) == 0) {
			*vfio = usable[i].vfio;
			return true;
		}
	return false;
}

/* Returns true if `address` is another device of the IOMMU group than the card, and a kernel driver
 * is bound to it. Bridges do not count, since VFIO lets them keep their driver. */
static bool kernel_has(void *arg, int group, const char *address)
{
	struct rn_pci_device *d = arg;
	char driver[RN_PCI_WORD_LEN];
	bool vfio;
	int device;

	if (strcmp(address, d->address) == 0)
		return false;
	device = open_folder(group, address);
	read_link(device, "driver", driver, sizeof(driver));
	close_folder(device);
	if (driver[0] == '\0' || strcmp(driver, "pcieport") == 0 ||
	    (is_usable(driver, &vfio) && vfio))
		return false;
	copy_word(d->driver, sizeof(d->driver), driver);
	return true;
}

/* Returns whether no limit of locked memory applies to this process. Root has this capability, but
 * not in every container. */
static bool may_lock_any(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[0].effective & 1u << CAP_IPC_LOCK) != 0;
}

/* Returns how many MB this process may lock. */
static unsigned long may_lock(void)
{
	struct rlimit limit;

	if (may_lock_any() || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return ULONG_MAX;
	return limit.rlim_cur >> 20;
}

/* Begin of the names of groups that VFIO makes in its no-IOMMU mode. */
#define NOIOMMU "noiommu-"

/* Returns the state of a card that is bound to vfio-pci. A program gets an IOMMU group from VFIO
 * only as a whole. */
static enum rn_pci_state vfio_state(const struct rn_pci_roots *roots, int card, bool open_it,
				    struct rn_pci_device *d)
{
	char path[PATH_LEN];

	if (d->group < 0)
		return RN_PCI_NO_IOMMU;
	snprintf(path, sizeof(path), "%s/vfio/" NOIOMMU "%d", roots->dev, d->group);
	d->noiommu = access(path, F_OK) == 0;
	if (find_entry(card, "iommu_group/devices", kernel_has, d, d->other, sizeof(d->other)))
		return RN_PCI_GROUP;
	if (!d->noiommu)
		snprintf(path, sizeof(path), "%s/vfio/%d", roots->dev, d->group);
	if (access(path, R_OK | W_OK) != 0)
		return RN_PCI_FORBIDDEN;
	if (!open_it)
		return RN_PCI_READY;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno == EBUSY ? RN_PCI_BUSY : RN_PCI_FORBIDDEN;
	close(fd);
	/* Without an IOMMU VFIO locks no memory. */
	return !d->noiommu && may_lock() < ENOUGH_MB ? RN_PCI_LOCKED : RN_PCI_READY;
}

bool rn_pci_may_lock(struct rn_pci_device *d, uint64_t bytes)
{
	bool vfio = false;

	if (!is_usable(d->driver, &vfio) || !vfio || d->noiommu || bytes >> 20 < may_lock())
		return true;
	d->state = RN_PCI_LOCKED;
	return false;
}

static int devices_folder(const struct rn_pci_roots *roots)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "%s/bus/pci/devices", roots->sys);
	return open_folder(AT_FDCWD, path);
}

/* rn_pci_look() for a card whose folder is open. */
static void look(const struct rn_pci_roots *roots, int card, bool open_it, struct rn_pci_device *d)
{
	char group[RN_PCI_WORD_LEN];
	bool vfio;

	d->vendor = (uint16_t)read_number(card, "vendor", 0);
	d->product = (uint16_t)read_number(card, "device", 0);
	d->numa_node = (int)read_number(card, "numa_node", -1);
	read_link(card, "driver", d->driver, sizeof(d->driver));
	read_link(card, "iommu_group", group, sizeof(group));
	if (group[0] != '\0')
		d->group = atoi(group);
	read_interface(card, d);
	if (d->driver[0] == '\0')
		d->state = RN_PCI_UNBOUND;
	else if (!is_usable(d->driver, &vfio))
		d->state = RN_PCI_KERNEL;
	else
		d->state = vfio ? vfio_state(roots, card, open_it, d) : RN_PCI_READY;
}

void rn_pci_look(const struct rn_pci_roots *roots, const char *address, bool open_it,
		 struct rn_pci_device *d)
{
	int devices = devices_folder(roots), card = open_folder(devices, address);

	*d = (struct rn_pci_device){.state = RN_PCI_ABSENT, .numa_node = -1, .group = -1};
	copy_word(d->address, sizeof(d->address), address);
	if (card >= 0)
		look(roots, card, open_it, d);
	close_folder(card);
	close_folder(devices);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

unsigned rn_pci_list(const struct rn_pci_roots *roots,
		     void (*fn)(void *arg, const struct rn_pci_device *d), void *arg)
{
	struct dirent **entry = NULL;
	unsigned found = 0;
	int devices = devices_folder(roots);
	int n = devices >= 0 ? scandirat(devices, ".", &entry, NULL, by_name) : 0;

	for (int i = 0; i < n; i++) {
		struct rn_pci_device d;
		int card = open_folder(devices, entry[i]->d_name);

		if (read_number(card, "class", 0) >> 16 == NETWORK_CLASS) {
			rn_pci_look(roots, entry[i]->d_name, false, &d);
			fn(arg, &d);
			found++;
		}
		close_folder(card);
		free(entry[i]);
	}
	free(entry);
	close_folder(devices);
	return found;
}

/* ---- the sentences ---- */

#define BIND "dpdk-devbind.py -b vfio-pci "

int rn_pci_explain(const struct rn_pci_device *d, char *text, size_t len)
{
	static const int error[RN_PCI_STATES] = {
		[RN_PCI_READY] = 0,	      [RN_PCI_ABSENT] = -ENODEV,
		[RN_PCI_UNBOUND] = -ENODEV,   [RN_PCI_KERNEL] = -EBUSY,
		[RN_PCI_NO_IOMMU] = -ENOTSUP, [RN_PCI_GROUP] = -EBUSY,
		[RN_PCI_FORBIDDEN] = -EACCES, [RN_PCI_BUSY] = -EBUSY,
		[RN_PCI_LOCKED] = -ENOMEM,
	};
	const char *a = d->address, *mode = d->noiommu ? NOIOMMU : "";

	switch (d->state) {
	case RN_PCI_ABSENT:
		snprintf(text, len,
			 "there is no PCI device %s; \"softrnic-config --devices\" lists the cards",
			 a);
		break;
	case RN_PCI_UNBOUND:
		snprintf(text, len,
			 "%s is bound to no driver; bind it with \"modprobe vfio-pci; " BIND "%s\"",
			 a, a);
		break;
	case RN_PCI_KERNEL:
		snprintf(
			text, len,
			"%s is bound to the kernel driver %s%s%s; bind it with \"modprobe vfio-pci; " BIND
			"%s\"%s",
			a, d->driver, d->interface[0] ? " as interface " : "", d->interface, a,
			strcmp(d->link, "up") == 0
				? ", which ends all connections over this interface"
				: "");
		break;
	case RN_PCI_NO_IOMMU:
		snprintf(
			text, len,
			"%s is bound to vfio-pci, but the machine has no IOMMU, or it is off; switch it "
			"on in the firmware (VT-d, AMD-Vi) and boot with \"intel_iommu=on\"",
			a);
		break;
	case RN_PCI_GROUP:
		snprintf(
			text, len,
			"%s shares IOMMU group %d with %s, which is bound to the kernel driver %s; bind "
			"both with \"" BIND "%s %s\"",
			a, d->group, d->other, d->driver, a, d->other);
		break;
	case RN_PCI_FORBIDDEN:
		if (d->noiommu)
			snprintf(text, len,
				 "%s is in VFIO's no-IOMMU mode, in which only root may use it", a);
		else
			snprintf(
				text, len,
				"this user may not open /dev/vfio/%d, the IOMMU group of %s; allow "
				"it with \"chown USER /dev/vfio/%d\"",
				d->group, a, d->group);
		break;
	case RN_PCI_BUSY:
		snprintf(text, len,
			 "another process uses %s (or a card of its IOMMU group %d); \"fuser -v "
			 "/dev/vfio/%s%d\" names it",
			 a, d->group, mode, d->group);
		break;
	case RN_PCI_LOCKED:
		snprintf(
			text, len,
			"%s is ready, but this user may lock only %lu MB, and VFIO locks all memory of "
			"DPDK; raise the limit with \"ulimit -l unlimited\", or LimitMEMLOCK of systemd",
			a, may_lock());
		break;
	case RN_PCI_READY:
	case RN_PCI_STATES:
		snprintf(text, len, "%s is ready", a);
		break;
	}
	return error[d->state];
}
