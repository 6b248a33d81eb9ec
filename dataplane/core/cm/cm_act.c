/* Which messages, events and timers follow when a rule of the table in cm.c runs? Each action of
 * the state machine is one function. After the action, rn_cm_step() in cm.c changes c->state. Owns
 * nothing. Runs on shard 0. */
#include <errno.h>
#include <string.h>

#include "cm/cm_priv.h"

uint8_t rn_cm_bound_timeout(const struct rn_cm *cm, uint8_t code)
{
	uint8_t own = cm->ack_timeout;

	if (own == 0)
		return code;
	return code ? (uint8_t)RN_MIN(code, RN_MIN(own + 3, 31)) : own;
}

void rn_cm_do_nothing(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		      rn_time now)
{
}

/* ---- actions of a listener and of the active side ---- */

void rn_cm_do_start_listening(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			      rn_time now)
{
	c->backlog = why->cmd->cm.backlog;
	rn_cm_index_listener(cm, c);
}

void rn_cm_do_note_connect(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	const struct rn_cmd *cmd = why->cmd;
	rn_time patience = cmd->cm.timeout_ms ? RN_MS(cmd->cm.timeout_ms) : cm->response_timeout;

	/* A CM message of the previous attempt may still be queued. It must not go to the new
	 * peer. */
	rn_list_del(&c->says);
	c->passive = c->end_reported = false;
	c->own = cmd->cm.param;
	c->own.psn &= 0xFFFFFF;
	c->own.retry_cnt = RN_MIN(c->own.retry_cnt, cm->max_retry_cnt);
	c->own.rnr_retry = RN_MIN(c->own.rnr_retry, 7);
	c->peer = cmd->cm.peer;
	c->peer_port = cmd->cm.peer_port;
	c->path_mtu = cm->port->max_path_mtu;
	if (c->own.path_mtu)
		c->path_mtu = RN_MIN(c->path_mtu, c->own.path_mtu);
	c->max_retries = cm->max_retries;
	/* Interval of resending the REQ, as in Linux: the time in which the peer's client should
	 * answer, plus one eighth for the round trip. */
	c->interval = patience + patience / 8;
	c->tid = rn_cm_fresh_tid(cm);
	c->local_id = rn_cm_fresh_id(cm);
	c->remote_id = 0;
	c->av = (struct rn_av){.sgid = c->local,
			       .dgid = c->peer,
			       .tclass = c->own.tclass,
			       .sl = c->own.sl,
			       .flow_label = rn_cm_choose_label(cm, c)};
	c->av = rn_port_av(cm->port, &c->av);
	rn_cm_index_local(cm, c);
	rn_cm_index_qpn(cm, c);
	rn_cm_index_tuple(cm, c);
}

void rn_cm_do_send_req(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		       rn_time now)
{
	rn_cm_build_req(cm, c);
	rn_cm_queue_mad(cm, c);
	rn_cm_start_timer(cm, c, now);
}

void rn_cm_do_report_unreachable(struct rn_cm *cm, struct rn_cm_conn *c,
				 const struct rn_cm_why *why, rn_time now)
{
	rn_cm_report_event(cm, c, RN_EVENT_CM_UNREACHABLE, 0, -EHOSTUNREACH);
}

void rn_cm_do_resend(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		     rn_time now)
{
	/* The peer has not answered, so probe its MAC address. The passive side waits until the
	 * peer has confirmed the REP: a forged REQ must not make this NIC probe any host. */
	if (!c->passive || c->answered)
		rn_neigh_probe(cm->neigh, &c->av.dgid, now);
	rn_cm_queue_mad(cm, c);
}

void rn_cm_do_repeat(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		     rn_time now)
{
	/* Send c->mad again. On a closed connection send only a REJ or a SIDR_REP again, because
	 * any other c->mad may be outdated. */
	if (c->state != RN_CMS_CLOSED || c->mad_attr == RN_CM_REJ || c->mad_attr == RN_CM_SIDR_REP)
		rn_cm_queue_mad(cm, c);
}

void rn_cm_do_give_up_req(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	rn_cm_build_rej(cm, c, RN_CM_ABOUT_REQ, RN_CM_REJ_TIMEOUT, NULL);
	rn_cm_queue_mad(cm, c);
	rn_cm_report_event(cm, c, RN_EVENT_CM_UNREACHABLE, 0, -ETIMEDOUT);
}

void rn_cm_do_withdraw_req(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	rn_cm_build_rej(cm, c, RN_CM_ABOUT_REQ, RN_CM_REJ_TIMEOUT, NULL);
	rn_cm_queue_mad(cm, c);
}

/* Handles an MRA: the peer's client may need long to decide. Resending pauses for the service
 * timeout in the MRA, and the retry count starts anew. The wait ends at c->patience_end, so that a
 * peer cannot keep a connection half-open for ever. */
void rn_cm_do_wait_longer(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	rn_time until = now + c->interval + rn_cm_time_of(why->msg->mra.service_timeout);

	if (now >= c->patience_end)
		return;
	c->retries = until < c->patience_end ? c->max_retries : 0;
	rn_timer_arm(&cm->wheel, &c->timer, RN_MIN(until, c->patience_end));
}

/* Returns the ACK timeout code of the active side: the client's code, or else the code for this
 * side's ACK timeout plus the peer's target ACK delay. The formula is that of Linux
 * (docs/spec/rocev2.md 6.8). */
static uint8_t ack_timeout_for(const struct rn_cm *cm, const struct rn_cm_conn *c,
			       uint8_t ack_delay)
{
	unsigned more = RN_MAX(cm->ack_timeout, ack_delay),
		 less = RN_MIN(cm->ack_timeout, ack_delay);

	if (c->own.ack_timeout)
		return c->own.ack_timeout & 31;
	if (cm->ack_timeout == 0)
		return 0;
	/* Code n means 4.096 us << n. The result is the code for the sum of two times. If their
	 * codes differ by more than one, the smaller time is ignored. Otherwise the sum needs the
	 * larger code plus one. */
	return rn_cm_bound_timeout(cm, (uint8_t)RN_MIN(more + (more <= less + 1), 31u));
}

void rn_cm_do_take_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		       rn_time now)
{
	const struct rn_cm_rep *rep = &why->msg->rep;

	c->remote_id = rep->local_id;
	c->remote_guid = rep->guid;
	c->remote_qpn = rep->qpn;
	rn_cm_index_peer(cm, c);
	c->timeout_code = ack_timeout_for(cm, c, rep->target_ack_delay);
	c->theirs = (struct rn_cm_param){.qpn = rep->qpn,
					 .psn = rep->psn,
					 .responder_resources = rep->responder_resources,
					 .initiator_depth = rep->initiator_depth,
					 .retry_cnt = c->own.retry_cnt,
					 .rnr_retry = rep->rnr_retry,
					 .flow_control = rep->flow_control,
					 .srq = rep->srq,
					 .path_mtu = c->path_mtu,
					 .data_len = RN_CM_REP_DATA,
					 .tclass = c->av.tclass,
					 .sl = c->av.sl};
	memcpy(c->theirs.data, rep->data, RN_CM_REP_DATA);
	/* The REP answers the REQ, so do not send the REQ again. */
	rn_list_del(&c->says);
	rn_cm_report_event(cm, c, RN_EVENT_CM_RESPONSE, 0, 0);
}

void rn_cm_do_delay_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			rn_time now)
{
	rn_cm_owe_mra(cm, c, RN_CM_ABOUT_REP);
}

void rn_cm_do_send_rtu(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		       rn_time now)
{
	rn_cm_build_rtu(cm, c, &why->cmd->cm.param);
	rn_cm_queue_mad(cm, c);
}

/* Sends a REJ with the reason and the private data of the command CM_REJECT. Without this command,
 * or if the command's reason is 0, the reason in the REJ is 28 (rejected by the client). */
static void reject(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_about about,
		   const struct rn_cm_why *why)
{
	bool asked = why->cmd && why->cmd->op == RN_CMD_CM_REJECT;
	uint16_t reason = asked && why->cmd->cm.reason ? why->cmd->cm.reason : RN_CM_REJ_CONSUMER;

	rn_cm_build_rej(cm, c, about, reason, asked ? &why->cmd->cm.param : NULL);
	rn_cm_queue_mad(cm, c);
}

void rn_cm_do_reject_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			 rn_time now)
{
	reject(cm, c, RN_CM_ABOUT_REP, why);
}

/* ---- actions of the passive side ---- */

void rn_cm_do_keep_request(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	rn_cm_await_repeat(cm, c, 0, now);
}

void rn_cm_do_delay_req(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			rn_time now)
{
	rn_cm_owe_mra(cm, c, RN_CM_ABOUT_REQ);
	rn_cm_await_repeat(cm, c, rn_cm_time_of(cm->patience), now);
}

void rn_cm_do_send_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		       rn_time now)
{
	c->own = why->cmd->cm.param;
	c->own.psn &= 0xFFFFFF;
	c->own.rnr_retry = RN_MIN(c->own.rnr_retry, 7);
	rn_cm_index_qpn(cm, c);
	rn_cm_build_rep(cm, c);
	rn_cm_queue_mad(cm, c);
	rn_cm_start_timer(cm, c, now);
}

void rn_cm_do_reject_req(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			 rn_time now)
{
	reject(cm, c, RN_CM_ABOUT_REQ, why);
}

void rn_cm_do_withdraw_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	reject(cm, c, RN_CM_ABOUT_OTHER, why);
}

void rn_cm_do_refuse_backlog(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			     rn_time now)
{
	struct rn_list *pos, *tmp;

	rn_list_for_each_safe(pos, tmp, &c->held)
	{
		struct rn_cm_conn *child = rn_container_of(pos, struct rn_cm_conn, sibling);

		/* A connection whose CM_REQUEST event was delivered belongs to the client that took
		 * the event. Destroy only connections whose event is still queued (nnotes): this
		 * rejects their requests. */
		if (child->nnotes)
			rn_cm_step(cm, child, RN_CMC_DESTROY, NULL, now);
	}
	rn_list_for_each_safe(pos, tmp, &c->held)
	{
		struct rn_cm_conn *child = rn_container_of(pos, struct rn_cm_conn, sibling);

		rn_list_del(&child->sibling);
		child->parent = NULL;
	}
	c->nheld = 0;
}

void rn_cm_do_report_established(struct rn_cm *cm, struct rn_cm_conn *c,
				 const struct rn_cm_why *why, rn_time now)
{
	uint8_t mac[6];

	rn_list_del(&c->says);
	c->answered = true;
	/* The peer's address is confirmed now. Replace the source MAC of the REQ by the MAC in the
	 * neighbour table. */
	if (rn_neigh_resolve(cm->neigh, &c->local, &c->av.dgid, mac, now) == RN_NEIGH_READY &&
	    memcmp(mac, c->av.dmac, 6) != 0) {
		memcpy(c->av.dmac, mac, 6);
		/* Report the neighbour's entry again, so that the client's QP uses the new MAC. */
		rn_neigh_report_again(cm->neigh, &c->av.dgid);
	}
	rn_cm_report_event(cm, c, RN_EVENT_CM_ESTABLISHED, 0, 0);
}

void rn_cm_do_give_up_rep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	rn_cm_build_rej(cm, c, RN_CM_ABOUT_REP, RN_CM_REJ_TIMEOUT, NULL);
	rn_cm_queue_mad(cm, c);
	rn_cm_report_event(cm, c, RN_EVENT_CM_UNREACHABLE, 0, -ETIMEDOUT);
}

/* ---- actions of both sides ---- */

void rn_cm_do_report_rejected(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			      rn_time now)
{
	const struct rn_cm_msg *msg = why->msg;
	bool stated = msg && msg->attr == RN_CM_REJ;

	rn_list_del(&c->says);
	c->mad_attr = 0;
	/* Without a REJ the event has no private data, so clear what the request has left. */
	memset(c->theirs.data, 0, sizeof(c->theirs.data));
	c->theirs.data_len = stated ? RN_CM_REJ_DATA : 0;
	if (stated)
		memcpy(c->theirs.data, msg->rej.data, RN_CM_REJ_DATA);
	rn_cm_report_event(cm, c, RN_EVENT_CM_REJECTED,
			   stated ? msg->rej.reason : RN_CM_REJ_TIMEOUT, 0);
}

/* Ends an established connection: writes the timewait record and reports CM_DISCONNECTED, at most
 * once per connection. Values of `reason`:
 * - 0: the peer ended the connection.
 * - 1: the peer answered this side's DREQ.
 * - 2: the peer did not answer this side's DREQ. */
static void gone(struct rn_cm *cm, struct rn_cm_conn *c, uint16_t reason, rn_time now)
{
	rn_list_del(&c->says);
	c->mad_attr = 0;
	rn_cm_enter_wait(cm, c, now);
	if (!c->end_reported)
		rn_cm_report_event(cm, c, RN_EVENT_CM_DISCONNECTED, reason, 0);
	c->end_reported = true;
}

void rn_cm_do_answer_dreq(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			  rn_time now)
{
	rn_cm_reply_drep(cm, why->pkt, why->msg);
	gone(cm, c, c->state == RN_CMS_DREQ_SENT, now);
}

/* Handles the peer's DREQ. The client's QP may still wait for acknowledgements, so the DREP waits
 * for the client's command. The DREP waits at most half the resend interval, so that the peer gets
 * the DREP before it would send a second DREQ. */
void rn_cm_do_take_dreq(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			rn_time now)
{
	rn_list_del(&c->says);
	c->mad_attr = 0;
	c->tid = why->msg->tid;
	c->retries = 0;
	rn_timer_arm(&cm->wheel, &c->timer, now + RN_MIN(c->interval / 2, RN_CM_DREP_WAIT_MAX));
	if (!c->end_reported)
		rn_cm_report_event(cm, c, RN_EVENT_CM_DISCONNECTED, 0, 0);
	c->end_reported = true;
}

void rn_cm_do_send_drep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			rn_time now)
{
	rn_cm_owe_drep(cm, c);
	gone(cm, c, 0, now);
}

/* Sends the DREP although the client has not run CM_DISCONNECT: the client took too long, or the
 * peer gave up. */
void rn_cm_do_auto_drep(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			rn_time now)
{
	rn_cm_do_send_drep(cm, c, why, now);
	rn_cm_report_event(cm, c, RN_EVENT_CM_AUTO_DREP, 0, 0);
}

/* Handles a DREQ that arrives although the RTU did not. A peer that sends a DREQ has received the
 * REP, so the connection was established. */
void rn_cm_do_establish_and_take_dreq(struct rn_cm *cm, struct rn_cm_conn *c,
				      const struct rn_cm_why *why, rn_time now)
{
	rn_cm_do_report_established(cm, c, why, now);
	rn_cm_do_take_dreq(cm, c, why, now);
}

void rn_cm_do_end_by_rej(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			 rn_time now)
{
	gone(cm, c, 0, now);
}

void rn_cm_do_send_dreq(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			rn_time now)
{
	rn_cm_build_dreq(cm, c);
	rn_cm_queue_mad(cm, c);
	/* c->interval was set for a REQ or REP and includes time for the peer's client to decide.
	 * No client decides about a DREQ, so a shorter interval is enough. */
	c->interval = RN_MIN(c->interval, cm->response_timeout);
	rn_cm_start_timer(cm, c, now);
}

void rn_cm_do_send_stale_dreq(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			      rn_time now)
{
	rn_cm_do_send_dreq(cm, c, why, now);
	rn_cm_report_event(cm, c, RN_EVENT_CM_DISCONNECTED, 0, 0);
	c->end_reported = true;
}

void rn_cm_do_finish(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
		     rn_time now)
{
	gone(cm, c, 1, now);
}

void rn_cm_do_give_up_dreq(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_why *why,
			   rn_time now)
{
	gone(cm, c, 2, now);
}
