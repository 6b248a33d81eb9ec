/* The sockets of DPDK's driver net_af_packet, replaced by sockets that show every frame as it was
 * on the wire. */
#ifndef RN_AF_PACKET_H
#define RN_AF_PACKET_H

#include <stdint.h>

/* For a device just made from `args` (rn_vdev_string()) and not yet started; a device of another
 * driver is left alone. 0 or -errno: then the device must not be started. Control thread. */
int rn_af_packet_show_fragments(uint16_t ethdev, const char *args);

#endif
