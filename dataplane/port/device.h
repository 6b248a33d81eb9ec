/* Devices of DPDK's buses: found where EAL has taken them already, else made; and taken out again.
 */
#ifndef RN_DEVICE_H
#define RN_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* name and args as of rn_vdev_string(); *id becomes the number of its ethdev. 0, or -errno with a
 * sentence in err. Control thread. */
int rn_device_make(const char *name, const char *args, uint16_t *id, char *err, size_t errlen);

/* Of a stopped ethdev: on return its device does not touch memory any more and can be made again.
 * Control thread. */
void rn_device_remove(uint16_t id);

#endif
