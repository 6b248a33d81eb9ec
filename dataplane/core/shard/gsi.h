/* QP1: management datagrams to and from the connection manager (docs/spec/rocev2.md 5.3). Shard 0. */
#ifndef RN_GSI_H
#define RN_GSI_H

#include "shard/core.h"

enum rn_verdict rn_gsi_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* The next management datagram owed, as a whole frame; 0 when there is none. */
unsigned rn_gsi_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now);

#endif
