/* What does a switch that has restarted have to know about the connections and listeners of this
 * connection manager? Owns nothing. Runs on shard 0. */
#include "cm/cm_track.h"

#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"

/* What a connection in this state has told, and been told, by CM messages. States without a row are
 * those in which the switch has no connection: before the first message, and after the last. */
static const struct row {
	uint8_t state; /* enum rn_track_state */
	bool local, remote, qps;
} rows[RN_CMS_COUNT] = {
	[RN_CMS_REQ_SENT] = {RN_TRACK_REQ_SENT, .local = true, .qps = true},
	[RN_CMS_REQ_WAIT] = {RN_TRACK_REQ_SENT, .local = true, .qps = true},
	[RN_CMS_REP_RCVD] = {RN_TRACK_REP_RCVD, .local = true, .remote = true, .qps = true},
	[RN_CMS_REQ_RCVD] = {RN_TRACK_REQ_RCVD, .remote = true, .qps = true},
	[RN_CMS_REP_SENT] = {RN_TRACK_REP_SENT, .local = true, .remote = true, .qps = true},
	[RN_CMS_REP_WAIT] = {RN_TRACK_REP_SENT, .local = true, .remote = true, .qps = true},
	[RN_CMS_ESTABLISHED] = {RN_TRACK_UP, .local = true, .remote = true, .qps = true},
	[RN_CMS_DREQ_SENT] = {RN_TRACK_DREQ_SENT, .local = true, .remote = true, .qps = true},
	[RN_CMS_DREQ_RCVD] = {RN_TRACK_DREQ_RCVD, .local = true, .remote = true, .qps = true},
	[RN_CMS_SIDR_SENT] = {RN_TRACK_SIDR_SENT, .local = true},
	[RN_CMS_SIDR_RCVD] = {RN_TRACK_SIDR_RCVD, .remote = true},
};

static void fill(const struct rn_cm_conn *c, struct rn_cm_track *out)
{
	const struct row *row = &rows[c->state];

	*out = (struct rn_cm_track){.state = row->state};
	if (row->local || row->state == RN_TRACK_FREE)
		out->local_id = c->local_id;
	if (row->remote)
		out->remote_id = c->remote_id;
	if (row->local && row->qps)
		out->local_qpn = c->own.qpn;
	if (row->remote && row->qps)
		out->remote_qpn = c->remote_qpn;
	if (!row->local && row->remote)
		out->service_id = rn_cm_service_id(c->port_space, c->port);
	out->way.src = c->av.sgid;
	out->way.dst = c->av.dgid;
	memcpy(out->way.dmac, c->av.dmac, 6);
	out->way.tclass = c->av.tclass;
}

bool rn_cm_track(const struct rn_cm *cm, uint32_t id, struct rn_cm_track *out)
{
	const struct rn_cm_conn *c = rn_cm_by_id(cm, id);

	/* An id without a communication id has never sent or received a message. */
	if (!c || c->local_id == 0)
		return false;
	fill(c, out);
	return true;
}

unsigned rn_cm_tracks(const struct rn_cm *cm, uint32_t *cursor, struct rn_cm_track *out, unsigned n)
{
	unsigned found = 0;

	for (; *cursor < cm->max && found < n; ++*cursor) {
		const struct rn_cm_conn *c = &cm->conns[*cursor];

		if (rows[c->state].state != RN_TRACK_FREE)
			fill(c, &out[found++]);
	}
	return found;
}

/* Both kinds of ids are in the table of listeners, and keep others from their address and port. An
 * id that was bound for a listener may connect instead, and is no listener then. */
static bool takes_requests(const struct rn_cm_conn *c)
{
	return c->in_port && (c->state == RN_CMS_LISTEN || c->state == RN_CMS_BOUND);
}

unsigned rn_cm_listeners(const struct rn_cm *cm, uint32_t *cursor, struct rn_cm_listener_id *out,
			 unsigned n)
{
	unsigned found = 0;

	for (; *cursor < cm->max && found < n; ++*cursor) {
		const struct rn_cm_conn *c = &cm->conns[*cursor];

		if (takes_requests(c))
			out[found++] = (struct rn_cm_listener_id){
				.service_id = rn_cm_service_id(c->port_space, c->port),
				.addr = c->bound};
	}
	return found;
}
