/* The bystander of a hostile run: a client in another protection domain, on the same NICs and the same link, whom nobody
 * attacks. */
#ifndef SIM_HOSTILE_BYSTANDER_H
#define SIM_HOSTILE_BYSTANDER_H

#include "hostile_state.h"

/* A connection of its own, and a window over its secret memory. Nothing follows unless the run has one. */
void hostile_bystander_start(struct hostile *h);
void hostile_bystander_work(struct hostile *h);
/* A completion that is perhaps one of its. */
void hostile_bystander_take(struct hostile *h, unsigned node, const struct rn_cqe *c);

#endif
