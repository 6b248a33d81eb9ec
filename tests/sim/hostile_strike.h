/* The attacker of a hostile run, who knows all keys, numbers and addresses and can send any
 * frame. */
#ifndef SIM_HOSTILE_STRIKE_H
#define SIM_HOSTILE_STRIKE_H

#include "hostile_state.h"

/* Sends one frame to one of the nodes. */
void hostile_strike(struct hostile *h);
/* To be called for each frame on the link: remembers it for replays. */
void hostile_strike_hear(struct hostile *h, unsigned from, const struct rn_pkt *pkt);

#endif
