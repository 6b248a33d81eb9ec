/* Adds devices to DPDK, or finds devices that EAL has probed already, and removes devices. */
#ifndef RN_DEVICE_H
#define RN_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* Finds or creates the device of `name` and `args`, which come from rn_vdev_string(). Sets *id to
 * the number of the device's ethdev. Returns 0, or -errno with a sentence in err. Called in the
 * control thread. */
int rn_device_make(const char *name, const char *args, uint16_t *id, char *err, size_t errlen);

/* Removes the device of a stopped ethdev. On return the device no longer accesses memory, and can
 * be created again. Called in the control thread. */
void rn_device_remove(uint16_t id);

#endif
