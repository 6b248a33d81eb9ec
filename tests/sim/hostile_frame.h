/* Frames of the attacker in a hostile run that are wrong below the transport. */
#ifndef SIM_HOSTILE_FRAME_H
#define SIM_HOSTILE_FRAME_H

#include "hostile_state.h"

/* Up to three bytes within the first ones change. */
void hostile_frame_flip(struct hostile *h, uint8_t *data, uint32_t len, uint32_t within);
/* One header field of an untagged frame set on purpose, checksums made right again. */
void hostile_frame_twist(struct hostile *h, uint8_t *f, bool ipv4);
/* ARP, neighbour discovery or ICMP: the right shape with a few wrong bytes, any address of the two nodes. Its length. */
uint32_t hostile_frame_neighbour(struct hostile *h, unsigned node, uint8_t *f);
uint32_t hostile_frame_noise(struct hostile *h, unsigned node, uint8_t *f);

#endif
