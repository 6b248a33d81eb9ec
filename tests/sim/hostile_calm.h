/* The calm at the end of a hostile run: when the attacker has stopped, every posted request and
 * every connection must end. */
#ifndef SIM_HOSTILE_CALM_H
#define SIM_HOSTILE_CALM_H

#include "hostile_state.h"

void hostile_calm(struct hostile *h);

#endif
