/* Passes requests and packets of a QP on to the part of the transport that its type and state
 * name. Shard thread. */
#ifndef RN_QP_DISPATCH_H
#define RN_QP_DISPATCH_H

#include "qp/qp.h"

/* A request of the application; its QP is known, its form is not checked yet. Where the state
 * refuses the request, it completes with an error at once. */
void rn_qp_post(struct rn_qp *qp, const struct rn_wqe *wqe, rn_time now);
/* A packet for this QP, whose addresses and P_Key are checked. Returns what became of it. */
enum rn_verdict rn_qp_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Builds one packet of this QP. Returns its length, 0: nothing to send. The ICRC is still to be
 * written (rn_tmpl_seal()), except that of a UD packet. */
unsigned rn_qp_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* The same for a QP whose rate is limited. Data (requests, READ responses) waits until the rate
 * permits: the QP leaves the active list and its timer is armed in the lane's wheel `pace`.
 * ACKs, NAKs and ATOMIC ACKs do not wait, unless a READ response must go before them. */
unsigned rn_qp_tx_limited(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

#endif
