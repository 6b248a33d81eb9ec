/* The responder: checks and executes the requests of the peer, and answers them. Shard thread. */
#ifndef RN_RESPONDER_H
#define RN_RESPONDER_H

#include "qp/qp.h"

void rn_responder_init(struct rn_qp *qp, uint32_t psn, uint8_t max_reads);
/* From now on as many READs and atomics may be unanswered; the newest records are kept. */
void rn_responder_reads(struct rn_qp *qp, uint8_t max_reads);
enum rn_verdict rn_responder_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* The receive of the open message, or one for a message that begins; one of an SRQ stays with the QP until it is used.
 * NULL: there is none. */
const struct rn_rqe *rn_responder_receive(struct rn_qp *qp);
unsigned rn_responder_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* The end of the QP because of the verdict. */
void rn_responder_fail(struct rn_qp *qp, enum rn_verdict v, rn_time now);

#endif
