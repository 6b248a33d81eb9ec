/* How fast may a queue pair send when the network says it is too much? The algorithms, and the pacing that all of them
 * share. Owns nothing: a flow's state is the caller's, parameters are the NIC's. Pure functions; shard thread.
 *
 * DCQCN: a notification cuts the rate by a share that follows how often notifications came lately (alpha); then every
 * period of time, and every so many bytes, raises it: first half-way back to the rate before the cut (fast recovery), then
 * beyond it by a constant (additive), then, when both clocks agree that all is quiet, by more each time (hyper). Alpha
 * decays by the microsecond on adapters; here it is computed for the time that passed when somebody asks.
 *
 * Pacing is a debt of time: each packet moves `send_at` on by what it takes at the present rate. Whoever waited for send_at
 * and was woken late (a sleeping thread) makes up for up to CATCH_UP of it; who had nothing to send gets no credit. */
#include "flow/cc.h"

#include <stddef.h>
#include <string.h>

#define ALPHA_ONE  (1u << 20)
#define CATCH_UP   RN_MS(1)
#define MAX_RAISES 64 /* per call; the rest follows with the next */
#define NEARLY     128 /* this close to the line's rate a limit ends: half-way steps never quite get there */

/* ---- pacing ---- */

/* A new rate also holds for what is left of the present wait. */
static void set_rate(struct rn_cc *cc, const struct rn_cc_cfg *p, uint64_t rate, rn_time now)
{
	rate = RN_MAX(RN_MIN(rate, p->line_rate), p->min_rate);
	/* left * rate is the bits of at most one packet, times 10^9 */
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

/* ---- none ---- */

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

/* a * (g / 1024)^n in 2^20 units, by squaring. */
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

/* Alpha at `now`, and for the cuts that follow in this period a step up, once per period. */
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

/* Rate after one cut. */
static uint64_t cut_rate(const struct rn_cc *cc, const struct rn_cc_cfg *p, uint32_t alpha)
{
	uint64_t cut = (cc->rate >> 10) * alpha >> p->gd; /* alpha has ten bits more than gd was made for */
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
	else if (now - cc->cut_at < p->monitor_period)
		return false;
	alpha = take_alpha(cc, p, now);
	rate = first && p->first_rate ? p->first_rate : cut_rate(cc, p, alpha);
	if (p->clamp_tgt_rate || cc->byte_stage || (p->clamp_tgt_rate_after_time_inc && cc->time_stage))
		cc->target = cc->rate;
	set_rate(cc, p, rate, now);
	cc->cut_at = now;
	cc->time_stage = cc->byte_stage = cc->bytes = 0;
	cc->raise_at = now + p->time_reset;
	return true;
}

/* One increase; which kind depends on how many there were since the last cut. */
static void raise_rate(struct rn_cc *cc, const struct rn_cc_cfg *p, rn_time now)
{
	uint32_t most = RN_MAX(cc->time_stage, cc->byte_stage), least = RN_MIN(cc->time_stage, cc->byte_stage);

	if (least > p->threshold)
		cc->target += p->hai_rate * (least - p->threshold);
	else if (most > p->threshold)
		cc->target += p->ai_rate;
	cc->target = RN_MIN(cc->target, p->line_rate);
	set_rate(cc, p, (cc->target + cc->rate) / 2, now);
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
