/* The ledger of a hostile run: a record of every posted request, to check that each completes
 * once. */
#ifndef SIM_HOSTILE_LEDGER_H
#define SIM_HOSTILE_LEDGER_H

#include "hostile_state.h"

#define LEDGER_SHARED 0xFFu /* QP number that stands for the shared receive queue */

/* Records a request that is being posted. Returns its wr_id. */
uint64_t ledger_enter(struct hostile *h, unsigned node, unsigned q, struct ledger_entry e);
/* Takes and checks all completions. */
void ledger_take(struct hostile *h);
/* begin: the QP was created. end: it is about to be destroyed or reset; its open requests will
 * never complete. */
void ledger_begin(struct hostile *h, unsigned node, unsigned q);
void ledger_end(struct hostile *h, unsigned node, unsigned q);
/* After the end of all traffic: reports requests whose completion is missing. */
void ledger_check(struct hostile *h);
void ledger_free(struct hostile *h);

#endif
