/* The attacker of a hostile run. The attacker has all keys, QPNs and addresses and can send any
 * frame. */
#ifndef SIM_HOSTILE_STRIKE_H
#define SIM_HOSTILE_STRIKE_H

#include "hostile_state.h"

/* Injects one hostile frame into one of the nodes. */
void hostile_strike(struct hostile *h);
/* Stores the frame for replay. Must be called for each frame on the link. */
void hostile_strike_record(struct hostile *h, unsigned from, const struct rn_pkt *pkt);

#endif
