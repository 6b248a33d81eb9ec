/* Congestion notification packets (CNP): records which CNPs are owed, sends and receives CNPs
 * (docs/spec/rocev2.md 7.1 and 7.2). Runs on the shard's thread. */
#ifndef RN_CNP_H
#define RN_CNP_H

#include "shard/core.h"

/* Counts a received packet with the ECN mark "congestion experienced"; v is the verdict of the
 * packet. Records that the sender is owed a CNP if the packet was data for a connected QP and the
 * configured interval since the last CNP is over. */
void rn_cnp_marked(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v, rn_time now);
/* Processes a received CNP and returns the verdict. The QP that the CNP names need not exist. The
 * BTH fields MigReq, PSN, SE and BECN, and the bytes behind the BTH, are not checked. */
enum rn_verdict rn_cnp_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* Builds the CNP that has been owed longest, and returns the frame length. The list `cnp` of the
 * shard must not be empty. */
unsigned rn_cnp_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now);

#endif
