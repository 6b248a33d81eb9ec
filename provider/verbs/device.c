/* The list of devices: which adapters the configuration has. Starts none of them. Owns the devices.
 * Any thread may call these functions.
 *
 * A program that runs with this library for no particular reason must not see a difference: without
 * a configuration and without softrnicd the list is empty, as on a host without RDMA devices. */
#include "verbs/device.h"

#include "verbs/engine.h"
#include "verbs/private.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_REASON 512 /* bytes of the reason why no adapter can be listed */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Each is stored once, with the lock held, and may be read without it. */
static struct vb_device *_Atomic devices[VB_MAX_DEVICES];

/* Drivers of DPDK list RDMA devices while an adapter starts, and this library may be the one that
 * they find. The thread that starts an adapter therefore gets an empty list. */
static _Thread_local bool starting;

void vb_device_starting(bool yes)
{
	starting = yes;
}

static unsigned gid_rank(const struct rn_gid *gid)
{
	if (vb_engine.gid_is_v4(gid))
		return 0;
	return gid->b[0] == 0xfe && (gid->b[1] & 0xc0) == 0x80 ? 2 : 1;
}

void vb_device_sort_gids(struct rn_link_info *info)
{
	struct rn_link_info from = *info;
	unsigned n = 0;

	for (unsigned rank = 0; rank < 3; rank++)
		for (unsigned i = 0; i < from.ngids; i++)
			if (gid_rank(&from.gids[i]) == rank) {
				info->gids[n] = from.gids[i];
				info->prefix_len[n++] = from.prefix_len[i];
			}
}

/* Fills in what programs see of the adapter. */
static struct vb_device *make_device(unsigned index, const struct rn_link_info *info)
{
	struct vb_device *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->index = index;
	d->info = *info;
	vb_device_sort_gids(&d->info);
	d->dev.node_type = IBV_NODE_CA;
	d->dev.transport_type = IBV_TRANSPORT_IB;
	snprintf(d->dev.name, sizeof(d->dev.name), "softrnic%u", index);
	snprintf(d->dev.dev_name, sizeof(d->dev.dev_name), "uverbs%u", index);
	snprintf(d->dev.dev_path, sizeof(d->dev.dev_path), "/sys/class/infiniband_verbs/uverbs%u",
		 index);
	snprintf(d->dev.ibdev_path, sizeof(d->dev.ibdev_path), "/sys/class/infiniband/softrnic%u",
		 index);
	return d;
}

/* Was the adapter chosen by the user? Without a configuration libsoftrnic offers two adapters that
 * reach only each other. Programs would take them for devices of the machine. */
static bool is_chosen(const struct rn_link_info *info)
{
	const char *path = secure_getenv("SOFTRNIC_CONFIG");

	return (path != NULL && path[0] != '\0') || strcmp(info->port, "daemon") == 0;
}

/* Prints why no adapter can be listed; "": adapters can be listed. A program may list its devices
 * often, so a reason that has not changed is not printed again. Called with `lock` held. */
static void complain(const char *reason)
{
	static char last[MAX_REASON];

	if (strcmp(last, reason) == 0)
		return;
	snprintf(last, sizeof(last), "%s", reason);
	if (reason[0] != '\0')
		fprintf(stderr, "softrnic: %s\n", reason);
}

/* Lists the adapters, and makes the devices that do not exist yet. Returns how many there are. */
static unsigned look(void)
{
	struct rn_link_info info[VB_MAX_DEVICES];
	char err[MAX_REASON] = "";
	int n = vb_engine_load(err, sizeof(err));

	if (n == 0)
		n = vb_engine.list(NULL, info, VB_MAX_DEVICES, err, sizeof(err));
	complain(n < 0 ? err : "");
	if (n < 0)
		return 0;
	if (n > VB_MAX_DEVICES)
		n = VB_MAX_DEVICES;
	for (int i = 0; i < n; i++) {
		if (!is_chosen(&info[i]))
			return (unsigned)i;
		if (devices[i] == NULL)
			devices[i] = make_device((unsigned)i, &info[i]);
		if (devices[i] == NULL)
			return (unsigned)i;
	}
	return (unsigned)n;
}

/* Without the modules of the kernel Debian's library does not return an empty list, but fails. */
static bool kernel_has_verbs(void)
{
	return access("/sys/class/infiniband_verbs/abi_version", F_OK) == 0;
}

struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct ibv_device **list = calloc(VB_MAX_DEVICES + 1, sizeof(*list));
	unsigned n = 0;

	if (num_devices != NULL)
		*num_devices = 0;
	if (list == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	if (!starting && !os_child) {
		pthread_mutex_lock(&lock);
		n = look();
		for (unsigned i = 0; i < n; i++)
			list[i] = &devices[i]->dev;
		pthread_mutex_unlock(&lock);
	}
	if (n == 0 && !kernel_has_verbs()) {
		free(list);
		errno = ENOSYS;
		return NULL;
	}
	if (num_devices != NULL)
		*num_devices = (int)n;
	return list;
}

struct vb_device *vb_device_at(unsigned index)
{
	if (index >= VB_MAX_DEVICES)
		return NULL;
	/* Nothing was listed yet, or there is no device. */
	if (devices[0] == NULL && !starting && !os_child) {
		pthread_mutex_lock(&lock);
		look();
		pthread_mutex_unlock(&lock);
	}
	return devices[index];
}

bool vb_device_answers(const struct vb_device *device)
{
	struct rn_link_info info[VB_MAX_DEVICES];
	char err[MAX_REASON];
	int n = vb_engine.list(NULL, info, VB_MAX_DEVICES, err, sizeof(err));

	return n > (int)device->index && strcmp(info[device->index].port, device->info.port) == 0;
}

void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

int ibv_get_device_index(struct ibv_device *device)
{
	return (int)vb_device_of(device)->index + 1;
}

__be64 ibv_get_device_guid(struct ibv_device *device)
{
	return htobe64(vb_device_of(device)->info.guid);
}
