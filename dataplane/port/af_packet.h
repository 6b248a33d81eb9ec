/* Replaces the sockets of DPDK's driver net_af_packet by sockets without IP defragmentation. The
 * new sockets deliver every frame as it was on the wire. */
#ifndef RN_AF_PACKET_H
#define RN_AF_PACKET_H

#include <stdint.h>

/* Replaces the sockets of a device that was created from `args` (rn_vdev_string()) and is not yet
 * started. Does nothing for a device of another driver. Returns 0 or -errno. After an error the
 * device must not be started. Called in the control thread. */
int rn_af_packet_disable_defrag(uint16_t ethdev, const char *args);

#endif
