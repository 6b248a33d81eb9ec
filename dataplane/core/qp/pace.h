/* A queue pair whose rate is limited (cc.h): when it may send, and who wakes it. Shard thread. */
#ifndef RN_PACE_H
#define RN_PACE_H

#include "qp/qp.h"

/* One packet of a limited QP, as rn_qp_tx(). Data (requests, answers to READs) waits for its time: then the QP leaves the
 * active list and its timer is armed in the shard's wheel `pace`. ACKs, NAKs and answers to atomics do not wait, unless
 * an answer to a READ goes before them. */
unsigned rn_pace_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* Its time has come: t is a timer that the wheel handed out. */
void rn_pace_due(struct rn_timer *t);
/* A congestion notification for this QP. */
void rn_pace_cnp(struct rn_qp *qp, rn_time now);
/* Ends limit and wait: reset, error, destruction. */
void rn_pace_stop(struct rn_qp *qp);

#endif
