/* Congestion notification packets (CNP): owing, sending and receiving them (docs/spec/rocev2.md 7.1
 * and 7.2). Runs on the shard's thread. */
#ifndef RN_CNP_H
#define RN_CNP_H

#include "shard/core.h"

/* Handles the ECN mark "congestion experienced" of a received packet; v is the verdict of the
 * packet. Counts the mark. Owes the sender a CNP if the packet was data for a connected QP and the
 * configured interval since the last CNP is over. */
void rn_cnp_marked(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v, rn_time now);
/* Processes a received CNP; the QP that it names need not exist. The BTH fields MigReq, PSN, SE and
 * BECN, and the bytes behind the BTH, are not checked. Returns the verdict. */
enum rn_verdict rn_cnp_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* Builds the CNP that has been owed longest. The list `cnp` of the shard must not be empty. Returns
 * the frame length. */
unsigned rn_cnp_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now);

#endif
