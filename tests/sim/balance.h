/* Checks the counters of a simulation against each other and against the frames that the links
 * carried. */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim.h"

/* Writes each difference to `out` and returns their number. all_done: no request is queued any
 * more, no QP was reset or destroyed with requests queued, and no error cut off a message; only
 * then completions are compared. */
unsigned sim_balance(const struct sim *sim, bool all_done, FILE *out);

#endif
