/* Measures bandwidth: the loop that keeps the queues full. One thread calls these functions. */
#include "print.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS	 1000000000ull
#define STILL_NS (2 * NS)

struct bw {
	struct pt_end *e;
	const struct pt_options *o;
	uint32_t size;
	bool asks, receives;
	/* messages to send, and to receive, on each queue pair; UINT64_MAX with -D */
	uint64_t per_qp;
	/* times of each message, for the peak bandwidth; NULL if the peak bandwidth is not
	 * computed */
	struct pt_times *times;
	uint64_t ntimes, ncompleted;
	uint64_t first;	  /* start of the run in ns */
	uint64_t counted; /* with -D: messages counted in the sample */
	struct pt_clock clock;
	struct pt_pace pace;
	bool paced; /* the rate limit has held back a message in this turn */
	/* the interval that is printed while the run goes on: its start, when it is due, and the
	 * messages before it */
	uint64_t interval_ns, due_ns, before_interval;
};

void pt_clock_start(struct pt_clock *c, const struct pt_options *o)
{
	c->start = pt_now_ns();
	c->from = c->start + o->margin * NS;
	c->to = c->start + (o->secs - o->margin) * NS;
	c->end = c->start + o->secs * NS;
}

enum pt_phase pt_clock_phase(const struct pt_clock *c, uint64_t now)
{
	return now < c->from ? PT_WARM : now < c->to ? PT_SAMPLE : now < c->end ? PT_COOL : PT_OVER;
}

static double unit_of(const struct pt_options *o)
{
	return o->gbits ? PT_GB : PT_MB;
}

/* Returns how many receive queues this end fills. A shared one counts as that of queue pair 0. */
static unsigned receive_queues(const struct pt_options *o)
{
	return o->srq ? 1 : o->qps;
}

int pt_run_receives(struct pt_end *e)
{
	for (unsigned i = 0; i < receive_queues(e->o); i++)
		while (e->qp[i].rposted < e->o->rx)
			if (pt_post_recv(e, i) != 0)
				return -1;
	return 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int post_list(struct bw *b, unsigned i, uint64_t n)
{
	uint64_t now = b->times ? pt_now_ns() : 0;

	for (uint64_t k = 0; b->times && k < n; k++)
		b->times[b->ntimes++].posted = now;
	return pt_post_list(b->e, i, b->size, n, b->per_qp);
}

/* Posts lists of work requests (-l) on every queue pair, as long as the transmit depth (-t) and the
 * rate limit allow a whole list. The last list of a run may be shorter. */
static int fill(struct bw *b)
{
	for (unsigned i = 0; i < b->o->qps; i++) {
		struct pt_qp *q = &b->e->qp[i];

		while (q->posted < b->per_qp) {
			uint64_t n = smaller(b->o->list, b->per_qp - q->posted);

			if (q->posted - q->done + n > b->o->tx)
				break;
			if (b->o->rate > 0 && !pt_pace_take(&b->pace, n, pt_now_ns())) {
				b->paced = true;
				break;
			}
			if (post_list(b, i, n) != 0)
				return -1;
		}
	}
	return 0;
}

static uint64_t total(const struct bw *b, bool received)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < b->o->qps; i++)
		n += received ? b->e->qp[i].rdone : b->e->qp[i].done;
	return n;
}

/* Posts new receives for those that messages have taken, --recv_post_list at a time. */
static int refill(struct bw *b)
{
	uint64_t all = b->o->srq && !b->o->secs ? b->per_qp * b->o->qps : b->per_qp;

	for (unsigned i = 0; i < receive_queues(b->o); i++) {
		struct pt_qp *q = &b->e->qp[i];
		uint64_t taken = b->o->srq ? total(b, true) : q->rdone;

		while (q->rposted < all) {
			uint64_t n = smaller(b->o->recv_list, all - q->rposted);

			if (q->rposted - taken + n > b->o->rx)
				break;
			if (pt_post_recvs(b->e, i, n) != 0)
				return -1;
		}
	}
	return 0;
}

static bool is_done(const struct bw *b)
{
	for (unsigned i = 0; i < b->o->qps; i++) {
		const struct pt_qp *q = &b->e->qp[i];

		if ((b->asks && q->done < b->per_qp) || (b->receives && q->rdone < b->per_qp))
			return false;
	}
	return true;
}

static void note_completions(struct bw *b, uint64_t now)
{
	uint64_t n = total(b, false);

	while (b->times && b->ncompleted < n)
		b->times[b->ncompleted++].completed = now;
}

/* Returns for how many milliseconds one_turn() may sleep if there is no completion. If the rate
 * limit has held back a message, perhaps none is in flight: then only until the limit allows the
 * message. A shorter wait than 1 ms is spent polling. */
static unsigned sleep_ms(const struct bw *b)
{
	double ns = b->pace.next_ns - (double)pt_now_ns();

	if (!b->o->events || (b->paced && ns < 1e6))
		return 0;
	return b->paced && ns < PT_SLEEP_MS * 1e6 ? (unsigned)(ns / 1e6) : PT_SLEEP_MS;
}

static int one_turn(struct bw *b, bool may_ask)
{
	int n;

	b->paced = false;
	if (b->asks && may_ask && fill(b) != 0)
		return -1;
	n = pt_poll_for(b->e, sleep_ms(b));
	if (n > 0) {
		note_completions(b, pt_now_ns());
		if (b->receives && refill(b) != 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

/* Waits for the first message. A server that receives messages starts its clock then. */
static int await_first(struct bw *b)
{
	while (total(b, true) == 0)
		if (one_turn(b, false) != 0)
			return -1;
	return 0;
}

/* Runs until all messages of the test are complete. UC and UD may lose messages: the run also ends
 * after STILL_NS without progress. Stores the time of the last progress in *last, in ns. */
static int run_iterations(struct bw *b, uint64_t *last)
{
	uint64_t seen = 0;

	*last = pt_now_ns();
	while (!is_done(b)) {
		uint64_t n = total(b, false) + total(b, true);

		if (n != seen) {
			seen = n;
			*last = pt_now_ns();
		} else if (b->o->type != RN_QPT_RC && pt_now_ns() - *last > STILL_NS) {
			fprintf(stderr, "%s: %lu of %lu messages have arrived\n", b->o->tool->name,
				total(b, true), b->per_qp * b->o->qps);
			return 0;
		}
		if (one_turn(b, true) != 0)
			return -1;
	}
	*last = pt_now_ns();
	return 0;
}

/* Prints the rates of an interval when it is due. The next one is due `secs` seconds later. */
static void print_interval(struct bw *b, uint64_t now, unsigned secs)
{
	uint64_t n;
	struct pt_rates r;

	if (now < b->due_ns)
		return;
	n = total(b, !b->asks);
	r = pt_rates_of(b->size, n - b->before_interval, now - b->interval_ns, unit_of(b->o), NULL);
	if (b->o->endless)
		pt_print_rates(b->o, &r, NULL);
	else
		pt_print_progress(b->o, (unsigned)((now - b->clock.start) / NS), &r);
	b->interval_ns = now;
	b->due_ns += secs * NS;
	b->before_interval = n;
}

/* Runs until the user interrupts the test or it fails. */
static int run_endless(struct bw *b)
{
	b->interval_ns = pt_now_ns();
	b->due_ns = b->interval_ns + b->o->secs * NS;
	for (;;) {
		print_interval(b, pt_now_ns(), b->o->secs);
		if (one_turn(b, true) != 0)
			return -1;
	}
}

static int run_duration(struct bw *b)
{
	bool received = !b->asks;
	enum pt_phase phase, before = PT_WARM;
	uint64_t at_start = 0, now;

	pt_clock_start(&b->clock, b->o);
	b->interval_ns = b->clock.start;
	b->due_ns = b->interval_ns + NS;
	while ((phase = pt_clock_phase(&b->clock, now = pt_now_ns())) != PT_OVER) {
		if (b->o->progress)
			print_interval(b, now, 1);
		if (phase != before && phase >= PT_SAMPLE && before < PT_SAMPLE)
			at_start = total(b, received);
		if (phase != before && phase >= PT_COOL)
			b->counted = total(b, received) - at_start;
		before = phase;
		if (one_turn(b, true) != 0)
			return -1;
	}
	if (b->o->progress)
		print_interval(b, now, 1);
	if (before < PT_COOL)
		b->counted = total(b, received) - at_start;
	return 0;
}

static void reset_counts(struct bw *b)
{
	if (b->o->srq)
		b->e->qp[0].rposted -= total(b, true) - b->e->qp[0].rdone;
	for (unsigned i = 0; i < b->o->qps; i++) {
		struct pt_qp *q = &b->e->qp[i];

		q->posted = q->done = 0;
		q->rposted -= b->o->srq && i > 0 ? 0 : q->rdone;
		q->rdone = 0;
	}
}

/* Sends one queue of messages on each queue pair, so that code, memory and addresses are in the
 * caches when the clock starts. */
static int warm_up(struct bw *b)
{
	for (unsigned i = 0; i < b->o->qps; i++) {
		struct pt_qp *q = &b->e->qp[i];

		for (unsigned n = 1; n <= b->o->tx; n++)
			if (pt_post(b->e, i, b->size, n == b->o->tx) != 0)
				return -1;
		while (q->done < b->o->tx)
			if (pt_poll(b->e, b->o->events) < 0)
				return -1;
		q->posted = q->done = 0;
	}
	return 0;
}

int pt_run_bw(struct pt_end *e, uint32_t size, struct pt_rates *rates, uint64_t *all)
{
	const struct pt_options *o = e->o;
	double unit = unit_of(o);
	struct bw b = {.e = e,
		       .o = o,
		       .size = size,
		       .asks = pt_posts_requests(o),
		       .receives = o->tool->verb == PT_SEND && (o->bidi || pt_is_server(o)),
		       .per_qp = o->secs ? UINT64_MAX : o->iters};
	uint64_t n = (uint64_t)o->iters * o->qps, last = 0;
	int rc = 0;

	if (o->rate > 0)
		pt_pace_init(&b.pace, pt_rate_per_sec(o->rate, o->rate_unit, size), o->burst);
	if (b.asks && !o->no_peak)
		b.times = calloc(n, sizeof(b.times[0]));
	if (b.asks && o->warm_up)
		rc = warm_up(&b);
	if (b.receives && pt_is_server(o))
		rc = await_first(&b);
	b.first = pt_now_ns();
	if (rc == 0)
		rc = o->endless ? run_endless(&b)
		     : o->secs	? run_duration(&b)
				: run_iterations(&b, &last);
	if (!b.asks)
		n = total(&b, true);
	if (rc != 0) /* store the result so far, which is printed if the user interrupted the run */
		*rates = pt_rates_of(size, total(&b, !b.asks), pt_now_ns() - b.first, unit, NULL);
	else if (o->secs)
		*rates = pt_rates_of(size, b.counted, (uint64_t)(o->secs - 2 * o->margin) * NS,
				     unit, NULL);
	else
		*rates = pt_rates_of(size, n, last - b.first, unit, b.times);
	*all = total(&b, !b.asks);
	free(b.times);
	reset_counts(&b);
	return rc;
}
