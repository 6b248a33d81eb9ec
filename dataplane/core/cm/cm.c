/* Which states does a connection of the connection manager (IB CM) have, and what does each cause
 * do in each state? Runs on shard 0.
 *
 * A cause is a client's command, a received CM message or an expired timer. This file owns the rule
 * table: (state, cause) -> action, next state. A cause without a rule changes nothing. rn_cm_step()
 * makes every change of state. Only the first state of a connection is set elsewhere (cm_index.c,
 * cm_rx.c, cm_sidr.c). Flags in the state table hold what several states share, such as a running
 * timer; enter() applies them. */
#include "cm/cm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm_priv.h"

/* clang-format off */
#define RULE_ROWS(X) /* columns: state, cause, action, next state */ \
	X(BOUND,       LISTEN,     start_listening,   LISTEN) \
	X(BOUND,       CONNECT,    note_connect,      RESOLVING) \
	X(BOUND,       DESTROY,    nothing,           CLOSED) \
	X(LISTEN,      DESTROY,    refuse_backlog,    CLOSED) \
	/* active side, up to the RTU */ \
	X(RESOLVING,   NEIGH_OK,   send_req,          REQ_SENT) \
	X(RESOLVING,   NEIGH_FAIL, report_unreachable, BOUND) \
	X(RESOLVING,   DESTROY,    nothing,           CLOSED) \
	X(REQ_SENT,    TIMER,      resend,            REQ_SENT) \
	X(REQ_SENT,    SPENT,      give_up_req,       BOUND) \
	X(REQ_SENT,    MRA_REQ,    wait_longer,       REQ_WAIT) \
	X(REQ_SENT,    REP,        take_rep,          REP_RCVD) \
	X(REQ_SENT,    REJ,        report_rejected,   BOUND) \
	X(REQ_SENT,    DESTROY,    withdraw_req,      CLOSED) \
	X(REQ_WAIT,    TIMER,      resend,            REQ_SENT) \
	X(REQ_WAIT,    SPENT,      give_up_req,       BOUND) \
	X(REQ_WAIT,    MRA_REQ,    wait_longer,       REQ_WAIT) \
	X(REQ_WAIT,    REP,        take_rep,          REP_RCVD) \
	X(REQ_WAIT,    REJ,        report_rejected,   BOUND) \
	X(REQ_WAIT,    DESTROY,    withdraw_req,      CLOSED) \
	X(REP_RCVD,    REP_AGAIN,  delay_rep,         REP_RCVD) \
	X(REP_RCVD,    DELAY,      delay_rep,         REP_RCVD) \
	X(REP_RCVD,    ESTABLISH,  send_rtu,          ESTABLISHED) \
	X(REP_RCVD,    REJECT,     reject_rep,        CLOSED) \
	X(REP_RCVD,    REJ,        report_rejected,   BOUND) \
	X(REP_RCVD,    DREQ,       answer_dreq,       CLOSED) \
	X(REP_RCVD,    DESTROY,    reject_rep,        CLOSED) \
	/* passive side, up to the RTU */ \
	X(REQ_RCVD,    REQ_AGAIN,  delay_req,         REQ_RCVD) \
	X(REQ_RCVD,    DELAY,      delay_req,         REQ_RCVD) \
	X(REQ_RCVD,    SPENT,      report_rejected,   CLOSED) \
	X(REQ_RCVD,    ACCEPT,     send_rep,          REP_SENT) \
	X(REQ_RCVD,    REJECT,     reject_req,        CLOSED) \
	X(REQ_RCVD,    REJ,        report_rejected,   CLOSED) \
	X(REQ_RCVD,    STALE,      report_rejected,   CLOSED) \
	X(REQ_RCVD,    DESTROY,    reject_req,        CLOSED) \
	X(REP_SENT,    REQ_AGAIN,  repeat,            REP_SENT) \
	X(REP_SENT,    RTU,        report_established, ESTABLISHED) \
	X(REP_SENT,    COMM_EST,   report_established, ESTABLISHED) \
	X(REP_SENT,    MRA_REP,    wait_longer,       REP_WAIT) \
	X(REP_SENT,    TIMER,      resend,            REP_SENT) \
	X(REP_SENT,    SPENT,      give_up_rep,       CLOSED) \
	X(REP_SENT,    REJ,        report_rejected,   CLOSED) \
	X(REP_SENT,    STALE,      report_rejected,   CLOSED) \
	X(REP_SENT,    DREQ,       establish_and_take_dreq, DREQ_RCVD) \
	X(REP_SENT,    DESTROY,    withdraw_rep,      CLOSED) \
	X(REP_WAIT,    REQ_AGAIN,  repeat,            REP_WAIT) \
	X(REP_WAIT,    RTU,        report_established, ESTABLISHED) \
	X(REP_WAIT,    COMM_EST,   report_established, ESTABLISHED) \
	X(REP_WAIT,    MRA_REP,    wait_longer,       REP_WAIT) \
	X(REP_WAIT,    TIMER,      resend,            REP_SENT) \
	X(REP_WAIT,    SPENT,      give_up_rep,       CLOSED) \
	X(REP_WAIT,    REJ,        report_rejected,   CLOSED) \
	X(REP_WAIT,    STALE,      report_rejected,   CLOSED) \
	X(REP_WAIT,    DREQ,       establish_and_take_dreq, DREQ_RCVD) \
	X(REP_WAIT,    DESTROY,    withdraw_rep,      CLOSED) \
	/* both sides, connected and disconnecting */ \
	X(ESTABLISHED, REQ_AGAIN,  nothing,           ESTABLISHED) \
	X(ESTABLISHED, REP_AGAIN,  repeat,            ESTABLISHED) \
	X(ESTABLISHED, DREQ,       take_dreq,         DREQ_RCVD) \
	X(ESTABLISHED, REJ,        end_by_rej,        CLOSED) \
	X(ESTABLISHED, STALE,      send_stale_dreq,   DREQ_SENT) \
	X(ESTABLISHED, DISCONNECT, send_dreq,         DREQ_SENT) \
	X(ESTABLISHED, DESTROY,    send_dreq,         DREQ_SENT) \
	X(DREQ_SENT,   REQ_AGAIN,  nothing,           DREQ_SENT) \
	X(DREQ_SENT,   REP_AGAIN,  nothing,           DREQ_SENT) \
	X(DREQ_SENT,   DREP,       finish,            CLOSED) \
	X(DREQ_SENT,   DREQ,       answer_dreq,       CLOSED) \
	X(DREQ_SENT,   REJ,        finish,            CLOSED) \
	X(DREQ_SENT,   TIMER,      resend,            DREQ_SENT) \
	X(DREQ_SENT,   SPENT,      give_up_dreq,      CLOSED) \
	X(DREQ_SENT,   DESTROY,    nothing,           DREQ_SENT) \
	X(DREQ_RCVD,   REQ_AGAIN,  nothing,           DREQ_RCVD) \
	X(DREQ_RCVD,   REP_AGAIN,  nothing,           DREQ_RCVD) \
	X(DREQ_RCVD,   DREQ,       nothing,           DREQ_RCVD) \
	X(DREQ_RCVD,   REJ,        auto_drep,         CLOSED) \
	X(DREQ_RCVD,   STALE,      auto_drep,         CLOSED) \
	X(DREQ_RCVD,   SPENT,      auto_drep,         CLOSED) \
	X(DREQ_RCVD,   DISCONNECT, send_drep,         CLOSED) \
	X(DREQ_RCVD,   DESTROY,    send_drep,         CLOSED) \
	X(CLOSED,      REQ_AGAIN,  repeat,            CLOSED) \
	X(CLOSED,      REP_AGAIN,  repeat,            CLOSED) \
	X(CLOSED,      DESTROY,    nothing,           CLOSED) \
	/* datagram services, both sides */ \
	X(BOUND,       RESOLVE,    note_resolve,      SIDR_RESOLVING) \
	X(SIDR_RESOLVING, NEIGH_OK, send_sidr_req,    SIDR_SENT) \
	X(SIDR_RESOLVING, NEIGH_FAIL, report_unreachable, BOUND) \
	X(SIDR_RESOLVING, DESTROY, nothing,           CLOSED) \
	X(SIDR_SENT,   TIMER,      resend,            SIDR_SENT) \
	X(SIDR_SENT,   SPENT,      give_up_sidr,      BOUND) \
	X(SIDR_SENT,   SIDR_REP,   take_sidr_rep,     BOUND) \
	X(SIDR_SENT,   DESTROY,    cancel_sidr,       CLOSED) \
	X(SIDR_RCVD,   REQ_AGAIN,  keep_request,      SIDR_RCVD) \
	X(SIDR_RCVD,   SPENT,      report_rejected,   CLOSED) \
	X(SIDR_RCVD,   ACCEPT,     answer_sidr,       CLOSED) \
	X(SIDR_RCVD,   REJECT,     refuse_sidr,       CLOSED) \
	X(SIDR_RCVD,   DESTROY,    refuse_sidr,       CLOSED)
/* clang-format on */

static const struct rule {
	rn_cm_action *act;
	uint8_t next;
	const char *text;
} rules[RN_CMS_COUNT][RN_CMC_COUNT] = {
#define X(state, cause, action, to) \
	[RN_CMS_##state][RN_CMC_##cause] = {rn_cm_do_##action, RN_CMS_##to, #action},
	RULE_ROWS(X)
#undef X
};

static const char *const cause_names[RN_CMC_COUNT] = {
#define X(name, text) text,
	RN_CM_CAUSE_ROWS(X)
#undef X
};

void rn_cm_print_rules(void (*out)(void *arg, const char *state, const char *event,
				   const char *action, const char *next),
		       void *arg)
{
	for (unsigned s = 0; s < RN_CMS_COUNT; s++)
		for (unsigned c = 0; c < RN_CMC_COUNT; c++)
			if (rules[s][c].act)
				out(arg, rn_cm_states[s].name, cause_names[c], rules[s][c].text,
				    rn_cm_states[rules[s][c].next].name);
}

/* ---- change of state ---- */

/* Removes c from the backlog of its listener. */
static void leave_listener(struct rn_cm_conn *c)
{
	if (!c->parent)
		return;
	rn_list_del(&c->sibling);
	c->parent->nheld--;
	c->parent = NULL;
}

/* Releases the neighbour table's entry for the next hop of c. The table may remove an entry that no
 * connection holds. */
static void release_hop(struct rn_cm *cm, struct rn_cm_conn *c)
{
	if (c->hop)
		rn_neigh_release(cm->neigh, c->hop);
	c->hop = NULL;
}

/* Changes the state of c and applies the flags of the new state: running timer, listener's backlog,
 * waiting for a MAC address, half-open count, held next hop. */
static void enter(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_state next)
{
	unsigned flags = rn_cm_states[next].flags, before = rn_cm_states[c->state].flags;

	c->state = (uint8_t)next;
	if (!(flags & RN_CM_F_TIMED))
		rn_timer_cancel(&cm->wheel, &c->timer);
	if (!(flags & RN_CM_F_HELD))
		leave_listener(c);
	if (!(flags & RN_CM_F_RESOLVES))
		rn_list_del(&c->asks);
	else if (!(before & RN_CM_F_RESOLVES))
		rn_list_add_tail(&cm->asking, &c->asks);
	if (!(flags & RN_CM_F_HALF))
		rn_cm_half_end(cm, c);
	if (!(flags & RN_CM_F_HOP))
		release_hop(cm, c);
	else if (!c->hop)
		c->hop = rn_neigh_hold(cm->neigh, &c->av.dgid);
	/* In BOUND the attempt to connect is over. From now on, late CM messages of the peer do not
	 * find c by its communication ids. */
	if (next == RN_CMS_BOUND)
		rn_cm_unindex_wire(cm, c);
	/* In CLOSED other connections may use the two QPs and the four-tuple of c. The
	 * communication ids still find c, so that a repeated CM message gets the same answer. */
	if (next == RN_CMS_CLOSED)
		rn_cm_unindex_qps(cm, c);
}

bool rn_cm_step(struct rn_cm *cm, struct rn_cm_conn *c, enum rn_cm_cause cause,
		const struct rn_cm_why *why, rn_time now)
{
	static const struct rn_cm_why no_reason;
	const struct rule *rule = &rules[c->state][cause];
	enum rn_cm_state from = c->state;

	if (!rule->act)
		return false;
	why = why ? why : &no_reason;
	/* Some actions read the old c->state, so enter() changes c->state after the action. */
	rule->act(cm, c, why, now);
	rn_cm_note_step(cm, c, from, rule->next, cause, why);
	enter(cm, c, rule->next);
	/* The client has destroyed the id: drop its queued events and free its port number. The
	 * exchange of CM messages with the peer may go on. */
	if (cause == RN_CMC_DESTROY) {
		c->orphan = true;
		c->nnotes = 0;
		rn_list_del(&c->tells);
		rn_cm_leave_port(cm, c);
	}
	rn_cm_release_if_done(cm, c);
	return true;
}

/* ---- address resolution and timers ---- */

/* Resolves the peer's MAC address. If the result is known at once, runs the rule for this result.
 * Otherwise c stays on the list cm->asking, and rn_cm_tick() tries again. */
void rn_cm_resolve_mac(struct rn_cm *cm, struct rn_cm_conn *c, rn_time now)
{
	switch (rn_neigh_resolve(cm->neigh, &c->local, &c->av.dgid, c->av.dmac, now)) {
	case RN_NEIGH_READY:
		rn_cm_step(cm, c, RN_CMC_NEIGH_OK, NULL, now);
		break;
	case RN_NEIGH_FAILED:
		rn_cm_step(cm, c, RN_CMC_NEIGH_FAIL, NULL, now);
		break;
	case RN_NEIGH_PENDING:
		break;
	}
}

/* Returns true if a connection waits for a MAC address and the neighbour table has changed since
 * the last resolve_waiting(). */
static bool neighbours_changed(const struct rn_cm *cm)
{
	return !rn_list_empty(&cm->asking) && cm->neigh_seen != rn_neigh_epoch(cm->neigh);
}

/* Tries again to resolve the MAC address for each waiting connection. A connection whose MAC lookup
 * succeeds or fails leaves the list cm->asking. */
static void resolve_waiting(struct rn_cm *cm, rn_time now)
{
	struct rn_list *pos, *tmp;

	cm->neigh_seen = rn_neigh_epoch(cm->neigh);
	rn_list_for_each_safe(pos, tmp, &cm->asking)
		rn_cm_resolve_mac(cm, rn_container_of(pos, struct rn_cm_conn, asks), now);
}

rn_time rn_cm_next(const struct rn_cm *cm)
{
	if (neighbours_changed(cm))
		return 0;
	rn_time next = rn_wheel_next(&cm->wheel), end = rn_wheel_next(&cm->wait_wheel);

	return RN_MIN(next, end);
}

void rn_cm_tick(struct rn_cm *cm, rn_time now)
{
	struct rn_timer *t;

	while ((t = rn_wheel_expire(&cm->wheel, now))) {
		struct rn_cm_conn *c = rn_container_of(t, struct rn_cm_conn, timer);

		if (c->retries == 0) {
			rn_cm_step(cm, c, RN_CMC_SPENT, NULL, now);
			continue;
		}
		c->retries--;
		/* Arm the timer before rn_cm_step(), because rn_cm_step() cancels the timer if the
		 * new state has none. */
		rn_timer_arm(&cm->wheel, &c->timer, now + c->interval);
		rn_cm_step(cm, c, RN_CMC_TIMER, NULL, now);
	}
	rn_cm_wait_tick(cm, now);
	if (neighbours_changed(cm))
		resolve_waiting(cm, now);
}

void rn_cm_comm_est(struct rn_cm *cm, uint32_t qpn, rn_time now)
{
	struct rn_cm_conn *c = rn_cm_by_qpn(cm, qpn);

	if (c)
		rn_cm_step(cm, c, RN_CMC_COMM_EST, NULL, now);
}

/* ---- counters; creation and destruction of the manager ---- */

unsigned rn_cm_live(const struct rn_cm *cm)
{
	return cm->live;
}

uint64_t rn_cm_dropped(const struct rn_cm *cm)
{
	return cm->dropped;
}

struct rn_cm *rn_cm_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
			   struct rn_neigh *neigh, rn_time now)
{
	struct rn_cm *cm = calloc(1, sizeof(*cm));

	if (!cm)
		return NULL;
	cm->port = port;
	cm->neigh = neigh;
	cm->response_timeout = RN_MAX(cfg->cm_response_timeout, RN_MS(1));
	cm->wait_max = cfg->cm_wait_max ? cfg->cm_wait_max : RN_CM_WAIT_MAX;
	/* The bounds 15 and 31 are the largest values of these CM message fields, which have 4 and
	 * 5 bits. */
	cm->max_retries = RN_MIN(cfg->cm_max_retries, 15);
	cm->ack_timeout = cfg->ack_timeout & 31;
	cm->min_rnr_timer = cfg->min_rnr_timer;
	cm->max_retry_cnt = RN_MIN(cfg->retry_cnt, 7);
	cm->max_rnr_retry = cfg->rnr_retry;
	cm->patience = cfg->cm_patience & 31;
	cm->nshards = cfg->nshards;
	cm->rx_shards = cfg->rx_shards;
	rn_list_init(&cm->mad_queue);
	rn_list_init(&cm->event_queue);
	rn_list_init(&cm->asking);
	rn_wheel_init(&cm->wheel, now);
	cm->replies = calloc(RN_CM_REPLIES, sizeof(*cm->replies));
	if (!cm->replies || !rn_cm_index_create(cm, cfg, now) ||
	    !rn_cm_half_create(cm, cfg->max_cm_requests)) {
		rn_cm_destroy(cm);
		return NULL;
	}
	return cm;
}

void rn_cm_destroy(struct rn_cm *cm)
{
	if (!cm)
		return;
	rn_cm_half_destroy(cm);
	rn_cm_index_destroy(cm);
	free(cm->replies);
	free(cm);
}
