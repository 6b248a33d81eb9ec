/* One function per CM message and direction changes an entry of the table (track_table.h). */
#include "switch/conntrack.h"

#include <errno.h>
#include <string.h>

#include "switch/obituary.h"
#include "switch/track_table.h"
#include "wire/frame.h"

#define track_of(n, member) rn_container_of(n, struct rn_track, member)

bool rn_conntrack_allows(const struct rn_track_table *ct, unsigned client, uint32_t remote_qpn,
			 const struct rn_gid *peer)
{
	return rn_track_connected(ct, client, remote_qpn, peer) ||
	       rn_track_announced(ct, client, remote_qpn, peer);
}

unsigned rn_conntrack_asked(const struct rn_track_table *ct, uint32_t remote_id,
			    const struct rn_gid *peer, bool sidr)
{
	static const enum rn_track_state states[] = {RN_TRACK_REQ_RCVD, RN_TRACK_REP_SENT,
						     RN_TRACK_UP, RN_TRACK_SIDR_RCVD};

	for (unsigned i = sidr ? 3 : 0; i < (sidr ? 4 : 3); i++) {
		const struct rn_track *t = rn_track_by_remote(ct, 0, remote_id, peer, states[i]);

		if (t)
			return t->client;
	}
	return 0;
}

/* ---- whose is a QP of a peer? ---- */

/* The peer's QP belongs to the connection t. Other clients that have claimed it lose their entries;
 * if t itself is claimed, only those that have announced a PAIR do. */
static void displace(struct rn_track_table *ct, const struct rn_track *t)
{
	struct rn_track *rival;

	while ((rival = rn_track_rival(ct, t->client, t->remote_qpn, &t->way.dst, t->claimed)))
		rn_track_release(ct, rival);
}

/* A CM message has named the QP of the peer to which the connection leads. */
static void connect_pair(struct rn_track_table *ct, struct rn_track *t, uint32_t remote_qpn)
{
	rn_track_set_pair(ct, t, remote_qpn);
	t->claimed = false;
	displace(ct, t);
}

/* ---- new entries ---- */

static struct rn_track *sender_entry(struct rn_track_table *ct, unsigned client,
				     const struct rn_pkt *pkt)
{
	/* The traffic class is that of the packet without the ECN bits. */
	struct rn_mad_way way = {.src = pkt->src, .dst = pkt->dst, .tclass = pkt->tclass & 0xFC};

	memcpy(way.dmac, pkt->dmac, 6);
	return rn_track_new(ct, client, &way);
}

static struct rn_track *receiver_entry(struct rn_track_table *ct, unsigned client,
				       const struct rn_pkt *pkt)
{
	struct rn_mad_way way = {.src = pkt->dst, .dst = pkt->src, .tclass = pkt->tclass & 0xFC};

	memcpy(way.dmac, pkt->smac, 6);
	return rn_track_new(ct, client, &way);
}

/* ---- messages that a client sends ---- */

/* Returns the client's connection with these ids to the destination of the packet, or NULL. */
static struct rn_track *sent_by(const struct rn_track_table *ct, unsigned client, uint32_t local_id,
				uint32_t remote_id, const struct rn_pkt *pkt)
{
	struct rn_track *t = rn_track_by_local(ct, local_id);

	return t && t->client == client && t->remote_id == remote_id &&
			       rn_gid_equal(&t->way.dst, &pkt->dst)
		       ? t
		       : NULL;
}

/* Returns a new entry for a request that the client sends, or NULL if there is no room. An
 * entry with the same local id is that of a connection whose end the switch has not seen, so it
 * goes. */
static struct rn_track *replace_entry(struct rn_track_table *ct, unsigned client, uint32_t local_id,
				      enum rn_track_state state, const struct rn_pkt *pkt)
{
	struct rn_track *t = rn_track_by_local(ct, local_id);

	if (t)
		rn_track_release(ct, t);
	t = sender_entry(ct, client, pkt);
	if (t) {
		rn_track_set_local(ct, t, local_id);
		rn_track_set_state(ct, t, state);
	}
	return t;
}

static enum rn_outcome sent_req(struct rn_track_table *ct, unsigned client,
				const struct rn_cm_req *req, const struct rn_pkt *pkt)
{
	struct rn_track *t = rn_track_by_local(ct, req->local_id);

	/* A repeated REQ may have crossed the REP. */
	if (t && (t->state == RN_TRACK_REQ_SENT || t->state == RN_TRACK_REP_RCVD) &&
	    t->local_qpn == req->qpn && rn_gid_equal(&t->way.dst, &pkt->dst))
		return RN_OUT_TO_WIRE;
	t = replace_entry(ct, client, req->local_id, RN_TRACK_REQ_SENT, pkt);
	if (!t)
		return RN_OUT_TRACK_FULL;
	t->local_qpn = req->qpn;
	return RN_OUT_TO_WIRE;
}

static enum rn_outcome sent_rep(struct rn_track_table *ct, unsigned client,
				const struct rn_cm_rep *rep, const struct rn_pkt *pkt)
{
	struct rn_track *t = rn_track_by_remote(ct, client, rep->remote_id, &pkt->dst,
						RN_TRACK_REQ_RCVD),
			*old;

	if (!t) {
		t = sent_by(ct, client, rep->local_id, rep->remote_id, pkt);
		return t ? RN_OUT_TO_WIRE : RN_OUT_CLIENT_ID; /* repeated, or answers no REQ */
	}
	old = rn_track_by_local(ct, rep->local_id);
	if (old && old != t)
		rn_track_release(ct, old);
	t->local_qpn = rep->qpn;
	rn_track_set_local(ct, t, rep->local_id);
	connect_pair(ct, t, t->remote_qpn);
	rn_track_set_state(ct, t, RN_TRACK_REP_SENT);
	return RN_OUT_TO_WIRE;
}

/* Has the client a connection with this communication id at the destination of the packet? A
 * message that refuses or delays may only be sent by the client that is concerned. */
static bool concerns(const struct rn_track_table *ct, unsigned client, uint32_t remote_id,
		     const struct rn_pkt *pkt)
{
	return remote_id == 0 ||
	       rn_track_by_remote(ct, client, remote_id, &pkt->dst, RN_TRACK_FREE) != NULL;
}

static enum rn_outcome sent_rej(struct rn_track_table *ct, unsigned client,
				const struct rn_cm_rej *rej, const struct rn_pkt *pkt)
{
	struct rn_track *t;

	if (!concerns(ct, client, rej->remote_id, pkt))
		return RN_OUT_CLIENT_ID;
	if (rej->local_id)
		t = rn_track_by_local(ct, rej->local_id);
	else
		t = rn_track_by_remote(ct, client, rej->remote_id, &pkt->dst, RN_TRACK_REQ_RCVD);
	if (t && t->client == client && rn_gid_equal(&t->way.dst, &pkt->dst))
		rn_track_release(ct, t);
	return RN_OUT_TO_WIRE;
}

static enum rn_outcome sent_sidr_req(struct rn_track_table *ct, unsigned client,
				     const struct rn_cm_sidr_req *req, const struct rn_pkt *pkt)
{
	const struct rn_track *t = rn_track_by_local(ct, req->request_id);

	if (t && rn_gid_equal(&t->way.dst, &pkt->dst))
		return RN_OUT_TO_WIRE; /* repeated */
	return replace_entry(ct, client, req->request_id, RN_TRACK_SIDR_SENT, pkt)
		       ? RN_OUT_TO_WIRE
		       : RN_OUT_TRACK_FULL;
}

enum rn_outcome rn_conntrack_sent(struct rn_track_table *ct, unsigned client,
				  const struct rn_cm_msg *msg, const struct rn_pkt *pkt)
{
	struct rn_track *t;

	switch (msg->attr) {
	case RN_CM_REQ:
		return sent_req(ct, client, &msg->req, pkt);
	case RN_CM_REP:
		return sent_rep(ct, client, &msg->rep, pkt);
	case RN_CM_REJ:
		return sent_rej(ct, client, &msg->rej, pkt);
	case RN_CM_MRA:
		return concerns(ct, client, msg->mra.remote_id, pkt) ? RN_OUT_TO_WIRE
								     : RN_OUT_CLIENT_ID;
	case RN_CM_RTU:
		t = sent_by(ct, client, msg->rtu.local_id, msg->rtu.remote_id, pkt);
		if (t && t->state == RN_TRACK_REP_RCVD)
			rn_track_set_state(ct, t, RN_TRACK_UP);
		return RN_OUT_TO_WIRE;
	case RN_CM_DREQ:
		t = sent_by(ct, client, msg->dreq.local_id, msg->dreq.remote_id, pkt);
		if (t && t->state != RN_TRACK_DREQ_SENT)
			rn_track_set_state(ct, t, RN_TRACK_DREQ_SENT);
		return RN_OUT_TO_WIRE;
	case RN_CM_DREP:
		t = sent_by(ct, client, msg->drep.local_id, msg->drep.remote_id, pkt);
		if (t)
			rn_track_release(ct, t);
		return RN_OUT_TO_WIRE;
	case RN_CM_SIDR_REQ:
		return sent_sidr_req(ct, client, &msg->sidr_req, pkt);
	case RN_CM_SIDR_REP:
		t = rn_track_by_remote(ct, client, msg->sidr_rep.request_id, &pkt->dst,
				       RN_TRACK_SIDR_RCVD);
		if (!t)
			return RN_OUT_CLIENT_ID;
		rn_track_release(ct, t);
		return RN_OUT_TO_WIRE;
	default:
		return RN_OUT_TO_WIRE;
	}
}

/* ---- messages that a client receives ---- */

/* Returns the client's connection with this id to the source of the packet, or NULL. */
static struct rn_track *received_by(const struct rn_track_table *ct, unsigned client,
				    uint32_t local_id, const struct rn_pkt *pkt)
{
	struct rn_track *t = rn_track_by_local(ct, local_id);

	return t && t->client == client && rn_gid_equal(&t->way.dst, &pkt->src) ? t : NULL;
}

/* A REQ or SIDR_REQ: `number` is the communication id or request id of the peer. */
static enum rn_outcome received_request(struct rn_track_table *ct, unsigned client,
					const struct rn_pkt *pkt, uint32_t number,
					enum rn_track_state state, struct rn_track **out)
{
	struct rn_track *t = rn_track_by_remote(ct, client, number, &pkt->src, state);

	if (!t) {
		t = receiver_entry(ct, client, pkt);
		if (!t)
			return RN_OUT_TRACK_FULL;
		rn_track_set_remote(ct, t, number);
		rn_track_set_state(ct, t, state);
	}
	*out = t;
	return RN_OUT_TO_ID;
}

static enum rn_outcome received_req(struct rn_track_table *ct, unsigned client,
				    const struct rn_cm_msg *msg, const struct rn_pkt *pkt)
{
	const struct rn_track *answered =
		rn_track_by_remote(ct, client, msg->req.local_id, &pkt->src, RN_TRACK_REP_SENT);
	struct rn_track *t;
	enum rn_outcome o;

	if (answered || rn_track_by_remote(ct, client, msg->req.local_id, &pkt->src, RN_TRACK_UP))
		return RN_OUT_TO_ID; /* repeated, because the REP was lost or is late */
	o = received_request(ct, client, pkt, msg->req.local_id, RN_TRACK_REQ_RCVD, &t);
	if (o == RN_OUT_TO_ID) {
		t->remote_qpn = msg->req.qpn;
		t->tid = msg->tid;
	}
	return o;
}

static enum rn_outcome received_sidr_req(struct rn_track_table *ct, unsigned client,
					 const struct rn_cm_msg *msg, const struct rn_pkt *pkt)
{
	struct rn_track *t;
	enum rn_outcome o =
		received_request(ct, client, pkt, msg->sidr_req.request_id, RN_TRACK_SIDR_RCVD, &t);

	if (o == RN_OUT_TO_ID) {
		t->service_id = msg->sidr_req.service_id;
		t->tid = msg->tid;
	}
	return o;
}

static void received_rep(struct rn_track_table *ct, unsigned client, const struct rn_cm_msg *msg,
			 const struct rn_pkt *pkt)
{
	const struct rn_cm_rep *rep = &msg->rep;
	struct rn_track *t = received_by(ct, client, rep->remote_id, pkt);

	if (!t || t->state != RN_TRACK_REQ_SENT)
		return;
	t->tid = msg->tid;
	rn_track_set_remote(ct, t, rep->local_id);
	connect_pair(ct, t, rep->qpn);
	rn_track_set_state(ct, t, RN_TRACK_REP_RCVD);
}

static void received_rej(struct rn_track_table *ct, unsigned client, const struct rn_cm_rej *rej,
			 const struct rn_pkt *pkt)
{
	struct rn_track *t = rej->remote_id ? received_by(ct, client, rej->remote_id, pkt) : NULL;

	/* A peer whose REQ or REP has timed out may not know the client's id. */
	if (!t && rej->reason == RN_CM_REJ_TIMEOUT) {
		t = rn_track_by_remote(ct, client, rej->local_id, &pkt->src, RN_TRACK_REQ_RCVD);
		t = t ? t
		      : rn_track_by_remote(ct, client, rej->local_id, &pkt->src, RN_TRACK_REP_SENT);
	}
	/* In an entry with a remote id, the sender's id must be that one: an older REJ is late. */
	if (t && (!t->in_remote || t->remote_id == rej->local_id))
		rn_track_release(ct, t);
}

static void received_dreq(struct rn_track_table *ct, unsigned client, const struct rn_cm_msg *msg,
			  const struct rn_pkt *pkt)
{
	struct rn_track *t = received_by(ct, client, msg->dreq.remote_id, pkt);

	if (!t || t->remote_id != msg->dreq.local_id || t->local_qpn != msg->dreq.remote_qpn)
		return;
	t->tid = msg->tid;
	if (t->state != RN_TRACK_DREQ_RCVD)
		rn_track_set_state(ct, t, RN_TRACK_DREQ_RCVD);
}

static void received_sidr_rep(struct rn_track_table *ct, unsigned client,
			      const struct rn_cm_sidr_rep *rep, const struct rn_pkt *pkt)
{
	struct rn_track *t = received_by(ct, client, rep->request_id, pkt);

	if (t && t->state == RN_TRACK_SIDR_SENT)
		rn_track_release(ct, t);
}

enum rn_outcome rn_conntrack_received(struct rn_track_table *ct, unsigned client,
				      const struct rn_cm_msg *msg, const struct rn_pkt *pkt)
{
	struct rn_track *t;

	switch (msg->attr) {
	case RN_CM_REQ:
		return received_req(ct, client, msg, pkt);
	case RN_CM_SIDR_REQ:
		return received_sidr_req(ct, client, msg, pkt);
	case RN_CM_REP:
		received_rep(ct, client, msg, pkt);
		break;
	case RN_CM_REJ:
		received_rej(ct, client, &msg->rej, pkt);
		break;
	case RN_CM_RTU:
		t = received_by(ct, client, msg->rtu.remote_id, pkt);
		if (t && t->state == RN_TRACK_REP_SENT && t->remote_id == msg->rtu.local_id)
			rn_track_set_state(ct, t, RN_TRACK_UP);
		break;
	case RN_CM_DREQ:
		received_dreq(ct, client, msg, pkt);
		break;
	case RN_CM_DREP:
		t = received_by(ct, client, msg->drep.remote_id, pkt);
		if (t && t->state == RN_TRACK_DREQ_SENT && t->remote_id == msg->drep.local_id)
			rn_track_release(ct, t);
		break;
	case RN_CM_SIDR_REP:
		received_sidr_rep(ct, client, &msg->sidr_rep, pkt);
		break;
	default:
		break;
	}
	return RN_OUT_TO_ID;
}

/* ---- connections that a client announces ---- */

/* Which numbers does a claim have? */
static const struct claim_row {
	bool local, remote, pair;
} claim_rows[] = {
	[RN_TRACK_FREE] = {.local = true},
	[RN_TRACK_REQ_SENT] = {.local = true},
	[RN_TRACK_REP_RCVD] = {.local = true, .remote = true, .pair = true},
	[RN_TRACK_REQ_RCVD] = {.remote = true},
	[RN_TRACK_REP_SENT] = {.local = true, .remote = true, .pair = true},
	[RN_TRACK_UP] = {.local = true, .remote = true, .pair = true},
	[RN_TRACK_DREQ_SENT] = {.local = true, .remote = true, .pair = true},
	[RN_TRACK_DREQ_RCVD] = {.local = true, .remote = true, .pair = true},
	[RN_TRACK_SIDR_SENT] = {.local = true},
	[RN_TRACK_SIDR_RCVD] = {.remote = true},
	[RN_TRACK_PAIR] = {.pair = true},
};

/* Returns the client's entry that the claim is about, or NULL. */
static struct rn_track *claimed(const struct rn_track_table *ct, unsigned client,
				const struct rn_track_claim *claim)
{
	const struct claim_row *row = &claim_rows[claim->state];
	struct rn_track *t = row->local ? rn_track_by_local(ct, claim->local_id) : NULL;

	/* The client has sent a REP since it claimed the REQ, or claims the same again. */
	if (!t && row->remote)
		t = rn_track_by_remote(ct, client, claim->remote_id, &claim->way.dst,
				       claim->state == RN_TRACK_SIDR_RCVD ? RN_TRACK_SIDR_RCVD
									  : RN_TRACK_REQ_RCVD);
	if (!t && claim->state == RN_TRACK_PAIR)
		t = rn_track_announced(ct, client, claim->remote_qpn, &claim->way.dst);
	return t;
}

/* Does the claim take what belongs to a connection of another client? A peer's communication
 * id, and a peer's QP that is connected, belong to one connection. */
static bool is_taken(const struct rn_track_table *ct, unsigned client,
		     const struct rn_track_claim *claim)
{
	const struct claim_row *row = &claim_rows[claim->state];
	const struct rn_track *t = NULL;

	if (row->remote)
		t = rn_track_by_remote(ct, 0, claim->remote_id, &claim->way.dst, RN_TRACK_FREE);
	if (t && t->client != client)
		return true;
	t = row->pair ? rn_track_connected(ct, 0, claim->remote_qpn, &claim->way.dst) : NULL;
	return t && t->client != client;
}

int rn_conntrack_claim(struct rn_track_table *ct, unsigned client,
		       const struct rn_track_claim *claim)
{
	const struct claim_row *row;
	struct rn_track *t;

	if (claim->state >= RN_ARRAY_SIZE(claim_rows))
		return -EINVAL;
	row = &claim_rows[claim->state];
	if ((row->local && claim->local_id == 0) || is_taken(ct, client, claim))
		return -EPERM;
	/* The client announces all its connected QPs, also those of its connections. */
	if (claim->state == RN_TRACK_PAIR &&
	    rn_track_connected(ct, client, claim->remote_qpn, &claim->way.dst))
		return 0;
	t = claimed(ct, client, claim);
	if (t)
		rn_track_release(ct, t);
	if (claim->state == RN_TRACK_FREE)
		return 0;
	t = rn_track_new(ct, client, &claim->way);
	if (!t)
		return -ENOSPC;
	t->local_qpn = claim->local_qpn;
	t->remote_qpn = claim->remote_qpn;
	t->service_id = claim->service_id;
	if (row->local)
		rn_track_set_local(ct, t, claim->local_id);
	if (row->remote)
		rn_track_set_remote(ct, t, claim->remote_id);
	if (row->pair)
		rn_track_set_pair(ct, t, claim->remote_qpn);
	rn_track_set_state(ct, t, claim->state);
	t->claimed = true;
	if (row->pair && claim->state != RN_TRACK_PAIR)
		displace(ct, t);
	return 0;
}

int rn_conntrack_unclaim(struct rn_track_table *ct, unsigned client, uint32_t remote_qpn,
			 const struct rn_gid *peer)
{
	struct rn_track *t = rn_track_announced(ct, client, remote_qpn, peer);

	if (!t)
		return -ENOENT;
	rn_track_release(ct, t);
	return 0;
}

/* ---- the end of a client ---- */

void rn_conntrack_bury(struct rn_track_table *ct, unsigned client)
{
	struct rn_list *entries = &ct->client[client].entries;

	for (struct rn_list *l = entries->next, *next; l != entries; l = next) {
		struct rn_track *t = track_of(l, mine);

		next = l->next;
		if (rn_track_rows[t->state].obituary == RN_OBITUARY_NOTHING) {
			rn_track_release(ct, t);
			continue;
		}
		/* An answer to the DREQ must find the entry. */
		if (rn_track_rows[t->state].obituary == RN_OBITUARY_DREQ)
			rn_track_set_state(ct, t, RN_TRACK_DREQ_SENT);
		rn_track_make_due(ct, t);
	}
}

struct rn_track *rn_conntrack_due(struct rn_track_table *ct)
{
	return rn_track_next_due(ct);
}

bool rn_conntrack_is_due(const struct rn_track_table *ct)
{
	return !rn_list_empty(&ct->turns);
}

void rn_conntrack_mourned(struct rn_track_table *ct, struct rn_track *t, rn_time now)
{
	/* A late RTU may have changed the state since the client died. */
	if (rn_track_rows[t->state].obituary != RN_OBITUARY_DREQ ||
	    ++t->tries == RN_OBITUARY_TRIES) {
		rn_track_release(ct, t);
		return;
	}
	rn_track_set_state(ct, t, RN_TRACK_DREQ_SENT);
	rn_track_leave_due(ct, t);
	rn_timer_arm(&ct->wheel, &t->timer, now + (RN_OBITUARY_WAIT << (t->tries - 1)));
}

void rn_conntrack_tick(struct rn_track_table *ct, rn_time now)
{
	struct rn_timer *expired;

	while ((expired = rn_wheel_expire(&ct->wheel, now)))
		rn_track_make_due(ct, track_of(expired, timer));
}

rn_time rn_conntrack_next(const struct rn_track_table *ct)
{
	return rn_conntrack_is_due(ct) ? 0 : rn_wheel_next(&ct->wheel);
}
