/* The short way of received packets: ordinary packets of an RC connection, without rn_frame_parse()
 * and the functions behind it. Runs on the shard's thread.
 *
 * The short way decides nothing by itself. Each of its functions handles a packet only if nothing
 * is special about it: it is the next in order, the QP is in RTS, no receive is missing, all rights
 * are there. Then the function does what responder.c and requester.c would do. Otherwise it changes
 * nothing, and the packet takes the general way, where the rules are. The configuration
 * (rn_core_cfg.no_short_way) turns the short way off; the frames and completions are the same with
 * and without it (tests/sim/test_short_way.c). */
#ifndef RN_SHORT_RX_H
#define RN_SHORT_RX_H

#include "qp/qp.h"

/* Prepares the QP for the short way. To be called after a change of its addresses or its port. */
void rn_short_rx_make(struct rn_qp *qp);

/* Processes a frame for this QP if it matches (net/match.h) and its ICRC is right. The frame has
 * passed rn_match_qpn(). Returns true and sets *v to the verdict, which the caller counts. Returns
 * false, without any effect, if the caller must parse the frame. */
bool rn_short_rx(struct rn_qp *qp, const uint8_t *frame, uint32_t len, bool ipv4,
		 enum rn_verdict *v, rn_time now);

#endif
