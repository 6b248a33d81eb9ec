/* The attacker of a hostile run: knows all keys, numbers and addresses, and sends what he likes. */
#ifndef SIM_HOSTILE_STRIKE_H
#define SIM_HOSTILE_STRIKE_H

#include "hostile_state.h"

/* One frame to one of the nodes. */
void hostile_strike(struct hostile *h);
/* A frame on the link, for later. */
void hostile_strike_hear(struct hostile *h, unsigned from, const struct rn_pkt *pkt);

#endif
