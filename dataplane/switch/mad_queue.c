/* Owns the ring of owed messages. */
#include "switch/mad_queue.h"

#include <string.h>

void rn_mad_queue_answer(struct rn_mad_queue *q, const struct rn_pkt *pkt,
			 const struct rn_cm_msg *msg)
{
	struct rn_owed_mad *owed;

	if (pkt->smac[0] & 1 || q->count == RN_MAD_QUEUE_MAX) {
		q->dropped++;
		return;
	}
	owed = &q->of[(q->head + q->count++) % RN_MAD_QUEUE_MAX];
	/* The traffic class is that of the packet without the ECN bits. */
	owed->way =
		(struct rn_mad_way){.src = pkt->dst, .dst = pkt->src, .tclass = pkt->tclass & 0xFC};
	memcpy(owed->way.dmac, pkt->smac, 6);
	owed->msg = *msg;
}

bool rn_mad_queue_take(struct rn_mad_queue *q, struct rn_owed_mad *owed)
{
	if (q->count == 0)
		return false;
	*owed = q->of[q->head];
	q->head = (q->head + 1) % RN_MAD_QUEUE_MAX;
	q->count--;
	return true;
}

bool rn_mad_answer(const struct rn_cm_msg *in, bool full, struct rn_cm_msg *answer)
{
	*answer = (struct rn_cm_msg){.tid = in->tid};
	switch (in->attr) {
	case RN_CM_REQ:
		answer->attr = RN_CM_REJ;
		answer->rej = (struct rn_cm_rej){.remote_id = in->req.local_id,
						 .about = RN_CM_ABOUT_REQ,
						 .reason = full ? RN_CM_REJ_NO_RESOURCES
								: RN_CM_REJ_NO_SERVICE};
		return true;
	case RN_CM_REP:
		answer->attr = RN_CM_REJ;
		answer->rej = (struct rn_cm_rej){.local_id = in->rep.remote_id,
						 .remote_id = in->rep.local_id,
						 .about = RN_CM_ABOUT_REP,
						 .reason = RN_CM_REJ_BAD_COMM_ID};
		return true;
	case RN_CM_DREQ:
		answer->attr = RN_CM_DREP;
		answer->drep = (struct rn_cm_drep){.local_id = in->dreq.remote_id,
						   .remote_id = in->dreq.local_id};
		return true;
	case RN_CM_SIDR_REQ:
		answer->attr = RN_CM_SIDR_REP;
		answer->sidr_rep = (struct rn_cm_sidr_rep){.request_id = in->sidr_req.request_id,
							   .service_id = in->sidr_req.service_id,
							   .status = full ? RN_CM_SIDR_NO_QP
									  : RN_CM_SIDR_NO_SERVICE};
		return true;
	default:
		return false;
	}
}
