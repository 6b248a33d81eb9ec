/* Checks the counters of a simulation against each other and against the frames that the links
 * carried. */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim.h"

/* Writes each difference between two counters to `out` and returns the number of differences.
 * Completions are compared only if all_done is true. The caller may set all_done only if three
 * conditions hold: all work requests have completed, no QP was reset or destroyed while work
 * requests were queued, and no error has cut off a message. */
unsigned sim_balance(const struct sim *sim, bool all_done, FILE *out);

#endif
