/* The end of a hostile run: the attacker is gone, and everything that was asked for has to end. */
#ifndef SIM_HOSTILE_CALM_H
#define SIM_HOSTILE_CALM_H

#include "hostile_state.h"

void hostile_calm(struct hostile *h);

#endif
