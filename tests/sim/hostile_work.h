/* The client's own requests in a hostile run: valid ones, forbidden ones, and arbitrary slots. */
#ifndef SIM_HOSTILE_WORK_H
#define SIM_HOSTILE_WORK_H

#include "hostile_state.h"

/* Posts a request and enters it in the ledger. forbidden: it must not succeed. */
void hostile_post(struct hostile *h, unsigned node, unsigned q, const struct sim_op *op,
		  bool forbidden);
/* Posts receives and requests until the queues hold the wanted number. */
void hostile_work(struct hostile *h, unsigned node, unsigned q);
/* Posts receives only, so that no message waits for one. */
void hostile_receive(struct hostile *h, unsigned node, unsigned q, unsigned receives);

#endif
