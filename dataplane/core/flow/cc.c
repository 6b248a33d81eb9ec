/* How fast may a queue pair send when the network reports congestion? Owns nothing: the caller has
 * the state of each flow (struct rn_cc) and the parameters (struct rn_cc_cfg). A flow is what one
 * queue pair sends. The functions are pure and run on the shard's thread.
 *
 * DCQCN: a congestion notification (CNP) cuts the rate by the share alpha, which grows with the
 * number of recent CNPs. Then the rate is raised once per timer period and once per block of sent
 * bytes:
 * - Fast recovery: each raise goes half-way back to the rate before the cut.
 * - Additive increase, after timer or byte counter has raised the rate more than `threshold` times:
 *   the target rate grows by a constant.
 * - Hyper increase, after timer and byte counter have each raised the rate more than `threshold`
 *   times: the target rate grows by more each time.
 *
 * Hardware adapters let alpha decay by a timer. This file computes the decay when alpha is needed.
 *
 * Pacing: `send_at` is the earliest time for the next packet. Each packet moves `send_at` on by the
 * time that sending the packet takes at the present rate. A flow that waited for `send_at` and woke
 * up late may catch up on at most CATCH_UP of the delay. A flow without data may not catch up. */
#include "flow/cc.h"

#include <stddef.h>
#include <string.h>

#define CATCH_UP   RN_MS(1) /* how much of a late wake-up a flow may catch up on */
#define MAX_RAISES 64	    /* most raises by the timer in one call; the next call makes the rest */
/* The rate limit ends when the rate is within 1/128 of the line rate. Each raise halves the
 * distance, so the rate would never reach the line rate exactly. */
#define NEARLY 128

/* ---- pacing, and calls for all algorithms ---- */

/* Sets the rate, bounded by min_rate and line_rate. Rescales the remaining wait until send_at to
 * the new rate. */
static void set_rate(struct rn_cc *cc, const struct rn_cc_cfg *p, uint64_t rate, rn_time now)
{
	rate = RN_MAX(RN_MIN(rate, p->line_rate), p->min_rate);
	/* The product cannot overflow: it is at most the bits of one packet times 10^9. */
	if (cc->limited && cc->send_at > now)
		cc->send_at = now + (cc->send_at - now) * cc->rate / rate;
	cc->rate = rate;
}

rn_time rn_cc_send_at(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	rn_cc_rows[p->algorithm].on_timer(cc, p, now);
	return cc->limited ? cc->send_at : now;
}

rn_time rn_cc_wake_at(struct rn_cc *cc)
{
	cc->waiting = true;
	return RN_MIN(cc->send_at, cc->raise_at);
}

void rn_cc_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now)
{
	/* A flow that waited for send_at may catch up on a late wake-up, by CATCH_UP at most. For
	 * any other flow the packet counts as sent at `now`. */
	rn_time from = cc->waiting ? now - RN_MIN(now, CATCH_UP) : now;

	cc->send_at = RN_MAX(cc->send_at, from) + (rn_time)bytes * 8 * RN_S(1) / cc->rate;
	rn_cc_rows[p->algorithm].on_sent(cc, p, bytes, now);
}

void rn_cc_idle(struct rn_cc *cc)
{
	cc->waiting = false;
}

bool rn_cc_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	return rn_cc_rows[p->algorithm].on_cnp(cc, p, now);
}

void rn_cc_reset(struct rn_cc *cc)
{
	*cc = (struct rn_cc){0};
}

/* ---- no congestion control ---- */

static bool none_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	return false;
}

static void none_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now)
{
}

static void none_timer(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
}

/* ---- DCQCN ---- */

/* Returns what is left of alpha `a` after n decay periods: a * (g / 1024)^n, by repeated squaring.
 * `a` and the result are in units of 2^-20. */
static uint32_t decayed(uint32_t a, uint32_t g, uint64_t n)
{
	uint64_t base = (uint64_t)g << 10, left = a;

	for (; n && left; n >>= 1) {
		if (n & 1)
			left = left * base >> 20;
		base = base * base >> 20;
	}
	return (uint32_t)left;
}

/* Returns alpha for a cut at `now`. The first cut in an alpha_period uses alpha after its decay,
 * and then raises alpha once. Further cuts in this period use the raised alpha. */
static uint32_t take_alpha(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	uint32_t alpha = cc->alpha;

	if (now < cc->alpha_at)
		return alpha;
	alpha = decayed(alpha, p->g, (now - cc->alpha_at) / p->alpha_period);
	cc->alpha = decayed(alpha, p->g, 1) + ((1024u - p->g) << 10);
	cc->alpha_at = now + p->alpha_period;
	return alpha;
}

/* Starts the rate limit at the first CNP. Until then the flow was sending at line rate. */
static void start_limit(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	*cc = (struct rn_cc){
		.rate = p->line_rate,
		.target = p->line_rate,
		.send_at = now,
		.alpha_at = now,
		.alpha = (uint32_t)p->initial_alpha << 10,
		.limited = true,
	};
}

/* Returns the rate after one cut. */
static uint64_t cut_rate(const struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t alpha)
{
	/* The cut is rate * alpha >> gd with an alpha of 10 bits (cc_cfg.h). This alpha has 20
	 * bits, so divide the rate by 2^10 first. */
	uint64_t cut = (cc->rate >> 10) * alpha >> p->gd;
	uint64_t least = cc->rate / 100 * p->min_dec_fac;

	return RN_MAX(cc->rate - RN_MIN(cut, cc->rate), least);
}

static bool dcqcn_cnp(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	bool first = !cc->limited;
	uint32_t alpha;
	uint64_t rate;

	if (first)
		start_limit(cc, p, now);
	/* Cut at most once per monitor_period. */
	else if (now - cc->cut_at < p->monitor_period)
		return false;
	alpha = take_alpha(cc, p, now);
	rate = first && p->first_rate ? p->first_rate : cut_rate(cc, p, alpha);
	/* Fast recovery returns to cc->target, which becomes the rate before this cut. Exception:
	 * if clamp_tgt_rate is off and the rate was not raised since the last cut, the target
	 * stays. So several cuts in a row do not lower the target. Raises by the timer count here
	 * only if clamp_tgt_rate_after_time_inc is on. */
	if (p->clamp_tgt_rate || cc->byte_stage ||
	    (p->clamp_tgt_rate_after_time_inc && cc->time_stage))
		cc->target = cc->rate;
	set_rate(cc, p, rate, now);
	cc->cut_at = now;
	cc->time_stage = cc->byte_stage = cc->bytes = 0;
	cc->raise_at = now + p->time_reset;
	return true;
}

/* Raises the rate once. The number of raises since the last cut decides between fast recovery,
 * additive increase and hyper increase. */
static void raise_rate(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	uint32_t most = RN_MAX(cc->time_stage, cc->byte_stage),
		 least = RN_MIN(cc->time_stage, cc->byte_stage);

	if (least > p->threshold)
		cc->target += p->hai_rate * (least - p->threshold);
	else if (most > p->threshold)
		cc->target += p->ai_rate;
	cc->target = RN_MIN(cc->target, p->line_rate);
	set_rate(cc, p, (cc->target + cc->rate) / 2, now);
	/* The rate is close to the line rate: end the limit and clear the state of the flow. */
	if (cc->rate >= p->line_rate - p->line_rate / NEARLY)
		rn_cc_reset(cc);
}

static void dcqcn_sent(struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t bytes, rn_time now)
{
	cc->bytes += bytes;
	if (!p->byte_reset || cc->bytes < p->byte_reset)
		return;
	cc->bytes -= p->byte_reset;
	cc->byte_stage++;
	raise_rate(cc, p, now);
}

static void dcqcn_timer(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	for (unsigned i = 0; i < MAX_RAISES && cc->limited && cc->raise_at <= now; i++) {
		cc->raise_at += p->time_reset;
		cc->time_stage++;
		raise_rate(cc, p, now);
	}
}

const struct rn_cc_row rn_cc_rows[RN_CC_COUNT] = {
	[RN_CC_NONE] = {"none", none_cnp, none_sent, none_timer},
	[RN_CC_DCQCN] = {"dcqcn", dcqcn_cnp, dcqcn_sent, dcqcn_timer},
};
