/* What do the CM messages that are sent contain, and in which order are they sent? Runs on shard 0.
 *
 * Owns two queues. cm->mad_queue holds the connections whose CM message c->mad waits to be sent,
 * for the first time or again. cm->replies holds CM messages that are sent once: MRAs, DREPs, and
 * the REJs and SIDR_REPs that refuse one received message. If cm->replies is full, a further reply
 * is dropped and counted. rn_cm_tx() alternates between the queues, so that a flood of refusals
 * does not delay connections. */
#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"
#include "wire/hdr.h"

#define NO_LID 0xFFFF /* the permissive LID, which Linux sends when the hop limit exceeds 1 */

void rn_cm_keep(struct rn_cm_conn *c, const struct rn_cm_msg *msg)
{
	rn_cm_msg_build(msg, c->mad);
	c->mad_attr = msg->attr;
}

void rn_cm_queue_mad(struct rn_cm *cm, struct rn_cm_conn *c)
{
	if (rn_list_empty(&c->says))
		rn_list_add_tail(&cm->mad_queue, &c->says);
}

/* Returns the target ACK delay code for a REP: the default ACK timeout code minus two, at most 15.
 * The peer's formula (docs/spec/rocev2.md 6.8) then gives the default ACK timeout. */
static uint8_t ack_delay(const struct rn_cm *cm)
{
	return RN_MIN(RN_MAX(cm->ack_timeout, 2) - 2, 15);
}

void rn_cm_build_req(struct rn_cm *cm, struct rn_cm_conn *c)
{
	/* c->interval is the time for the peer's client to answer, plus one eighth of this time. x
	 * - x / 9 removes the eighth. */
	uint8_t patience = rn_cm_code_of(c->interval - c->interval / 9);
	struct rn_cm_msg m = {.attr = RN_CM_REQ, .tid = c->tid};
	struct rn_cma_hdr hdr = {.port = c->port,
				 .ipv4 = rn_gid_is_ipv4(&c->local),
				 .src = c->local,
				 .dst = c->peer};

	m.req = (struct rn_cm_req){
		.local_id = c->local_id,
		.service_id = rn_cm_service_id(c->port_space, c->peer_port),
		.guid = cm->port->guid,
		.qpn = c->own.qpn,
		.responder_resources = c->own.responder_resources,
		.initiator_depth = c->own.initiator_depth,
		.remote_response_timeout = patience,
		.transport = c->qp_type == RN_QPT_UC ? RN_CM_T_UC : RN_CM_T_RC,
		.flow_control = c->own.flow_control,
		.psn = c->own.psn,
		.local_response_timeout = patience,
		.retry_cnt = c->own.retry_cnt,
		.pkey = 0xFFFF,
		.path_mtu = c->path_mtu,
		.rnr_retry = c->own.rnr_retry,
		.max_cm_retries = c->max_retries,
		.srq = c->own.srq,
		.local_lid = NO_LID,
		.remote_lid = NO_LID,
		.local_gid = c->local,
		.remote_gid = c->peer,
		.flow_label = c->av.flow_label,
		.tclass = c->av.tclass,
		.hop_limit = c->av.hop_limit,
		.sl = c->av.sl,
		.ack_timeout = c->own.ack_timeout ? c->own.ack_timeout : cm->ack_timeout,
	};
	rn_cma_hdr_build(&hdr, m.req.data);
	memcpy(m.req.data + RN_CMA_HDR_BYTES, c->own.data, RN_MIN(c->own.data_len, RN_CM_REQ_DATA));
	rn_cm_keep(c, &m);
}

void rn_cm_build_rep(struct rn_cm *cm, struct rn_cm_conn *c)
{
	struct rn_cm_msg m = {.attr = RN_CM_REP, .tid = c->tid};

	m.rep = (struct rn_cm_rep){
		.local_id = c->local_id,
		.remote_id = c->remote_id,
		.qpn = c->own.qpn,
		.psn = c->own.psn,
		.responder_resources = c->own.responder_resources,
		.initiator_depth = c->own.initiator_depth,
		.target_ack_delay = ack_delay(cm),
		.failover = c->failover ? RN_CM_FAILOVER_UNSUPPORTED : 0,
		.flow_control = c->own.flow_control,
		.rnr_retry = c->own.rnr_retry,
		.srq = c->own.srq,
		.guid = cm->port->guid,
	};
	memcpy(m.rep.data, c->own.data, RN_MIN(c->own.data_len, RN_CM_REP_DATA));
	rn_cm_keep(c, &m);
}

void rn_cm_build_rtu(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_cm_param *param)
{
	struct rn_cm_msg m = {.attr = RN_CM_RTU, .tid = c->tid};

	m.rtu = (struct rn_cm_rtu){.local_id = c->local_id, .remote_id = c->remote_id};
	memcpy(m.rtu.data, param->data, RN_MIN(param->data_len, RN_CM_DATA_MAX));
	rn_cm_keep(c, &m);
}

void rn_cm_build_dreq(struct rn_cm *cm, struct rn_cm_conn *c)
{
	struct rn_cm_msg m = {.attr = RN_CM_DREQ, .tid = rn_cm_fresh_tid(cm)};

	m.dreq = (struct rn_cm_dreq){
		.local_id = c->local_id, .remote_id = c->remote_id, .remote_qpn = c->remote_qpn};
	rn_cm_keep(c, &m);
}

void rn_cm_build_rej(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_about about,
		     uint16_t reason, const struct rn_cm_param *param)
{
	struct rn_cm_msg m = {.attr = RN_CM_REJ, .tid = c->tid};

	m.rej = (struct rn_cm_rej){.local_id = c->local_id,
				   .remote_id = c->remote_id,
				   .about = (uint8_t)about,
				   .reason = reason};
	/* This side has not answered the REQ, so the peer does not know this side's communication
	 * id. */
	if (c->passive && about == RN_CM_ABOUT_REQ)
		m.rej.local_id = 0;
	/* A peer that does not know this side's communication id finds the connection by this
	 * side's GUID. */
	if (reason == RN_CM_REJ_TIMEOUT) {
		m.rej.ari_len = 8;
		rn_store64(m.rej.ari, cm->port->guid);
	}
	if (param)
		memcpy(m.rej.data, param->data, RN_MIN(param->data_len, RN_CM_REJ_DATA));
	rn_cm_keep(c, &m);
}

/* ---- queueing of replies ---- */

/* Returns the next free entry of the reply queue. If the queue is full, counts the reply as dropped
 * and returns NULL. */
static struct rn_cm_reply *new_reply(struct rn_cm *cm)
{
	if (cm->reply_count == RN_CM_REPLIES) {
		cm->dropped++;
		return NULL;
	}
	return &cm->replies[(cm->reply_head + cm->reply_count++) % RN_CM_REPLIES];
}

void rn_cm_reply(struct rn_cm *cm, const struct rn_pkt *pkt, const struct rn_cm_msg *msg)
{
	/* Send no reply to a group MAC. A reply to a forged packet would otherwise reach many
	 * hosts. */
	struct rn_cm_reply *r = pkt->smac[0] & 1 ? NULL : new_reply(cm);

	if (!r)
		return;
	/* The traffic class is that of the packet without the ECN bits. */
	r->way =
		(struct rn_mad_way){.src = pkt->dst, .dst = pkt->src, .tclass = pkt->tclass & 0xFC};
	memcpy(r->way.dmac, pkt->smac, 6);
	rn_cm_msg_build(msg, r->mad);
}

static struct rn_mad_way way_to_peer(const struct rn_cm_conn *c)
{
	struct rn_mad_way way = {.src = c->av.sgid, .dst = c->av.dgid, .tclass = c->av.tclass};

	memcpy(way.dmac, c->av.dmac, 6);
	return way;
}

/* Queues a reply to the peer of connection c. Takes the peer's address and MAC from c->av. */
static void owe(struct rn_cm *cm, const struct rn_cm_conn *c, const struct rn_cm_msg *msg)
{
	struct rn_cm_reply *r = new_reply(cm);

	if (!r)
		return;
	r->way = way_to_peer(c);
	rn_cm_msg_build(msg, r->mad);
}

void rn_cm_owe_mra(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_about about)
{
	struct rn_cm_msg m = {.attr = RN_CM_MRA, .tid = c->tid};

	m.mra = (struct rn_cm_mra){.local_id = c->local_id,
				   .remote_id = c->remote_id,
				   .about = (uint8_t)about,
				   .service_timeout = cm->patience};
	owe(cm, c, &m);
}

/* Queues a DREP that answers the last DREQ. c->tid is the transaction id of that DREQ. */
void rn_cm_owe_drep(struct rn_cm *cm, struct rn_cm_conn *c)
{
	struct rn_cm_msg m = {.attr = RN_CM_DREP, .tid = c->tid};

	m.drep = (struct rn_cm_drep){.local_id = c->local_id, .remote_id = c->remote_id};
	owe(cm, c, &m);
}

void rn_cm_reply_rej(struct rn_cm *cm, const struct rn_pkt *pkt, const struct rn_cm_msg *in,
		     uint16_t reason, const void *ari, uint8_t ari_len)
{
	struct rn_cm_msg m = {.attr = RN_CM_REJ, .tid = in->tid};

	if (in->attr == RN_CM_REQ)
		m.rej = (struct rn_cm_rej){.about = RN_CM_ABOUT_REQ, .remote_id = in->req.local_id};
	else
		m.rej = (struct rn_cm_rej){.about = RN_CM_ABOUT_REP,
					   .local_id = in->rep.remote_id,
					   .remote_id = in->rep.local_id};
	m.rej.reason = reason;
	m.rej.ari_len = ari_len;
	if (ari_len)
		memcpy(m.rej.ari, ari, ari_len);
	rn_cm_reply(cm, pkt, &m);
}

void rn_cm_reply_drep(struct rn_cm *cm, const struct rn_pkt *pkt, const struct rn_cm_msg *in)
{
	struct rn_cm_msg m = {.attr = RN_CM_DREP, .tid = in->tid};

	m.drep.local_id = in->dreq.remote_id;
	m.drep.remote_id = in->dreq.local_id;
	rn_cm_reply(cm, pkt, &m);
}

/* ---- sending ---- */

bool rn_cm_wants_tx(const struct rn_cm *cm)
{
	return cm->reply_count || !rn_list_empty(&cm->mad_queue);
}

/* Looks up the peer's MAC, which may have changed. If the result is not READY, the caller keeps
 * using the MAC in c->av. On the passive side the peer's address may be forged until the peer has
 * confirmed the REP. Until then the neighbour table is searched but gets no new entry, because a
 * new entry could displace a neighbour in use. */
static enum rn_neigh_state next_hop(struct rn_cm *cm, const struct rn_cm_conn *c, uint8_t mac[6],
				    rn_time now)
{
	if (c->passive && !c->answered)
		return rn_neigh_known(cm->neigh, &c->av.dgid, mac);
	return rn_neigh_resolve(cm->neigh, &c->local, &c->av.dgid, mac, now);
}

bool rn_cm_tx(struct rn_cm *cm, struct rn_pkt *out, rn_time now)
{
	struct rn_cm_conn *c;
	struct rn_mad_way way;
	struct rn_list *l;
	uint8_t mac[6];

	/* A reply goes first, unless the last MAD was a reply and a connection has a CM message to
	 * send. */
	cm->replied = cm->reply_count && !(cm->replied && !rn_list_empty(&cm->mad_queue));
	if (cm->replied) {
		const struct rn_cm_reply *r = &cm->replies[cm->reply_head];

		cm->reply_head = (cm->reply_head + 1) % RN_CM_REPLIES;
		cm->reply_count--;
		memcpy(cm->out, r->mad, RN_MAD_BYTES);
		rn_mad_pkt(out, cm->port, &r->way, cm->psn++, cm->out);
		return true;
	}
	l = rn_list_pop(&cm->mad_queue);
	if (!l)
		return false;
	c = rn_container_of(l, struct rn_cm_conn, says);
	if (next_hop(cm, c, mac, now) == RN_NEIGH_READY)
		memcpy(c->av.dmac, mac, 6);
	memcpy(cm->out, c->mad, RN_MAD_BYTES);
	way = way_to_peer(c);
	rn_mad_pkt(out, cm->port, &way, cm->psn++, cm->out);
	out->vlan_tci = c->av.vlan_tci;
	/* If the client has destroyed the id and no message is left, this call releases the
	 * connection. */
	rn_cm_release_if_done(cm, c);
	return true;
}
