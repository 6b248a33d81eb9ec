/* The ledger of a hostile run: every request that was posted, and that it ended once. */
#ifndef SIM_HOSTILE_LEDGER_H
#define SIM_HOSTILE_LEDGER_H

#include "hostile_state.h"

#define LEDGER_SHARED 0xFFu /* instead of a queue pair: the shared receive queue */

/* A request that is posted now. Returns its wr_id. */
uint64_t ledger_enter(struct hostile *h, unsigned node, unsigned q, struct ledger_entry e);
/* Takes all completions there are. */
void ledger_take(struct hostile *h);
/* The queue pair begins a new life (it was made), or ends one (it is about to be destroyed or reset): what is still posted
 * never completes. */
void ledger_begin(struct hostile *h, unsigned node, unsigned q);
void ledger_end(struct hostile *h, unsigned node, unsigned q);
/* After everything has ended: is a completion missing? */
void ledger_check(struct hostile *h);
void ledger_free(struct hostile *h);

#endif
