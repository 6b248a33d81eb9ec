/* The calm at the end of a hostile run. When the attacker has stopped, every posted work request
 * and every connection must end. */
#ifndef SIM_HOSTILE_CALM_H
#define SIM_HOSTILE_CALM_H

#include "hostile_state.h"

void hostile_calm(struct hostile *h);

#endif
