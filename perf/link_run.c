/* The measurement loops of bench_link. End a runs short epochs, each between two probes of the
 * distance of the cores (distance.h). End b follows the phase that end a sets. Each end has its own
 * thread, but in the functions link_solo...() one thread runs both ends. */
#include <rte_cycles.h>
#include "bench_link.h"

#define STREAM_MS  15
#define WARM_MS	   2
#define ECHO_MS	   8
#define ROUNDS_MAX 20000
/* A core that has not polled for so long was taken away by the kernel or the hypervisor. */
#define GAP_NS	5000
#define SOLO_MS 60000 /* longest wait in ms with --messages, long enough for valgrind */

static uint64_t ticks(double ns)
{
	return (uint64_t)(ns * 1e-9 * (double)rte_get_tsc_hz());
}

static bool spent(uint64_t since, double ms)
{
	return rte_rdtsc() - since > (uint64_t)(ms * 1e-3 * (double)rte_get_tsc_hz());
}

/* ---- end b: receives and answers ---- */

/* Polls once and posts a new receive for every message that arrived, or a list of them when it is
 * full. With `echo`, end b also answers each message with a SEND. */
static void serve_once(const struct link_options *o, struct link_end *b, bool echo)
{
	uint64_t before = b->recvd;

	link_poll(b);
	if (before < b->recvd && o->list > 1) {
		uint64_t used = link_depth(o) - (b->expected - b->recvd);

		link_post_recvs(o, b, (unsigned)(used - used % o->list));
		return;
	}
	for (; before < b->recvd; before++) {
		link_post_recv(b);
		if (echo)
			link_post_request(o, b, RN_WQE_SEND);
	}
}

void link_serve(const struct link_options *o, struct link_end *b, struct link_shared *sh)
{
	uint64_t t0 = rte_rdtsc(), now = t0, last;
	uint64_t end = t0 + ticks((o->secs + 20) * 1e9), gap = ticks(GAP_NS);
	uint32_t phase;

	while ((phase = sh->phase) != LINK_QUIT && now < end) {
		last = now;
		now = rte_rdtsc();
		if (now - last > gap)
			sh->b_gaps++;
		if (phase != sh->entered) {
			link_set_loss(b, phase != LINK_CLEAN);
			sh->entered = phase;
		}
		if (phase == LINK_PROBE)
			rn_distance_answer(&sh->distance);
		else
			serve_once(o, b, phase == LINK_ECHO);
		if (b->bad != 0)
			sh->b_failed = 1;
	}
}

/* ---- end a: measures ---- */

static bool enter(struct link_shared *sh, enum link_phase phase)
{
	uint64_t t0 = rte_rdtsc();

	sh->phase = phase;
	while (sh->entered != phase) {
		if (spent(t0, 2000))
			return false;
	}
	return true;
}

static double probe(struct link_shared *sh, struct link_result *r)
{
	double ns = enter(sh, LINK_PROBE) ? rn_distance_ask(&sh->distance) : -1;

	rn_sample_add(&r->probes, ns);
	return ns;
}

static void post_and_poll(const struct link_options *o, struct link_end *a)
{
	link_poll(a);
	if (o->list > 1) {
		while (a->sent - a->send_done + o->list <= o->window)
			link_post_requests(o, a, o->list);
		return;
	}
	while (a->sent - a->send_done < o->window)
		link_post_request(o, a, o->kind);
}

/* Waits until all work requests of end a are acknowledged, so that end b may change its phase.
 * Returns false after 2 s. */
static bool settle(const struct link_options *o, struct link_end *a)
{
	uint64_t t0 = rte_rdtsc();

	while (rn_client_qp_outstanding(a->qp) > a->expected - a->recvd) {
		link_poll(a);
		if (spent(t0, 2000))
			return false;
	}
	/* all work requests are acknowledged, also unsignaled ones at the end, which have no
	 * completion */
	a->send_done = a->sent;
	return true;
}

static bool stream_epoch(const struct link_options *o, struct link_end *a, struct link_shared *sh,
			 enum link_phase phase, double *mmsg)
{
	uint64_t t0, t1, done;

	if (!enter(sh, phase))
		return false;
	link_set_loss(a, phase != LINK_CLEAN);
	for (t0 = rte_rdtsc(); !spent(t0, WARM_MS);)
		post_and_poll(o, a);
	done = a->send_done;
	for (t1 = rte_rdtsc(); !spent(t1, STREAM_MS - WARM_MS);)
		post_and_poll(o, a);
	*mmsg = (double)(a->send_done - done) * (double)rte_get_tsc_hz() * 1e-6 /
		(double)(rte_rdtsc() - t1);
	return settle(o, a);
}

/* Waits for the answer to a message sent at `t`. *gap becomes true if this core was taken away.
 * Returns false after a second. */
static bool wait_for_answer(struct link_end *a, uint64_t before, uint64_t t, bool *gap)
{
	uint64_t last = t, now, longest = ticks(GAP_NS), end = t + rte_get_tsc_hz();

	for (*gap = false; a->recvd == before; last = now) {
		link_poll(a);
		now = rte_rdtsc();
		*gap = *gap || now - last > longest;
		if (now > end)
			return false;
	}
	return true;
}

/* Sends a message and waits for the answer, repeatedly for ECHO_MS. Adds each round trip time to
 * `ns`, but not those during which a core was taken away; these are counted. */
static bool echo_epoch(const struct link_options *o, struct link_end *a, struct link_shared *sh,
		       struct rn_sample *ns, struct link_result *r)
{
	uint64_t t0 = rte_rdtsc(), t, t1, before, b_gaps;
	bool gap;

	if (!enter(sh, LINK_ECHO))
		return false;
	for (int i = 0; i < ROUNDS_MAX && !spent(t0, ECHO_MS); i++) {
		before = a->recvd;
		b_gaps = sh->b_gaps;
		t = rte_rdtsc();
		link_post_request(o, a, RN_WQE_SEND);
		if (!wait_for_answer(a, before, t, &gap))
			return false;
		t1 = rte_rdtsc();
		r->round_trips++;
		if (gap || sh->b_gaps != b_gaps)
			r->removed++;
		else
			rn_sample_add(ns, (double)(t1 - t) * 1e9 / (double)rte_get_tsc_hz());
		link_post_recv(a);
	}
	return settle(o, a);
}

/* Runs an epoch between two probes. *g is the distance of the cores during the epoch. */
static bool epoch(const struct link_options *o, struct link_end *a, struct link_shared *sh,
		  enum link_phase phase, struct rn_sample *ns, double *mmsg, enum rn_regime *g,
		  struct link_result *r)
{
	double before = probe(sh, r), after;

	ns->n = 0;
	if (before < 0 || !(phase == LINK_ECHO ? echo_epoch(o, a, sh, ns, r)
					       : stream_epoch(o, a, sh, phase, mmsg)))
		return false;
	after = probe(sh, r);
	if (after < 0)
		return false;
	*g = rn_regime_of(before, after);
	r->epochs++;
	return true;
}

static bool measure_rtt(const struct link_options *o, struct link_end *a, struct link_shared *sh,
			struct rn_sample *ns, struct link_result *r)
{
	enum rn_regime g;

	if (!epoch(o, a, sh, LINK_ECHO, ns, NULL, &g, r))
		return false;
	if (ns->n == 0)
		return true; /* a core was away all the time */
	rn_sample_add(&r->rtt_p50[g], rn_sample_at(ns, 0.5));
	rn_sample_add(&r->rtt_p99[g], rn_sample_at(ns, 0.99));
	rn_sample_add(&r->rtt_p999[g], rn_sample_at(ns, 0.999));
	return true;
}

/* With o->turns an epoch with loss and one without follow each other, and both count if the cores
 * had the same distance. */
static bool measure_rate(const struct link_options *o, struct link_end *a, struct link_shared *sh,
			 struct rn_sample *ns, struct link_result *r)
{
	enum rn_regime with, without;
	double mmsg, clean = 0;

	if (!epoch(o, a, sh, LINK_STREAM, ns, &mmsg, &with, r))
		return false;
	if (o->turns && !epoch(o, a, sh, LINK_CLEAN, ns, &clean, &without, r))
		return false;
	if (!o->turns || with == without)
		rn_sample_add(&r->mmsg[with], mmsg);
	if (o->turns && with == without)
		rn_sample_add(&r->clean[with], clean);
	return true;
}

bool link_drive(const struct link_options *o, struct link_end *a, struct link_shared *sh,
		struct link_result *r)
{
	struct rn_sample ns = {0};
	uint64_t t0 = rte_rdtsc();
	bool ok = true;

	while (ok && !spent(t0, o->secs * 1e3))
		ok = (o->rtt ? measure_rtt : measure_rate)(o, a, sh, &ns, r) && !sh->b_failed &&
		     a->bad == 0;
	r->bad = a->bad + sh->b_failed;
	sh->phase = LINK_QUIT;
	rn_sample_free(&ns);
	return ok;
}

void link_solo(const struct link_options *o, struct link_end *a, struct link_end *b,
	       struct link_result *r)
{
	uint64_t t0 = rte_rdtsc(), t, done;

	while (!spent(t0, o->secs * 1e3)) {
		done = a->send_done;
		for (t = rte_rdtsc(); !spent(t, STREAM_MS);) {
			post_and_poll(o, a);
			serve_once(o, b, false);
		}
		rn_sample_add(&r->mmsg[RN_REGIME_NEAR], (double)(a->send_done - done) *
								(double)rte_get_tsc_hz() * 1e-6 /
								(double)(rte_rdtsc() - t));
		r->epochs++;
	}
	r->bad = a->bad + b->bad;
}

/* Polls both ends until `count` of end a has reached `until`. The time is checked once in 1,024
 * polls, so that the check costs next to nothing per message. */
static bool solo_until(const struct link_options *o, struct link_end *a, struct link_end *b,
		       const uint64_t *count, uint64_t until)
{
	uint64_t t0 = rte_rdtsc();

	for (unsigned i = 1; *count < until; i++) {
		link_poll(a);
		serve_once(o, b, o->rtt);
		if (a->bad + b->bad != 0 || (i % 1024 == 0 && spent(t0, SOLO_MS)))
			return false;
	}
	return true;
}

/* Sends n more messages from a to b, or makes n round trips. */
static bool send_more(const struct link_options *o, struct link_end *a, struct link_end *b,
		      uint64_t n)
{
	uint64_t sent = a->sent + n, recvd = a->recvd;

	while (o->rtt && recvd < sent) {
		link_post_request(o, a, RN_WQE_SEND);
		if (!solo_until(o, a, b, &a->recvd, ++recvd))
			return false;
		link_post_recv(a);
	}
	while (!o->rtt && a->sent < sent) {
		if (o->list > 1)
			link_post_requests(o, a, o->signal);
		else
			for (unsigned i = 0; i < o->signal && a->sent < sent; i++)
				link_post_request(o, a, o->kind);
		if (a->sent - a->send_done >= o->window &&
		    !solo_until(o, a, b, &a->send_done, a->sent - o->window + o->signal))
			return false;
	}
	return o->rtt || solo_until(o, a, b, &a->send_done, sent);
}

bool link_solo_warm(const struct link_options *o, struct link_end *a, struct link_end *b)
{
	return send_more(o, a, b, o->warm);
}

bool link_solo_messages(const struct link_options *o, struct link_end *a, struct link_end *b)
{
	return send_more(o, a, b, o->messages);
}

/* One batch: a first request starts a turn, which a doorbell after a poll does; the adapter gathers
 * those of the batch until the next turn. Then both ends run turns until the completions of the
 * batch wait in the queue of end a. */
static bool one_batch(const struct link_options *o, struct link_end *a, struct link_end *b,
		      uint64_t took[2])
{
	uint64_t t0 = rte_rdtsc(), t;
	unsigned got;

	link_post_request(o, a, o->kind);
	t = rte_rdtsc();
	link_post_batch(o, a);
	took[0] = rte_rdtsc() - t;
	/* another thread may have the turn for a moment */
	while (rn_client_qp_outstanding(a->qp) > a->expected - a->recvd) {
		link_turn(a);
		serve_once(o, b, false);
		if (spent(t0, 2000))
			return false;
	}
	while (a->send_done + o->batch < a->sent) { /* the first request's */
		if (link_reap(a, 1) == 0)
			return false;
	}
	t = rte_rdtsc();
	got = link_reap(a, o->batch);
	took[1] = rte_rdtsc() - t;
	return got == o->batch && a->send_done == a->sent && a->bad + b->bad == 0;
}

/* Ticks between two readings of the clock with nothing between them. */
static double clock_ticks(void)
{
	struct rn_sample s = {0};
	double median;

	for (int i = 0; i < 1001; i++) {
		uint64_t t = rte_rdtsc();

		rn_sample_add(&s, (double)(rte_rdtsc() - t));
	}
	median = rn_sample_at(&s, 0.5);
	rn_sample_free(&s);
	return median;
}

bool link_solo_posts(const struct link_options *o, struct link_end *a, struct link_end *b,
		     struct link_result *r)
{
	double per = 1e9 / (double)rte_get_tsc_hz() / o->batch, clock = clock_ticks();
	uint64_t took[2];

	for (unsigned i = 0; i < o->posts; i++) {
		if (!one_batch(o, a, b, took))
			return false;
		rn_sample_add(&r->post_ns, ((double)took[0] - clock) * per);
		rn_sample_add(&r->reap_ns, ((double)took[1] - clock) * per);
	}
	return true;
}

void link_solo_idle(const struct link_options *o, struct link_end *a)
{
	for (unsigned i = 0; i < o->idle; i++)
		link_poll(a);
}
