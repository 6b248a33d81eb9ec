/* The connection management of a hostile run: a client that issues any command on its CM ids, and
 * an attacker who sends messages to QP1. */
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
	unsigned refused; /* number of DESTROY commands that failed; must stay 0 */
	/* type of the last forged message, and whether bytes of it were damaged */
	uint16_t forged;
	bool damaged;
	/* messages seen on the link, with ids that exist */
	struct rn_cm_msg heard[HOSTILE_HEARD];
	unsigned speaker[HOSTILE_HEARD], nheard;
	uint32_t said_qpn[SIM_NODES]; /* QPN in the last REQ or REP of each node */
};

void hostile_cm_start(struct hostile_cm *c, struct sim *sim, struct rn_rng *rng);
/* Takes the events, then sometimes issues a command, valid or not. */
void hostile_cm_work(struct hostile_cm *c);
/* To be called for each frame on the link: remembers CM messages. */
void hostile_cm_hear(struct hostile_cm *c, unsigned from, const struct rn_pkt *pkt);
/* A datagram to QP1 of a node: a CM message with likely values, sometimes damaged. Its payload is
 * valid until the next call. */
struct rn_pkt hostile_cm_forge(struct hostile_cm *c, unsigned node);
/* Destroys all CM ids; their timewait records expire later. */
void hostile_cm_end(struct hostile_cm *c);

#endif
