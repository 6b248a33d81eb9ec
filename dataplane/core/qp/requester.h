/* The requester: sends the requests of a queue pair and handles the responses. Shard thread. */
#ifndef RN_REQUESTER_H
#define RN_REQUESTER_H

#include "qp/qp.h"

/* A response for this QP. Returns what became of it. */
enum rn_verdict rn_requester_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Builds the next request packet, all but its ICRC. Returns its length, 0: nothing may be sent. */
unsigned rn_requester_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* The retransmission timer of this QP has expired. */
void rn_requester_expired(struct rn_qp *qp, rn_time now);

#endif
