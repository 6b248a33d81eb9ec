/* QP1: management datagrams (MADs) to and from the connection manager (docs/spec/rocev2.md 5.3).
 * Runs on shard 0's thread. */
#ifndef RN_GSI_H
#define RN_GSI_H

#include "shard/core.h"

/* Processes a packet to QP1 whose address and P_Key the caller has checked. Returns the verdict. */
enum rn_verdict rn_gsi_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* Builds the whole frame of the next MAD of the connection manager. Returns the frame length, or 0
 * if there is no MAD to send. */
unsigned rn_gsi_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now);

#endif
