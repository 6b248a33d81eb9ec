/* The short way: fast code that handles ordinary received packets of an RC connection. All other
 * packets take the general way, which parses them and calls rn_qp_rx(). Runs on the shard's
 * thread.
 *
 * A packet is ordinary if it is the next in order, the QP is in RTS or RTR, the receive that the
 * packet needs is posted, and its access to memory is permitted. For such a packet the short way
 * has the same effects as responder.c and requester.c. For any other packet the short way changes
 * nothing. rn_core_cfg.no_short_way turns the short way off. Frames and completions are the same
 * with and without the short way (tests/sim/test_short_way.c). */
#ifndef RN_SHORT_RX_H
#define RN_SHORT_RX_H

#include "qp/qp.h"

/* Prepares the QP for the short way. To be called after each change of the QP's addresses or of the
 * port's attributes. */
void rn_short_rx_make(struct rn_qp *qp);

/* Processes a frame for this QP if the frame matches (net/match.h) and its ICRC is right. The frame
 * has passed rn_match_qpn(). Returns true, sets *v to the verdict and counts the packet.
 * Returns false if the caller must parse the frame: no state has changed then. */
bool rn_short_rx(struct rn_qp *qp, const uint8_t *frame, uint32_t len, bool ipv4,
		 enum rn_verdict *v, rn_time now);

#endif
