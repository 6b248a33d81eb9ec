/* May this queue pair send data now, and if not, when? What the rate is says cc.c; here it meets the queue pair: which
 * packets count, leaving the active list, being woken. Owned by the shard's thread.
 *
 * A QP without a limit never comes here (rn_shard_tx asks one flag). A limited one that may not send yet is on no list: it
 * costs nothing until its timer rings, and rn_shard_next() says when that is, so that an idle thread may sleep. */
#include "qp/pace.h"

#include "wire/hdr.h"
#include "shard/shard.h"

static const struct rn_cc_cfg *params(const struct rn_qp *qp)
{
	return &qp->sh->cfg.cc;
}

/* The sums of what the counters say of limits: `was` is the rate before, 0 = none. */
static void note_rate(struct rn_qp *qp, uint64_t was)
{
	struct rn_stats *st = &qp->sh->stats;

	if (qp->cc.rate == was)
		return;
	st->cc_limited += (uint64_t)(qp->cc.rate != 0) - (was != 0);
	st->cc_limited_rate += qp->cc.rate - was;
}

/* Is the oldest thing owed one that does not wait? */
static bool owes_small(const struct rn_qp *qp)
{
	const struct rn_rx *rx = &qp->rx;

	return rx->nowed &&
	       (rx->owed[0].kind != RN_OWE_READ || rx->rec[rx->owed[0].rec].op != RN_OP_READ_REQUEST);
}

static bool has_data(const struct rn_qp *qp)
{
	return qp->rx.nowed ||
	       (rn_qp_states[qp->state].go_on && !qp->retry.rnr_wait && qp->sq.send != qp->sq.tail);
}

/* Of a packet of ours. */
static bool is_data(const struct rn_qp *qp, const uint8_t *frame)
{
	const struct rn_opcode_row *op = rn_opcode_row(frame[qp->tmpl.bytes - RN_BTH_BYTES]);

	return op->family != RN_F_ACK && op->family != RN_F_ATOMIC_ACK;
}

static void hold_back(struct rn_qp *qp)
{
	rn_time when = rn_cc_wake_at(&qp->cc);

	if (qp->pace.when == when)
		return;
	qp->sh->stats.cc_waits++;
	rn_timer_arm(&qp->sh->pace, &qp->pace, when);
}

unsigned rn_pace_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	uint64_t was = qp->cc.rate;
	rn_time at = rn_cc_send_at(&qp->cc, params(qp), now);
	unsigned n = 0;

	if (at > now) {
		if (owes_small(qp))
			n = rn_responder_tx(qp, buf, now);
		else if (has_data(qp))
			hold_back(qp);
	} else {
		n = rn_qp_tx(qp, buf, now);
		if (!n)
			rn_cc_idle(&qp->cc);
		else if (qp->cc.limited && is_data(qp, buf->data))
			rn_cc_sent(&qp->cc, params(qp), n, now);
	}
	note_rate(qp, was);
	return n;
}

void rn_pace_due(struct rn_timer *t)
{
	struct rn_qp *qp = rn_container_of(t, struct rn_qp, pace);

	rn_shard_activate(qp->sh, qp);
}

void rn_pace_cnp(struct rn_qp *qp, rn_time now)
{
	struct rn_stats *st = &qp->sh->stats;
	uint64_t was = qp->cc.rate;

	if (params(qp)->algorithm == RN_CC_NONE) {
		st->rp_cnp_ignored++;
		return;
	}
	st->rp_cnp_handled++;
	st->cc_cuts += rn_cc_cnp(&qp->cc, params(qp), now);
	note_rate(qp, was);
}

void rn_pace_stop(struct rn_qp *qp)
{
	uint64_t was = qp->cc.rate;

	rn_timer_cancel(&qp->sh->pace, &qp->pace);
	rn_cc_reset(&qp->cc);
	note_rate(qp, was);
}
