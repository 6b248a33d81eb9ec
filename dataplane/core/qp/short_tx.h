/* The short way of sending: fast code that builds several packets of an RC connection in one call,
 * a run. Each packet is a new SEND or WRITE of one packet. Runs on the shard's thread.
 *
 * short_tx.c says which requests can be in a run. rn_qp_tx() sends all other requests. */
#ifndef RN_SHORT_TX_H
#define RN_SHORT_TX_H

#include "qp/qp.h"

/* Builds the packets of the next unsent requests, with ICRC: at most n packets, and at most
 * qp->quota. Counts their bytes. Returns the number of packets built; 0: the next packet needs
 * rn_qp_tx(). The caller subtracts this number from qp->quota, and has checked qp->short_way. */
unsigned rn_short_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now);

#endif
