/* Congestion notification packets (CNP): which sender gets a CNP, and what a received CNP does. A
 * QP owes at most one CNP. The list `cnp` of the shard holds the QPs that owe a CNP. rn_shard_tx()
 * sends CNPs before the packets of QPs. The effect on the sending rate is in pace.c and cc.c. Runs
 * on the shard's thread. */
#include "shard/cnp.h"

#include "wire/frame.h"
#include "wire/hdr.h"
#include "qp/pace.h"
#include "shard/shard.h"

/* Did the packet reach its QP, accepted or not? The ECN mark shows congestion in both cases. */
static bool reached_qp(enum rn_verdict v)
{
	return v == RN_V_OK || (v >= RN_V_REQ_DUPLICATE && v <= RN_V_RSP_LOCAL);
}

/* Does the sender's rate limit delay this kind of packet? ACKs and ATOMIC ACKs are never delayed,
 * so a CNP for them would have no effect. */
static bool is_limited_kind(const struct rn_pkt *pkt)
{
	return pkt->kind == RN_PKT_IB && pkt->op->known && pkt->op->family != RN_F_ACK &&
	       pkt->op->family != RN_F_ATOMIC_ACK;
}

static bool is_connected(const struct rn_qp *qp)
{
	return rn_qp_has_peer(qp) && qp->state != RN_QPS_ERR;
}

void rn_cnp_marked(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v, rn_time now)
{
	struct rn_qp *qp;

	sh->lane.stats.rx_ecn_marked++;
	if (!reached_qp(v) || !is_limited_kind(pkt))
		return;
	qp = rn_shard_qp(sh, pkt->dest_qpn);
	if (!qp || !is_connected(qp))
		return;
	sh->lane.stats.np_ecn_marked_roce_packets++;
	/* A QP owes at most one CNP at a time, and sends at most one CNP per cnp_interval. */
	if (now >= qp->cnp_after && rn_list_empty(&qp->cnp))
		rn_list_add_tail(&sh->cnp, &qp->cnp);
}

enum rn_verdict rn_cnp_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_qp *qp = rn_shard_qp(sh, pkt->dest_qpn);

	if (!qp)
		return RN_V_QP_UNKNOWN;
	if (qp->type == RN_QPT_UD)
		return RN_V_QP_TRANSPORT;
	if (!is_connected(qp))
		return RN_V_QP_STATE;
	if (!rn_gid_equal(&pkt->dst, &qp->own))
		return RN_V_QP_ADDRESS;
	if (!rn_gid_equal(&pkt->src, &qp->peer) && sh->lane.port.check_source)
		return RN_V_QP_ADDRESS;
	rn_pace_cnp(qp, now);
	return RN_V_CNP;
}

unsigned rn_cnp_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now)
{
	struct rn_qp *qp = rn_container_of(rn_list_pop(&sh->cnp), struct rn_qp, cnp);
	const struct rn_cc_cfg *p = &sh->lane.cfg.cc;

	/* The next CNP of this QP is sent no earlier than cnp_interval after the present CNP. */
	qp->cnp_after = now + p->cnp_interval;
	sh->lane.stats.np_cnp_sent++;
	return rn_tmpl_cnp(&qp->tmpl, buf->data, (uint8_t)(p->cnp_dscp << 2 | RN_ECT_0),
			   p->cnp_prio);
}
