/* How does a queue pair reach what is outside its room: the neighbour table, the connection manager, other shards? Directly
 * where this shard has them, else by a message to shard 0. Shard thread. */
#include "qp/lane.h"

void rn_lane_tell_srq(struct rn_lane *lane, struct rn_srq_ref *ref)
{
	if (rn_list_empty(&ref->tell))
		rn_list_add_tail(&lane->tell_srq, &ref->tell);
}

void rn_lane_send(struct rn_lane *lane, const struct rn_msg *m)
{
	/* Full: lost. Each message only hastens what a packet or a timer brings about as well. */
	if (lane->out_tail - lane->out_head < RN_OUTBOX)
		lane->outbox[lane->out_tail++ % RN_OUTBOX] = *m;
}

void rn_lane_comm_est(struct rn_lane *lane, struct rn_qp *qp, rn_time now)
{
	/* The connection manager wants to know in RTS too: the passive side is there before its REP leaves. */
	if (qp->state == RN_QPS_RTR)
		rn_lane_tell_qp(lane, qp, RN_QPE_COMM_EST);
	if (lane->cm)
		lane->comm_est(lane->cm, qp->qpn, now);
	else
		rn_lane_send(lane,
			      &(struct rn_msg){.to = 0, .kind = RN_MSG_COMM_EST, .qpn = qp->qpn});
}

void rn_lane_doubt(struct rn_lane *lane, const struct rn_gid *peer, rn_time now)
{
	if (lane->neigh)
		rn_neigh_doubt(lane->neigh, peer, now);
	else
		rn_lane_send(lane, &(struct rn_msg){.to = 0, .kind = RN_MSG_DOUBT, .gid = *peer});
}
