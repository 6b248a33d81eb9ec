/* Requests and packets of a queue pair, passed on to the part of the transport that its type and state call for. Shard thread. */
#ifndef RN_QP_DISPATCH_H
#define RN_QP_DISPATCH_H

#include "qp/qp.h"

void rn_qp_post(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now);
enum rn_verdict rn_qp_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* One packet of this QP; 0: nothing to send. */
unsigned rn_qp_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* The same for a QP whose rate is limited. Data (requests, answers to READs) waits for its time: then the QP leaves the
 * active list and its timer is armed in the lane's wheel `pace`. ACKs, NAKs and answers to atomics do not wait, unless
 * an answer to a READ goes before them. */
unsigned rn_qp_tx_limited(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

#endif
