/* The ledger of a hostile run: a list of all posted work requests, to check that each work request
 * completes once. */
#ifndef SIM_HOSTILE_LEDGER_H
#define SIM_HOSTILE_LEDGER_H

#include "hostile_state.h"

#define LEDGER_SHARED 0xFFu /* ledger_entry.q of a receive posted to the SRQ */

/* Adds a work request that is about to be posted. Returns its wr_id. */
uint64_t ledger_enter(struct hostile *h, unsigned node, unsigned q, struct ledger_entry e);
/* Takes all completions of both nodes and checks them. */
void ledger_take(struct hostile *h);
/* ledger_begin() starts the record of a QP that was just created. ledger_end() must be called
 * before the QP is destroyed or reset. ledger_end() checks that all work requests of a QP in the
 * error state have completed. A QP in another state may have open work requests. */
void ledger_begin(struct hostile *h, unsigned node, unsigned q);
void ledger_end(struct hostile *h, unsigned node, unsigned q);
/* Reports work requests that have not completed. Must be called when all traffic has ended. */
void ledger_check(struct hostile *h);
void ledger_free(struct hostile *h);

#endif
