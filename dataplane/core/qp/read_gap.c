/* Which responses to READs and atomics are missing, and how are they requested again? Runs on the
 * shard's thread.
 *
 * A response that arrives ahead of a missing one (a gap) is kept in the pool of the lane. It is
 * checked and placed when its turn comes, like one that arrives in order. The missing responses are
 * requested by a READ request from the first of them up to the first kept one. Its PSNs belong to a
 * request that the peer has executed, or no later response could have come. To the peer it is a
 * duplicate, so the PSN that the peer expects stays. All other requests stay in flight.
 *
 * Only the oldest gap is requested. Linux soft-RoCE answers no repeated READ request below one that
 * it has answered before: with one gap at a time the addresses never decrease.
 *
 * Some peers answer a repeated READ request only if it ends where the repeated one ends. A request
 * for missing responses that ends earlier (a part) gets no answer then. So after a part without an
 * answer, all responses up to the end of the request are requested, and after a few such parts no
 * more are sent.
 *
 * An ACK that arrives while a response is missing is remembered, because the peer does not repeat
 * it. */
#include "qp/read_gap.h"

#include "qp/lane.h"
#include "qp/requester.h"

/* A peer that leaves this many parts in a row without an answer does not answer parts. If it has
 * answered one before, many must have been lost. */
#define VAIN_PARTS	  2
#define VAIN_AFTER_ANSWER 8

void rn_read_gap_forget(struct rn_qp *qp)
{
	struct rn_read_gap *g = &qp->gap;

	rn_keep_clear(&qp->lane->keep, &g->kept);
	g->any_acked = g->overflow = g->part = false;
}

static uint32_t first_kept(const struct rn_qp *qp)
{
	return rn_keep_at(&qp->lane->keep, qp->gap.kept.first)->psn;
}

/* The part that was requested got no answer. */
static void note_vain_part(struct rn_read_gap *g)
{
	if (++g->vain >= (g->answers ? VAIN_AFTER_ANSWER : VAIN_PARTS))
		g->refuses = true;
}

/* Requests the missing responses from `expect` on, which belong to e: up to the first kept one, or,
 * if `whole` is set or nothing is kept, up to the end of the request. una is `expect`. `lost`: a
 * later response has shown the loss. */
static void request(struct rn_qp *qp, const struct rn_sqe *e, uint32_t expect, bool whole,
		    bool lost)
{
	struct rn_read_gap *g = &qp->gap;
	uint32_t n = rn_window_rest(&qp->win, e, rn_psn_steps(e->first_psn, expect)), ahead = n;

	if (g->kept.n && !whole && !g->refuses)
		ahead = rn_psn_steps(expect, first_kept(qp));
	g->part = ahead < n;
	g->any_part |= g->part;
	rn_window_patch_read(&qp->win, &qp->sq, rn_psn_add(expect, RN_MIN(n, ahead)), lost,
			     rn_retry_queued(&qp->retry));
}

/* Requests the oldest missing responses, after later ones have arrived. Returns false if all
 * packets must be sent again. */
static bool ask(struct rn_qp *qp, bool whole, rn_time now)
{
	const struct rn_sqe *e;
	uint32_t expect;

	e = rn_window_read(&qp->win, &qp->sq, &expect);
	if (!e)
		return true;
	if (qp->gap.overflow && !qp->gap.kept.n)
		return false; /* later responses are missing too */
	/* What has arrived acknowledges all requests before the READ. */
	rn_requester_advance(qp, expect, now);
	if (!rn_qp_states[qp->state].response_in)
		return true;
	rn_retry_implied(&qp->retry, now);
	request(qp, e, expect, whole, true);
	qp->lane->stats.tx_patches++;
	rn_lane_activate(qp->lane, qp);
	return true;
}

static void note_acked(struct rn_read_gap *g, uint32_t psn)
{
	if (!g->any_acked || rn_psn_before(g->acked, psn))
		g->acked = psn;
	g->any_acked = true;
}

/* Returns true if a response with this PSN lies between the missing ones: the answer to the request
 * for them has begun, and its first packets were lost. */
static bool is_of_answer(const struct rn_qp *qp, uint32_t psn)
{
	const struct rn_read_gap *g = &qp->gap;

	if (g->kept.n)
		return rn_psn_before(psn, first_kept(qp));
	return g->any_acked && rn_psn_before(psn, g->acked);
}

bool rn_read_gap_found(struct rn_qp *qp, const struct rn_pkt *pkt, uint32_t psn, uint32_t expect,
		       rn_time now)
{
	struct rn_read_gap *g = &qp->gap;
	struct rn_window *w = &qp->win;
	bool answered, passed, kept;

	if (!qp->lane->cfg.keep_packets || qp->retry.rnr_wait || (!w->reading && qp->retry.acted))
		return false;
	rn_requester_advance(qp, expect, now);
	if (!rn_qp_states[qp->state].response_in)
		return true;
	answered = pkt && is_of_answer(qp, psn);
	/* A response at or beyond `recover` answers a request that was sent after the one for the
	 * missing responses. The peer answers in order, so the answer to the latter was lost. */
	passed = !rn_psn_before(psn, w->recover);
	kept = pkt && rn_keep_put(&qp->lane->keep, &g->kept, pkt, expect);
	qp->lane->stats.rx_kept += kept;
	if (!kept) {
		/* An ACK, or a response that is kept already, or for which there is no room. */
		note_acked(g, psn);
		g->overflow |= pkt != NULL;
	}
	if (!w->reading)
		return ask(qp, false, now);
	/* A response that is not kept may come again and again, and must not cause a request each
	 * time. */
	answered = answered && kept;
	if (w->cur != w->high || !(answered || passed))
		return true;
	if (g->part && !answered) {
		note_vain_part(g);
		return ask(qp, true, now);
	}
	return ask(qp, false, now);
}

/* Handles what the remembered ACK acknowledges: all before it, but no READ whose responses are
 * missing. */
static void take_acked(struct rn_qp *qp, rn_time now)
{
	struct rn_read_gap *g = &qp->gap;
	uint32_t to = rn_psn_add(g->acked, 1), expect;

	if (rn_window_read(&qp->win, &qp->sq, &expect) && rn_psn_before(expect, to))
		to = expect;
	if (rn_psn_before(qp->win.una, to))
		rn_requester_advance(qp, to, now);
	if (rn_psn_before(g->acked, qp->win.una))
		g->any_acked = g->overflow = false;
}

void rn_read_gap_fill(struct rn_qp *qp, rn_time now)
{
	struct rn_keep_pool *pool = &qp->lane->keep;
	struct rn_read_gap *g = &qp->gap;
	struct rn_window *w = &qp->win;
	uint32_t expect, slot;
	enum rn_verdict v;

	if (rn_likely(!w->reading))
		return;
	while (rn_window_read(w, &qp->sq, &expect) &&
	       (slot = rn_keep_take(pool, &g->kept, expect))) {
		v = rn_requester_take_due(qp, rn_keep_at(pool, slot), now);
		rn_keep_free(pool, slot);
		if (v != RN_V_OK)
			return; /* the QP has failed, and all other responses were dropped */
	}
	if (g->any_acked)
		take_acked(qp, now);
	if (rn_psn_before(w->una, w->patch_end) || !rn_qp_states[qp->state].response_in)
		return;
	rn_window_read_patched(w);
	g->part = false;
	if ((g->kept.n || g->any_acked) && !ask(qp, false, now)) {
		rn_retry_implied(&qp->retry, now);
		rn_window_lost(w, rn_retry_queued(&qp->retry));
		rn_requester_go_back(qp);
	}
}

void rn_read_gap_answered(struct rn_qp *qp)
{
	qp->gap.answers = true;
	qp->gap.vain = 0;
}

void rn_read_gap_timed_out(struct rn_qp *qp)
{
	if (qp->gap.part)
		note_vain_part(&qp->gap);
}

bool rn_read_gap_probe(struct rn_qp *qp)
{
	struct rn_window *w = &qp->win;
	struct rn_read_gap *g = &qp->gap;
	const struct rn_sqe *e;
	uint32_t expect;
	bool vain = g->part;

	e = rn_window_read(w, &qp->sq, &expect);
	if (!e || expect != w->una || w->maybe_spurious || w->una == w->high || w->cur != w->high)
		return false;
	if (vain)
		note_vain_part(g);
	request(qp, e, expect, vain, false);
	return true;
}
