/* Which communication ids and QPNs may be used? Runs on shard 0.
 *
 * Draws communication ids and transaction ids from two random streams, so that other hosts cannot
 * guess an id. A client of a switch draws only the lower 24 bits (client_number.h). Owns the
 * timewait records: for some seconds after a connection has closed, its ids and its QPN are not
 * reused. */
#include "cm/cm_priv.h"
#include "wire/frame.h"
#include "ground/client_number.h"

/* ---- drawing new ids ---- */

uint32_t rn_cm_fresh_id(struct rn_cm *cm)
{
	uint32_t id;

	do {
		id = (uint32_t)rn_stream_next(&cm->ids);
		if (cm->client != RN_CLIENT_NONE)
			id = id >> (32 - RN_CLIENT_ID_SHIFT) | cm->client << RN_CLIENT_ID_SHIFT;
	} while (id == 0 || rn_cm_by_local(cm, id) || rn_cm_local_waits(cm, id));
	return id;
}

uint64_t rn_cm_fresh_tid(struct rn_cm *cm)
{
	return rn_stream_next(&cm->tids);
}

/* ---- timewait records ---- */

/* Returns the head of the hash chain for the key (a, b). `heads` is one of the three indexes of the
 * timewait records: by local id, by remote id or by QPN. */
static uint32_t *chain(const struct rn_cm *cm, uint32_t *heads, uint64_t a, uint64_t b)
{
	return &heads[rn_cm_hash2(cm, a, b) & cm->wait_mask];
}

/* Removes w from the hash chain at *head. `next` is the offset of the chain's field in struct
 * rn_cm_wait: next_local, next_remote or next_qpn. */
static void unlink_from(struct rn_cm *cm, uint32_t *head, const struct rn_cm_wait *w, size_t next)
{
	uint32_t self = (uint32_t)(w - cm->waits) + 1;

	while (*head != self)
		head = (uint32_t *)((char *)&cm->waits[*head - 1] + next);
	*head = *(const uint32_t *)((const char *)w + next);
}

/* Frees the timewait record. Reports CM_TIMEWAIT_EXIT to the client, unless the client has
 * destroyed the id of the connection. */
static void end_wait(struct rn_cm *cm, struct rn_cm_wait *w)
{
	struct rn_cm_conn *c = rn_cm_by_id(cm, w->conn_id);

	rn_timer_cancel(&cm->wait_wheel, &w->timer);
	unlink_from(cm, chain(cm, cm->wait_local, w->local_id, 0), w,
		    offsetof(struct rn_cm_wait, next_local));
	unlink_from(cm, chain(cm, cm->wait_remote, w->remote_id, w->remote_guid), w,
		    offsetof(struct rn_cm_wait, next_remote));
	unlink_from(cm, chain(cm, cm->wait_qpn, w->qpn, 3), w,
		    offsetof(struct rn_cm_wait, next_qpn));
	cm->wait_free[cm->nwait_free++] = (uint32_t)(w - cm->waits);
	cm->nwaits--;
	if (c)
		rn_cm_report_event(cm, c, RN_EVENT_CM_TIMEWAIT_EXIT, 0, 0);
}

static void link_first(struct rn_cm *cm, uint32_t *head, const struct rn_cm_wait *w, uint32_t *next)
{
	*next = *head;
	*head = (uint32_t)(w - cm->waits) + 1;
}

/* Moves the communication ids and the QPN of c to a timewait record. If all records are in use,
 * ends one of them early and counts this in cm->dropped. */
void rn_cm_enter_wait(struct rn_cm *cm, struct rn_cm_conn *c, rn_time now)
{
	struct rn_cm_wait *w;

	if (cm->nwait_free == 0) {
		end_wait(cm, &cm->waits[cm->wait_cursor]);
		cm->wait_cursor = (cm->wait_cursor + 1) % cm->max_waits;
		cm->dropped++;
	}
	w = &cm->waits[cm->wait_free[--cm->nwait_free]];
	w->local_id = c->local_id;
	w->remote_id = c->remote_id;
	w->remote_guid = c->remote_guid;
	w->peer = c->av.dgid;
	w->qpn = c->own.qpn;
	w->conn_id = c->id;
	link_first(cm, chain(cm, cm->wait_local, w->local_id, 0), w, &w->next_local);
	link_first(cm, chain(cm, cm->wait_remote, w->remote_id, w->remote_guid), w,
		   &w->next_remote);
	link_first(cm, chain(cm, cm->wait_qpn, w->qpn, 3), w, &w->next_qpn);
	rn_timer_arm(&cm->wait_wheel, &w->timer,
		     now + rn_cm_time_of(RN_MIN(c->timeout_code, RN_CM_TIMEWAIT_CODE)));
	cm->nwaits++;
	rn_cm_unindex_wire(cm, c);
}

bool rn_cm_local_waits(const struct rn_cm *cm, uint32_t local_id)
{
	for (uint32_t i = *chain(cm, cm->wait_local, local_id, 0); i;
	     i = cm->waits[i - 1].next_local)
		if (cm->waits[i - 1].local_id == local_id)
			return true;
	return false;
}

bool rn_cm_remote_waits(const struct rn_cm *cm, uint32_t remote_id, uint64_t guid,
			const struct rn_gid *from)
{
	for (uint32_t i = *chain(cm, cm->wait_remote, remote_id, guid); i;
	     i = cm->waits[i - 1].next_remote)
		if (cm->waits[i - 1].remote_id == remote_id &&
		    cm->waits[i - 1].remote_guid == guid &&
		    rn_gid_equal(&cm->waits[i - 1].peer, from))
			return true;
	return false;
}

bool rn_cm_qpn_waits(const struct rn_cm *cm, uint32_t qpn)
{
	for (uint32_t i = *chain(cm, cm->wait_qpn, qpn, 3); i; i = cm->waits[i - 1].next_qpn)
		if (cm->waits[i - 1].qpn == qpn)
			return true;
	return rn_cm_by_qpn(cm, qpn) != NULL;
}

void rn_cm_wait_tick(struct rn_cm *cm, rn_time now)
{
	struct rn_timer *t;

	while ((t = rn_wheel_expire(&cm->wait_wheel, now)))
		end_wait(cm, rn_container_of(t, struct rn_cm_wait, timer));
}

unsigned rn_cm_timewait(const struct rn_cm *cm)
{
	return cm->nwaits;
}
