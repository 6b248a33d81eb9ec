/* Measures latency: loops that have one message in flight at a time. One thread calls these
 * functions. */
#include "print.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS	    16u
#define SECOND_NS   1000000000ull
#define PATIENCE_NS 60000000000ull
#define LOST_NS	    5000000000ull

struct lat {
	struct pt_end *e;
	const struct pt_options *o;
	uint32_t size;
	struct pt_clock clock;
	/* times in ns at which messages were posted, less all pauses before; NULL with -D */
	uint64_t *posted;
	uint64_t sent, counted, heard;
	unsigned factor;	 /* 2: a latency is half the time between two postings; else 1 */
	uint64_t last_ns, at_ns; /* when the message before was posted; the same less all pauses */
	struct pt_hist *hist;
	/* --progress: when the second ends, and the messages sent before it */
	uint64_t second_ends, before_second;
};

/* Returns the average latency in us of messages at a rate of tps per second. */
static double average_us(const struct lat *l, double tps)
{
	double us = 1e6 / tps - l->o->gap_us;

	return us > 0 ? us / l->factor : 0;
}

static bool is_over(const struct lat *l)
{
	if (l->o->secs)
		return pt_clock_phase(&l->clock, pt_now_ns()) == PT_OVER;
	return l->sent == l->o->iters;
}

/* True if a -D run is over. The peer's run is then over too, and the peer sends nothing more. So a
 * wait for a message of the peer must end. */
static bool times_out(const struct lat *l)
{
	return l->o->secs && pt_clock_phase(&l->clock, pt_now_ns()) == PT_OVER;
}

/* With --progress: prints a second of a -D run when it is over. */
static void print_second(struct lat *l, uint64_t now)
{
	uint64_t n = l->sent - l->before_second;

	if (!l->o->progress || now < l->second_ends)
		return;
	pt_print_lat_progress((unsigned)((l->second_ends - l->clock.start) / SECOND_NS),
			      n ? average_us(l, (double)n) : 0, n);
	l->second_ends += SECOND_NS;
	l->before_second = l->sent;
}

/* Notes that a message is posted now, and so how long the one before took. The pause of
 * --latency_gap, which the client makes in each round, does not count. */
static void note_post(struct lat *l)
{
	uint64_t now = pt_now_ns(), gap = l->o->gap_us * 1000ull, took = 0;

	if (l->sent > 0)
		took = now - l->last_ns > gap ? now - l->last_ns - gap : 0;
	l->last_ns = now;
	l->at_ns += took;
	if (l->posted)
		l->posted[l->sent] = l->at_ns;
	if (l->o->secs && pt_clock_phase(&l->clock, now) == PT_SAMPLE) {
		l->counted++;
		if (l->sent > 0)
			pt_hist_add(l->hist, took / l->factor);
	}
	l->sent++;
	print_second(l, now);
}

/* The client lets gap_us pass between an answer and the next message. Meanwhile the adapter goes on
 * working. */
static int pause_before_post(struct lat *l)
{
	uint64_t end = l->o->gap_us ? pt_now_ns() + l->o->gap_us * 1000ull : 0;

	while (end && !pt_is_server(l->o) && l->sent > 0 && pt_now_ns() < end)
		if (pt_poll(l->e, false) < 0)
			return -1;
	return 0;
}

static int post(struct lat *l)
{
	struct pt_qp *q = &l->e->qp[0];

	while (q->posted - q->done >= l->o->tx)
		if (pt_poll(l->e, l->o->events) < 0)
			return -1;
	if (pause_before_post(l) != 0)
		return -1;
	note_post(l);
	return pt_post(l->e, 0, l->size, true);
}

static int await_own(struct lat *l)
{
	struct pt_qp *q = &l->e->qp[0];

	while (q->done < q->posted)
		if (pt_poll(l->e, l->o->events) < 0)
			return -1;
	return 0;
}

/* For tests of READs and atomics: posts work requests until the run is over, each after the
 * completion of the work request before. */
static int ask(struct lat *l)
{
	while (!is_over(l))
		if (post(l) != 0 || await_own(l) != 0)
			return -1;
	return 0;
}

/* To be called in polling loops. Returns true, after a message on stderr, if the peer has not
 * answered for 60 s. With UC and UD, which may lose messages, the limit is 5 s. */
static bool gives_up(struct lat *l, unsigned *looks, uint64_t since)
{
	uint64_t patience = l->o->type == RN_QPT_RC ? PATIENCE_NS : LOST_NS;

	if (++*looks % LOOKS || pt_now_ns() - since < patience)
		return false;
	fprintf(stderr, "%s: no answer to message %lu\n", l->o->tool->name, l->sent);
	return true;
}

/* For tests of SENDs: waits for one message of the peer. The client sends first. */
static int await_send(struct lat *l)
{
	struct pt_qp *q = &l->e->qp[0];
	uint64_t since = pt_now_ns();
	unsigned looks = 0;

	while (q->rdone == l->heard && !times_out(l))
		if (pt_poll(l->e, l->o->events) < 0 || gives_up(l, &looks, since))
			return -1;
	if (q->rdone == l->heard)
		return 0;
	l->heard++;
	if (l->o->secs || q->rposted < l->o->iters)
		return pt_post_recv(l->e, 0);
	return 0;
}

static int play_sends(struct lat *l)
{
	bool server = pt_is_server(l->o);

	while (!is_over(l)) {
		if ((server || l->sent > 0) && await_send(l) != 0)
			return -1;
		if (!times_out(l) && post(l) != 0)
			return -1;
	}
	while (!server && !l->o->secs && l->heard < l->o->iters)
		if (await_send(l) != 0)
			return -1;
	return l->o->secs ? 0 : await_own(l);
}

/* For tests of WRITEs: waits for the next message of the peer. The last byte of the receive block
 * is then the number of that message, modulo 256. The server writes first. */
static int await_write(struct lat *l)
{
	const volatile uint8_t *at = pt_recv_at(l->e, 0) + l->size - 1;
	uint8_t want = (uint8_t)(l->heard + 1);
	uint64_t since = pt_now_ns();
	unsigned looks = 0;

	while (*at != want) {
		if (pt_poll(l->e, false) < 0 || gives_up(l, &looks, since))
			return -1;
		if (looks % LOOKS == 0 && times_out(l))
			return 0;
	}
	l->heard++;
	return 0;
}

static int play_writes(struct lat *l)
{
	bool server = pt_is_server(l->o);

	while (!is_over(l)) {
		if ((!server || l->sent > 0) && await_write(l) != 0)
			return -1;
		pt_send_at(l->e, 0)[l->size - 1] = (uint8_t)(l->sent + 1);
		if (!times_out(l) && post(l) != 0)
			return -1;
	}
	while (server && !l->o->secs && l->heard < l->o->iters)
		if (await_write(l) != 0)
			return -1;
	return l->o->secs ? 0 : await_own(l);
}

static int play(struct lat *l)
{
	switch (l->o->tool->verb) {
	case PT_SEND:
		return play_sends(l);
	case PT_WRITE:
		return play_writes(l);
	case PT_READ:
	case PT_ATOMIC:
		break;
	}
	return ask(l);
}

static void evaluate(struct lat *l, struct pt_lat_result *r)
{
	double secs = l->o->secs - 2 * l->o->margin;

	r->n = l->o->secs ? l->counted : l->o->iters;
	if (l->e->stopped) {
		r->n = l->sent < LAT_LEAST ? 0 : l->sent;
		secs = (double)(pt_now_ns() - l->clock.start) / 1e9;
	}
	if (r->n == 0)
		return;
	for (uint64_t i = 1; l->posted && i < r->n; i++)
		pt_hist_add(l->hist, (l->posted[i] - l->posted[i - 1]) / l->factor);
	if (l->o->secs) {
		r->tps = (double)r->n / secs;
		r->average = average_us(l, r->tps);
	} else {
		pt_latency_of(l->posted, r->n, l->factor, r->deltas, r->unsorted, &r->lat);
	}
}

int pt_run_lat(struct pt_end *e, uint32_t size, struct pt_lat_result *r)
{
	const struct pt_options *o = e->o;
	struct lat l = {.e = e,
			.o = o,
			.size = size,
			.factor = o->tool->verb >= PT_READ ? 1 : 2,
			.hist = &r->hist};
	int rc;

	memset(r, 0, sizeof(*r));
	if (!o->secs) {
		l.posted = calloc(o->iters, sizeof(l.posted[0]));
		r->deltas = calloc(o->iters, sizeof(r->deltas[0]));
		r->unsorted = calloc(o->iters, sizeof(r->unsorted[0]));
	}
	if (!o->secs && (!l.posted || !r->deltas || !r->unsorted)) {
		fprintf(stderr, "%s: no memory for %u results\n", o->tool->name, o->iters);
		rc = -1;
	} else {
		if (o->secs)
			pt_clock_start(&l.clock, o);
		l.second_ends = l.clock.start + SECOND_NS;
		rc = play(&l);
		print_second(&l, pt_now_ns());
	}
	if (rc == 0 || e->stopped)
		evaluate(&l, r);
	free(l.posted);
	if (!o->secs) {
		e->qp[0].posted = e->qp[0].done = 0;
		e->qp[0].rposted -= e->qp[0].rdone;
		e->qp[0].rdone = 0;
	}
	return rc;
}

void pt_lat_result_scale(struct pt_lat_result *r, double scale)
{
	struct pt_latency *l = &r->lat;
	double *const all[] = {&l->min,	  &l->max, &l->typical, &l->average,
			       &l->stdev, &l->p99, &l->p999,	&r->average};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] *= scale;
	for (uint64_t i = 0; r->deltas && i + 1 < r->n; i++) {
		r->deltas[i] *= scale;
		r->unsorted[i] *= scale;
	}
}

void pt_lat_result_free(struct pt_lat_result *r)
{
	free(r->deltas);
	free(r->unsorted);
	r->deltas = r->unsorted = NULL;
}
