/* Calls from the code of a QP to the neighbour table, the connection manager and other shards.
 * Shard 0 owns the neighbour table and the connection manager, so there these two are called
 * directly. Any other shard sends a message to shard 0 instead. Runs on the shard's thread. */
#include "qp/lane.h"

void rn_lane_report_srq(struct rn_lane *lane, struct rn_srq_ref *ref)
{
	if (rn_list_empty(&ref->tell))
		rn_list_add_tail(&lane->pending_srq, &ref->tell);
}

void rn_lane_send(struct rn_lane *lane, const struct rn_msg *m)
{
	/* If the outbox is full, the message is dropped. Nothing depends on a single message: if
	 * COMM_EST is lost, the RTU establishes the connection; if PROBE is lost, the next timeout
	 * sends another; the sender of NEIGH checks for room first. */
	if (lane->out_tail - lane->out_head < RN_OUTBOX)
		lane->outbox[lane->out_tail++ % RN_OUTBOX] = *m;
}

void rn_lane_comm_est(struct rn_lane *lane, struct rn_qp *qp, rn_time now)
{
	/* The application gets the event COMM_EST only in RTR. The connection manager is informed
	 * in RTS too, because a passive side enters RTS before it sends its REP. */
	if (qp->state == RN_QPS_RTR)
		rn_lane_report_qp(lane, qp, RN_QPE_COMM_EST);
	if (lane->cm)
		lane->comm_est(lane->cm, qp->qpn, now);
	else
		rn_lane_send(lane,
			     &(struct rn_msg){.to = 0, .kind = RN_MSG_COMM_EST, .qpn = qp->qpn});
}

void rn_lane_probe_peer(struct rn_lane *lane, const struct rn_gid *peer, rn_time now)
{
	if (lane->neigh)
		rn_neigh_probe(lane->neigh, peer, now);
	else
		rn_lane_send(lane, &(struct rn_msg){.to = 0, .kind = RN_MSG_PROBE, .gid = *peer});
}
