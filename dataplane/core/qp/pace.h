/* The rate limit of a queue pair: when may the queue pair send again (cc.h)? Runs on the shard's
 * thread. */
#ifndef RN_PACE_H
#define RN_PACE_H

#include "qp/qp.h"

/* Puts a QP back on the active list. t is the expired timer `pace` of the QP. */
void rn_pace_due(struct rn_timer *t);
/* Handles a received CNP, which may cut the QP's rate. If congestion control is off, only counts
 * the CNP. */
void rn_pace_cnp(struct rn_qp *qp, rn_time now);
/* Updates the counters of rate-limited QPs after a change of the QP's rate. `was` is the rate
 * before the change; 0 = no limit. */
void rn_pace_note_rate(struct rn_qp *qp, uint64_t was);
/* Removes the QP's rate limit and cancels its timer. Called on reset, error and destruction. */
void rn_pace_stop(struct rn_qp *qp);

#endif
