/* The short way of sent packets: a run of new one-packet SENDs and WRITEs of an RC connection. Runs
 * on the shard's thread.
 *
 * Like short_rx.h, the short way decides nothing by itself: it sends a request only if nothing is
 * special about the request or the QP, and leaves everything else to rn_qp_tx(). */
#ifndef RN_SHORT_TX_H
#define RN_SHORT_TX_H

#include "qp/qp.h"

/* Builds the packets of up to n requests at the head of what is to be sent, complete with ICRC, and
 * at most qp->quota of them. Returns how many; 0: the next packet needs rn_qp_tx(). The quota is
 * left to the caller. */
unsigned rn_short_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now);

#endif
