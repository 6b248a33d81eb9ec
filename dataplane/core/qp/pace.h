/* The rate limit of a queue pair (cc.h): when the queue pair may send again. Runs on the shard's
 * thread. */
#ifndef RN_PACE_H
#define RN_PACE_H

#include "qp/qp.h"

/* Puts a QP back on the active list. t: the timer `pace` of that QP, which has expired. */
void rn_pace_due(struct rn_timer *t);
/* Handles a received CNP, which may cut the QP's rate. With congestion control off the CNP is only
 * counted. */
void rn_pace_cnp(struct rn_qp *qp, rn_time now);
/* Updates the counters of rate-limited QPs after a change of the QP's rate. was: the rate before; 0
 * = no limit. */
void rn_pace_note_rate(struct rn_qp *qp, uint64_t was);
/* Removes the rate limit and cancels the timer. Called on reset, error and destruction. */
void rn_pace_stop(struct rn_qp *qp);

#endif
