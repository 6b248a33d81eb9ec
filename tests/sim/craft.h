/* A peer made by hand: packets as the QP at a node expects them from its other end, to be changed at will. */
#ifndef SIM_CRAFT_H
#define SIM_CRAFT_H

#include "sim.h"

/* A packet for QP `qp` of `node`: addresses, P_Key, QPN as its peer would send them. psn counts from the first PSN of
 * the direction the opcode belongs to: the peer's requests, or the responses to the QP's own. */
struct rn_pkt craft_packet(const struct sim *sim, unsigned node, unsigned qp, uint8_t opcode, int32_t psn);
/* Builds it and injects it. */
enum rn_verdict craft_inject(struct sim *sim, unsigned node, const struct rn_pkt *pkt);

#endif
