/* Packets of a simulated peer, built field by field. Each packet is what a QP expects from its
 * peer. The test changes some fields before it injects the packet. */
#ifndef SIM_CRAFT_H
#define SIM_CRAFT_H

#include "sim.h"

/* Returns a packet for QP `qp` of `node`, with the addresses, P_Key and QPN that the peer would
 * use. psn counts from the first PSN of the peer's requests. For a response opcode it counts from
 * the first PSN of the QP's own requests. */
struct rn_pkt craft_packet(const struct sim *sim, unsigned node, unsigned qp, uint8_t opcode,
			   int32_t psn);
/* Builds the frame and injects it into the node. Returns the verdict that the NIC gave it. */
enum rn_verdict craft_inject(struct sim *sim, unsigned node, const struct rn_pkt *pkt);

#endif
