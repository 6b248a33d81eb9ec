/* The bystander of a hostile run: a client in another protection domain that uses the same NICs and
 * the same link. No attack is aimed at its QPs. */
#ifndef SIM_HOSTILE_BYSTANDER_H
#define SIM_HOSTILE_BYSTANDER_H

#include "hostile_state.h"

/* Creates the bystander's connection and binds a memory window over its secret memory. In runs
 * without a bystander (spec.foreign == 0) every function of this header does nothing. */
void hostile_bystander_start(struct hostile *h);
void hostile_bystander_work(struct hostile *h);
/* Checks the completion if it belongs to the bystander; ignores other completions. */
void hostile_bystander_take(struct hostile *h, unsigned node, const struct rn_cqe *c);

#endif
