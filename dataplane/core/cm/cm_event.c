/* Which connection events does a client get, and when is a connection without a client released?
 * Runs on shard 0.
 *
 * Owns the event queue of each connection. An event is queued as a short note, and rn_cm_event()
 * fills in the other fields. The functions that start a connection's timer are here too, because
 * several files share them. */
#include <string.h>

#include "cm/cm_priv.h"

/* Releases c if c is closed, the client has destroyed the id, and no CM message or event of c is
 * queued. Called after each change of such a condition. */
void rn_cm_release_if_done(struct rn_cm *cm, struct rn_cm_conn *c)
{
	if (c->state == RN_CMS_CLOSED && c->orphan && rn_list_empty(&c->says) && c->nnotes == 0)
		rn_cm_release(cm, c);
}

void rn_cm_start_timer(struct rn_cm *cm, struct rn_cm_conn *c, rn_time now)
{
	c->retries = c->max_retries;
	c->patience_end = now + cm->wait_max;
	rn_timer_arm(&cm->wheel, &c->timer, now + c->interval);
}

void rn_cm_await_repeat(struct rn_cm *cm, struct rn_cm_conn *c, rn_time more, rn_time now)
{
	c->retries = 0;
	rn_timer_arm(&cm->wheel, &c->timer, now + more + c->asking);
}

/* Queues an event for the client of c. The queue cannot overflow, because each kind of event occurs
 * at most once per connection. CM_CONNECT refuses an id that still has queued events. */
void rn_cm_report_event(struct rn_cm *cm, struct rn_cm_conn *c, uint16_t kind, uint16_t reason,
			int32_t err)
{
	if (c->orphan)
		return;
	rn_assert(c->nnotes < RN_CM_EVENTS);
	c->notes[c->nnotes++] = (struct rn_cm_note){kind, reason, err};
	if (rn_list_empty(&c->tells))
		rn_list_add_tail(&cm->event_queue, &c->tells);
}

static void fill_attr(const struct rn_cm *cm, const struct rn_cm_conn *c, struct rn_qp_attr *a)
{
	a->av = c->av;
	a->dest_qpn = c->remote_qpn;
	if (c->qp_type == RN_QPT_UD) {
		a->qkey = c->theirs.qkey;
		return;
	}
	a->state = RN_QPS_RTR;
	a->path_mtu = c->path_mtu;
	a->timeout = c->timeout_code;
	a->min_rnr_timer = cm->min_rnr_timer;
	a->sq_psn = c->theirs.psn;
	a->rnr_retry = RN_MIN(c->theirs.rnr_retry, cm->max_rnr_retry);
	/* The peer's responder resources limit this side's initiator depth. The peer's initiator
	 * depth limits this side's responder resources. */
	a->max_rd_atomic = c->theirs.responder_resources;
	a->max_dest_rd_atomic = c->theirs.initiator_depth;
	/* The REQ sets the retry count of both sides. The active side limited its retry count when
	 * it built the REQ. */
	a->retry_cnt =
		c->passive ? RN_MIN(c->theirs.retry_cnt, cm->max_retry_cnt) : c->own.retry_cnt;
	if (!c->passive) {
		a->rq_psn = c->own.psn;
		a->max_rd_atomic = RN_MIN(a->max_rd_atomic, c->own.initiator_depth);
		a->max_dest_rd_atomic = RN_MIN(a->max_dest_rd_atomic, c->own.responder_resources);
	}
	a->access = RN_ACCESS_REMOTE_WRITE;
	if (a->max_dest_rd_atomic)
		a->access |= RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC;
}

bool rn_cm_event(struct rn_cm *cm, struct rn_event *ev)
{
	struct rn_list *l = rn_list_pop(&cm->event_queue);
	struct rn_cm_conn *c;
	struct rn_cm_note note;

	if (!l)
		return false;
	c = rn_container_of(l, struct rn_cm_conn, tells);
	note = c->notes[0];
	memmove(c->notes, c->notes + 1, --c->nnotes * sizeof(c->notes[0]));
	/* Append c to the event queue again, so that a connection with many events does not delay
	 * the events of other connections. */
	if (c->nnotes)
		rn_list_add_tail(&cm->event_queue, &c->tells);
	memset(ev, 0, sizeof(*ev));
	ev->kind = note.kind;
	ev->reason = note.reason;
	ev->err = note.err;
	ev->id = c->id;
	ev->user = c->user;
	ev->parent = note.kind == RN_EVENT_CM_REQUEST ? c->parent_id : 0;
	ev->port = c->port;
	ev->peer_port = c->peer_port;
	ev->local = c->local;
	ev->peer = c->peer;
	switch (note.kind) {
	case RN_EVENT_CM_REQUEST:
	case RN_EVENT_CM_RESPONSE:
		fill_attr(cm, c, &ev->attr);
		ev->param = c->theirs;
		break;
	case RN_EVENT_CM_REJECTED:
		ev->param = c->theirs;
		break;
	default:
		ev->param.qpn = c->own.qpn;
		break;
	}
	rn_cm_release_if_done(cm, c);
	return true;
}
