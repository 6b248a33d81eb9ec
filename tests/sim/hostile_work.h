/* The requests of the nodes' own clients in a hostile run: valid, forbidden and raw ones. */
#ifndef SIM_HOSTILE_WORK_H
#define SIM_HOSTILE_WORK_H

#include "hostile_state.h"

/* Posts a request and records it in the ledger. forbidden: the request must not succeed. */
void hostile_post(struct hostile *h, unsigned node, unsigned q, const struct sim_op *op,
		  bool forbidden);
/* Posts a few receives to QP q, and requests until 6 of them have not completed. Sometimes also
 * posts a raw request (hostile_raw.h). */
void hostile_work(struct hostile *h, unsigned node, unsigned q);
/* Posts receives to QP q until `receives` of them have not completed, so that no message must wait
 * for a receive. If the node has a shared receive queue, posts receives to it until it holds twice
 * as many. Posts no other requests. */
void hostile_receive(struct hostile *h, unsigned node, unsigned q, unsigned receives);

#endif
