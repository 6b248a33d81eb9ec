/* The devices that programs see: one for each adapter of the configuration. A device is made by the
 * first list that contains it, and lives as long as the process, so that lists may be freed before
 * or after their devices are opened. */
#ifndef VERBS_DEVICE_H
#define VERBS_DEVICE_H

#include "rn/link.h"
#include "verbs/public.h"

#include <stdbool.h>

#define VB_MAX_DEVICES 16
/* Bytes behind struct ibv_device that are 0. libmlx5 and libefa compare the word there with an
 * address of their own, to tell whether the device is theirs. */
#define VB_DEVICE_BEHIND 64

struct vb_device {
	struct ibv_device dev;
	uint8_t behind[VB_DEVICE_BEHIND];
	unsigned index; /* of the adapter in the configuration */
	/* What libsoftrnic reports of the adapter, with sorted GIDs (vb_device_sort_gids()). */
	struct rn_link_info info;
};

static inline struct vb_device *vb_device_of(struct ibv_device *dev)
{
	return (struct vb_device *)dev;
}

/* Returns the device with this index, or NULL if there is none. Lists the devices if none is known;
 * else takes no lock. */
struct vb_device *vb_device_at(unsigned index);

/* Is the adapter of the device still listed? Asks softrnicd if it is one of softrnicd's. */
bool vb_device_answers(const struct vb_device *device);

/* Sorts the GIDs in the order in which verbs programs expect them: IPv4, IPv6, link-local. Else
 * keeps their order. */
void vb_device_sort_gids(struct rn_link_info *info);

#endif
