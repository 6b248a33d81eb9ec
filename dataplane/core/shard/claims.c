/* What has a shard that a switch must know after a restart? Owns nothing. Runs on the shard's
 * thread. */
#include "shard/claims.h"

#include <string.h>

#include "shard/shard.h"

/* ---- connections and listeners ---- */

bool rn_shard_track(const struct rn_shard *sh, uint32_t id, struct rn_cm_track *out)
{
	return sh->lane.cm && rn_cm_track(sh->lane.cm, id, out);
}

unsigned rn_shard_tracks(const struct rn_shard *sh, uint32_t *cursor, struct rn_cm_track *out,
			 unsigned n)
{
	return sh->lane.cm ? rn_cm_tracks(sh->lane.cm, cursor, out, n) : 0;
}

unsigned rn_shard_listeners(const struct rn_shard *sh, uint32_t *cursor,
			    struct rn_cm_listener_id *out, unsigned n)
{
	return sh->lane.cm ? rn_cm_listeners(sh->lane.cm, cursor, out, n) : 0;
}

/* ---- connected QPs (RC and UC) ---- */

static void fill(uint32_t qpn, const struct rn_qp_attr *attr, struct rn_cm_track *out)
{
	*out = (struct rn_cm_track){
		.state = RN_TRACK_PAIR,
		.local_qpn = qpn,
		.remote_qpn = attr->dest_qpn,
		.way = {.src = attr->av.sgid, .dst = attr->av.dgid, .tclass = attr->av.tclass}};
	memcpy(out->way.dmac, attr->av.dmac, 6);
}

/* A UC QP in SQE sends again once it is back in RTS. */
static bool may_send(const struct rn_qp *qp)
{
	return qp && rn_qp_has_peer(qp) && qp->state != RN_QPS_ERR;
}

bool rn_shard_pair(const struct rn_shard *sh, uint32_t qpn, struct rn_cm_track *out)
{
	const struct rn_qp *qp = rn_shard_qp(sh, qpn & RN_PSN_MASK);

	if (!may_send(qp))
		return false;
	fill(qp->qpn, &qp->attr, out);
	return true;
}

unsigned rn_shard_pairs(const struct rn_shard *sh, uint32_t *cursor, struct rn_cm_track *out,
			unsigned n)
{
	unsigned found = 0;

	for (; *cursor <= sh->qp_mask && found < n; ++*cursor) {
		const struct rn_qp *qp = sh->qp[*cursor];

		if (may_send(qp))
			fill(qp->qpn, &qp->attr, &out[found++]);
	}
	return found;
}

bool rn_cmd_pair(const struct rn_cmd *cmd, struct rn_cm_track *out)
{
	const uint32_t needs = RN_QP_STATE | RN_QP_AV | RN_QP_DEST_QPN;

	if (cmd->op != RN_CMD_MODIFY_QP || (cmd->modify_qp.mask & needs) != needs ||
	    cmd->modify_qp.attr.state != RN_QPS_RTR)
		return false;
	fill(cmd->modify_qp.qpn, &cmd->modify_qp.attr, out);
	return true;
}
