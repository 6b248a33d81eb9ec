/* Processes packets received for a queue pair of type UC (unreliable connection). Runs on the
 * shard's thread. */
#ifndef RN_UC_H
#define RN_UC_H

#include "qp/qp.h"

/* Processes a received packet of a QP that is in a state that permits receiving. Returns the
 * verdict. */
enum rn_verdict rn_uc_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);

#endif
