/* Which changes of a connection's state are logged, and with which reason? Owns the texts of the
 * reasons. Runs on shard 0. */
#include "cm/cm.h"
#include "cm/cm_priv.h"

/* clang-format off */
/* The log texts: why an established connection ended, and why an attempt to connect failed. If the
 * local client gives up an attempt, this is no failure; FAILURE_ROWS has no row for it. */
#define END_ROWS(X) /* columns: cause, text */ \
	X(DREQ,       "the peer disconnected") \
	X(REJ,        "the peer rejected it") \
	X(STALE,      "the peer has forgotten it") \
	X(DISCONNECT, "disconnected here") \
	X(DESTROY,    "released here")
#define FAILURE_ROWS(X) /* columns: cause, text */ \
	X(DREQ,       "the peer disconnected before it was made") \
	X(NEIGH_FAIL, "no MAC address could be found for the next hop") \
	X(SPENT,      "no answer") \
	X(REJ,        "rejected") \
	X(STALE,      "the peer has forgotten it")
/* clang-format on */

static const char *const ends[RN_CMC_COUNT] = {
#define X(cause, text) [RN_CMC_##cause] = text,
	END_ROWS(X)
#undef X
};

static const char *const failures[RN_CMC_COUNT] = {
#define X(cause, text) [RN_CMC_##cause] = text,
	FAILURE_ROWS(X)
#undef X
};

/* Returns the text of the REJ's reason if the cause is a received REJ. Otherwise returns `text`. */
static const char *reason(const char *text, enum rn_cm_cause cause, const struct rn_cm_why *why)
{
	bool stated = cause == RN_CMC_REJ && why->msg && why->msg->attr == RN_CM_REJ;

	return stated ? rn_cm_rej_text(why->msg->rej.reason) : text;
}

void rn_cm_note_step(struct rn_cm *cm, const struct rn_cm_conn *c, enum rn_cm_state from,
		     enum rn_cm_state to, enum rn_cm_cause cause, const struct rn_cm_why *why)
{
	bool was = from == RN_CMS_ESTABLISHED, is = to == RN_CMS_ESTABLISHED;
	bool tried = rn_cm_states[from].flags & RN_CM_F_TRIES;
	bool over = to == RN_CMS_BOUND || to == RN_CMS_CLOSED;
	struct rn_news news = {
		.port = c->port,
		.peer_port = c->peer_port,
		.qpn = c->own.qpn,
		.local = c->local,
		.peer = c->peer,
	};

	/* The peer's DREQ arrived although the RTU did not. Log the connection as made and then as
	 * ended. */
	if (tried && to == RN_CMS_DREQ_RCVD) {
		news.kind = RN_NEWS_CONNECTED;
		rn_news_put(&cm->news, &news);
		was = true;
	}
	if (was == is && !(tried && over && failures[cause]))
		return;
	news.kind = is ? RN_NEWS_CONNECTED : was ? RN_NEWS_DISCONNECTED : RN_NEWS_NOT_CONNECTED;
	if (!is)
		news.why = reason(was ? ends[cause] : failures[cause], cause, why);
	rn_news_put(&cm->news, &news);
}

bool rn_cm_silent(const struct rn_cm *cm)
{
	return rn_list_empty(&cm->event_queue) && rn_news_none(&cm->news);
}

bool rn_cm_news(struct rn_cm *cm, struct rn_news *news)
{
	return rn_news_take(&cm->news, news);
}
