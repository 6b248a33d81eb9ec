/* Which QPN and Q_Key does a datagram service have? Owns nothing. Runs on shard 0.
 *
 * This is service id resolution (docs/spec/rocev2.md 6.14): a SIDR_REQ asks and a SIDR_REP answers.
 * There is no connection and no timewait. This file has the actions for the rules of cm.c and
 * handles a received SIDR_REQ or SIDR_REP. A repeated SIDR_REQ has the same request id and source
 * address. QPN and Q_Key are passed on unchanged. */
#include <errno.h>
#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"

/* ---- active side ---- */

void rn_cm_do_note_resolve(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	const struct rn_cmd *cmd = why->cmd;
	rn_time patience = cmd->cm.timeout_ms ? RN_MS(cmd->cm.timeout_ms) : cm->response_timeout;

	rn_list_del(&c->says);
	c->passive = false;
	c->own = cmd->cm.param;
	c->peer = cmd->cm.peer;
	c->peer_port = cmd->cm.peer_port;
	c->max_retries = cm->max_retries;
	/* Interval of resending the SIDR_REQ, as for a REQ: the time in which the peer's client
	 * should answer, plus one eighth for the round trip. */
	c->interval = patience + patience / 8;
	c->tid = rn_cm_fresh_tid(cm);
	c->local_id = rn_cm_fresh_id(cm);
	c->remote_id = c->remote_qpn = 0;
	c->av = (struct rn_av){.sgid = c->local,
			       .dgid = c->peer,
			       .tclass = c->own.tclass,
			       .sl = c->own.sl,
			       .flow_label = (c->port * 31u + c->peer_port) & 0xFFFFF};
	c->av = rn_port_av(cm->port, &c->av);
	rn_cm_index_local(cm, c);
}

void rn_cm_do_send_sidr_req(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			    rn_time now)
{
	struct rn_cm_msg m = {.attr = RN_CM_SIDR_REQ, .tid = c->tid};
	struct rn_cma_hdr hdr = {.port = c->port,
				 .ipv4 = rn_gid_is_ipv4(&c->local),
				 .src = c->local,
				 .dst = c->peer};

	m.sidr_req.request_id = c->local_id;
	m.sidr_req.pkey = 0xFFFF;
	m.sidr_req.service_id = rn_cm_service_id(c->port_space, c->peer_port);
	rn_cma_hdr_build(&hdr, m.sidr_req.data);
	memcpy(m.sidr_req.data + RN_CMA_HDR_BYTES, c->own.data,
	       RN_MIN(c->own.data_len, RN_CM_SIDR_REQ_DATA));
	rn_cm_keep(c, &m);
	rn_cm_queue_mad(cm, c);
	rn_cm_start_timer(cm, c, now);
}

void rn_cm_do_give_up_sidr(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	rn_list_del(&c->says);
	rn_cm_report_event(cm, c, RN_EVENT_CM_UNREACHABLE, 0, -ETIMEDOUT);
}

/* Removes the SIDR_REQ from the send queue, because the client has destroyed the CM id. */
void rn_cm_do_cancel_sidr(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	rn_list_del(&c->says);
}

void rn_cm_do_take_sidr_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			    rn_time now)
{
	const struct rn_cm_sidr_rep *rep = &why->msg->sidr_rep;

	/* The SIDR_REP answers the SIDR_REQ, so do not send the SIDR_REQ again. */
	rn_list_del(&c->says);
	c->remote_qpn = rep->qpn;
	c->theirs = (struct rn_cm_param){.qpn = rep->qpn,
					 .qkey = rep->qkey,
					 .data_len = RN_CM_SIDR_REP_DATA,
					 .tclass = c->av.tclass,
					 .sl = c->av.sl};
	memcpy(c->theirs.data, rep->data, RN_CM_SIDR_REP_DATA);
	/* Any status other than VALID becomes the reason of a CM_REJECTED event. */
	if (rep->status == RN_CM_SIDR_VALID)
		rn_cm_report_event(cm, c, RN_EVENT_CM_RESPONSE, 0, 0);
	else
		rn_cm_report_event(cm, c, RN_EVENT_CM_REJECTED, rep->status, 0);
}

enum rn_verdict rn_cm_rx_sidr_rep(struct rn_cm *cm, const struct rn_pkt *pkt,
				  const struct rn_cm_msg *msg, rn_time now)
{
	const struct rn_cm_sidr_rep *rep = &msg->sidr_rep;
	struct rn_cm_conn *c = rn_cm_by_local(cm, rep->request_id);
	const struct rn_cm_why why = {.msg = msg, .pkt = pkt};

	if (!c)
		return RN_V_CM_UNMATCHED;
	if (!rn_cm_from_peer(cm, c, pkt))
		return RN_V_CM_ADDRESS;
	if (rep->status == RN_CM_SIDR_VALID && (rep->qpn <= RN_GSI_QPN || rep->qpn == RN_MCAST_QPN))
		return RN_V_MAD_BAD;
	return rn_cm_step(cm, c, RN_CMC_SIDR_REP, &why, now) ? RN_V_OK : RN_V_CM_UNMATCHED;
}

/* ---- passive side ---- */

/* Builds and queues the SIDR_REP. *param has the client's private data and, for status VALID, its
 * QPN and Q_Key. param may be NULL for any other status. */
static void answer(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_sidr_status status,
		   const struct rn_cm_param *param)
{
	struct rn_cm_msg m = {.attr = RN_CM_SIDR_REP, .tid = c->tid};

	m.sidr_rep.request_id = c->remote_id;
	m.sidr_rep.status = (uint8_t)status;
	m.sidr_rep.service_id = rn_cm_service_id(c->port_space, c->port);
	if (status == RN_CM_SIDR_VALID) {
		m.sidr_rep.qpn = param->qpn;
		m.sidr_rep.qkey = param->qkey ? param->qkey : RN_UDP_QKEY;
	}
	if (param)
		memcpy(m.sidr_rep.data, param->data, RN_MIN(param->data_len, RN_CM_SIDR_REP_DATA));
	rn_cm_keep(c, &m);
	rn_cm_queue_mad(cm, c);
}

void rn_cm_do_answer_sidr(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	answer(cm, c, RN_CM_SIDR_VALID, &why->cmd->cm.param);
}

void rn_cm_do_refuse_sidr(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	bool asked = why->cmd && why->cmd->op == RN_CMD_CM_REJECT;

	answer(cm, c, asked && why->cmd->cm.reason ? why->cmd->cm.reason : RN_CM_SIDR_REJECTED,
	       asked ? &why->cmd->cm.param : NULL);
}

/* Queues a SIDR_REP with an error status and returns v. Works without a connection. */
static enum rn_verdict refuse(struct rn_cm *cm, const struct rn_pkt *pkt,
			      const struct rn_cm_msg *in, enum rn_cm_sidr_status status,
			      enum rn_verdict v)
{
	struct rn_cm_msg m = {.attr = RN_CM_SIDR_REP, .tid = in->tid};

	m.sidr_rep.request_id = in->sidr_req.request_id;
	m.sidr_rep.service_id = in->sidr_req.service_id;
	m.sidr_rep.status = (uint8_t)status;
	rn_cm_reply(cm, pkt, &m);
	return v;
}

/* Fills the fields of c from a new SIDR_REQ. The SIDR_REP will go to the source of the packet. */
static void fill(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_pkt *pkt,
		 const struct rn_cm_msg *msg, const struct rn_cma_hdr *hdr)
{
	const struct rn_cm_sidr_req *req = &msg->sidr_req;

	c->passive = true;
	c->local = hdr->dst;
	c->peer = hdr->src;
	c->peer_port = hdr->port;
	c->local_id = rn_cm_fresh_id(cm);
	c->remote_id = req->request_id;
	c->tid = msg->tid;
	c->asking = RN_CM_ASKING_MAX; /* a SIDR_REQ has no field for its sender's timeouts */
	c->theirs = (struct rn_cm_param){.data_len = RN_CM_SIDR_REQ_DATA, .tclass = pkt->tclass};
	memcpy(c->theirs.data, req->data + RN_CMA_HDR_BYTES, RN_CM_SIDR_REQ_DATA);
	c->av = (struct rn_av){.sgid = pkt->dst, .dgid = pkt->src, .tclass = pkt->tclass & 0xFC};
	c->av = rn_port_av(cm->port, &c->av);
	rn_cm_answer_to(cm, c, pkt);
	rn_cm_index_local(cm, c);
	rn_cm_index_asker(cm, c);
}

enum rn_verdict rn_cm_rx_sidr_req(struct rn_cm *cm, const struct rn_pkt *pkt,
				  const struct rn_cm_msg *msg, rn_time now)
{
	const struct rn_cm_sidr_req *req = &msg->sidr_req;
	struct rn_cm_conn *c = rn_cm_by_asker(cm, req->request_id, &pkt->src), *listener = NULL;
	struct rn_cma_hdr hdr;

	/* This SIDR_REQ is a repetition. If the client has not answered yet, the wait for its
	 * answer is prolonged. Otherwise the SIDR_REP is sent again. */
	if (c) {
		const struct rn_cm_why why = {.msg = msg, .pkt = pkt};

		rn_cm_step(cm, c, RN_CMC_REQ_AGAIN, &why, now);
		return RN_V_CM_DUPLICATE;
	}
	if (rn_cma_hdr_parse(req->data, &hdr) && rn_port_own(cm->port, &hdr.dst) >= 0 &&
	    rn_cm_is_host(&hdr.src))
		listener = rn_cm_listener_for(cm, &hdr.dst, req->service_id);
	if (!listener || listener->qp_type != RN_QPT_UD)
		return refuse(cm, pkt, msg, RN_CM_SIDR_NO_SERVICE, RN_V_CM_UNMATCHED);
	/* Events report hdr.src as the peer's address, so hdr.src must be the source of the
	 * packet. */
	if (cm->port->check_source && !rn_gid_equal(&hdr.src, &pkt->src))
		return refuse(cm, pkt, msg, RN_CM_SIDR_NO_SERVICE, RN_V_CM_ADDRESS);
	c = rn_cm_child(cm, listener, &pkt->src);
	if (!c)
		return refuse(cm, pkt, msg, RN_CM_SIDR_NO_QP, RN_V_CM_FULL);
	fill(cm, c, pkt, msg, &hdr);
	rn_cm_half_begin(cm, c);
	c->state = RN_CMS_SIDR_RCVD;
	rn_cm_await_repeat(cm, c, 0, now);
	rn_cm_report_event(cm, c, RN_EVENT_CM_REQUEST, 0, 0);
	return RN_V_OK;
}
