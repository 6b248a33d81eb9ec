/* The connection management of a hostile run. The client issues random commands on its CM ids. The
 * attacker sends messages to QP1. */
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
	/* forged: type of the last forged message. damaged: some bits of this message were
	 * flipped. */
	uint16_t forged;
	bool damaged;
	/* The latest CM messages on the link. The attacker copies ids from these messages into
	 * forged messages. */
	struct rn_cm_msg heard[HOSTILE_HEARD];
	unsigned speaker[HOSTILE_HEARD], nheard;
	uint32_t said_qpn[SIM_NODES]; /* QPN that each node sent in its last REQ or REP */
};

void hostile_cm_start(struct hostile_cm *c, struct sim *sim, struct rn_rng *rng);
/* Handles the events of both nodes, then sometimes issues a CM command, valid or not. */
void hostile_cm_work(struct hostile_cm *c);
/* Stores CM messages for later forgeries. Must be called for each frame on the link. */
void hostile_cm_record(struct hostile_cm *c, unsigned from, const struct rn_pkt *pkt);
/* Builds and returns a packet for QP1 of the node. The packet carries a CM message with likely
 * values, sometimes damaged. The payload is valid until the next call. */
struct rn_pkt hostile_cm_forge(struct hostile_cm *c, unsigned node);
/* Destroys all CM ids. Their timewait records expire later. */
void hostile_cm_end(struct hostile_cm *c);

#endif
