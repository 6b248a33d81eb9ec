/* The work requests of the nodes' own clients in a hostile run: valid ones, forbidden ones, and raw
 * requests (hostile_raw.h). */
#ifndef SIM_HOSTILE_WORK_H
#define SIM_HOSTILE_WORK_H

#include "hostile_state.h"

/* Posts a work request and records it in the ledger. forbidden: the work request must not
 * succeed. */
void hostile_post(struct hostile *h, unsigned node, unsigned q, const struct sim_op *op,
		  bool forbidden);
/* Posts up to 5 receives to QP q. Then posts work requests until 6 of the QP are in progress
 * (posted and not completed). Sometimes also posts a raw request (hostile_raw.h). */
void hostile_work(struct hostile *h, unsigned node, unsigned q);
/* Posts at most `receives` receives and no other work requests, so that no message must wait for a
 * receive. Stops early when QP q holds `receives` receives. If the node has an SRQ, posts to the
 * SRQ and stops early when the SRQ holds twice as many. */
void hostile_receive(struct hostile *h, unsigned node, unsigned q, unsigned receives);

#endif
