/* Packets for a queue pair of an unreliable connection. Shard thread. */
#ifndef RN_UC_H
#define RN_UC_H

#include "qp/qp.h"

enum rn_verdict rn_uc_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);

#endif
