/* The bystander of a hostile run: a client in another protection domain, on the same NICs and the
 * same link. No attack is aimed at it. */
#ifndef SIM_HOSTILE_BYSTANDER_H
#define SIM_HOSTILE_BYSTANDER_H

#include "hostile_state.h"

/* Creates the bystander's connection and a window over its secret memory. If the run has no
 * bystander, all functions do nothing. */
void hostile_bystander_start(struct hostile *h);
void hostile_bystander_work(struct hostile *h);
/* Checks a completion if it belongs to the bystander. */
void hostile_bystander_take(struct hostile *h, unsigned node, const struct rn_cqe *c);

#endif
