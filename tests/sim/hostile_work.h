/* The client's own requests in a hostile run: proper ones, forbidden ones, and slots full of anything. */
#ifndef SIM_HOSTILE_WORK_H
#define SIM_HOSTILE_WORK_H

#include "hostile_state.h"

/* One request, entered in the ledger. forbidden: it must not succeed. */
void hostile_post(struct hostile *h, unsigned node, unsigned q, const struct sim_op *op, bool forbidden);
/* Receives and requests, until the queues are as full as they are to be. */
void hostile_work(struct hostile *h, unsigned node, unsigned q);
/* Receives alone, so that no message waits for one. */
void hostile_receive(struct hostile *h, unsigned node, unsigned q, unsigned receives);

#endif
