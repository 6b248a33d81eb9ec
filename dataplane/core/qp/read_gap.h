/* Missing responses to READs and atomics. The requester keeps responses that arrive ahead of a
 * missing one, and requests the missing ones alone. Runs on the shard's thread. */
#ifndef RN_READ_GAP_H
#define RN_READ_GAP_H

#include "qp/qp.h"

/* Handles a response or ACK with this PSN, which arrived while the response with the PSN `expect`,
 * of the oldest READ or atomic, is missing. `pkt` is a response of the kind that the work request
 * at psn expects, or NULL for an ACK. Returns false if the caller must go back N. */
bool rn_read_gap_found(struct rn_qp *qp, const struct rn_pkt *pkt, uint32_t psn, uint32_t expect,
		       rn_time now);
/* To be called when una has moved: takes the kept responses whose turn has come, and requests the
 * next missing ones. */
void rn_read_gap_fill(struct rn_qp *qp, rn_time now);
/* Requests the oldest missing responses again, because none has come for longer than usual. Returns
 * false, and does nothing, if una belongs to no READ or atomic, or if packets are being sent again
 * anyway. */
bool rn_read_gap_probe(struct rn_qp *qp);
/* To be called when a Last or Only has been taken in the middle of a READ: the peer has answered a
 * part. Any other response may be a late one to the first request. */
void rn_read_gap_answered(struct rn_qp *qp);
/* To be called when a timeout makes the requester send all packets again, before
 * rn_read_gap_forget(): a part that was requested has got no answer. */
void rn_read_gap_timed_out(struct rn_qp *qp);
/* Drops what was kept. To be called before all packets are sent again, and when the QP leaves a
 * state in which responses are accepted. */
void rn_read_gap_forget(struct rn_qp *qp);

#endif
