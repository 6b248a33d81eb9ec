/* The responder: checks and executes the requests of the peer, and answers them. Runs on the
 * shard's thread. */
#ifndef RN_RESPONDER_H
#define RN_RESPONDER_H

#include "qp/qp.h"

/* `psn` is the first PSN that the responder expects, max_reads the attribute max_dest_rd_atomic. */
void rn_responder_init(struct rn_qp *qp, uint32_t psn, uint8_t max_reads);
/* Changes max_dest_rd_atomic. If there are more READ and atomic records than the new limit allows,
 * the oldest records are dropped. */
void rn_responder_reads(struct rn_qp *qp, uint8_t max_reads);
/* Processes a received request for this QP and owes the reply, if any. Returns the verdict. */
enum rn_verdict rn_responder_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* rn_responder_receive() returns the receive of the current message, or the next posted receive
 * when a message begins. It returns NULL if no receive is posted. A receive taken from an SRQ stays
 * with the QP until it is used. */
const struct rn_rqe *rn_responder_receive(struct rn_qp *qp);
/* Builds the packet of the oldest owed reply, without the ICRC. Returns its length, or 0 if no
 * reply is owed. */
unsigned rn_responder_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* Completes the current receive with the error of verdict v, and puts the QP into ERR. */
void rn_responder_fail(struct rn_qp *qp, enum rn_verdict v, rn_time now);

#endif
