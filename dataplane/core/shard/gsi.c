/* QP1: passes received MADs to the connection manager, and builds the frames of the MADs that the
 * connection manager sends. As on UD QPs, a message is one packet without acknowledgement. Runs on
 * shard 0's thread. */
#include "shard/gsi.h"

#include "wire/frame.h"
#include "shard/shard.h"

enum rn_verdict rn_gsi_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	if (!sh->lane.cm)
		return RN_V_QP_UNKNOWN;
	if (!pkt->op->known || pkt->op->transport != RN_T_UD)
		return RN_V_QP_TRANSPORT;
	if (pkt->qkey != RN_GSI_QKEY)
		return RN_V_QKEY;
	if (pkt->op->has_imm)
		return RN_V_MAD_BAD;
	return rn_cm_rx(sh->lane.cm, pkt, now);
}

unsigned rn_gsi_tx(struct rn_shard *sh, struct rn_txbuf *buf, rn_time now)
{
	struct rn_pkt pkt;

	if (!sh->lane.cm || !rn_cm_tx(sh->lane.cm, &pkt, now))
		return 0;
	sh->lane.stats.tx_mads++;
	return rn_frame_build(&pkt, buf->data, buf->cap);
}
