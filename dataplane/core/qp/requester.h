/* The requester sends the work requests of a queue pair and handles the responses. Runs on the
 * shard's thread. */
#ifndef RN_REQUESTER_H
#define RN_REQUESTER_H

#include "qp/qp.h"

/* Processes a received response for this QP. Returns the verdict on the packet. */
enum rn_verdict rn_requester_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Builds the next request packet, without the ICRC. Returns the packet's length, or 0 if nothing
 * may be sent now. */
unsigned rn_requester_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);
/* Returns the lower bound of the adaptive timeout: that of probes if packets are kept, otherwise
 * that of resends (rn_retry_init()). */
static inline rn_time rn_requester_floor(const struct rn_core_cfg *cfg)
{
	return cfg->keep_packets ? RN_MIN(cfg->probe_floor, cfg->rto_floor) : cfg->rto_floor;
}
/* Handles the expiry of this QP's retransmission timer. */
void rn_requester_expired(struct rn_qp *qp, rn_time now);

/* ---- for short_rx.c and short_read.c ---- */

/* Handles the acknowledgement of all PSNs before psn. */
void rn_requester_advance(struct rn_qp *qp, uint32_t psn, rn_time now);
/* To be called when una has moved: restarts the timer and completes work requests. */
void rn_requester_progress(struct rn_qp *qp, rn_time now);

/* ---- for read_gap.c ---- */

/* Handles a response to the oldest READ or atomic that has the PSN which is expected next. Returns
 * RN_V_OK, or another verdict if the QP has failed. */
enum rn_verdict rn_requester_take_due(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);
/* Goes back N: all packets from PSN una on are sent again. */
void rn_requester_go_back(struct rn_qp *qp);

#endif
