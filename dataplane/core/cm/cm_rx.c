/* To which connection does a received CM message belong, and which rule does the message cause to
 * run? Owns nothing. Runs on shard 0.
 *
 * Each kind of CM message has one function, which finds the connection by communication ids. For a
 * REQ and some REJs, the peer's GUID and address are used instead. A CM message from another
 * address than the peer's is dropped. Otherwise the rule of cm.c for this cause runs. Without a
 * connection, the function queues the reply that the protocol demands, if any. */
#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"
#include "wire/hdr.h"

struct arrival {
	struct rn_cm *cm;
	const struct rn_pkt *pkt;
	const struct rn_cm_msg *msg;
	rn_time now;
};

static bool step(const struct arrival *a, struct rn_cm_conn *c, enum rn_cm_cause cause)
{
	const struct rn_cm_why why = {.msg = a->msg, .pkt = a->pkt};

	return rn_cm_step(a->cm, c, cause, &why, a->now);
}

/* Runs the rule for a received CM message. A CM message without a rule in the connection's state
 * counts as a duplicate. */
static enum rn_verdict stepped(const struct arrival *a, struct rn_cm_conn *c,
			       enum rn_cm_cause cause)
{
	return step(a, c, cause) ? RN_V_OK : RN_V_CM_DUPLICATE;
}

/* Runs the rule for a CM message that belongs to connection c and comes from its peer. Drops any
 * other CM message; c is NULL if there is no connection. */
static enum rn_verdict stepped_by_peer(const struct arrival *a, struct rn_cm_conn *c,
				       enum rn_cm_cause cause)
{
	if (!c)
		return RN_V_CM_UNMATCHED;
	return rn_cm_from_peer(a->cm, c, a->pkt) ? stepped(a, c, cause) : RN_V_CM_ADDRESS;
}

/* Finds the connection of an RTU, DREQ or DREP, which carry both communication ids. */
static struct rn_cm_conn *by_both(const struct arrival *a, uint32_t their_id, uint32_t our_id)
{
	struct rn_cm_conn *c = rn_cm_by_local(a->cm, our_id);

	return c && c->in_remote && c->remote_id == their_id ? c : NULL;
}

/* ---- received REQs ---- */

static bool has_a_way(const struct rn_cm *cm, const struct rn_gid *peer)
{
	struct rn_gid hop;

	return rn_port_next_hop(cm->port, peer, &hop);
}

/* Checks a new REQ. Returns 0 and sets *listener, or returns the reason for the REJ. */
static uint16_t judge(const struct arrival *a, const struct rn_cma_hdr *hdr,
		      struct rn_cm_conn **listener)
{
	const struct rn_cm_req *req = &a->msg->req;

	if (rn_port_own(a->cm->port, &hdr->dst) < 0 || !rn_cm_is_host(&hdr->src))
		return RN_CM_REJ_NO_SERVICE;
	*listener = rn_cm_listener_for(a->cm, &hdr->dst, req->service_id);
	if (!*listener || (*listener)->qp_type == RN_QPT_UD)
		return RN_CM_REJ_NO_SERVICE;
	if (req->transport != ((*listener)->qp_type == RN_QPT_UC ? RN_CM_T_UC : RN_CM_T_RC))
		return RN_CM_REJ_BAD_TRANSPORT;
	/* Events report hdr->src as the peer's address, so hdr->src must equal the source address
	 * of the REQ. */
	if (a->cm->port->check_source && !rn_gid_equal(&hdr->src, &req->local_gid))
		return RN_CM_REJ_BAD_GID;
	if (rn_port_own(a->cm->port, &req->remote_gid) < 0 || !rn_cm_is_host(&req->local_gid) ||
	    !rn_gid_same_family(&req->local_gid, &req->remote_gid) ||
	    !has_a_way(a->cm, &req->local_gid))
		return RN_CM_REJ_BAD_GID;
	if (req->path_mtu < 1 || req->path_mtu > a->cm->port->max_path_mtu)
		return RN_CM_REJ_BAD_MTU;
	if (req->qpn <= RN_GSI_QPN || req->qpn == RN_MCAST_QPN)
		return RN_CM_REJ_UNSUPPORTED;
	return 0;
}

/* Queues a REJ and returns v. For a bad MTU or GID, the REJ names a value that would have been
 * right (ARI): the largest path MTU code of this port, or the GID to which the packet came. */
static enum rn_verdict refuse(const struct arrival *a, uint16_t reason, enum rn_verdict v)
{
	const void *ari = NULL;
	uint8_t len = 0;

	if (reason == RN_CM_REJ_BAD_MTU)
		ari = &a->cm->port->max_path_mtu, len = 1;
	if (reason == RN_CM_REJ_BAD_GID)
		ari = a->pkt->dst.b, len = 16;
	rn_cm_reply_rej(a->cm, a->pkt, a->msg, reason, ari, len);
	return v;
}

static void fill_request(const struct arrival *a, const struct rn_cma_hdr *hdr,
			 struct rn_cm_conn *c)
{
	const struct rn_cm_req *req = &a->msg->req;

	c->passive = true;
	c->local = hdr->dst;
	c->peer = hdr->src;
	c->peer_port = hdr->port;
	c->local_id = rn_cm_fresh_id(a->cm);
	c->remote_id = req->local_id;
	c->remote_guid = req->guid;
	c->remote_qpn = req->qpn;
	c->tid = a->msg->tid;
	c->path_mtu = req->path_mtu;
	/* The peer offers an alternate path if the alternate local LID is not zero. Linux does the
	 * same test. */
	c->failover = req->alternate[0] || req->alternate[1];
	c->timeout_code = rn_cm_bound_timeout(a->cm, req->ack_timeout);
	c->max_retries = req->max_cm_retries;
	/* At least 5 ms: otherwise a local_response_timeout of code 0 would make this side resend
	 * the REP every 4 us. */
	c->interval = RN_MAX(
		rn_cm_time_of(RN_MIN(req->local_response_timeout, RN_CM_INTERVAL_CODE)), RN_MS(5));
	c->asking = rn_cm_time_of(req->remote_response_timeout) * (req->max_cm_retries + 1u);
	c->asking = RN_MIN(RN_MAX(c->asking, RN_CM_ASKING_MIN), RN_CM_ASKING_MAX);
	c->theirs = (struct rn_cm_param){.qpn = req->qpn,
					 .psn = req->psn,
					 .responder_resources = req->responder_resources,
					 .initiator_depth = req->initiator_depth,
					 .retry_cnt = req->retry_cnt,
					 .rnr_retry = req->rnr_retry,
					 .flow_control = req->flow_control,
					 .srq = req->srq,
					 .path_mtu = req->path_mtu,
					 .ack_timeout = req->ack_timeout,
					 .data_len = RN_CM_REQ_DATA,
					 .tclass = req->tclass,
					 .sl = req->sl};
	memcpy(c->theirs.data, req->data + RN_CMA_HDR_BYTES, RN_CM_REQ_DATA);
	c->av = (struct rn_av){.sgid = req->remote_gid,
			       .dgid = req->local_gid,
			       .tclass = req->tclass,
			       .sl = req->sl,
			       .flow_label = req->flow_label};
	c->av = rn_port_av(a->cm->port, &c->av);
	rn_cm_answer_to(a->cm, c, a->pkt);
	rn_cm_index_local(a->cm, c);
	rn_cm_index_peer(a->cm, c);
}

/* Creates the connection of a new REQ and reports CM_REQUEST. */
static enum rn_verdict admit(const struct arrival *a, const struct rn_cma_hdr *hdr,
			     struct rn_cm_conn *listener)
{
	struct rn_cm_conn *c = rn_cm_child(a->cm, listener, &a->msg->req.local_gid);

	if (!c)
		return refuse(a, RN_CM_REJ_NO_RESOURCES, RN_V_CM_FULL);
	fill_request(a, hdr, c);
	rn_cm_half_begin(a->cm, c);
	c->state = RN_CMS_REQ_RCVD;
	rn_cm_await_repeat(a->cm, c, 0, a->now);
	rn_cm_report_event(a->cm, c, RN_EVENT_CM_REQUEST, 0, 0);
	return RN_V_OK;
}

/* Returns true for a passive connection whose REQ is unanswered or whose REP is unconfirmed. */
static bool unfinished(const struct rn_cm_conn *c)
{
	return c->passive && (c->state == RN_CMS_REQ_RCVD || c->state == RN_CMS_REP_SENT ||
			      c->state == RN_CMS_REP_WAIT);
}

/* Returns true if the packet comes from the sender's address in the REQ (primary local GID), or if
 * source checks are off. */
static bool comes_from_its_path(const struct arrival *a)
{
	return !a->cm->port->check_source || rn_gid_equal(&a->pkt->src, &a->msg->req.local_gid);
}

static enum rn_verdict rx_req(const struct arrival *a)
{
	const struct rn_cm_req *req = &a->msg->req;
	const struct rn_gid *from = &req->local_gid;
	struct rn_cm_conn *c = rn_cm_by_remote(a->cm, req->local_id, req->guid, from),
			  *listener = NULL;
	struct rn_cma_hdr hdr;
	uint16_t reason;

	if (req->local_id == 0)
		return RN_V_MAD_BAD;
	if (!comes_from_its_path(a))
		return refuse(a, RN_CM_REJ_BAD_GID, RN_V_CM_ADDRESS);
	/* A REQ from the same peer with the same communication id is a repetition, whatever its
	 * other fields contain. */
	if (c) {
		if (c->passive)
			step(a, c, RN_CMC_REQ_AGAIN);
		return RN_V_CM_DUPLICATE;
	}
	/* A timewait record has this communication id. Either the REQ is a late copy of a closed
	 * connection's REQ, or the peer reuses its id too early. */
	if (rn_cm_remote_waits(a->cm, req->local_id, req->guid, from))
		return refuse(a, RN_CM_REJ_STALE, RN_V_CM_DUPLICATE);
	reason = rn_cma_hdr_parse(req->data, &hdr) ? judge(a, &hdr, &listener)
						   : RN_CM_REJ_NO_SERVICE;
	if (reason)
		return refuse(a, reason, RN_V_CM_UNMATCHED);
	c = rn_cm_by_peer_qp(a->cm, req->qpn, req->guid, from);
	if (c) {
		/* The REQ names a QP of the peer that is connected to c. A QP has one connection,
		 * so the peer has lost its connection to c. If c is unfinished, c ends and the REQ
		 * is accepted for a new connection. Otherwise c is disconnected, and the REQ is
		 * rejected as stale (reason 10). */
		bool attempt = unfinished(c);

		rn_cm_step(a->cm, c, RN_CMC_STALE, NULL, a->now);
		if (!attempt)
			return refuse(a, RN_CM_REJ_STALE, RN_V_CM_UNMATCHED);
	}
	return admit(a, &hdr, listener);
}

/* ---- received REPs ---- */

/* Handles a REP that matches no connection. A late copy of an accepted REP is dropped. Any other
 * REP is rejected, so that the peer stops repeating the REP. */
static enum rn_verdict rx_rep_unknown(const struct arrival *a)
{
	const struct rn_cm_rep *rep = &a->msg->rep;
	uint16_t reason = RN_CM_REJ_BAD_COMM_ID;

	if (rn_cm_local_waits(a->cm, rep->remote_id) ||
	    rn_cm_by_remote(a->cm, rep->local_id, rep->guid, &a->pkt->src))
		return RN_V_CM_DUPLICATE;
	if (rn_cm_by_peer_qp(a->cm, rep->qpn, rep->guid, &a->pkt->src))
		reason = RN_CM_REJ_STALE;
	return refuse(a, reason, RN_V_CM_UNMATCHED);
}

static enum rn_verdict rx_rep(const struct arrival *a)
{
	const struct rn_cm_rep *rep = &a->msg->rep;
	struct rn_cm_conn *c = rn_cm_by_local(a->cm, rep->remote_id), *old;

	if (rep->local_id == 0 || rep->qpn <= RN_GSI_QPN || rep->qpn == RN_MCAST_QPN)
		return RN_V_MAD_BAD;
	if (!c)
		return rx_rep_unknown(a);
	if (c->passive)
		return RN_V_CM_UNMATCHED;
	if (!rn_cm_from_peer(a->cm, c, a->pkt))
		return RN_V_CM_ADDRESS;
	/* In any state but REQ_SENT and REQ_WAIT, this REP is a repetition. The state table in cm.c
	 * (rules for REP_AGAIN) says whether to repeat the RTU, MRA or REJ, or to do nothing. */
	if (c->state != RN_CMS_REQ_SENT && c->state != RN_CMS_REQ_WAIT) {
		if (c->remote_id == rep->local_id)
			step(a, c, RN_CMC_REP_AGAIN);
		return RN_V_CM_DUPLICATE;
	}
	if (rn_cm_by_remote(a->cm, rep->local_id, rep->guid, &c->av.dgid))
		return RN_V_CM_DUPLICATE;
	old = rn_cm_by_peer_qp(a->cm, rep->qpn, rep->guid, &c->av.dgid);
	if (old) {
		rn_cm_step(a->cm, old, RN_CMC_STALE, NULL, a->now);
		return refuse(a, RN_CM_REJ_STALE, RN_V_CM_UNMATCHED);
	}
	return stepped(a, c, RN_CMC_REP);
}

/* ---- received RTU, MRA, REJ, DREQ, DREP; dispatch of all CM messages ---- */

static enum rn_verdict rx_rtu(const struct arrival *a)
{
	return stepped_by_peer(a, by_both(a, a->msg->rtu.local_id, a->msg->rtu.remote_id),
			       RN_CMC_RTU);
}

static enum rn_verdict rx_mra(const struct arrival *a)
{
	const struct rn_cm_mra *mra = &a->msg->mra;
	struct rn_cm_conn *c = rn_cm_by_local(a->cm, mra->remote_id);

	/* An MRA may be the first CM message from the passive side. The passive side's
	 * communication id is then unknown and not compared. */
	if (c && !c->passive && mra->about == RN_CM_ABOUT_REQ)
		return stepped_by_peer(a, c, RN_CMC_MRA_REQ);
	if (c && c->passive && mra->about == RN_CM_ABOUT_REP && c->remote_id == mra->local_id)
		return stepped_by_peer(a, c, RN_CMC_MRA_REP);
	return RN_V_CM_UNMATCHED;
}

/* Finds the connection that a REJ ends, usually by this side's communication id in the REJ. A peer
 * whose REQ or REP timed out may not know this id. The peer's REJ then has reason 4 and carries the
 * peer's GUID (ARI). The GUID and the peer's communication id identify the connection. */
static struct rn_cm_conn *rejected(const struct arrival *a)
{
	const struct rn_cm_rej *rej = &a->msg->rej;
	struct rn_cm_conn *c = NULL;

	if (rej->reason == RN_CM_REJ_TIMEOUT && rej->ari_len >= 8)
		c = rn_cm_by_remote(a->cm, rej->local_id, rn_load64(rej->ari), &a->pkt->src);
	if (c || rej->remote_id == 0)
		return c;
	c = rn_cm_by_local(a->cm, rej->remote_id);
	if (!c)
		return NULL;
	if (!c->in_remote)
		return c;
	/* c has the peer's communication id already, so the REJ must carry this id to end c. A REJ
	 * that answers a REQ carries 0 instead. Such a REJ is outdated now. */
	return c->remote_id == rej->local_id ? c : NULL;
}

static enum rn_verdict rx_rej(const struct arrival *a)
{
	return stepped_by_peer(a, rejected(a), RN_CMC_REJ);
}

static enum rn_verdict rx_dreq(const struct arrival *a)
{
	const struct rn_cm_dreq *dreq = &a->msg->dreq;
	struct rn_cm_conn *c = by_both(a, dreq->local_id, dreq->remote_id);

	/* An earlier DREP for this DREQ may have been lost, or this node may have restarted. Send a
	 * DREP, so that the peer stops resending the DREQ. */
	if (!c) {
		rn_cm_reply_drep(a->cm, a->pkt, a->msg);
		return rn_cm_local_waits(a->cm, dreq->remote_id) ? RN_V_CM_DUPLICATE
								 : RN_V_CM_UNMATCHED;
	}
	if (dreq->remote_qpn != c->own.qpn)
		return RN_V_CM_UNMATCHED;
	return stepped_by_peer(a, c, RN_CMC_DREQ);
}

static enum rn_verdict rx_drep(const struct arrival *a)
{
	return stepped_by_peer(a, by_both(a, a->msg->drep.local_id, a->msg->drep.remote_id),
			       RN_CMC_DREP);
}

enum rn_verdict rn_cm_rx(struct rn_cm *cm, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_cm_msg msg;
	const struct arrival a = {cm, pkt, &msg, now};

	if (!rn_cm_msg_parse(pkt->payload, pkt->payload_len, &msg))
		return RN_V_MAD_BAD;
	switch (msg.attr) {
	case RN_CM_REQ:
		return rx_req(&a);
	case RN_CM_MRA:
		return rx_mra(&a);
	case RN_CM_REJ:
		return rx_rej(&a);
	case RN_CM_REP:
		return rx_rep(&a);
	case RN_CM_RTU:
		return rx_rtu(&a);
	case RN_CM_DREQ:
		return rx_dreq(&a);
	case RN_CM_DREP:
		return rx_drep(&a);
	case RN_CM_SIDR_REQ:
		return rn_cm_rx_sidr_req(cm, pkt, &msg, now);
	case RN_CM_SIDR_REP:
		return rn_cm_rx_sidr_rep(cm, pkt, &msg, now);
	default: /* LAP and APR: RoCE has no alternate paths */
		return RN_V_CM_UNMATCHED;
	}
}
