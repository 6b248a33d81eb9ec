/* A queue pair whose rate is limited (cc.h): when it may send again. Shard thread. */
#ifndef RN_PACE_H
#define RN_PACE_H

#include "qp/qp.h"

/* The timer t of a QP, which the wheel handed out, has expired: the QP may send again. */
void rn_pace_due(struct rn_timer *t);
/* Handles a congestion notification for this QP, which may cut the rate. Without congestion
 * control it is only counted. */
void rn_pace_cnp(struct rn_qp *qp, rn_time now);
/* Counts a change of the rate. was: the rate before, 0 = no limit. */
void rn_pace_note_rate(struct rn_qp *qp, uint64_t was);
/* Ends the limit and the wait: on reset, error and destruction. */
void rn_pace_stop(struct rn_qp *qp);

#endif
