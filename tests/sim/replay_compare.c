/* Compares a frame that the shard sent with the corresponding frame of the captured host that the
 * shard replaces. */
#include "replay_compare.h"

#include <string.h>

#include "wire/cm_msg.h"
#include "replay.h"

/* Returns whether the opcodes of two READ responses differ in the one allowed way. The difference
 * occurs when the rest of a READ is requested again. Soft-RoCE then continues with MIDDLE or LAST,
 * as if it still answered the first READ request. By the specification the second READ request has
 * a response of its own, which begins with FIRST or ONLY. */
static bool begins_rest(const struct replay *r, const struct record *want, const struct record *got)
{
	const struct flow *f = &r->pair[replay_pair_of(r, want)].flow;
	unsigned a = want->pkt.opcode, b = got->pkt.opcode;

	return f->rest && want->pkt.psn == f->from &&
	       ((a == RN_OP_READ_RESP_MIDDLE && b == RN_OP_READ_RESP_FIRST) ||
		(a == RN_OP_READ_RESP_LAST && b == RN_OP_READ_RESP_ONLY));
}

void compare_packet(struct replay *r, const struct record *want, const struct record *got)
{
	const struct rn_pkt *a = &want->pkt, *b = &got->pkt;

	must(r, want, a->opcode == b->opcode || begins_rest(r, want, got), "another opcode");
	must(r, want, a->psn == b->psn, "another PSN");
	must(r, want, a->dest_qpn == b->dest_qpn, "to another queue pair");
	must(r, want, rn_gid_equal(&a->src, &b->src) && rn_gid_equal(&a->dst, &b->dst),
	     "other addresses");
	must(r, want, !memcmp(a->dmac, b->dmac, 6) && !memcmp(a->smac, b->smac, 6), "other MACs");
	must(r, want, (a->tclass ^ b->tclass) < 4 && a->hop_limit == b->hop_limit,
	     "other class or hop limit");
	must(r, want, a->pkey == b->pkey && a->se == b->se && (b->ack_req || !a->ack_req),
	     "other flags");
	must(r, want,
	     a->payload_len == b->payload_len && !memcmp(a->payload, b->payload, a->payload_len),
	     "other data");
	must(r, want, a->va == b->va && a->rkey == b->rkey && a->dma_len == b->dma_len,
	     "another target");
	must(r, want, a->swap_add == b->swap_add && a->compare == b->compare && a->orig == b->orig,
	     "other operands");
	must(r, want, a->imm == b->imm && a->qkey == b->qkey, "another immediate or Q_Key");
	must(r, want,
	     (a->syndrome >> 5 == b->syndrome >> 5 && a->msn == b->msn) || !a->op->has_aeth,
	     "another answer");
}

static void compare_req(struct replay *r, const struct record *want, const struct rn_cm_req *a,
			const struct rn_cm_req *b)
{
	struct rn_cma_hdr x, y;

	must(r, want,
	     a->service_id == b->service_id && a->qpn == b->qpn && a->psn == b->psn &&
		     a->pkey == b->pkey,
	     "REQ: ids");
	must(r, want,
	     a->responder_resources == b->responder_resources &&
		     a->initiator_depth == b->initiator_depth,
	     "REQ: depths");
	must(r, want,
	     a->retry_cnt == b->retry_cnt && a->rnr_retry == b->rnr_retry &&
		     a->flow_control == b->flow_control && a->srq == b->srq &&
		     a->transport == b->transport && a->ack_timeout == b->ack_timeout &&
		     a->max_cm_retries == b->max_cm_retries,
	     "REQ: transport");
	must(r, want,
	     a->path_mtu == b->path_mtu && rn_gid_equal(&a->local_gid, &b->local_gid) &&
		     rn_gid_equal(&a->remote_gid, &b->remote_gid) && a->tclass == b->tclass &&
		     a->hop_limit == b->hop_limit && a->local_lid == b->local_lid &&
		     a->remote_lid == b->remote_lid && a->subnet_local == b->subnet_local,
	     "REQ: path");
	must(r, want,
	     rn_cma_hdr_parse(a->data, &x) && rn_cma_hdr_parse(b->data, &y) && x.ipv4 == y.ipv4 &&
		     rn_gid_equal(&x.src, &y.src) && rn_gid_equal(&x.dst, &y.dst),
	     "REQ: RDMA-CM header");
	must(r, want,
	     !memcmp(a->data + RN_CMA_HDR_BYTES, b->data + RN_CMA_HDR_BYTES, RN_CM_REQ_DATA),
	     "REQ: private data");
}

static void compare_rep(struct replay *r, const struct record *want, const struct rn_cm_rep *a,
			const struct rn_cm_rep *b)
{
	must(r, want, a->remote_id == b->remote_id && a->qpn == b->qpn && a->psn == b->psn,
	     "REP: ids");
	must(r, want,
	     a->responder_resources == b->responder_resources &&
		     a->initiator_depth == b->initiator_depth && a->rnr_retry == b->rnr_retry &&
		     a->flow_control == b->flow_control && a->srq == b->srq &&
		     a->failover == b->failover,
	     "REP: transport");
	must(r, want, !memcmp(a->data, b->data, sizeof(a->data)), "REP: private data");
}

void compare_cm(struct replay *r, const struct record *want, const struct record *got)
{
	const struct rn_cm_msg *a = &want->cm, *b = &got->cm;
	bool asks = a->attr == RN_CM_REQ || a->attr == RN_CM_DREQ || a->attr == RN_CM_SIDR_REQ;

	must(r, want, a->attr == b->attr, "another message");
	must(r, want,
	     rn_gid_equal(&want->pkt.src, &got->pkt.src) &&
		     rn_gid_equal(&want->pkt.dst, &got->pkt.dst),
	     "other addresses");
	must(r, want, got->pkt.qkey == want->pkt.qkey && got->pkt.src_qpn == 1, "DETH");
	if (asks)
		twin_add(r, a->tid, b->tid);
	must(r, want, twin_of(r, a->tid) == b->tid, "another transaction");
	/* local_id is the first field of every CM message, so rtu.local_id is right for any type of
	 * message. */
	twin_add(r, a->rtu.local_id, b->rtu.local_id);
	if (a->attr != RN_CM_REQ && a->attr != RN_CM_SIDR_REQ && a->attr != RN_CM_SIDR_REP)
		must(r, want, a->rtu.remote_id == b->rtu.remote_id, "another peer's id");
	if (a->attr == RN_CM_REQ)
		compare_req(r, want, &a->req, &b->req);
	if (a->attr == RN_CM_REP)
		compare_rep(r, want, &a->rep, &b->rep);
	if (a->attr == RN_CM_DREQ)
		must(r, want, a->dreq.remote_qpn == b->dreq.remote_qpn, "DREQ: QPN");
	if (a->attr == RN_CM_REJ)
		must(r, want, a->rej.reason == b->rej.reason && a->rej.about == b->rej.about,
		     "REJ: reason");
	if (a->attr == RN_CM_SIDR_REQ)
		must(r, want,
		     a->sidr_req.service_id == b->sidr_req.service_id &&
			     a->sidr_req.pkey == b->sidr_req.pkey,
		     "SIDR_REQ");
	if (a->attr == RN_CM_SIDR_REP)
		must(r, want,
		     a->sidr_rep.request_id == b->sidr_rep.request_id &&
			     a->sidr_rep.status == b->sidr_rep.status &&
			     a->sidr_rep.qpn == b->sidr_rep.qpn &&
			     a->sidr_rep.qkey == b->sidr_rep.qkey &&
			     a->sidr_rep.service_id == b->sidr_rep.service_id,
		     "SIDR_REP");
}
