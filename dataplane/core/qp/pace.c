/* May this queue pair send data now, and if not, when? What the rate is says cc.c; here it meets the queue pair: which
 * packets count, leaving the active list, being woken. Owned by the shard's thread.
 *
 * A QP without a limit never comes here (rn_shard_tx asks one flag); one with a limit sends by rn_qp_tx_limited()
 * (qp_dispatch.c). One that may not send yet is on no list: it
 * costs nothing until its timer rings, and rn_shard_next() says when that is, so that an idle thread may sleep. */
#include "qp/pace.h"

#include "qp/lane.h"

static const struct rn_cc_cfg *params(const struct rn_qp *qp)
{
	return &qp->lane->cfg.cc;
}

/* The sums of what the counters say of limits: `was` is the rate before, 0 = none. */
void rn_pace_note_rate(struct rn_qp *qp, uint64_t was)
{
	struct rn_stats *st = &qp->lane->stats;

	if (qp->cc.rate == was)
		return;
	st->cc_limited += (uint64_t)(qp->cc.rate != 0) - (was != 0);
	st->cc_limited_rate += qp->cc.rate - was;
}

void rn_pace_due(struct rn_timer *t)
{
	struct rn_qp *qp = rn_container_of(t, struct rn_qp, pace);

	rn_lane_activate(qp->lane, qp);
}

void rn_pace_cnp(struct rn_qp *qp, rn_time now)
{
	struct rn_stats *st = &qp->lane->stats;
	uint64_t was = qp->cc.rate;

	if (params(qp)->algorithm == RN_CC_NONE) {
		st->rp_cnp_ignored++;
		return;
	}
	st->rp_cnp_handled++;
	st->cc_cuts += rn_cc_cnp(&qp->cc, params(qp), now);
	rn_pace_note_rate(qp, was);
}

void rn_pace_stop(struct rn_qp *qp)
{
	uint64_t was = qp->cc.rate;

	rn_timer_cancel(&qp->lane->pace, &qp->pace);
	rn_cc_reset(&qp->cc);
	rn_pace_note_rate(qp, was);
}
