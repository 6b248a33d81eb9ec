/* When are packets sent again? Runs on the shard's thread.
 *
 * Progress means that una, the oldest unacknowledged PSN, has moved. Two timeouts run from the last
 * progress, and probes before them:
 * - The coded timeout (4.096 us << code) is an attribute of the QP. At its expiry, packets are sent
 *   again and one retry is used. If no retry is left, the QP fails.
 * - The adaptive timeout is shorter: smoothed round trip plus four deviations, at least `floor`,
 *   doubled by each resend. At its expiry, packets are sent again but no retry is used. It helps
 *   when a retransmission is lost, because the peer sends only one NAK per gap.
 *
 * - Probes come before the adaptive timeout: after the smoothed round trip plus four deviations and
 *   a lower floor, then after twice this time, and so on. A probe is one packet, so that it may be
 *   wrong, for example when the thread of the peer does not get a CPU. On a path that has just
 *   lost packets, silence more often means another loss, and probes come earlier (PROBE_HASTE in
 *   requester.c).
 *
 * The round trip of a packet sent twice is not measured. If a path becomes slow, packets are sent
 * twice until the doubled adaptive timeout is longer than the new round trip. Only then can the new
 * round trip be measured. Therefore progress without a measurement shortens the adaptive timeout by
 * a quarter only.
 *
 * A READ response before una is no progress, but shows that the peer is alive: it is answering a
 * READ request that was sent again. Such a response restarts the coded timeout and reloads the
 * retries. Any host can forge such a response, so stale_left and PATIENCE limit its effect.
 *
 * Progress moves `deadline` and seldom touches the timer. A timer that expires before `deadline` is
 * armed again. In an RNR wait, the timer expires exactly at the end of the wait. */
#include "flow/retry.h"

#include "wire/psn.h"

/* READ responses before una postpone the coded timeout until PATIENCE coded timeouts have passed
 * without progress. So a QP whose peer is gone fails after at most (PATIENCE + retries + 1) coded
 * timeouts. The shortest coded timeout in common use is 67 ms. Even a slow peer answers any READ
 * within 64 times 67 ms. */
#define PATIENCE 64

rn_time rn_retry_timeout_ns(uint8_t code)
{
	return code ? (rn_time)4096 << (code & 31) : 0;
}

rn_time rn_retry_rnr_ns(uint8_t code)
{
	/* wait[c] is the time that RNR timer code c means in the specification, in units of 10
	 * us. */
	static const uint16_t wait[32] = {
		0,    1,    2,	  3,	4,    6,     8,	    12,	   16,	  24,	 32,
		48,   64,   96,	  128,	192,  256,   384,   512,   768,	  1024,	 1536,
		2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	code &= 31;
	return code ? wait[code] * (rn_time)10000 : 65536 * (rn_time)10000;
}

void rn_retry_init(struct rn_retry *r, rn_time floor, rn_time initial)
{
	*r = (struct rn_retry){.floor = floor, .rto = initial, .shortest = RN_TIME_NEVER};
	rn_timer_init(&r->timer);
}

void rn_retry_config(struct rn_retry *r, uint8_t timeout, uint8_t retry_cnt, uint8_t rnr_retry)
{
	r->full = rn_retry_timeout_ns(timeout);
	r->cnt = r->left = retry_cnt;
	r->rnr_cnt = r->rnr_left = rnr_retry;
}

void rn_retry_stop(struct rn_retry *r, struct rn_wheel *w)
{
	rn_timer_cancel(w, &r->timer);
	r->running = r->rnr_wait = r->sampling = false;
}

/* Sets the deadline to the adaptive or the coded timeout, whichever is earlier. Arms the timer
 * again only if the timer would expire after the deadline. */
static void arm(struct rn_retry *r, struct rn_wheel *w, rn_time now)
{
	rn_time step = RN_MIN(now + r->rto, r->base + r->full);

	r->deadline = step;
	if (!rn_timer_armed(&r->timer) || r->timer.when > step)
		rn_timer_arm(w, &r->timer, step);
}

void rn_retry_packet_sent(struct rn_retry *r, struct rn_wheel *w, uint32_t psn, bool sample,
			  rn_time now)
{
	if (sample && !r->sampling) {
		r->sampling = true;
		r->sample_psn = psn;
		r->sample_at = now;
	}
	/* Packets are in flight already, so the timeout runs from the last progress and not from
	 * this packet. */
	if (r->running)
		return;
	r->running = true;
	r->base = r->since = now;
	if (r->full)
		arm(r, w, now);
}

void rn_retry_asked_again(struct rn_retry *r, uint32_t responses)
{
	/* stale_left stays at UINT32_MAX instead of wrapping. */
	r->stale_left += RN_MIN(responses, UINT32_MAX - r->stale_left);
}

/* Smooths as TCP does (RFC 6298): a sample counts 1/8 for the round trip and 1/4 for the
 * deviation. */
static void take_sample(struct rn_retry *r, rn_time rtt)
{
	r->shortest = RN_MIN(r->shortest, rtt);
	if (!r->srtt) {
		r->srtt = rtt + 1;
		r->var = rtt / 2;
	} else {
		rn_time dev = rtt > r->srtt ? rtt - r->srtt : r->srtt - rtt;

		r->var = r->var - r->var / 4 + dev / 4;
		r->srtt = r->srtt - r->srtt / 8 + rtt / 8;
	}
}

static rn_time from_samples(const struct rn_retry *r)
{
	return RN_MAX(r->srtt + 4 * r->var, r->floor);
}

void rn_retry_hasten(struct rn_retry *r, struct rn_wheel *w, rn_time floor, rn_time now)
{
	r->floor = floor;
	if (r->srtt == 0 || !r->running || r->rnr_wait)
		return;
	r->rto = RN_MIN(r->rto, from_samples(r));
	if (r->full)
		arm(r, w, now);
}

void rn_retry_progress(struct rn_retry *r, struct rn_wheel *w, uint32_t una, bool more, rn_time now)
{
	if (r->sampling && rn_psn_before(r->sample_psn, una)) {
		take_sample(r, now - r->sample_at);
		r->rto = from_samples(r);
		r->sampling = false;
	} else if (r->srtt) {
		r->rto = RN_MAX(r->rto - r->rto / 4, from_samples(r));
	}
	r->left = r->cnt;
	r->rnr_left = r->rnr_cnt;
	r->acted = false;
	r->rnr_wait = false;
	r->running = more;
	r->base = r->since = now;
	if (more && r->full)
		arm(r, w, now);
}

void rn_retry_alive(struct rn_retry *r, struct rn_wheel *w, rn_time now)
{
	if (!r->running || r->rnr_wait || !r->full || now - r->since > PATIENCE * r->full)
		return;
	r->base = now;
	arm(r, w, now);
}

void rn_retry_stale(struct rn_retry *r, struct rn_wheel *w, rn_time now)
{
	if (!r->stale_left)
		return;
	r->stale_left--;
	if (now - r->since <= PATIENCE * r->full)
		r->left = r->cnt;
	rn_retry_alive(r, w, now);
}

bool rn_retry_nak(struct rn_retry *r, rn_time now)
{
	if (!r->left)
		return false;
	r->left--;
	rn_retry_implied(r, now);
	return true;
}

void rn_retry_implied(struct rn_retry *r, rn_time now)
{
	r->acted = true;
	/* Measure no round trip: a response could belong to the first or to the repeated packet. */
	r->sampling = false;
	r->sample_at = now;
}

bool rn_retry_rnr(struct rn_retry *r, struct rn_wheel *w, uint8_t code, rn_time now)
{
	if (r->rnr_cnt != 7) {
		if (!r->rnr_left)
			return false;
		r->rnr_left--;
	}
	r->rnr_wait = true;
	r->running = false;
	r->sampling = false;
	/* The packet that the RNR NAK names has reached the peer. A NAK after the wait is a new NAK
	 * and must not be ignored. */
	r->acted = false;
	/* The peer is alive, so reload the retries. Losses before and after a long wait do not add
	 * up then. */
	r->left = r->cnt;
	r->deadline = now + rn_retry_rnr_ns(code);
	rn_timer_arm(w, &r->timer, r->deadline);
	return true;
}

/* Lets the caller probe, later each time, until it is time to send all packets again. No ACK is due
 * yet if the packet that requests it was sent less than a timeout ago. */
static enum rn_retry_due probe(struct rn_retry *r, struct rn_wheel *w, rn_time resend, rn_time now)
{
	rn_time due = RN_MAX(r->base, r->sample_at) + RN_MAX(r->rto, 2 * r->srtt);
	bool early = now < due;

	if (!early)
		r->rto = RN_MIN(r->rto * 2, r->base + resend - now);
	r->deadline = RN_MIN(early ? due : now + r->rto, r->base + r->full);
	rn_timer_arm(w, &r->timer, r->deadline);
	return early ? RN_RETRY_NOTHING : RN_RETRY_PROBE;
}

enum rn_retry_due rn_retry_expired(struct rn_retry *r, struct rn_wheel *w, rn_time floor,
				   rn_time now)
{
	enum rn_retry_due due = RN_RETRY_RESEND_EARLY;
	rn_time resend = RN_MAX(r->srtt + 4 * r->var, floor);

	if (r->rnr_wait) {
		if (now < r->deadline) {
			rn_timer_arm(w, &r->timer, r->deadline);
			return RN_RETRY_NOTHING;
		}
		r->rnr_wait = false;
		return RN_RETRY_RNR_OVER;
	}
	if (!r->running || !r->full)
		return RN_RETRY_NOTHING;
	if (now < r->deadline) {
		rn_timer_arm(w, &r->timer, r->deadline);
		return RN_RETRY_NOTHING;
	}
	/* The coded timeout has passed too, so this resend costs a retry. */
	if (now - r->base >= r->full) {
		if (!r->left)
			return RN_RETRY_EXCEEDED;
		r->left--;
		r->base = now;
		due = RN_RETRY_RESEND;
	} else if (r->rto < resend && now - r->base < resend) {
		return probe(r, w, resend, now);
	}
	/* Double the adaptive timeout, up to the coded timeout. */
	r->rto = RN_MIN(RN_MAX(r->rto, resend) * 2, r->full);
	r->acted = false;
	r->sampling = false;
	arm(r, w, now);
	return due;
}
