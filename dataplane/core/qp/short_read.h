/* The short way of READs: fast code for ordinary packets of READs, at both ends. short_rx.h says
 * what the short way is. Runs on the shard's thread. */
#ifndef RN_SHORT_READ_H
#define RN_SHORT_READ_H

#include "net/match.h"
#include "qp/qp.h"

/* Handles a READ request whose response has one packet, or a READ response that answers the oldest
 * incomplete READ, if this READ has one SGE. short_rx.c has checked the ICRC and that the QP is in
 * RTS. Returns false and changes nothing if the packet is another or is not ordinary. */
bool rn_short_read_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now);
/* The same for the opcode of a READ request, and for that of a READ response of one packet if it
 * answers the oldest work request. */
bool rn_short_read_request_rx(struct rn_qp *qp, const struct rn_brief *b);
bool rn_short_read_only_rx(struct rn_qp *qp, const struct rn_brief *b, rn_time now);

/* Returns false if the QP certainly has no READ to send: rn_short_read_tx() would return 0. */
static inline bool rn_short_read_wants_tx(const struct rn_qp *qp)
{
	return qp->rx.nowed ? qp->rx.nowed_reads != 0 : qp->sq.send != qp->sq.tail;
}
/* Builds a run of packets, with ICRC: at most n packets, and at most qp->quota. A run consists of
 * owed READ responses of one packet each, of packets of one longer response, or of the requests of
 * new READs of one packet each. While responses and requests wait, a run is one packet, of the kind
 * whose turn it is. Returns the number of packets built; 0: the next packet needs rn_qp_tx(). The
 * caller subtracts this number from qp->quota. */
unsigned rn_short_read_tx(struct rn_qp *qp, struct rn_txbuf *bufs, unsigned n, rn_time now);

#endif
