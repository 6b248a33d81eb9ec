/* Congestion notification packets: owing, sending and receiving them (docs/spec/rocev2.md 7.1 and 7.2). Shard thread. */
#ifndef RN_CNP_H
#define RN_CNP_H

#include "shard/core.h"

/* A packet marked "congestion experienced" came, with this verdict: counts it, and owes its sender a notification if it
 * was data for a connected QP and the last notification is the configured interval ago. */
void rn_cnp_marked(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v, rn_time now);
/* A notification for one of our QPs, or for nobody. M, PSN, SE, BECN and the bytes behind the BTH may be anything. */
enum rn_verdict rn_cnp_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now);
/* The notification owed longest; at least one is (list `cnp` of the shard). Returns its length. */
unsigned rn_cnp_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now);

#endif
