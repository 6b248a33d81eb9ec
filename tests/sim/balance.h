/* The books: counters against each other and against what the links carried. */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim.h"

/* Number of objections, each written to `out`. all_done: nothing is queued any more, no QP has been reset or destroyed
 * with requests in it, no message was cut off by an error. */
unsigned sim_balance(const struct sim *sim, bool all_done, FILE *out);

#endif
