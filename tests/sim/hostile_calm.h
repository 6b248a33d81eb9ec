/* The end of a hostile run: the attacker has stopped, and every posted request and connection must
 * end. */
#ifndef SIM_HOSTILE_CALM_H
#define SIM_HOSTILE_CALM_H

#include "hostile_state.h"

void hostile_calm(struct hostile *h);

#endif
