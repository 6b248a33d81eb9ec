/* How does a shard keep a QP to its rate limit? Handles received CNPs, counts the rate-limited QPs,
 * and puts a QP back on the active list when its timer expires. cc.c computes the rate, and
 * rn_qp_tx_limited() holds packets back. Runs on the shard's thread.
 *
 * A QP that must wait is not on the active list. rn_shard_next() takes the timers of waiting QPs
 * into account, so an idle thread wakes when the first of these timers expires. */
#include "qp/pace.h"

#include "qp/lane.h"

static const struct rn_cc_cfg *params(const struct rn_qp *qp)
{
	return &qp->lane->cfg.cc;
}

/* Updates the counters cc_limited (number of rate-limited QPs) and cc_limited_rate (sum of their
 * rates) after a change. `was` is the QP's rate before the change; 0 = no limit. */
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
