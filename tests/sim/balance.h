/* Checks the counters of a simulation against each other and against the frames that the links
 * carried. */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim.h"

/* Writes each difference between two counters to `out` and returns the number of differences.
 * Completions are compared only if all_done. The caller may set it if all requests have completed,
 * no QP was reset or destroyed with requests queued, and no message was cut off by an error. */
unsigned sim_balance(const struct sim *sim, bool all_done, FILE *out);

#endif
