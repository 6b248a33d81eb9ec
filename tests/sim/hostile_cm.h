/* The part of a hostile run that is about connections: a client that does anything with the ids it has, and an attacker
 * who speaks to QP1. */
#ifndef SIM_HOSTILE_CM_H
#define SIM_HOSTILE_CM_H

#include "sim.h"

#include "wire/cm_msg.h"

#define HOSTILE_IDS   48u
#define HOSTILE_HEARD 16u

struct hostile_cm {
	struct sim *sim;
	struct rn_rng *rng;
	uint32_t id[SIM_NODES][HOSTILE_IDS];
	unsigned nids[SIM_NODES];
	unsigned refused; /* DESTROYs that failed: must stay 0 */
	uint16_t forged;  /* the last message made: what it is, and whether bytes of it were changed */
	bool damaged;
	/* what was overheard: ids that exist */
	struct rn_cm_msg heard[HOSTILE_HEARD];
	unsigned speaker[HOSTILE_HEARD], nheard;
	uint32_t said_qpn[SIM_NODES]; /* of the last REQ or REP of each node */
};

void hostile_cm_start(struct hostile_cm *c, struct sim *sim, struct rn_rng *rng);
/* Takes the events, then perhaps a command, right or wrong. */
void hostile_cm_work(struct hostile_cm *c);
/* A frame on the link. */
void hostile_cm_hear(struct hostile_cm *c, unsigned from, const struct rn_pkt *pkt);
/* A datagram to QP1 of a node: a CM message with likely values, damaged or not. Its payload lives until the next call. */
struct rn_pkt hostile_cm_forge(struct hostile_cm *c, unsigned node);
/* Destroys all ids. Timewait ends by itself. */
void hostile_cm_end(struct hostile_cm *c);

#endif
