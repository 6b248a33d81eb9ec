/* The attributes with which a program moves the queue pair of a connection to INIT, RTR and RTS.
 * The callers hold the lock. */
#include "ucma/ucma.h"

#include <string.h>

void ucma_attr_ah(const struct ucma_adapter *adapter, const struct rn_av *av,
		  struct ib_uverbs_ah_attr *ah)
{
	int index = ucma_adapter_gid(adapter, &av->sgid);

	memset(ah, 0, sizeof(*ah));
	memcpy(ah->grh.dgid, &av->dgid, sizeof(ah->grh.dgid));
	ah->grh.sgid_index = index < 0 ? 0 : (uint8_t)index;
	ah->grh.flow_label = av->flow_label;
	ah->grh.hop_limit = av->hop_limit;
	ah->grh.traffic_class = av->tclass;
	ah->sl = av->sl;
	ah->is_global = 1;
	ah->port_num = VB_PORT;
}

static void to_init(const struct ucma_id *id, struct ib_uverbs_qp_attr *out)
{
	out->qp_attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	out->port_num = VB_PORT;
	if (id->qp_type == IBV_QPT_UD) {
		out->qp_attr_mask |= IBV_QP_QKEY;
		out->qkey = RN_UDP_QKEY;
		return;
	}
	out->qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
	if (id->has_peer)
		out->qp_access_flags = id->attr.access;
}

/* Linux always sets the longest RNR timer. softrnic does so only if this side has connected and has
 * asked the peer to give up after a few RNR NAKs, because a program may post its receives late. If
 * the peer never gives up, a shorter timer only makes the connection faster. */
#define LONGEST_RNR_TIMER 0 /* code: 655 ms */

static void to_rtr(const struct ucma_id *id, struct ib_uverbs_qp_attr *out)
{
	const struct rn_qp_attr *attr = &id->attr;

	out->qp_attr_mask =
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	ucma_attr_ah(id->adapter, &attr->av, &out->ah_attr);
	out->path_mtu = attr->path_mtu;
	out->dest_qp_num = attr->dest_qpn;
	out->rq_psn = id->psn;
	if (id->qp_type != IBV_QPT_RC)
		return;
	out->qp_attr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	out->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	out->min_rnr_timer = id->patient ? LONGEST_RNR_TIMER : attr->min_rnr_timer;
}

static void to_rts(const struct ucma_id *id, struct ib_uverbs_qp_attr *out)
{
	const struct rn_qp_attr *attr = &id->attr;

	out->qp_attr_mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	out->sq_psn = attr->sq_psn;
	if (id->qp_type != IBV_QPT_RC)
		return;
	out->qp_attr_mask |=
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	out->timeout = id->has_timeout ? id->ack_timeout : attr->timeout;
	out->retry_cnt = attr->retry_cnt;
	out->rnr_retry = attr->rnr_retry;
	out->max_rd_atomic = attr->max_rd_atomic;
}

/* Before there is a connection, and for datagrams, every state has the attributes of INIT. */
int ucma_init_qp_attr(struct ucma_call *call)
{
	struct ib_uverbs_qp_attr *out = &call->out.attr;
	uint32_t state = call->in.init_qp_attr.qp_state;
	struct ucma_id *id;
	int rc;

	if (state > IBV_QPS_ERR)
		return EINVAL;
	rc = ucma_call_id(call, call->in.init_qp_attr.id, true, &id);
	if (rc != 0)
		return rc;
	out->qp_state = state;
	if (id->state < UCMA_CONNECT || id->qp_type == IBV_QPT_UD || state == IBV_QPS_INIT)
		to_init(id, out);
	else if (id->has_peer && state == IBV_QPS_RTR)
		to_rtr(id, out);
	else if (id->has_peer && state == IBV_QPS_RTS)
		to_rts(id, out);
	else
		return EINVAL;
	return 0;
}
