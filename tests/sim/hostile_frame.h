/* Frames of the attacker with errors in the layers below the transport: Ethernet, IP, UDP, ARP, ND
 * and ICMP. */
#ifndef SIM_HOSTILE_FRAME_H
#define SIM_HOSTILE_FRAME_H

#include "hostile_state.h"

/* Changes one to three random bytes of `data`, which has `len` bytes. Only the first `within` bytes
 * are changed. */
void hostile_frame_flip(struct hostile *h, uint8_t *data, uint32_t len, uint32_t within);
/* Sets one header field of an untagged frame to a random value and corrects the IPv4 checksum. */
void hostile_frame_twist(struct hostile *h, uint8_t *f, bool ipv4);
/* Builds an ARP, ND or ICMP message in f. The message has the correct layout, addresses of either
 * node, and a few wrong bytes. Returns the frame's length. */
uint32_t hostile_frame_neighbour(struct hostile *h, unsigned node, uint8_t *f);
uint32_t hostile_frame_noise(struct hostile *h, unsigned node, uint8_t *f);

#endif
