/* Packets of a hand-made peer: as the QP of a node expects them from its peer. The test changes
 * fields before it sends them. */
#ifndef SIM_CRAFT_H
#define SIM_CRAFT_H

#include "sim.h"

/* A packet for QP `qp` of `node`, with the addresses, P_Key and QPN that the peer would use. psn
 * counts from the first PSN of the direction of the opcode: the peer's requests, or the responses
 * to the QP's own requests. */
struct rn_pkt craft_packet(const struct sim *sim, unsigned node, unsigned qp, uint8_t opcode,
			   int32_t psn);
/* Builds the frame and injects it into the node. Returns the verdict of the NIC. */
enum rn_verdict craft_inject(struct sim *sim, unsigned node, const struct rn_pkt *pkt);

#endif
