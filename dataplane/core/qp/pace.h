/* A queue pair whose rate is limited (cc.h): when it may send, and who wakes it. Shard thread. */
#ifndef RN_PACE_H
#define RN_PACE_H

#include "qp/qp.h"

/* Its time has come: t is a timer that the wheel handed out. */
void rn_pace_due(struct rn_timer *t);
/* A congestion notification for this QP. */
void rn_pace_cnp(struct rn_qp *qp, rn_time now);
/* Counts a change of the rate. was: the rate before, 0 = no limit. */
void rn_pace_note_rate(struct rn_qp *qp, uint64_t was);
/* Ends limit and wait: reset, error, destruction. */
void rn_pace_stop(struct rn_qp *qp);

#endif
