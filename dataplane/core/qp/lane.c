/* How does the code of a QP call the neighbour table, the connection manager and other shards? On
 * shard 0, these calls are direct. Any other shard sends a message to shard 0, which owns the table
 * and the manager. Runs on the shard's thread. */
#include "qp/lane.h"

void rn_lane_report_srq(struct rn_lane *lane, struct rn_srq_ref *ref)
{
	if (rn_list_empty(&ref->tell))
		rn_list_add_tail(&lane->pending_srq, &ref->tell);
}

void rn_lane_send(struct rn_lane *lane, const struct rn_msg *m)
{
	/* If the outbox is full, the message is dropped. This does no harm:
	 * - COMM_EST: the RTU will establish the connection.
	 * - PROBE: the next timeout sends another PROBE.
	 * - NEIGH: never dropped, because its sender checks for room first. */
	if (lane->out_tail - lane->out_head < RN_OUTBOX)
		lane->outbox[lane->out_tail++ % RN_OUTBOX] = *m;
}

void rn_lane_comm_est(struct rn_lane *lane, struct rn_qp *qp, rn_time now)
{
	/* The application gets the event COMM_EST in RTR only. The connection manager also needs
	 * the report in RTS, because a passive side enters RTS before it sends its REP. */
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
