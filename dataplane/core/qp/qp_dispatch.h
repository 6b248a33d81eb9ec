/* For each request and each packet of a QP: calls the code that handles it, by type and state of
 * the QP. Runs on the shard's thread. */
#ifndef RN_QP_DISPATCH_H
#define RN_QP_DISPATCH_H

#include "qp/qp.h"

/* Takes a work request of the application for this QP. If the state of the QP does not permit the
 * request, it completes with an error at once. The caller need not check the request's fields. */
void rn_qp_post(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now);
/* Processes a received packet for this QP. The caller has checked addresses and P_Key. Returns the
 * verdict. */
enum rn_verdict rn_qp_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Builds one packet of this QP. Returns its length, or 0 if there is nothing to send. The caller
 * then writes the ICRC with rn_tmpl_seal(), except in a UD packet, which has it already. */
unsigned rn_qp_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* rn_qp_tx() for a QP whose rate is limited. Data (requests, READ responses) wait until the rate
 * permits: the QP leaves the active list and its timer is armed in the wheel rn_lane.pace. ACKs,
 * NAKs and ATOMIC ACKs do not wait, unless a READ response must go before them. */
unsigned rn_qp_tx_limited(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

#endif
