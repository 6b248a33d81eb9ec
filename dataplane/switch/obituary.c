/* The table of the states of tracked connections as data, and one message per kind of obituary. */
#include "switch/obituary.h"

#include "wire/hdr.h"

#define no  false
#define yes true
const struct rn_track_row rn_track_rows[RN_TRACK_STATES] = {
#define X(name, yields, obituary, text) \
	[RN_TRACK_##name] = {#name, text, yields, RN_OBITUARY_##obituary},
	RN_TRACK_ROWS(X)
#undef X
};
#undef no
#undef yes
#define X(name, yields, obituary, text) +1
static_assert(0 RN_TRACK_ROWS(X) == RN_TRACK_STATES, "each state has one row");
#undef X

static void reject(const struct rn_track *t, enum rn_cm_about about, uint16_t reason,
		   struct rn_cm_msg *msg)
{
	msg->attr = RN_CM_REJ;
	msg->tid = t->tid;
	msg->rej = (struct rn_cm_rej){.local_id = t->local_id,
				      .remote_id = t->remote_id,
				      .about = (uint8_t)about,
				      .reason = reason};
}

bool rn_obituary(const struct rn_track *t, uint64_t guid, uint64_t tid, struct rn_cm_msg *msg)
{
	*msg = (struct rn_cm_msg){.tid = t->tid};
	switch (rn_track_rows[t->state].obituary) {
	case RN_OBITUARY_REJ_TIMEOUT:
		reject(t, RN_CM_ABOUT_REQ, RN_CM_REJ_TIMEOUT, msg);
		msg->rej.ari_len = 8;
		rn_store64(msg->rej.ari, guid);
		return true;
	case RN_OBITUARY_REJ_REQ:
		reject(t, RN_CM_ABOUT_REQ, RN_CM_REJ_CONSUMER, msg);
		/* The peer does not know the client's communication id yet. */
		msg->rej.local_id = 0;
		return true;
	case RN_OBITUARY_REJ_REP:
		reject(t, RN_CM_ABOUT_REP, RN_CM_REJ_CONSUMER, msg);
		return true;
	case RN_OBITUARY_REJ_OTHER:
		reject(t, RN_CM_ABOUT_OTHER, RN_CM_REJ_CONSUMER, msg);
		return true;
	case RN_OBITUARY_DREQ:
		msg->attr = RN_CM_DREQ;
		msg->tid = tid;
		msg->dreq = (struct rn_cm_dreq){.local_id = t->local_id,
						.remote_id = t->remote_id,
						.remote_qpn = t->remote_qpn};
		return true;
	case RN_OBITUARY_DREP:
		msg->attr = RN_CM_DREP;
		msg->drep = (struct rn_cm_drep){.local_id = t->local_id, .remote_id = t->remote_id};
		return true;
	case RN_OBITUARY_SIDR_REP:
		msg->attr = RN_CM_SIDR_REP;
		msg->sidr_rep = (struct rn_cm_sidr_rep){.request_id = t->remote_id,
							.service_id = t->service_id,
							.status = RN_CM_SIDR_REJECTED};
		return true;
	default:
		return false;
	}
}
